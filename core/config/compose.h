#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/node.h"
#include "core/config/interpolation.h"
#include "core/config/override.h"
#include "core/registry/fields.h"

namespace yatlab {

/// Overrides of one source. Overrides and layers are applied in order; later ones win.
struct OverrideLayer {
  std::vector<Override> overrides;
  /// Skip (and list) an override whose key does not exist for the components chosen here, but does for
  /// others of the same kind, such as operator.epsilon where the operator is dot. Typos still throw,
  /// except for kinds with a component that accepts free keys: there any key may be valid.
  bool skip_inapplicable = false;

  OverrideLayer(std::vector<Override> parsed, bool skip) : overrides(std::move(parsed)), skip_inapplicable(skip) {}
  /// `source` ("scale smoke", "arm yat", "command line") is shown in errors.
  OverrideLayer(const std::string& source, const std::vector<std::string>& texts, bool skip = false);
};

/// A composed, checked configuration and how it was composed.
struct Composition {
  Node config;
  std::vector<std::pair<std::string, std::string>> choices;  ///< override key -> option
  std::vector<std::string> files;                            ///< in merge order
  std::vector<Override> applied;
  std::vector<std::string> skipped;  ///< text of the overrides that did not apply
  std::vector<std::string> warnings;
  /// The previous values of a key, oldest first; only for keys whose value was replaced.
  std::map<std::string, std::vector<Node>> replaced;
};

/// Composes an experiment file with the groups that it and the overrides choose, as Hydra does.
///
/// Groups are the folders of the search path and, beyond Hydra, the kinds of the registry: every
/// registered component is an option of its kind's group, with or without a file.
///
/// With a root schema the result holds every default, and keys and types are checked; without one
/// this is plain Hydra. Thread-safe: parsed files are cached and shared.
class Composer {
 public:
  /// `search_path` comes after the primary file's own folder; the first file found wins.
  /// `root_schema` must outlive the composer.
  explicit Composer(std::vector<fs::path> search_path, const Schema* root_schema = nullptr);
  ~Composer();
  Composer(Composer&&) noexcept;
  Composer& operator=(Composer&&) noexcept;

  /// Config errors name the file, line and column, or the override and its layer.
  Composition compose(const fs::path& primary, const std::vector<OverrideLayer>& layers = {}) const;

  /// Composes an experiment that is not (yet) a file; groups are searched in the search path only.
  Composition compose_content(const Node& content, const std::vector<OverrideLayer>& layers = {}) const;

  /// Options of a group: names of files and of registered components, sorted. Empty when there is
  /// no such group. Looks in the search path and, if given, beside `primary`.
  std::vector<std::string> options(const std::string& group, const fs::path& primary = {}) const;

  /// Describes in a few lines what `key` is, which file, override or default set it, what that replaced,
  /// and what the schema declares for it. Config error for an unknown key, naming the nearest one.
  std::string explain(const Composition& composition, const std::string& key) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The schema field at a dotted path of a composed config, following component references;
/// nullptr where the schema declares nothing (free maps, unknown keys).
const Field* find_field(const Schema& root, const Node& config, const std::string& path);

}  // namespace yatlab
