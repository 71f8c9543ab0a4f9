#pragma once

#include <string>
#include <vector>

namespace yatlab {

/// A function of the configuration language, as the reference documents it. Messages show the same signature.
struct FunctionDoc {
  std::string name;
  std::string signature;  ///< for example "range(stop), range(start, stop) or range(start, stop, step)"
  std::string doc;        ///< one line
};

/// The functions for values: after '=' in an override, and in a file's `sweep:`.
const std::vector<FunctionDoc>& override_functions();

/// The resolvers of interpolations, `${name:arguments}`.
const std::vector<FunctionDoc>& interpolation_resolvers();

}  // namespace yatlab
