#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node.h"
#include "core/registry/fields.h"

namespace yatlab {

/// Values that were replaced, by dotted key, oldest first.
using ReplacedValues = std::map<std::string, std::vector<Node>>;

/// Merges `source` into `target`: maps key by key, anything else replaces; a source `???` never
/// replaces a value. `path` is the key of `target`, for the history.
///
/// Where `is_component(path)` holds, a map that names another component replaces the whole present map:
/// the parameters of a normal distribution mean nothing to a uniform one.
using ComponentTest = std::function<bool(const std::string& path)>;
void merge_into(Node& target, const Node& source, const std::string& path, ReplacedValues& history, const ComponentTest& is_component = {});

/// The node at `path`; missing maps on the way are created. Throws if something on the way is not a map.
Node& make_path(Node& root, const std::string& path, const Origin& origin);

/// How far `path` exists: the longest existing part, and the first segment that does not exist.
struct PathSplit {
  std::string existing, missing;
};
PathSplit split_existing(const Node& root, const std::string& path);

std::string join_key(const std::string& prefix, const std::string& key);

/// Full keys of all map entries whose last segment is `key`.
std::vector<std::string> places_of(const Node& root, const std::string& key);

/// A suggestion for a key that does not exist: the nearest name in the same map, or the place where
/// the same name is legal. Empty if there is none.
std::string missing_key_hint(const Node& root, const std::string& path);

/// Unifies different spellings of the same value: aliases of components become names, and integers in
/// float fields become floats, so that equal configs have equal hashes.
void canonicalise(const Schema& schema, Node& node);

/// Throws for the first key that the schema does not declare, with a suggestion.
void check_keys(const Schema& schema, const Node& root);

/// Converts an override's value to its field's type as OmegaConf does: numbers to the typed text for string
/// fields, yes/no words to bools, integers to floats.
void convert_to_field(Node& value, const Field& field);

/// Removes the defaults that earlier completions filled in, so that a changed component gets its own defaults.
void strip_defaults(Node& node);

/// Whether an option's file of this kind (configs/operator/yat.yaml) set the value, so that it belongs to the choice of that option.
bool is_of_option(const Node& value, const std::string& kind);

}  // namespace yatlab
