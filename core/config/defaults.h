#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/node.h"

namespace yatlab {

/// One item of a defaults list.
struct DefaultItem {
  bool is_self = false;
  bool is_group = false;  ///< `group: option`, else `path/to/config`
  bool optional = false;
  bool overrides = false;  ///< has the keyword `override`
  bool external = false;   ///< appended on the command line
  std::string path;        ///< path of the group or config; starts with '/' if absolute
  bool has_package = false;
  std::string package;
  Node value;  ///< groups: null, an option, `???`, or a list of options
  Origin origin;
};

/// A config file, or a substitute for a registered component without one.
struct ConfigFile {
  std::string shown;                  ///< its path as the user would write it
  Node content;                       ///< a map, without `defaults`
  std::vector<DefaultItem> defaults;  ///< `_self_` included
  std::optional<std::string> header;  ///< from the comment `# @package ...`
  std::vector<std::string> warnings;
};
using ConfigFilePtr = std::shared_ptr<const ConfigFile>;

/// The option that a written name refers to: "yat.yaml" is "yat".
std::string option_name(const std::string& written);

/// Parsed files by path, shared by all compositions of one composer. Thread-safe.
class FileCache {
 public:
  /// nullptr when there is no such file. If the file configures a registered kind, `group` is that kind:
  /// the content then gets the component's `name`.
  ConfigFilePtr load(const fs::path& path, const std::string& group);
  bool is_directory(const fs::path& path);

 private:
  std::mutex mutex_;
  std::map<std::string, ConfigFilePtr> files_;
  std::map<std::string, bool> directories_;
};

/// Where configs are looked up: folders in order, then the registry.
class ConfigSources {
 public:
  ConfigSources(std::vector<fs::path> folders, FileCache& cache) : folders_(std::move(folders)), cache_(cache) {}

  bool group_exists(const std::string& group) const;
  bool config_exists(const std::string& path) const { return load_config(path) != nullptr; }
  ConfigFilePtr load_config(const std::string& path) const;
  /// The option's file, or a substitute for a component; `option` becomes the canonical name. Config error, naming `asked`, for a name that leads out
  /// of the group's folder.
  ConfigFilePtr load_option(const std::string& group, std::string& option, const Origin& asked) const;
  std::vector<std::string> options(const std::string& group) const;
  /// Top-level groups: folders and registered kinds.
  std::vector<std::string> groups() const;
  std::string folders_text() const;

 private:
  std::vector<fs::path> folders_;
  FileCache& cache_;
};

/// A group choice that is registered for an override key.
struct GroupChoice {
  Node value;  ///< an option, a list of options, or null
  Origin origin;
  std::string file;  ///< the file with the override; empty for the command line
  bool used = false;
};

/// A command-line deletion of a defaults item.
struct GroupDeletion {
  std::string key;  ///< override key, or path of a config
  std::optional<std::string> option;
  Origin origin;
  bool used = false;
};

/// One file to merge. The results are in merge order.
struct ResultDefault {
  ConfigFilePtr file;
  std::string package;  ///< dotted; empty for the root package
};

/// Turns a primary config, its defaults lists and the group overrides into the files to merge
/// (see the algorithm of Hydra's defaults list).
class DefaultsList {
 public:
  explicit DefaultsList(const ConfigSources& sources) : sources_(sources) {}

  std::map<std::string, GroupChoice> choices;  ///< override key -> choice; fill before `build`
  std::vector<DefaultItem> appended;           ///< `+group=option`
  std::vector<GroupDeletion> deletions;
  std::vector<std::string> warnings;

  std::vector<ResultDefault> build(const ConfigFilePtr& primary);
  /// A single option of a group, at the root.
  std::vector<ResultDefault> build_option(const std::string& group, const std::string& option, const Origin& origin);

  /// The choices in merge order: override key -> option.
  const std::vector<std::pair<std::string, std::string>>& chosen() const { return chosen_; }
  /// Keys of the groups in the list, for error messages.
  std::vector<std::string> known_keys() const;

 private:
  struct TreeNode {
    DefaultItem item;
    std::string parent_group, parent_package;
    ConfigFilePtr file;
    bool dropped = false;
    bool placeholder = false;
    std::set<std::string> visible;  // override keys that a placeholder may take
    std::vector<TreeNode> children;
  };
  void expand(TreeNode& node, bool primary, const std::set<std::string>* visible);
  void expand_items(TreeNode& node, std::vector<DefaultItem> items, const std::set<std::string>* visible);
  bool apply_deletion(const TreeNode& node);
  void remember_choice(const TreeNode& node);
  void resolve_placeholders(TreeNode& root);
  bool resolve_placeholder(TreeNode& node);
  void flatten(const TreeNode& node, std::vector<ResultDefault>& out);
  [[noreturn]] void unknown_option(const TreeNode& node) const;

  const ConfigSources& sources_;
  std::map<std::string, std::pair<std::string, Origin>> known_;  // override key -> option
  std::vector<std::pair<std::string, std::string>> chosen_;
  std::set<std::string> seen_;
  std::vector<std::string> stack_;  // files being expanded
};

}  // namespace yatlab
