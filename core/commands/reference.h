#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/registry/fields.h"

namespace yatlab::cli {

/// A part of the reference: keys with their types and meanings, or functions.
struct Topic {
  struct Entry {
    std::string name;                  ///< "trainer.epochs"; for a function, its signature
    std::optional<std::string> value;  ///< the default; functions have none
    std::string type;                  ///< "integer > 0"
    std::string doc;
  };
  std::string name, doc;
  std::vector<Entry> entries;
};

/// "experiment", a part of it with keys of its own ("trainer", "trainer.target", "metrics", "tables", ...), one key
/// ("seeds", "trainer.epochs"), "functions" or "resolvers"; nothing for other words.
std::optional<Topic> find_topic(const std::string& word);
/// The names that `find_topic` accepts, except single keys.
std::vector<std::string> topic_names();
/// Keys of the experiment, dotted, for suggestions.
std::vector<std::string> topic_keys();

/// "key = default   (type)" and the meaning below it, for a terminal.
std::string to_text(const std::vector<Topic::Entry>& entries);
/// A table with a line for each entry.
std::string to_markdown(const Topic& topic);
/// Entries for declared fields. `whole`: also those of nested groups, with dotted names.
std::vector<Topic::Entry> entries_of(const std::vector<Field>& fields, const std::string& prefix, bool whole);

/// A JSON Schema (2020-12) of an experiment's file, for editors: the declared keys, with their types, ranges, defaults and meanings. Every value
/// may also be an interpolation, "${...}". Parameters of components are not included.
nlohmann::ordered_json experiment_json_schema();
/// The same of paper.yaml.
nlohmann::ordered_json paper_json_schema();

/// `page` with each part between `<!-- describe TOPIC ... -->` and `<!-- end -->` regenerated.
/// Config errors: an unknown topic, a part without end. `source` names the page in them.
std::string rewrite_reference(const std::string& page, const std::string& source);

}  // namespace yatlab::cli
