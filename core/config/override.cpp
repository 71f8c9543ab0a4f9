#include "core/config/override.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/grammar.h"
#include "core/config/limits.h"
#include "core/config/scalar.h"
#include "core/registry/fields.h"
#include "core/system/shell.h"

namespace yatlab {
namespace {

// Maximum number of words in a key. Its value may nest another 100 levels.
constexpr std::ptrdiff_t kMaxWords = limits::kLevels / 2;

bool letter(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalpha(u) || c == '_' || u >= 0x80;
}

/// The part before '=': kind, key and package.
class KeyParser {
 public:
  KeyParser(std::string_view text, const grammar::Report& report) : text_(text), report_(report) {}

  /// Fills `out`; returns the position of '=' or npos.
  std::size_t parse(Override& out) {
    std::size_t at = 0;
    if (text_.empty()) {
      report_.fail(0, "the override is empty", "write key=value, +key=value, ++key=value or ~key");
    }
    if (text_[0] == '~') {
      out.kind = OverrideKind::kDelete;
      at = 1;
    } else {
      while (at < text_.size() && text_[at] == '+') ++at;
      if (at > 2) {
        report_.fail(2, "at most two '+' are allowed before a key", "'+key' adds, '++key' adds or replaces");
      }
      out.kind = at == 2 ? OverrideKind::kForceAdd : at == 1 ? OverrideKind::kAdd : OverrideKind::kChange;
    }
    const auto equal = text_.find('=', at);
    const auto end = std::min(equal, text_.size());
    const auto sign = std::min(text_.find('@', at), end);
    check_key(at, sign);
    out.key = std::string(text_.substr(at, sign - at));
    if (sign < end) {
      check_package(sign + 1, end);
      out.has_package = true;
      out.package = std::string(text_.substr(sign + 1, end - sign - 1));
    }
    if (equal == std::string_view::npos && out.kind != OverrideKind::kDelete) {
      report_.fail(end, "expected '=' after the key", fmt::format("write {0}=value, or ~{0} to delete it", out.address()));
    }
    return equal;
  }

 private:
  [[noreturn]] void bad_character(std::size_t at) {
    const char c = text_[at];
    if (c == ' ' || c == '\t') {
      report_.fail(at, "a key must not contain spaces", "write key=value without spaces around the key");
    }
    if (c == ':') {
      report_.fail(
          at, "':' is not allowed in a key",
          "a package cannot be renamed with group@old:new; to set a key that contains ':', give the map around it: outer={'a:b': 1}");
    }
    report_.fail(
        at,
        fmt::format("expected a letter, digit, '_', '-', '.', '/', '@' or '=' in the key, found {}", grammar::show_character(text_, at)),
        "to set a key that contains other characters, give the map around it: outer={'a b': 1}");
  }

  void check_key(std::size_t begin, std::size_t end) {
    if (begin == end) {
      report_.fail(begin, "expected a key", "write key=value, for example trainer.epochs=5");
    }
    const auto key = text_.substr(begin, end - begin);
    const bool group = key.find('/') != std::string_view::npos;
    if (key.size() > limits::kPath) report_.fail(begin, fmt::format("the key has more than {} characters", limits::kPath), "");
    if (std::count(key.begin(), key.end(), '.') >= kMaxWords)
      report_.fail(begin, fmt::format("the key has more than {} parts", kMaxWords), "");
    if (group && key.front() == '/') {
      report_.fail(begin, "groups on the command line are already absolute", "remove the leading '/'");
    }
    if (group && key.find('.') != std::string_view::npos) {
      report_.fail(begin + key.find('.'), "a key cannot contain both '.' (a value) and '/' (a config group)",
                   "write a.b.c=value or group/sub=option; to set a key that contains '/', give the map around it: outer={'a/b': 1}");
    }
    const char separator = group ? '/' : '.';
    const auto words = split(key, separator);
    std::size_t at = begin;
    for (const auto& word : words) {
      check_word(at, word, group, words.size() > 1);
      at += word.size() + 1;
    }
  }

  void check_package(std::size_t begin, std::size_t end) {
    if (begin == end) return;  // the global package
    std::size_t at = begin;
    for (const auto& word : split(text_.substr(begin, end - begin), '.')) {
      check_word(at, word, false, true);
      at += word.size() + 1;
    }
  }

  void check_word(std::size_t begin, const std::string& word, bool group, bool path) {
    if (word.empty()) {
      report_.fail(begin, fmt::format("expected a name between the '{}'", group ? '/' : '.'), "remove the extra separator");
    }
    for (std::size_t i = 0; i < word.size(); ++i) {
      const char c = word[i];
      if (!(letter(c) || is_digit(c) || c == '-' || (c == '$' && !group))) bad_character(begin + i);
    }
    if (letter(word[0]) || word[0] == '$') return;
    // Digits index a list, or continue a name that contains a dot (arms.yat_0.01).
    const bool index = std::all_of(word.begin(), word.end(), is_digit);
    if (!(index && path && !group)) {
      report_.fail(begin, fmt::format("'{}' is not a name", word), "names begin with a letter or '_'");
    }
  }

  std::string_view text_;
  const grammar::Report& report_;
};

// Words that need no quotes, because they read back as the same string.
bool plain(const std::string& s) {
  if (s.empty() || !(letter(s[0]) || s[0] == '/')) return false;
  for (char c : s) {
    if (!(letter(c) || is_digit(c) || std::string_view("-./").find(c) != std::string_view::npos)) return false;
  }
  return !type_override_word(s);
}

void check_text(std::string_view text, const grammar::Report& report, const char* hint) {
  if (text.size() > limits::kText) {
    report.fail(0, fmt::format("it has {} bytes; the limit is {}", text.size(), limits::kText), "is this a data file?");
  }
  if (const auto bad = first_invalid_utf8(text); bad != std::string_view::npos) report.fail(bad, "this byte is not UTF-8", hint);
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) report.fail(nul, "there is a NUL character", "remove it");
}

}  // namespace

std::string Override::address() const { return has_package ? key + "@" + package : key; }

Override parse_override(std::string_view text, const std::string& source) {
  const grammar::Report report{"override", text, source};
  check_text(text, report, "use a UTF-8 terminal");
  Override out;
  out.text = std::string(text);
  out.origin = {source, 0, 0, out.text};
  const auto equal = KeyParser(text, report).parse(out);
  if (equal == std::string_view::npos) return out;
  out.has_value = true;
  grammar::Value value = grammar::parse(text, equal + 1, report, out.origin);
  if (value.extend) {
    if (out.kind != OverrideKind::kChange) {
      report.fail(equal + 1, "extend_list needs a key without '+' or '~'", fmt::format("write {}=extend_list(...)", out.address()));
    }
    out.kind = OverrideKind::kExtend;
  }
  if (value.sweep && out.kind == OverrideKind::kDelete) {
    report.fail(equal + 1, "a deletion takes one value, not a sweep", fmt::format("write ~{}", out.address()));
  }
  out.sweep = std::move(value.sweep);
  out.value = std::move(value.node);
  return out;
}

ParsedValue parse_sweep_value(std::string_view text, const Origin& origin) {
  const grammar::Report report{"value", text, origin.describe()};
  check_text(text, report, "save the file as UTF-8");
  grammar::Value value = grammar::parse(text, 0, report, origin);
  if (value.extend) report.fail(0, "extend_list is only allowed in an override", "write a list: [a, b]");
  return {std::move(value.node), std::move(value.sweep)};
}

void throw_not_a_sweep(const Override& override, const Field* field) {
  const auto& name = override.address();
  const auto equal = override.text.find('=');
  const std::string prefix = override.text.substr(0, equal + 1);
  const std::string value = trim(std::string_view(override.text).substr(equal + 1));
  const auto may_be = [&](FieldType type) { return !field || field->type == FieldType::kAny || field->type == type; };
  const bool text = may_be(FieldType::kString), list = may_be(FieldType::kList);
  std::string hint;
  if (!text && !list) {
    hint = fmt::format("to sweep over the values, add --multirun (-m): -m {}; or put them into the 'sweep:' of the experiment",
                       shell_word(override.text));
  } else if (override.sweep && override.sweep->kind == SweepKind::kSimpleChoice) {
    hint = fmt::format(
        "1. to sweep over the values, put it into the 'sweep:' of the experiment or use --multirun; 2. for one string with commas, quote "
        "it: {}; 3. for a list, write {}",
        shell_word(prefix + "'" + value + "'"), shell_word(prefix + "[" + value + "]"));
  } else {
    hint = fmt::format("to sweep, put it into the 'sweep:' of the experiment or use --multirun; for one string, quote it: {}",
                       shell_word(prefix + "'" + value + "'"));
  }
  throw config_error(fmt::format("'{}' gives several values for '{}', but only one is allowed here", override.text, name),
                     override.origin.source, "the values are a sweep, but this is a single run", hint);
}

std::vector<Node> expand_sweep(const Sweep& sweep, const std::vector<std::string>& options, const std::string& where) {
  if (sweep.kind == SweepKind::kInterval) {
    throw config_error(
        fmt::format("a grid cannot list interval({}, {})", format_double(sweep.begin), format_double(sweep.end)), where,
        "it means every number between its ends, but a grid needs a finite list",
        "search it with sweeper=tpe (or random, sobol, cmaes); or use range(start, stop, step), logspace(...) or choice(...)");
  }
  if (sweep.kind == SweepKind::kZip) {
    throw config_error("zip(...) sweeps several keys, but only one is swept here", where, {},
                       "give zip its own name in the 'sweep:' of the experiment: pairs: zip(a=[1, 2], b=[3, 4])");
  }
  if (sweep.kind != SweepKind::kGlob) return sweep.values;
  std::vector<Node> out;
  const auto matches = [](const std::vector<std::string>& patterns, const std::string& option) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) { return grammar::glob_match(p, option); });
  };
  for (const auto& option : options) {
    if (matches(sweep.include, option) && !matches(sweep.exclude, option)) out.emplace_back(option);
  }
  if (out.empty()) {
    throw config_error(
        fmt::format("glob({}) matches no option", join(sweep.include, ", ")), where, {},
        options.empty() ? "glob selects options of a config group, but this key is not a config group" : "options: " + join(options, ", "));
  }
  return out;
}

std::vector<Node> expand_sweep(const Override& override, const std::vector<std::string>& options) {
  if (!override.sweep) return std::vector<Node>(1, override.value);
  auto values = expand_sweep(*override.sweep, options, override.origin.describe());
  for (auto& value : values) value.set_origin_deep(override.origin);
  return values;
}

std::string format_override_value(const Node& value) {
  if (value.is_string()) return plain(value.as_string()) ? value.as_string() : grammar::quote(value.as_string());
  std::vector<std::string> items;
  if (value.is_list()) {
    for (const auto& item : value.as_list()) items.push_back(format_override_value(item));
    return "[" + join(items, ",") + "]";
  }
  if (value.is_map()) {
    for (const auto& [key, item] : value.as_map()) {
      items.push_back(format_override_value(Node(key)) + ":" + format_override_value(item));
    }
    return "{" + join(items, ",") + "}";
  }
  return value.to_flow();
}

std::string format_override(const std::string& key, const Node& value) { return key + "=" + format_override_value(value); }

namespace {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// value = mantissa * 10^exponent, exactly as in the shortest text of the number.
struct Decimal {
  Int128 mantissa = 0;
  int exponent = 0;
};

Decimal decimal_of(const Node& number, const std::string& where) {
  if (!number.is_number()) {
    throw config_error("range needs numbers, found " + describe_value(number), where);
  }
  const std::string text = number.to_flow();
  Decimal d;
  bool fraction = false, negative = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '-') {
      negative = true;
    } else if (c == '.') {
      fraction = true;
    } else if (c == 'e') {
      d.exponent += std::stoi(text.substr(i + 1));
      break;
    } else if (is_digit(c)) {
      d.mantissa = d.mantissa * 10 + (c - '0');
      if (fraction) --d.exponent;
    } else {
      throw config_error(fmt::format("range needs finite numbers, found {}", text), where);
    }
  }
  if (negative) d.mantissa = -d.mantissa;
  while (d.mantissa != 0 && d.mantissa % 10 == 0 && d.exponent < 0) {
    d.mantissa /= 10;
    ++d.exponent;
  }
  return d;
}

void rescale(Decimal& d, int exponent, const std::string& where) {
  constexpr auto kLimit = static_cast<Int128>(1) << 120;
  while (d.exponent > exponent && d.mantissa != 0) {
    if (d.mantissa > kLimit / 10 || d.mantissa < -kLimit / 10) {
      throw config_error("the numbers of this range differ too much in size", where, {}, "list the values with choice(...)");
    }
    d.mantissa *= 10;
    --d.exponent;
  }
  d.exponent = exponent;
}

std::string decimal_text(Int128 mantissa, int exponent) {
  std::string digits;
  const bool negative = mantissa < 0;
  auto rest = negative ? -static_cast<UInt128>(mantissa) : static_cast<UInt128>(mantissa);
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return fmt::format("{}{}e{}", negative ? "-" : "", digits, exponent);
}

}  // namespace

std::vector<Node> decimal_range(const Node& begin, const Node& end, const Node& step, const std::string& where) {
  Decimal from = decimal_of(begin, where), to = decimal_of(end, where), by = decimal_of(step, where);
  if (by.mantissa == 0) {
    throw config_error("the step of a range cannot be 0", where, {}, "give a positive or negative step");
  }
  int exponent = 0;
  for (const Decimal* d : {&from, &to, &by}) {
    if (d->mantissa != 0) exponent = std::min(exponent, d->exponent);
  }
  for (Decimal* d : {&from, &to, &by}) rescale(*d, exponent, where);
  const bool integers = begin.is_int() && end.is_int() && step.is_int();
  const auto too_many = [&] {
    return config_error(fmt::format("the range has more than {} items", limits::kPoints), where, {}, "use a larger step");
  };
  std::vector<Node> out;
  if (const auto span = to.mantissa - from.mantissa; span / by.mantissa > static_cast<Int128>(limits::kPoints)) throw too_many();
  for (auto at = from.mantissa; by.mantissa > 0 ? at < to.mantissa : at > to.mantissa; at += by.mantissa) {
    if (out.size() == limits::kPoints) throw too_many();
    if (integers) {
      out.emplace_back(static_cast<std::int64_t>(at));
    } else {
      out.emplace_back(read_double(decimal_text(at, exponent)));
    }
  }
  return out;
}

}  // namespace yatlab
