#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/node.h"
#include "core/config/override.h"

namespace yatlab::grammar {

/// Where messages about a text point to.
struct Report {
  const char* what;         ///< "override" or "value"
  std::string_view text;    ///< the whole text
  std::string source;       ///< "command line", "x.yaml:3:8"

  /// Throws a config error that quotes the text and points at the byte `at`.
  [[noreturn]] void fail(std::size_t at, const std::string& why, const std::string& hint = {}) const;
  std::size_t column(std::size_t at) const;  ///< 1-based, in characters
};

/// What the text after '=' means.
struct Value {
  Node node;
  std::optional<Sweep> sweep;
  bool quoted = false;
  bool extend = false;  ///< extend_list(...): `node` is the list to append
  std::optional<Node::List> range;  ///< start, stop, step of a range, for casts
};

/// Parses text[begin..] to its end. All nodes get `origin`.
Value parse(std::string_view text, std::size_t begin, const Report& report, const Origin& origin);

/// A named or positional argument of a function.
struct Argument {
  std::string name;  ///< empty when positional
  Value value;
  std::size_t at = 0;
};

/// Calls a function of the grammar; `at` is where its name stands.
Value call(const std::string& name, std::size_t at, std::vector<Argument> args, const Report& report);
bool is_function(const std::string& name);
const std::vector<std::string>& function_names();

/// Shell-style match: '*', '?' and '[abc]', '[!a-z]'.
bool glob_match(std::string_view pattern, std::string_view text);

/// "'#'", "the end" or "'ⵟ'": the character at a byte position.
std::string show_character(std::string_view text, std::size_t at);

}  // namespace yatlab::grammar
