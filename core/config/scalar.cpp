#include "core/config/scalar.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/base/text.h"
#include "core/config/yaml.h"

namespace yatlab {
namespace {

std::string without_underscores(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c != '_') out += c;
  }
  return out;
}

/// Small hand-written matcher: each step consumes a match or leaves the text unchanged.
struct Matcher {
  std::string_view rest;
  bool done() const { return rest.empty(); }
  bool one_of(std::string_view set) {
    if (rest.empty() || set.find(rest.front()) == std::string_view::npos) return false;
    rest.remove_prefix(1);
    return true;
  }
  /// Consumes consecutive characters of `set`.
  std::size_t run(std::string_view set) {
    std::size_t n = 0;
    while (one_of(set)) ++n;
    return n;
  }
  /// Digits with single underscores between them.
  bool digits() {
    if (rest.empty() || !is_digit(rest.front())) return false;
    while (!rest.empty()) {
      if (is_digit(rest.front())) {
        rest.remove_prefix(1);
      } else if (rest.front() == '_' && rest.size() > 1 && is_digit(rest[1])) {
        rest.remove_prefix(2);
      } else {
        break;
      }
    }
    return true;
  }
  /// 0, or digits without a leading 0.
  bool integer_part() {
    if (!rest.empty() && rest.front() == '0') {
      rest.remove_prefix(1);
      return true;
    }
    return digits();
  }
};

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kDigitsAndBars = "0123456789_";

bool is_override_float(std::string_view text) {
  Matcher m{text};
  m.one_of("+-");
  const std::string word = lower(m.rest);
  if (word == "inf" || word == "nan") return true;
  const bool whole = m.integer_part();
  bool point = m.one_of(".");
  if (point) {
    const bool fraction = m.digits();
    if (!whole && !fraction) return false;
  } else if (!whole) {
    return false;
  }
  if (m.done()) return point;
  if (!m.one_of("eE")) return false;
  m.one_of("+-");
  return m.digits() && m.done();
}

bool is_override_int(std::string_view text) {
  Matcher m{text};
  m.one_of("+-");
  return m.integer_part() && m.done();
}

/// An integer, or a float if it does not fit 64 bits, as in JSON.
Node read_based(std::string_view digits, int base, bool negative) {
  const std::string clean = without_underscores(digits);
  std::uint64_t value = 0;
  const auto ec = std::from_chars(clean.data(), clean.data() + clean.size(), value, base).ec;
  const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (ec == std::errc{} && value <= limit + (negative ? 1 : 0))
    return negative ? static_cast<std::int64_t>(0 - value) : static_cast<std::int64_t>(value);
  double wide = 0;
  if (base == 10) {
    wide = std::strtod(clean.c_str(), nullptr);
  } else {
    for (const char c : clean) wide = wide * base + (is_digit(c) ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10);
  }
  return negative ? -wide : wide;
}

// The float syntax of OmegaConf's loader, plus ".5" and "-.5" with any exponent.
bool is_yaml_float(std::string_view text) {
  Matcher m{text};
  m.one_of("+-");
  if (m.rest == ".inf" || m.rest == ".Inf" || m.rest == ".INF") return true;
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  bool point = false;
  if (m.one_of(kDigits)) {
    m.run(kDigitsAndBars);
    point = m.one_of(".");
    if (point) m.run(kDigitsAndBars);
  } else {
    if (!m.one_of(".") || !m.one_of(kDigits)) return false;
    m.run(kDigitsAndBars);
    point = true;
  }
  if (m.done()) return point;
  if (!m.one_of("eE")) return false;
  m.one_of("+-");
  return m.run(kDigits) > 0 && m.done();
}

bool is_base60(std::string_view text) {
  Matcher m{text};
  m.one_of("+-");
  if (!m.one_of(kDigits)) return false;
  m.run(kDigitsAndBars);
  int groups = 0;
  while (m.one_of(":")) {
    const auto tens = m.rest.size() > 1 && is_digit(m.rest[1]);
    if (tens && !m.one_of("012345")) return false;
    if (!m.one_of(kDigits)) return false;
    ++groups;
  }
  if (m.one_of(".")) m.run(kDigitsAndBars);
  return groups > 0 && m.done();
}

}  // namespace

double read_double(std::string_view text) {
  std::string clean = lower(without_underscores(text));
  return std::strtod(clean.c_str(), nullptr);
}

std::optional<Node> type_override_word(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::string word = text.size() <= 5 ? lower(text) : std::string();
  if (word == "null") return Node();
  if (word == "true") return Node(true);
  if (word == "false") return Node(false);
  if (is_override_int(text)) {
    const bool negative = text.front() == '-';
    return read_based(text.substr(negative || text.front() == '+' ? 1 : 0), 10, negative);
  }
  if (is_override_float(text)) return Node(read_double(text));
  return std::nullopt;
}

Node type_plain_scalar(std::string_view text, std::string* warning) {
  static constexpr std::string_view kTrue[] = {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"};
  static constexpr std::string_view kFalse[] = {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"};
  static constexpr std::string_view kNull[] = {"", "~", "null", "Null", "NULL"};
  for (auto word : kTrue) {
    if (text == word) return true;
  }
  for (auto word : kFalse) {
    if (text == word) return false;
  }
  for (auto word : kNull) {
    if (text == word) return {};
  }
  const bool negative = text.front() == '-';
  std::string_view body = text;
  if (body.front() == '-' || body.front() == '+') body.remove_prefix(1);
  if (body.empty()) return std::string(text);
  if (is_digit(body.front())) {
    Matcher all{body};
    all.run(kDigitsAndBars);
    if (all.done()) {
      if (body.front() != '0' || body.size() == 1) return read_based(body, 10, negative);
      Matcher octal{body};
      octal.run("01234567_");
      if (!octal.done() || body.find_first_of(kDigits) == std::string_view::npos) return std::string(text);
      Node value = read_based(body, 10, negative);
      if (warning && body.find_first_not_of("0_") != std::string_view::npos) {
        *warning = fmt::format(
            "'{}' is read as the decimal {}; YAML 1.1 would read it as octal. Remove the leading zero, or quote it if it is a string", text,
            value.to_flow());
      }
      return value;
    }
    if (body.size() > 2 && body[0] == '0' && (body[1] == 'x' || body[1] == 'b')) {
      Matcher based{body.substr(2)};
      based.run(body[1] == 'x' ? "0123456789abcdefABCDEF_" : "01_");
      if (based.done() && body.substr(2).find_first_not_of('_') != std::string_view::npos) {
        return read_based(body.substr(2), body[1] == 'x' ? 16 : 2, negative);
      }
      return std::string(text);
    }
  }
  if (is_yaml_float(text)) {
    const std::string lowered = lower(body);
    if (lowered == ".inf") {
      const double inf = std::numeric_limits<double>::infinity();
      return negative ? -inf : inf;
    }
    if (lowered == ".nan") return std::numeric_limits<double>::quiet_NaN();
    return read_double(text);
  }
  if (warning && is_base60(text)) {
    *warning = fmt::format("'{}' is read as a string; YAML 1.1 would read it as a number in base 60. Quote it", text);
  }
  return std::string(text);
}

std::string with_article(const Node& node) {
  if (node.is_null()) return "null";
  return fmt::format("{} {}", node.is_int() ? "an" : "a", node.type_name());
}

}  // namespace yatlab
