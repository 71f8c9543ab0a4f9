#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

enum class OverrideKind {
  kChange,    ///< `key=value`: the key must exist
  kAdd,       ///< `+key=value`: the key must not exist (maps and lists merge)
  kForceAdd,  ///< `++key=value`: create or replace
  kDelete,    ///< `~key` or `~key=value`
  kExtend,    ///< `key=extend_list(a, b)`: append to the list that is there
};

enum class SweepKind { kSimpleChoice, kChoice, kRange, kInterval, kGlob, kZip };

/// Several values for one key.
struct Sweep {
  SweepKind kind = SweepKind::kSimpleChoice;
  std::vector<Node> values;                   ///< choices and ranges: what they expand to, in order
  double begin = 0, end = 0;                  ///< kInterval: [begin, end); of whole numbers with `end`
  bool whole = false;                         ///< kInterval: int(interval(...))
  std::vector<std::string> include, exclude;  ///< kGlob: patterns over the options of a group
  Node columns;                               ///< kZip: a map of keys, each with a list, or with the text of a glob
  std::vector<std::string> tags;              ///< from `tag(...)`
};

/// One override, as written on the command line, in an arm or in a scale.
struct Override {
  OverrideKind kind = OverrideKind::kChange;
  std::string key;      ///< "operator", "operator.epsilon" or "group/sub"
  std::string package;  ///< of `key@package`; empty for `key@` (the global package)
  bool has_package = false;
  bool has_value = false;  ///< false only for `~key`
  Node value;              ///< typed; null when `sweep` is set
  std::optional<Sweep> sweep;
  std::string text;  ///< as written
  Origin origin;     ///< source and text

  bool is_sweep() const { return sweep.has_value(); }
  /// "key" or "key@package", as group choices are addressed.
  std::string address() const;
};

/// Parses one override in Hydra's grammar: typed values, quoting, escapes, lists, maps, functions
/// (`override_functions`). Beyond Hydra, characters outside ASCII need no quotes, nor does '=' inside lists
/// and maps; map keys may be quoted, and zip(...) moves several keys.
/// Config errors quote the override, point at the column, say what was expected and what to do.
Override parse_override(std::string_view text, const std::string& source = "command line");

/// A value in the same grammar, standing alone (`seeds: range(0, 5)` in a file).
struct ParsedValue {
  Node value;  ///< null when `sweep` is set
  std::optional<Sweep> sweep;
};
ParsedValue parse_sweep_value(std::string_view text, const Origin& origin = {});

/// All values of a sweep of one key, in order. `options` are the choices that `glob` selects from. An
/// `interval` cannot be listed, a `zip` moves several keys: config errors. `where` goes into messages.
std::vector<Node> expand_sweep(const Sweep& sweep, const std::vector<std::string>& options = {}, const std::string& where = {});
/// The values of a sweeping override; of any other, its one value.
std::vector<Node> expand_sweep(const Override& override, const std::vector<std::string>& options = {});

/// The error for a sweep where only one value makes sense, offering the three readings: a sweep,
/// a quoted string, a list.
[[noreturn]] void throw_not_a_sweep(const Override& override);

/// Text that `parse_value` reads back as the same typed value.
std::string format_override_value(const Node& value);
/// "key=value" in the same sense.
std::string format_override(const std::string& key, const Node& value);

/// Numbers from `begin` (included) to `end` (excluded) by `step`, in decimal arithmetic: 0 to 1 by
/// 0.1 has exactly ten items. Integers when all three are. Step 0 and more than 100,000 items
/// are config errors.
std::vector<Node> decimal_range(const Node& begin, const Node& end, const Node& step, const std::string& where = {});

}  // namespace yatlab
