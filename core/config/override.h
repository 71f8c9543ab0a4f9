#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

struct Field;

enum class OverrideKind {
  kChange,    ///< `key=value`: the key must exist
  kAdd,       ///< `+key=value`: the key must not exist (maps and lists merge)
  kForceAdd,  ///< `++key=value`: create or replace
  kDelete,    ///< `~key` or `~key=value`
  kExtend,    ///< `key=extend_list(a, b)`: append to the existing list
};

enum class SweepKind { kSimpleChoice, kChoice, kRange, kInterval, kGlob, kZip };

/// Several values for one key.
struct Sweep {
  SweepKind kind = SweepKind::kSimpleChoice;
  std::vector<Node> values;                   ///< choices and ranges: the expanded values, in order
  double begin = 0, end = 0;                  ///< kInterval: [begin, end); for whole numbers [begin, end]
  bool whole = false;                         ///< kInterval: int(interval(...))
  std::vector<std::string> include, exclude;  ///< kGlob: patterns over the options of a group
  Node columns;                               ///< kZip: a map of keys; each value is a list or the text of a glob
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
  SharedText swept;  ///< of a point of a sweep on the command line: the sweep as written

  bool is_sweep() const { return sweep.has_value(); }
  /// "key" or "key@package": the address of a group choice.
  std::string address() const;
  /// What the user wrote: a sweep with all its values.
  const std::string& written() const { return swept.empty() ? text : swept.str(); }
};

/// Parses one override in Hydra's grammar: typed values, quoting, escapes, lists, maps, functions
/// (`override_functions`). Extensions: characters outside ASCII and '=' inside lists and maps need no
/// quotes, map keys may be quoted, and zip(...) varies several keys.
/// Config errors quote the override, point at the column, and state the expectation and a fix.
Override parse_override(std::string_view text, const std::string& source = "command line");

/// A value in the same grammar on its own (`seeds: range(0, 5)` in a file).
struct ParsedValue {
  Node value;  ///< null when `sweep` is set
  std::optional<Sweep> sweep;
};
ParsedValue parse_sweep_value(std::string_view text, const Origin& origin = {});

/// All values of a sweep of one key, in order. `options` are the choices that `glob` selects from. Config errors
/// for an `interval`, which cannot be listed, and a `zip`, which varies several keys. `where` goes into messages.
std::vector<Node> expand_sweep(const Sweep& sweep, const std::vector<std::string>& options = {}, const std::string& where = {});
/// The values of a sweeping override; for any other, its single value.
std::vector<Node> expand_sweep(const Override& override, const std::vector<std::string>& options = {});

/// Throws the error for a sweep where only one value makes sense. It offers a sweep, and where `field`, the key's declaration, is unknown or
/// allows them: a quoted string and a list.
[[noreturn]] void throw_not_a_sweep(const Override& override, const Field* field = nullptr);

/// Text that `parse_sweep_value` reads back as the same typed value.
std::string format_override_value(const Node& value);
/// "key=value" with the value formatted the same way.
std::string format_override(const std::string& key, const Node& value);

/// Numbers from `begin` (included) to `end` (excluded) by `step`, in decimal arithmetic: 0 to 1 by
/// 0.1 has exactly ten items. Integers if all three arguments are integers. Config errors for a step of 0
/// and for more than 100,000 items.
std::vector<Node> decimal_range(const Node& begin, const Node& end, const Node& step, const std::string& where = {});

}  // namespace yatlab
