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
/// Where `is_component(path)` holds, a map that names another component replaces the present one whole:
/// the parameters of a normal distribution mean nothing to a uniform one.
using ComponentTest = std::function<bool(const std::string& path)>;
void merge_into(Node& target, const Node& source, const std::string& path, ReplacedValues& history, const ComponentTest& is_component = {});

/// The node at `path`, with maps made on the way. Throws when something on the way is not a map.
Node& make_path(Node& root, const std::string& path, const Origin& origin);

/// How far `path` exists: the longest existing part, and the first segment that does not exist.
struct PathSplit {
  std::string existing, missing;
};
PathSplit split_existing(const Node& root, const std::string& path);

std::string join_key(const std::string& prefix, const std::string& key);

/// Full keys of all maps' entries whose last segment is `key`.
std::vector<std::string> places_of(const Node& root, const std::string& key);

/// What to try instead of a key that does not exist: the nearest name beside it, or the place where
/// the same name is legal. Empty when there is nothing to propose.
std::string missing_key_hint(const Node& root, const std::string& path);

/// Two ways to write one value become one: aliases of components turn into names, and integers in
/// float fields into floats, so that equal configs have equal hashes.
void canonicalise(const Schema& schema, Node& node);

/// Throws for the first key that the schema does not know, with what may have been meant.
void check_keys(const Schema& schema, const Node& root);

/// Fits a value given as an override to its field as OmegaConf does: numbers to the text that was typed for string
/// fields, yes/no words to bools, integers to floats.
void convert_to_field(Node& value, const Field& field);

/// Removes what earlier completions filled in, so that a changed component gets its own defaults.
void strip_defaults(Node& node);

/// Whether the value was set by the file of an option of the kind (configs/operator/yat.yaml), and so goes with the choice.
bool is_of_option(const Node& value, const std::string& kind);

}  // namespace yatlab
