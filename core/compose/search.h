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
  double low = 0, high = 1;  ///< of a real [low, high), of an integer [low, high]
  bool log = false;          ///< even steps are equal factors; low > 0
  std::size_t choices = 0;   ///< of kChoice: 0 .. choices - 1, which have no order
};

/// One value for each parameter of a space: a number, a choice's index, or NaN where the parameter means nothing at this point (it depends
/// on another one). What is proposed has no NaN.
using SearchPoint = std::vector<double>;

struct SearchSpace {
  std::vector<SearchParameter> parameters;
  /// Which points may be proposed; unset: all.
  std::function<bool(const SearchPoint&)> allowed;
};

/// A point that was tried.
struct Trial {
  enum class State { kRunning, kCompleted, kPruned, kFailed };
  SearchPoint point;
  State state = State::kRunning;
  double value = 0;  ///< less is better; of kCompleted, and of kPruned as far as it came
};

/// Proposes points by what came of earlier ones. It keeps nothing itself: the answer follows from its settings and its arguments, so that a
/// search goes on after any interruption as if there had been none.
class SearchMethod {
 public:
  virtual ~SearchMethod() = default;

  /// The next point. `trials` are all that were asked for, in that order. Throws a config error where no allowed point was found.
  virtual SearchPoint ask(const SearchSpace& space, const std::vector<Trial>& trials) const = 0;

  /// How many points, from the first, follow from no result.
  virtual std::size_t independent(const SearchSpace& space) const = 0;
};

/// What a trial was worth on its way: steps, ascending, and values of which less is better.
using SearchCurve = std::vector<std::pair<std::int64_t, double>>;

}  // namespace yatlab
