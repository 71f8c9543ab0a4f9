#include "core/config/grammar.h"

#include <fmt/format.h>

#include <cctype>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/function_doc.h"
#include "core/config/limits.h"
#include "core/config/scalar.h"
#include "core/system/shell.h"

namespace yatlab::grammar {
namespace {

bool blank(char c) { return c == ' ' || c == '\t'; }
bool word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; }

/// Characters with no special meaning in unquoted text.
bool text_char(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) || u >= 0x80 || std::string_view("_/-\\+.$%*@?|: \t").find(c) != std::string_view::npos;
}

class Parser {
 public:
  /// `interpolate` is null if interpolations stay text.
  Parser(std::string_view text, std::size_t at, const Report& report, const Origin& origin, const Interpolator* interpolate, int& depth)
      : text_(text), at_(at), report_(report), origin_(origin), interpolate_(interpolate), depth_(depth) {}

  Value parse_all() {
    skip_blanks();
    if (end()) return text_value("");
    const std::size_t first_at = at_;
    Value first = element();
    skip_blanks();
    if (end()) return first;
    if (peek() != ',') unexpected_after_element();
    // Several elements: a simple choice sweep.
    Sweep sweep;
    add_choice(sweep, std::move(first), first_at);
    while (!end()) {
      if (peek() != ',') unexpected_after_element();
      ++at_;
      skip_blanks();
      const std::size_t item_at = at_;
      if (end()) report_.fail(at_, "expected a value after ','", "remove the comma, or quote the text");
      add_choice(sweep, element(), item_at);
      skip_blanks();
    }
    Value out;
    out.sweep = std::move(sweep);
    return out;
  }

  std::vector<Node> parse_arguments() {
    std::vector<Node> out;
    skip_blanks();
    while (peek() != '}' || !out.empty()) {
      out.push_back(element().node);
      skip_blanks();
      if (peek() == '}') break;
      if (end()) report_.fail(at_, "expected '}' to close it", "add '}'; write \\${ for a literal ${");
      if (peek() != ',') {
        report_.fail(at_, fmt::format("expected ',' or '}}', found {}", show_character(text_, at_)),
                     "quote arguments that contain special characters");
      }
      ++at_;
    }
    ++at_;
    return out;
  }
  Node parse_argument() {
    Value out = element();
    skip_blanks();
    if (!end()) unexpected_after_element();
    return std::move(out.node);
  }
  std::string parse_quoted() { return quoted_text(); }
  std::size_t at() const { return at_; }

 private:
  bool end() const { return at_ >= text_.size(); }
  char peek() const { return end() ? '\0' : text_[at_]; }
  void skip_blanks() {
    while (!end() && blank(peek())) ++at_;
  }
  bool interpolation_ahead() const { return text_.compare(at_, 2, "${") == 0; }
  Value text_value(std::string s) const {
    Value out;
    out.node = Node(std::move(s)).set_origin(origin_);
    return out;
  }
  void add_choice(Sweep& sweep, Value value, std::size_t at) {
    if (value.sweep || value.extend) {
      report_.fail(at, "a sweep is not allowed inside a comma-separated list", "write one choice(...) with all the values");
    }
    sweep.values.push_back(std::move(value.node));
  }
  [[noreturn]] void unexpected_after_element() {
    const char c = peek();
    if (c == ']' || c == '}' || c == ')') {
      report_.fail(at_, fmt::format("unmatched '{}'", c), "remove it, or quote the text");
    }
    report_.fail(at_, fmt::format("expected ',' or the end, found {}", show_character(text_, at_)), "quote the whole text: '...'");
  }
  std::size_t end_of_item(std::size_t begin) const {
    int open = 0;
    std::size_t i = begin;
    for (; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '[' || c == '{' || c == '(') ++open;
      if (c == ']' || c == '}' || c == ')') {
        if (open == 0) break;
        --open;
      }
      if (c == ',' && open == 0) break;
    }
    return i;
  }
  /// The whole argument of the command line with that item in quotes, for a shell.
  std::string argument_quoted(std::size_t begin) const {
    if (report_.what != std::string_view("override") || text_.size() > 300) return {};
    const auto end = end_of_item(begin);
    auto item = item_quoted(begin);
    // An override in a list is parsed a second time, so its value needs its own quotes.
    const auto bare = trim_blanks(text_.substr(begin, end - begin));
    const auto equal = bare.find('=');
    const bool override_like = depth_ > 1 && equal != std::string_view::npos && bare.find(' ') > equal;
    if (override_like && bare.find_first_of("'\"\\{[") == std::string_view::npos)
      item = fmt::format("'{}=\"{}\"'", bare.substr(0, equal), bare.substr(equal + 1));
    return "; the whole argument: " + shell_word(std::string(text_.substr(0, begin)) + item + std::string(text_.substr(end)));
  }
  /// The whole item that begins at `begin`, in quotes: a message suggests it for a text that needs quotes.
  std::string item_quoted(std::size_t begin) const {
    const auto item = trim_blanks(text_.substr(begin, end_of_item(begin) - begin));
    const bool simple = item.find('"') == std::string_view::npos && (item.empty() || item.back() != '\\');
    return item.find('\'') != std::string_view::npos && simple ? fmt::format("\"{}\"", item) : quote(item);
  }

  Value element() {
    if (++depth_ > kMaxNesting) report_.fail(at_, fmt::format("more than {} levels of nesting", kMaxNesting));
    skip_blanks();
    Value out;
    const char c = peek();
    const std::size_t begin = at_;
    if (c == '\'' || c == '"') {
      out = text_value(quoted_text());
      skip_blanks();
      if (!end() && std::string_view(",]})").find(peek()) == std::string_view::npos) {
        report_.fail(at_, fmt::format("unexpected {} after the closing quote", show_character(text_, at_)),
                     "quote the whole text: " + item_quoted(begin));
      }
    } else if (c == '[') {
      out.node = list();
    } else if (c == '{') {
      out.node = map();
    } else if (const auto open = function_ahead(); open != std::string_view::npos) {
      out = function(open);
    } else {
      out.node = primitive();
    }
    --depth_;
    return out;
  }

  std::string quoted_text() {
    const std::size_t open = at_;
    const char mark = text_[at_++];
    std::string out;
    while (!end()) {
      std::size_t backslashes = 0;
      while (!end() && peek() == '\\') {
        ++backslashes;
        ++at_;
      }
      if (interpolate_ && interpolation_ahead()) {
        out.append(backslashes / 2, '\\');
        if (backslashes % 2 == 0) {
          out += text_of((*interpolate_)(at_));
        } else {
          out += "${";
          at_ += 2;
        }
        continue;
      }
      if (end() || peek() != mark) {
        out.append(backslashes, '\\');
        if (!end()) out += text_[at_++];
        continue;
      }
      ++at_;
      out.append(backslashes / 2, '\\');
      if (backslashes % 2 == 0) return out;
      out += mark;
    }
    report_.fail(
        open, fmt::format("this quote is not closed; expected {} at the end", mark),
        interpolate_
            ? fmt::format("add the closing {}", mark)
            : fmt::format(
                  "add the closing {}; the shell removes one level of quotes, so put the whole override into the other kind of quotes",
                  mark));
  }

  /// While it exists, '=' is an ordinary character (or not) in unquoted texts.
  struct EqualSign {
    EqualSign(Parser& p, bool plain) : parser(p), before(p.equal_is_text_) { p.equal_is_text_ = plain; }
    ~EqualSign() { parser.equal_is_text_ = before; }
    Parser& parser;
    bool before;
  };

  Node list() {
    const EqualSign inside(*this, true);  // [operator=yat, operator.epsilon=1]
    const std::size_t open = at_++;
    Node out = Node::list();
    out.set_origin(origin_);
    skip_blanks();
    if (peek() == ']') {
      ++at_;
      return out;
    }
    for (;;) {
      out.push_back(plain_element("list"));
      skip_blanks();
      if (peek() == ']') break;
      expect_separator(open, ']', "list");
    }
    ++at_;
    return out;
  }

  Node map() {
    const EqualSign inside(*this, true);
    const std::size_t open = at_++;
    Node out = Node::map();
    out.set_origin(origin_);
    auto& entries = out.as_map();
    std::unordered_set<std::string> seen;
    skip_blanks();
    if (peek() == '}') {
      ++at_;
      return out;
    }
    for (;;) {
      skip_blanks();
      const std::size_t key_at = at_;
      std::string key = map_key(open);
      if (!seen.insert(key).second) report_.fail(key_at, fmt::format("the key '{}' is given twice", shortened(key)), "keep one of them");
      if (seen.size() > limits::kKeys)
        report_.fail(key_at, fmt::format("this map has more than {} keys", limits::kKeys), "is this a data file?");
      entries.emplace_back(std::move(key), plain_element("map"));
      skip_blanks();
      if (peek() == '}') break;
      expect_separator(open, '}', "map");
    }
    ++at_;
    return out;
  }

  void expect_separator(std::size_t open, char close, const char* what) {
    if (peek() == ',') {
      ++at_;
      return;
    }
    if (end()) {
      report_.fail(
          at_, fmt::format("expected ',' or '{}' to close the {} opened in column {}", close, what, report_.column(open)),
          interpolate_ ? fmt::format("add '{}'", close) : fmt::format("add '{}'; in a shell, put the override into quotes", close));
    }
    report_.fail(at_, fmt::format("expected ',' or '{}', found {}", close, show_character(text_, at_)),
                 "quote strings that contain special characters");
  }

  /// An element that may not be a sweep.
  Node plain_element(const char* what) {
    skip_blanks();
    const std::size_t at = at_;
    if (end()) return {};  // the caller reports the missing bracket
    Value value = element();
    if (value.sweep || value.extend) {
      report_.fail(at, fmt::format("a sweep is not allowed inside a {}", what),
                   fmt::format("sweep over whole {0}s: choice(first {0}, second {0})", what));
    }
    return std::move(value.node);
  }

  std::string map_key(std::size_t open) {
    if (peek() == '\'' || peek() == '"') {
      std::string key = quoted_text();
      skip_blanks();
      if (peek() != ':') missing_colon(open);
      ++at_;
      return key;
    }
    const std::size_t begin = at_;
    std::string key = raw_text(true).text;
    if (peek() != ':') missing_colon(open);
    if (key.empty()) report_.fail(begin, "expected a key before ':'", "write {key: value}");
    ++at_;
    return key;
  }
  [[noreturn]] void missing_colon(std::size_t open) {
    if (end()) {
      report_.fail(at_, fmt::format("expected ':' and a value in the map opened in column {}", report_.column(open)), "write {key: value}");
    }
    report_.fail(at_, fmt::format("expected ':' after the key, found {}", show_character(text_, at_)),
                 "write {key: value}; quote keys that contain special characters");
  }

  /// Position of '(' if a function call begins at the current position.
  std::size_t function_ahead() const {
    std::size_t i = at_;
    if (interpolate_ || i >= text_.size() || !word_start(text_[i])) return std::string_view::npos;
    while (i < text_.size() && word_char(text_[i])) ++i;
    while (i < text_.size() && blank(text_[i])) ++i;
    return i < text_.size() && text_[i] == '(' ? i : std::string_view::npos;
  }

  Value function(std::size_t open) {
    const EqualSign inside(*this, false);
    const std::size_t name_at = at_;
    const std::string name = trim(text_.substr(at_, open - at_));
    if (!is_function(name)) {
      const auto what = fmt::format("'{}' is not a function", name);
      const std::string arguments(text_.substr(open, end_of_item(name_at) - open));
      if (name == "uniform") report_.fail(name_at, what, "write interval" + arguments + ", with sweeper=random or sweeper=tpe");
      if (name == "loguniform") report_.fail(name_at, what, "write tag(log,interval" + arguments + "), with sweeper=random or sweeper=tpe");
      std::vector<std::string> names;
      for (const auto& f : override_functions()) names.push_back(f.name);
      report_.fail(name_at, what, fmt::format("{} or quote the text: {}", suggestion(name, names), item_quoted(name_at)));
    }
    at_ = open + 1;
    std::vector<Argument> args;
    skip_blanks();
    bool named = false;
    while (peek() != ')') {
      if (!args.empty()) {
        expect_separator(open, ')', "call");
        skip_blanks();
      }
      Argument arg;
      arg.at = at_;
      arg.name = argument_name(name == "zip");
      if (arg.name.empty() && named) {
        report_.fail(at_, "a positional argument cannot follow a named one", "name this argument too, or move it before the named ones");
      }
      named = named || !arg.name.empty();
      skip_blanks();
      if (end()) {
        report_.fail(at_, fmt::format("expected a value or ')' to close the call opened in column {}", report_.column(open)), "add ')'");
      }
      const std::size_t value_at = at_;
      arg.value = element();
      arg.text = std::string(text_.substr(value_at, at_ - value_at));
      args.push_back(std::move(arg));
      skip_blanks();
    }
    ++at_;
    Value out = call(name, name_at, std::move(args), report_);
    made_ += values_in(out.node);
    if (out.sweep) {
      for (const auto& v : out.sweep->values) made_ += values_in(v);
      made_ += values_in(out.sweep->columns);
    }
    if (made_ > 2 * limits::kValues) {
      report_.fail(name_at, fmt::format("the functions here create more than {} values", 2 * limits::kValues), "sweep over fewer values");
    }
    out.node.set_origin_deep(origin_);
    if (out.sweep) {
      for (auto& v : out.sweep->values) v.set_origin_deep(origin_);
      out.sweep->columns.set_origin_deep(origin_);
    }
    skip_blanks();
    if (!end() && std::string_view(",]})").find(peek()) == std::string_view::npos) {
      report_.fail(at_, fmt::format("unexpected {1} after the call of {0}", name, show_character(text_, at_)),
                   "if it is meant as text, quote it: " + item_quoted(name_at));
    }
    return out;
  }

  static std::size_t values_in(const Node& node) {
    std::size_t n = 1;
    if (node.is_list()) {
      for (const auto& item : node.as_list()) n += values_in(item);
    } else if (node.is_map()) {
      for (const auto& entry : node.as_map()) n += values_in(entry.second);
    }
    return n;
  }

  /// "name" of `name=value`, or empty. The names of a zip are keys: "operator.epsilon", "group/sub@package".
  std::string argument_name(bool keys) {
    std::size_t i = at_;
    while (keys && i < text_.size() && text_[i] == '+' && i < at_ + 2) ++i;
    if (i >= text_.size() || !word_start(text_[i])) return {};
    while (i < text_.size() && (word_char(text_[i]) || (keys && std::string_view("./@$").find(text_[i]) != std::string_view::npos))) ++i;
    std::size_t equal = i;
    while (equal < text_.size() && blank(text_[equal])) ++equal;
    if (equal >= text_.size() || text_[equal] != '=') return {};
    std::string name(text_.substr(at_, i - at_));
    at_ = equal + 1;
    return name;
  }

  Node primitive() {
    const std::size_t begin = at_;
    Raw raw = raw_text(false);
    if (raw.only) return std::move(*raw.only);
    const auto written = trim_blanks(text_.substr(begin, at_ - begin));
    if (written.empty() && !interpolate_) {
      report_.fail(begin, fmt::format("expected a value, found {}", show_character(text_, begin)),
                   "give a value; for an empty string write ''");
    }
    if (auto typed = type_override_word(written)) {
      if (!typed->is_null() && written != scalar_to_text(*typed)) typed->spell(std::string(written));
      return typed->set_origin(origin_);
    }
    return Node(std::move(raw.text)).set_origin(origin_);
  }

  static std::string_view trim_blanks(std::string_view s) {
    while (!s.empty() && blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && blank(s.back())) s.remove_suffix(1);
    return s;
  }

  struct Raw {
    std::string text;
    std::optional<Node> only;  // the value, when the text is one interpolation
  };
  /// Unquoted text up to a separator, without escapes and surrounding blanks. In a key, ':' separates.
  Raw raw_text(bool key) {
    Raw out;
    const std::size_t begin = at_;
    std::size_t keep = 0;  // trailing blanks are trimmed only behind this length
    bool more = false;     // the text is more than one interpolation
    while (!end()) {
      const char c = peek();
      if (c == ',' || c == ']' || c == '}' || c == ')' || (key && c == ':')) break;
      if (c == '\\' && at_ + 1 < text_.size() && std::string_view("\\()[]{}:=, \t").find(text_[at_ + 1]) != std::string_view::npos) {
        out.text += text_[at_ + 1];
        at_ += 2;
        keep = out.text.size();
        more = true;
        continue;
      }
      if (interpolate_ && text_.compare(at_, 3, "\\${") == 0) {
        out.text += "${";
        at_ += 3;
        keep = out.text.size();
        more = true;
        continue;
      }
      if (interpolation_ahead()) {
        if (key) report_.fail(at_, "a key cannot be an interpolation", "only values can be interpolated");
        if (interpolate_) {
          Node value = (*interpolate_)(at_);
          more = more || out.only || !out.text.empty();
          out.text += text_of(value);
          out.only = std::move(value);
        } else {
          const std::size_t stop = interpolation_end();
          out.text += text_.substr(at_, stop - at_);
          at_ = stop;
        }
        keep = out.text.size();
        continue;
      }
      if (!(text_char(c) || (c == '=' && equal_is_text_ && !key))) bad_character(begin, key);
      out.text += c;
      ++at_;
      if (!blank(c)) {
        keep = out.text.size();
        more = true;
      }
    }
    out.text.resize(keep);
    if (more) out.only.reset();
    return out;
  }
  static std::string text_of(const Node& node) { return node.is_map() || node.is_list() ? node.to_flow() : scalar_to_text(node); }

  std::size_t interpolation_end() const {
    int depth = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      if (text_[i] == '{') ++depth;
      if (text_[i] == '}' && --depth == 0) return i + 1;
      if (text_[i] == '\'' || text_[i] == '"') {
        const auto close = text_.find(text_[i], i + 1);
        if (close != std::string_view::npos) i = close;
      }
    }
    report_.fail(at_, "this interpolation is not closed; expected '}' at the end",
                 "close it; in a shell, put the override into single quotes");
  }

  [[noreturn]] void bad_character(std::size_t begin, bool key) const {
    const char c = peek();
    if (key && c == '=') report_.fail(at_, "'=' is not allowed in an unquoted key", "write {key: value}");
    const std::string quoted = key ? "quote the key: {'...': value}" : "quote the text: " + item_quoted(begin) + argument_quoted(begin);
    if (c == '=') report_.fail(at_, "'=' is not allowed in an unquoted string", quoted);
    if (c == '\'' || c == '"') report_.fail(at_, "a quote is not allowed in an unquoted string", quoted);
    if (c == '(' || c == '[' || c == '{') {
      report_.fail(at_, fmt::format("'{}' is not allowed in an unquoted string", c), quoted);
    }
    report_.fail(at_, fmt::format("{} is not allowed in an unquoted {}", show_character(text_, at_), key ? "key" : "string"), quoted);
  }

  std::string_view text_;
  std::size_t at_;
  const Report& report_;
  const Origin& origin_;
  const Interpolator* interpolate_;
  int& depth_;
  std::size_t made_ = 0;  // number of values that functions have made
  bool equal_is_text_ = interpolate_ != nullptr;
};

}  // namespace

namespace {
constexpr std::size_t kMostQuoted = 400;  // maximum bytes of quoted text in a message
}

void Report::fail(std::size_t at, const std::string& why, const std::string& hint) const {
  if (text.size() > kMostQuoted) {  // keep the text before the position, and a little after it
    const auto first = at > kMostQuoted / 2 ? at - kMostQuoted / 2 : 0;
    auto around = text.substr(first);
    while (!around.empty() && (static_cast<unsigned char>(around.front()) & 0xC0) == 0x80) around.remove_prefix(1);
    throw config_error(fmt::format("cannot read the {} '{}{}'", what, first > 0 ? "..." : "", shortened(around, kMostQuoted)),
                       fmt::format("{}{}column {}", source, source.empty() ? "" : ", ", column(at)), why, shortened(hint));
  }
  throw config_error(fmt::format("cannot read the {} '{}'", what, text),
                     fmt::format("{}{}column {}", source, source.empty() ? "" : ", ", column(at)), why, hint);
}

std::size_t Report::column(std::size_t at) const { return count_characters(text.substr(0, at)) + 1; }

std::string show_character(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the end";
  std::size_t n = 1;
  while (at + n < text.size() && (static_cast<unsigned char>(text[at + n]) & 0xC0) == 0x80) ++n;
  if (n == 1 && static_cast<unsigned char>(text[at]) < 0x20) {
    return fmt::format("control character {:#04x}", static_cast<unsigned>(text[at]));
  }
  return fmt::format("'{}'", text.substr(at, n));
}

Value parse(std::string_view text, std::size_t begin, const Report& report, const Origin& origin) {
  int depth = 0;
  return Parser(text, begin, report, origin, nullptr, depth).parse_all();
}

std::vector<Node> parse_arguments(std::string_view text, std::size_t& at, const Report& report, const Origin& origin,
                                  const Interpolator& interpolate, int& depth) {
  Parser parser(text, at, report, origin, &interpolate, depth);
  auto out = parser.parse_arguments();
  at = parser.at();
  return out;
}

Node parse_argument(std::string_view text, const Report& report, const Origin& origin, const Interpolator& interpolate, int& depth) {
  return Parser(text, 0, report, origin, &interpolate, depth).parse_argument();
}

std::string parse_quoted(std::string_view text, std::size_t& at, const Report& report, const Interpolator& interpolate) {
  int depth = 0;
  const Origin nowhere;
  Parser parser(text, at, report, nowhere, interpolate ? &interpolate : nullptr, depth);
  auto out = parser.parse_quoted();
  at = parser.at();
  return out;
}

std::string quote(std::string_view text) {
  std::string out = "'";
  std::size_t backslashes = 0;
  for (char c : text) {
    if (c == '\'') out.append(backslashes + 1, '\\');  // double the preceding ones and escape the quote
    backslashes = c == '\\' ? backslashes + 1 : 0;
    out += c;
  }
  out.append(backslashes, '\\');
  return out + "'";
}

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, star_text = 0;
  // Matches one '[...]' class against one character; moves `at` past it on a match.
  const auto in_class = [&](std::size_t& at, char c) {
    const auto close = pattern.find(']', at + 2);
    if (close == std::string_view::npos) return false;
    std::size_t i = at + 1;
    const bool negate = pattern[i] == '!';
    if (negate) ++i;
    bool found = false;
    for (; i < close; ++i) {
      if (i + 2 < close && pattern[i + 1] == '-') {
        found = found || (pattern[i] <= c && c <= pattern[i + 2]);
        i += 2;
      } else {
        found = found || pattern[i] == c;
      }
    }
    if (found == negate) return false;
    at = close + 1;
    return true;
  };
  while (t < text.size()) {
    std::size_t next = p;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && pattern[p] == '[' && in_class(next, text[t])) {
      p = next;
      ++t;
    } else if (p < pattern.size() && pattern[p] != '[' && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace yatlab::grammar
