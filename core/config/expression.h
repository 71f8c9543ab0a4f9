#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// A formula over named values: numbers, 'texts', names with dots, + - * / ^, comparisons, `and`, `or`, `not`, parentheses, and the functions
/// abs, min, max, sum, mean, log, log10, exp, sqrt, pow, tanh, sigmoid, relu and where(condition, a, b). Parsed once, evaluated many times.
class Expression {
 public:
  using Value = std::variant<double, bool, std::string>;
  /// Returns the value of a name; throws for an unknown name.
  using Lookup = std::function<Value(const std::string& name)>;

  /// Config error, with the position in the text, if it is not a valid formula. `origin`: where the text is written.
  static Expression parse(const std::string& text, const Origin& origin);

  /// Config error where a value has a type that is not allowed there.
  Value evaluate(const Lookup& lookup) const;
  /// Evaluates a condition. Config error if the result is not a bool.
  bool holds(const Lookup& lookup) const;

  const std::string& text() const { return text_; }
  const Origin& origin() const { return origin_; }
  /// The names in order of first occurrence.
  std::vector<std::string> names() const;

  /// A node of the syntax tree. `what` is "number", "text" or "name" (with `value`), "negative", "pow" for a power, or the operator or function that
  /// is applied to `parts`.
  struct Part {
    std::string what;
    Value value = 0.0;
    std::vector<Part> parts;
    std::size_t at = 0;  ///< its start in the text
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
