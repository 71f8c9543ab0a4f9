#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node.h"
#include "core/config/override.h"

namespace yatlab::grammar {

/// A parsed text and its source, for error messages.
struct Report {
  const char* what;       ///< "override", "value" or "interpolation"
  std::string_view text;  ///< the whole text
  std::string source;     ///< "command line", "x.yaml:3:8"

  /// Throws a config error that quotes the text and points at the byte `at`.
  [[noreturn]] void fail(std::size_t at, const std::string& why, const std::string& hint = {}) const;
  std::size_t column(std::size_t at) const;  ///< 1-based, in characters
};

/// The parsed value after '='.
struct Value {
  Node node;
  std::optional<Sweep> sweep;
  bool extend = false;              ///< extend_list(...): `node` is the list to append
  std::optional<Node::List> range;  ///< start, stop, step of a range, for casts
};

/// Parses the interpolation whose `$` is at `at`, moves `at` past its `}`, and returns its value.
using Interpolator = std::function<Node(std::size_t& at)>;

/// One grammar of values is used in two places. After the '=' of an override (and in a file's `sweep:`)
/// functions and comma lists make sweeps, and interpolations stay text. In the arguments of a resolver,
/// commas separate arguments, and interpolations are evaluated immediately.
///
/// Parses text[begin..] to its end, with the rules for text after '='. All nodes get `origin`.
Value parse(std::string_view text, std::size_t begin, const Report& report, const Origin& origin);

/// Parses the arguments of a resolver from `at` to the closing '}' and moves `at` past that. `depth` counts the
/// nesting; the interpolator may increase it.
std::vector<Node> parse_arguments(std::string_view text, std::size_t& at, const Report& report, const Origin& origin,
                                  const Interpolator& interpolate, int& depth);
/// Parses the whole text as one such argument.
Node parse_argument(std::string_view text, const Report& report, const Origin& origin, const Interpolator& interpolate, int& depth);

/// Parses the quoted text that begins at `at`; moves `at` past the closing quote. With an interpolator, `${...}` in
/// it is evaluated and `\${` is a literal `${`.
std::string parse_quoted(std::string_view text, std::size_t& at, const Report& report, const Interpolator& interpolate = {});
/// `text` in single quotes, so that it parses back to the same text.
std::string quote(std::string_view text);

/// Maximum nesting depth of lists, maps, functions and interpolations.
constexpr int kMaxNesting = 100;

/// A named or positional argument of a function.
struct Argument {
  std::string name;  ///< empty when positional
  Value value;
  std::size_t at = 0;
  std::string text;  ///< the value as written
};

/// Calls a function of the grammar; `at` is the position of its name.
Value call(const std::string& name, std::size_t at, std::vector<Argument> args, const Report& report);
bool is_function(const std::string& name);

/// Shell-style match with '*', '?', '[abc]' and '[!a-z]'.
bool glob_match(std::string_view pattern, std::string_view text);

/// "'#'", "the end" or "'ⵟ'": the character at a byte position.
std::string show_character(std::string_view text, std::size_t at);

}  // namespace yatlab::grammar
