#include "core/config/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/limits.h"

namespace yatlab {
namespace {

using Part = Expression::Part;
using Value = Expression::Value;

constexpr const char* kNumber = "number";
constexpr const char* kText = "text";
constexpr const char* kName = "name";
constexpr const char* kMinus = "negative";
constexpr std::size_t kSigns = 1000;

/// Functions and their number of arguments; 0: one or more.
const std::map<std::string, std::size_t>& functions() {
  static const std::map<std::string, std::size_t> kAll = {{"abs", 1},  {"exp", 1}, {"log", 1},  {"log10", 1}, {"max", 0},
                                                          {"mean", 0}, {"min", 0}, {"pow", 2},  {"relu", 1},  {"sigmoid", 1},
                                                          {"sqrt", 1}, {"sum", 0}, {"tanh", 1}, {"where", 3}};
  return kAll;
}

[[noreturn]] void refuse(const std::string& text, const Origin& origin, std::size_t at, const std::string& why, const std::string& hint) {
  throw config_error(fmt::format("'{}' cannot be used", shortened(text)), origin.describe(), fmt::format("column {}: {}", at + 1, why),
                     hint);
}

class Parser {
 public:
  Parser(const std::string& text, const Origin& origin) : text_(text), origin_(origin) {}

  Part all() {
    Part out = either();
    skip();
    if (at_ < text_.size()) wrong(fmt::format("'{}' is not expected here", text_.substr(at_, 1)));
    return out;
  }

 private:
  [[noreturn]] void wrong(const std::string& why) const {
    if (at_ > 0 && text_.compare(at_ - 1, 2, "**") == 0) {
      std::string right = text_;
      for (auto at = right.find("**"); at != std::string::npos; at = right.find("**", at)) right.replace(at, 2, "^");
      refuse(text_, origin_, at_ - 1, "'**' is not an operator here", fmt::format("use ^ for powers: {}", right));
    }
    refuse(text_, origin_, at_, why, "allowed: names, numbers, + - * / ^, comparisons, and, or, not, and functions like sqrt(...)");
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  static bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '@'; }
  /// Takes a symbol, or a keyword that is not the beginning of a longer word.
  bool take(const std::string& sign) {
    skip();
    if (text_.compare(at_, sign.size(), sign) != 0) return false;
    const bool word = std::isalpha(static_cast<unsigned char>(sign[0])) != 0;
    if (word && at_ + sign.size() < text_.size() && in_word(text_[at_ + sign.size()])) return false;
    at_ += sign.size();
    return true;
  }
  std::string take_any(std::initializer_list<const char*> signs) {
    for (const char* sign : signs) {
      if (take(sign)) return sign;
    }
    return {};
  }
  /// Every level of a formula uses the call stack.
  struct Level {
    explicit Level(Parser& p) : parser(p) {
      if (++parser.depth_ > limits::kLevels) parser.wrong(fmt::format("it is nested more than {} levels deep", limits::kLevels));
    }
    ~Level() { --parser.depth_; }
    Parser& parser;
  };

  template <class Next>
  Part row(std::initializer_list<const char*> signs, Next next) {
    Part left = next();
    for (;;) {
      skip();
      const auto at = at_;
      const auto sign = take_any(signs);
      if (sign.empty()) return left;
      // A chain of n signs builds a tree of depth n.
      if (++signs_ > kSigns) wrong(fmt::format("there are more than {} operators", kSigns));
      Part right = next();
      left = Part{sign, 0.0, {std::move(left), std::move(right)}, at};
    }
  }
  Part either() {
    return row({"or"}, [&] { return row({"and"}, [&] { return negated(); }); });
  }
  Part negated() {
    skip();
    const Level level(*this);
    const auto at = at_;
    if (take("not")) return {"not", 0.0, {negated()}, at};
    return compared();
  }
  Part compared() {
    Part left = sum();
    skip();
    const auto at = at_;
    const auto sign = take_any({"<=", ">=", "==", "!=", "<", ">"});
    if (sign.empty()) {
      if (at_ < text_.size() && text_[at_] == '=') wrong("write '==' for a comparison");
      return left;
    }
    Part right = sum();
    skip();
    if (!take_any({"<=", ">=", "==", "!=", "<", ">"}).empty()) wrong("comparisons cannot be chained: join them with 'and'");
    return {sign, 0.0, {std::move(left), std::move(right)}, at};
  }
  Part sum() {
    return row({"+", "-"}, [&] { return row({"*", "/"}, [&] { return signed_part(); }); });
  }
  Part signed_part() {
    skip();
    const Level level(*this);
    const auto at = at_;
    if (take("-")) return {kMinus, 0.0, {signed_part()}, at};
    Part base = simple();
    skip();
    const auto sign = at_;
    if (!take("^")) return base;
    return {"pow", 0.0, {std::move(base), signed_part()}, sign};  // right-associative: 2^3^2 is 2^9
  }
  Part simple() {
    skip();
    const auto at = at_;
    if (at_ == text_.size()) wrong("expected a value, found the end");
    const char c = text_[at_];
    if (take("(")) {
      Part out = either();
      if (!take(")")) wrong("')' is missing");
      return out;
    }
    if (c == '\'' || c == '"') {
      const auto end = text_.find(c, at_ + 1);
      if (end == std::string::npos) wrong("the quote is not closed");
      at_ = end + 1;
      return {kText, text_.substr(at + 1, end - at - 1), {}, at};
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
      const char* begin = text_.c_str() + at_;
      char* end = nullptr;
      const double number = std::strtod(begin, &end);
      at_ += static_cast<std::size_t>(end - begin);
      if (end == begin || (at_ < text_.size() && in_word(text_[at_]))) wrong("this is not a number");
      return {kNumber, number, {}, at};
    }
    if (std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '_') wrong(fmt::format("'{}' is not expected here", std::string(1, c)));
    return word(at);
  }
  Part word(std::size_t at) {
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    const auto name = text_.substr(at, at_ - at);
    if (name == "true" || name == "false") return {kNumber, name == "true", {}, at};
    if (!take("(")) return {kName, name, {}, at};
    const auto function = functions().find(name);
    if (function == functions().end()) {
      std::vector<std::string> known;
      for (const auto& entry : functions()) known.push_back(entry.first);
      refuse(text_, origin_, at, fmt::format("there is no function '{}'", name), suggestion(name, known));
    }
    Part out{name, 0.0, {}, at};
    do out.parts.push_back(either());
    while (take(","));
    if (!take(")")) wrong("')' is missing");
    if (function->second > 0 && out.parts.size() != function->second) {
      refuse(text_, origin_, at, fmt::format("{} takes {} argument{}", name, function->second, function->second == 1 ? "" : "s"), "");
    }
    return out;
  }

  const std::string& text_;
  const Origin& origin_;
  std::size_t at_ = 0, signs_ = 0;
  int depth_ = 0;
};

class Evaluation {
 public:
  Evaluation(const Expression& expression, const Expression::Lookup& lookup) : expression_(expression), lookup_(lookup) {}

  Value of(const Part& part) const {
    const auto& what = part.what;
    if (what == kNumber || what == kText) return part.value;
    if (what == kName) return lookup_(std::get<std::string>(part.value));
    if (what == "not") return !truth(part.parts[0]);
    if (what == "and") return truth(part.parts[0]) && truth(part.parts[1]);
    if (what == "or") return truth(part.parts[0]) || truth(part.parts[1]);
    if (what == "==" || what == "!=") {
      const auto a = of(part.parts[0]), b = of(part.parts[1]);
      if (a.index() != b.index()) wrong(part, fmt::format("cannot compare {} with {}", kind(a), kind(b)));
      return (a == b) == (what == "==");
    }
    if (what == "where") return of(part.parts[truth(part.parts[0]) ? 1 : 2]);
    std::vector<double> x;
    for (const auto& each : part.parts) x.push_back(number(each));
    if (what == "<") return x[0] < x[1];
    if (what == "<=") return x[0] <= x[1];
    if (what == ">") return x[0] > x[1];
    if (what == ">=") return x[0] >= x[1];
    if (what == "+") return x[0] + x[1];
    if (what == "-") return x[0] - x[1];
    if (what == "*") return x[0] * x[1];
    if (what == "/") return x[0] / x[1];
    if (what == kMinus) return -x[0];
    if (what == "abs") return std::abs(x[0]);
    if (what == "exp") return std::exp(x[0]);
    if (what == "log") return std::log(x[0]);
    if (what == "log10") return std::log10(x[0]);
    if (what == "sqrt") return std::sqrt(x[0]);
    if (what == "tanh") return std::tanh(x[0]);
    if (what == "sigmoid") return 1 / (1 + std::exp(-x[0]));
    if (what == "relu") return std::max(x[0], 0.0);
    if (what == "pow") return std::pow(x[0], x[1]);
    if (what == "min") return *std::min_element(x.begin(), x.end());
    if (what == "sum" || what == "mean") {
      return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(what == "mean" ? x.size() : 1);
    }
    return *std::max_element(x.begin(), x.end());
  }

  bool truth(const Part& part) const {
    const auto value = of(part);
    if (const bool* b = std::get_if<bool>(&value)) return *b;
    wrong(part, fmt::format("{} is not true or false", kind(value)));
  }

 private:
  static std::string kind(const Value& value) {
    if (const double* number = std::get_if<double>(&value)) return fmt::format("the number {:g}", *number);
    if (const bool* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
    return fmt::format("the string '{}'", std::get<std::string>(value));
  }
  double number(const Part& part) const {
    const auto value = of(part);
    if (const double* number = std::get_if<double>(&value)) return *number;
    wrong(part, fmt::format("{} is not a number", kind(value)));
  }
  [[noreturn]] void wrong(const Part& part, const std::string& why) const {
    expression_.fail(part, why, "compare numbers with numbers, and strings with strings by == or !=");
  }

  const Expression& expression_;
  const Expression::Lookup& lookup_;
};

void collect(const Part& part, std::vector<std::string>& names) {
  if (part.what == kName) {
    const auto& name = std::get<std::string>(part.value);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (const auto& each : part.parts) collect(each, names);
}

}  // namespace

Expression Expression::parse(const std::string& text, const Origin& origin) {
  Expression out;
  out.text_ = text;
  out.origin_ = origin;
  out.root_ = Parser(out.text_, out.origin_).all();
  return out;
}

Expression::Value Expression::evaluate(const Lookup& lookup) const { return Evaluation(*this, lookup).of(root_); }

bool Expression::holds(const Lookup& lookup) const { return Evaluation(*this, lookup).truth(root_); }

void Expression::fail(const Part& part, const std::string& why, const std::string& hint) const {
  refuse(text_, origin_, part.at, why, hint);
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> out;
  collect(root_, out);
  return out;
}

}  // namespace yatlab
