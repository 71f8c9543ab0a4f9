#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

/// One parameter that a search varies.
struct SearchParameter {
  enum class Kind { kChoice, kReal, kInteger };
  std::string name;  ///< its key
  Kind kind = Kind::kReal;
  double low = 0, high = 1;  ///< kReal: [low, high); kInteger: [low, high]
  bool log = false;          ///< equal steps are equal factors; low > 0
  std::size_t choices = 0;   ///< kChoice: 0 .. choices - 1, unordered
};

/// One value for each parameter of a space: a number, a choice's index, or NaN where the parameter does not apply at this point because it depends
/// on another one. Proposed points have no NaN.
using SearchPoint = std::vector<double>;

struct SearchSpace {
  std::vector<SearchParameter> parameters;
  /// The condition for points that may be proposed; unset: all are allowed.
  std::function<bool(const SearchPoint&)> allowed;
};

/// An evaluated point.
struct Trial {
  enum class State { kRunning, kCompleted, kPruned, kFailed };
  SearchPoint point;
  State state = State::kRunning;
  double value = 0;  ///< lower is better; for kCompleted, and for kPruned the last value
};

/// Proposes points from the results of earlier ones. It is stateless: the proposal depends only on its settings and arguments, so an interrupted
/// search resumes exactly where it stopped.
class SearchMethod {
 public:
  virtual ~SearchMethod() = default;

  /// The next point. `trials` are all proposed points in order. Throws a config error if no allowed point was found.
  virtual SearchPoint ask(const SearchSpace& space, const std::vector<Trial>& trials) const = 0;

  /// The number of initial points that do not depend on results.
  virtual std::size_t independent(const SearchSpace& space) const = 0;
};

/// A trial's learning curve: ascending steps, and values where lower is better.
using SearchCurve = std::vector<std::pair<std::int64_t, double>>;

}  // namespace yatlab
