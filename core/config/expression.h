#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// A formula over named values: numbers, 'texts', names with dots, + - * / ^, comparisons, `and`, `or`, `not`, parentheses, and the functions
/// abs, min, max, sum, mean, log, log10, exp, sqrt, pow, tanh, sigmoid, relu and where(condition, a, b). Read once, evaluated often.
class Expression {
 public:
  using Value = std::variant<double, bool, std::string>;
  /// The value of a name; throws for one that has none.
  using Lookup = std::function<Value(const std::string& name)>;

  /// Config error, with the place in the text, for what is not a formula. `origin`: where it is written.
  static Expression parse(const std::string& text, const Origin& origin);

  /// Config error where a value is of a type that its place cannot take.
  Value evaluate(const Lookup& lookup) const;
  /// The same, of one that must be true or false.
  bool holds(const Lookup& lookup) const;

  const std::string& text() const { return text_; }
  const Origin& origin() const { return origin_; }
  /// In the order in which they first occur.
  std::vector<std::string> names() const;

  /// A part: `what` is "number", "text" or "name" (of `value`), "negative", or the sign or name of what is done with `parts`; a power is "pow".
  struct Part {
    std::string what;
    Value value = 0.0;
    std::vector<Part> parts;
    std::size_t at = 0;  ///< where it begins in the text
  };
  const Part& root() const { return root_; }
  Part& root() { return root_; }
  /// Config error about a part.
  [[noreturn]] void fail(const Part& part, const std::string& why, const std::string& hint) const;

 private:
  std::string text_;
  Origin origin_;
  Part root_;
};

}  // namespace yatlab
