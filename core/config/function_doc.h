#pragma once

#include <string>
#include <vector>

namespace yatlab {

/// What the reference says of a function of the configuration language; messages show the same signature.
struct FunctionDoc {
  std::string name;
  std::string signature;  ///< as it is written: "range(stop), range(start, stop) or range(start, stop, step)"
  std::string doc;        ///< one line
};

/// The functions of values: behind '=' in an override, and in a file's `sweep:`.
const std::vector<FunctionDoc>& override_functions();

/// The resolvers of interpolations, `${name:arguments}`.
const std::vector<FunctionDoc>& interpolation_resolvers();

}  // namespace yatlab
