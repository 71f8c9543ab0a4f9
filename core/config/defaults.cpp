#include "core/config/defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/scalar.h"
#include "core/config/synonyms.h"
#include "core/config/yaml.h"
#include "core/registry/registry.h"

namespace yatlab {
namespace {

bool kind_has_components(const std::string& group) {
  const auto* table = find_component_table(group);
  return table && !table->names().empty();
}

const Component* find_component(const std::string& group, const std::string& name) {
  const auto* table = find_component_table(group);
  return table ? table->find(name) : nullptr;
}

/// Reads `# @package a.b` from the comments at the top of a file.
std::optional<std::string> package_header(const std::string& text) {
  for (const auto& raw : split(text, '\n')) {
    std::string line = trim(raw);
    if (line.empty()) continue;
    if (line.front() != '#') break;
    line = trim(std::string_view(line).substr(1));
    if (line.rfind("@package", 0) != 0) continue;
    return trim(std::string_view(line).substr(8));
  }
  return std::nullopt;
}

/// Reads the `defaults:` of one file.
class ListReader {
 public:
  std::vector<DefaultItem> read(const Node& list) {
    if (!list.is_list()) {
      throw config_error("'defaults' must be a list, found " + with_article(list), list.origin().describe(), {},
                         "write one item per line: '- group: option'");
    }
    for (const auto& item : list.as_list()) add(item);
    return finish();
  }
  std::vector<DefaultItem> finish() {
    const bool self = std::any_of(out_.begin(), out_.end(), [](const auto& i) { return i.is_self; });
    if (!self) {
      DefaultItem item;
      item.is_self = true;
      out_.push_back(std::move(item));
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const Node& at, const std::string& what, const std::string& why, const std::string& hint) {
    throw config_error(what, at.origin().describe(), why, hint);
  }

  void add(const Node& node) {
    DefaultItem item;
    item.origin = node.origin();
    if (node.is_string()) {
      std::string text = node.as_string();
      take_keyword(text, "optional", item.optional);
      split_package(text, item, node);
      if (text == "_self_") {
        if (item.has_package) fail(node, "'_self_' takes no package", "it means this file's own content", "remove the '@'");
        if (std::any_of(out_.begin(), out_.end(), [](const auto& i) { return i.is_self; })) {
          fail(node, "'_self_' is listed twice", "it marks the position of this file's own content", "keep one of them");
        }
        item.is_self = true;
      }
      item.path = text;
    } else if (node.is_map()) {
      if (node.size() != 1) {
        fail(node, "an item of 'defaults' must have exactly one key", fmt::format("found {}", shortened(node.to_flow())),
             "begin each item with '-': '- group: option'");
      }
      const auto& [key, value] = node.as_map().front();
      item.origin = value.origin();
      item.is_group = true;
      std::string text = read_keywords(key, item, node);
      split_package(text, item, node);
      item.path = text;
      item.value = checked_value(value);
      normalise(item);
    } else {
      fail(node, "an item of 'defaults' cannot be " + with_article(node), node.to_flow(),
           "write '- group: option', '- path/to/config' or '- _self_'");
    }
    if (!item.is_self) check_path(item.path, node);
    if (!item.is_group) item.path = option_name(item.path);
    if (!item.overrides && !item.is_self) {
      for (const auto& before : out_) {
        if (before.overrides) {
          fail(node, fmt::format("'{}' comes after an override", item.path), "overrides must come last in the defaults list",
               fmt::format("move '- override {}: ...' after it", before.path));
        }
      }
    }
    out_.push_back(std::move(item));
  }

  static bool take_keyword(std::string& text, const std::string& word, bool& flag) {
    if (text.rfind(word + " ", 0) != 0) return false;
    flag = true;
    text = trim(std::string_view(text).substr(word.size()));
    return true;
  }
  std::string read_keywords(const std::string& key, DefaultItem& item, const Node& node) {
    auto words = split(key, ' ');
    words.erase(std::remove(words.begin(), words.end(), ""), words.end());
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "optional") {
        item.optional = true;
      } else if (words[i] == "override") {
        item.overrides = true;
      } else {
        fail(node, fmt::format("'{}' is not a keyword of the defaults list", words[i]), {}, suggestion(words[i], {"optional", "override"}));
      }
    }
    return words.empty() ? "" : words.back();
  }
  void split_package(std::string& text, DefaultItem& item, const Node& node) {
    const auto at = text.find('@');
    if (at == std::string::npos) return;
    item.has_package = true;
    item.package = text.substr(at + 1);
    text = text.substr(0, at);
    if (item.package.find(':') != std::string::npos) {
      fail(node, fmt::format("the package '{}' cannot be renamed here", item.package), "group@old:new is no longer supported",
           "write override group@package: option");
    }
  }
  void check_path(const std::string& path, const Node& node) {
    if (path.empty()) fail(node, "an item of 'defaults' has no name", node.to_flow(), "write '- group: option'");
    if (path.find("..") != std::string::npos) {
      fail(node, fmt::format("'..' is not allowed in '{}'", path), "paths start at this file's group and only go down",
           "begin with '/' for a path from the top: '/group/option'");
    }
    if (path.find('\\') != std::string::npos) {
      fail(node, fmt::format("'\\' is not allowed in '{}'", path), "paths are written with '/' on every system", "write '/' instead");
    }
  }
  Node checked_value(const Node& value) {
    const auto good = [](const Node& v) { return v.is_string(); };
    const bool list = value.is_list() && std::all_of(value.as_list().begin(), value.as_list().end(), good);
    if (value.is_string()) return Node(option_name(value.as_string())).set_origin(value.origin());
    if (list) {
      Node names = value;
      for (auto& name : names.as_list()) name = Node(option_name(name.as_string())).set_origin(name.origin());
      return names;
    }
    if (value.is_null()) return value;
    fail(value, "an option must be a name, a list of names or null, found " + describe_value(value), {},
         value.is_number() || value.is_bool() ? fmt::format("quote it: '{}'", text_of_scalar(value)) : "");
  }
  /// `foo: bar/baz` means `foo/bar: baz`.
  static void normalise(DefaultItem& item) {
    if (!item.value.is_string() || item.value.is_interpolation()) return;
    const std::string option = item.value.as_string();
    const auto slash = option.rfind('/');
    if (slash == std::string::npos) return;
    item.path += "/" + option.substr(0, slash);
    Node name(option.substr(slash + 1));
    name.set_origin(item.value.origin());
    item.value = std::move(name);
  }

  std::vector<DefaultItem> out_;
};

std::string strip_slash(const std::string& path) { return !path.empty() && path.front() == '/' ? path.substr(1) : path; }

std::string join_path(const std::string& a, const std::string& b) { return a.empty() ? b : a + "/" + b; }

std::string dirname(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string dotted(std::string path) {
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

/// Absolute path of the item's group, or of its config.
std::string absolute_path(const DefaultItem& item, const std::string& parent_group) {
  return item.path.front() == '/' ? item.path.substr(1) : join_path(parent_group, item.path);
}
std::string group_of(const DefaultItem& item, const std::string& parent_group) {
  const auto path = absolute_path(item, parent_group);
  return item.is_group ? path : dirname(path);
}

std::string final_package(const DefaultItem& item, const std::string& parent_package, const std::optional<std::string>& header) {
  std::string package;
  if (item.has_package) {
    package = item.package;  // relative to the parent's package: `base@` is that package
  } else if (header) {
    package = *header == "_global_" ? "_global_" : "_global_." + *header;
  } else {
    const auto relative = strip_slash(item.path);
    package = dotted(item.is_group ? relative : dirname(relative));
  }
  if (package == "_here_") package.clear();
  if (package.rfind("_here_.", 0) == 0) package = package.substr(7);
  std::string full = parent_package.empty() ? package : package.empty() ? parent_package : parent_package + "." + package;
  const std::string global = "_global_";
  if (const auto at = full.rfind(global); at != std::string::npos) {
    full = full.substr(at + global.size());
    if (!full.empty() && full.front() == '.') full.erase(0, 1);
  }
  return full;
}

std::string override_key(const DefaultItem& item, const std::string& parent_group, const std::string& parent_package) {
  auto group = group_of(item, parent_group);
  const auto package = final_package(item, parent_package, std::nullopt);
  if (package == dotted(group)) return group;
  return group + "@" + (package.empty() ? "_global_" : package);
}

}  // namespace

std::string option_name(const std::string& written) {
  const std::string ending = ".yaml";
  const bool ends = written.size() > ending.size() && written.compare(written.size() - ending.size(), ending.size(), ending) == 0;
  return ends ? written.substr(0, written.size() - ending.size()) : written;
}

// ---- files ----

ConfigFilePtr FileCache::load(const fs::path& path, const std::string& group) {
  const std::string key = path.string();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto it = files_.find(key); it != files_.end()) return it->second;
  }
  ConfigFilePtr result;
  if (is_file(path)) {
    auto file = std::make_shared<ConfigFile>();
    file->shown = key;
    const std::string text = read_file(path);
    file->content = parse_yaml(text, key, [&](const std::string& w) { file->warnings.push_back(w); });
    file->header = package_header(text);
    if (file->content.is_null()) {
      const Origin origin = file->content.origin();
      file->content = Node::map();
      file->content.set_origin(origin);
    }
    if (!file->content.is_map()) {
      throw config_error(fmt::format("'{}' must contain a map, found {}", key, with_article(file->content)),
                         file->content.origin().describe(), {}, "write 'key: value' lines");
    }
    const Node* list = file->content.find("defaults");
    const bool has_list = list != nullptr;
    file->defaults = list ? ListReader().read(*list) : ListReader().finish();
    file->content.erase("defaults");
    if (!file->header && !file->content.has("name") && kind_has_components(group)) {
      const std::string stem = path.stem().string();
      if (const auto* component = find_component(group, stem)) {
        Node name(component->name);
        name.set_origin({key, 1, 1, {}});
        file->content.as_map().insert(file->content.as_map().begin(), {"name", std::move(name)});
      } else if (!has_list) {
        throw config_error(fmt::format("'{}' does not say which {} it configures", key, group), key + ":1:1",
                           fmt::format("it has no 'name', and there is no {} '{}'", group, stem),
                           fmt::format("add 'name: ...'; registered: {}", join(find_component_table(group)->names(), ", ")));
      }
    }
    file->content.freeze();  // compositions share the unchanged parts
    result = std::move(file);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_.emplace(key, result).first->second;
}

bool FileCache::is_directory(const fs::path& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [it, fresh] = directories_.emplace(path.string(), false);
  if (fresh) it->second = is_folder(path);
  return it->second;
}

bool ConfigSources::group_exists(const std::string& group) const {
  if (group.empty()) return false;
  for (const auto& folder : folders_) {
    if (cache_.is_directory(folder / group)) return true;
  }
  return kind_has_components(group);
}

ConfigFilePtr ConfigSources::load_config(const std::string& path) const {
  const auto group = dirname(path);
  for (const auto& folder : folders_) {
    if (auto file = cache_.load(folder / (path + ".yaml"), group)) return file;
  }
  return nullptr;
}

ConfigFilePtr ConfigSources::load_option(const std::string& group, std::string& option, const Origin& asked) const {
  option = option_name(option);
  const auto parts = split(option, '/');
  if (option.rfind('/', 0) == 0 || option.find('\\') != std::string::npos || std::find(parts.begin(), parts.end(), "..") != parts.end()) {
    const auto known = options(group);
    throw config_error(fmt::format("'{}' is not an option of the group '{}'", option, group), asked.describe(),
                       "an option is a file in the folder of the group: its name must not contain '..' or begin with '/'",
                       known.empty() ? "give only the name of the option" : "options: " + join(known, ", "));
  }
  if (auto file = load_config(join_path(group, option))) return file;
  const auto* component = find_component(group, option);
  if (!component) return nullptr;
  if (option != component->name) {
    option = component->name;
    if (auto file = load_config(join_path(group, option))) return file;
  }
  auto file = std::make_shared<ConfigFile>();
  file->content = Node::map();
  file->content.set("name", component->name);
  file->content.set_origin_deep({fmt::format("registered {} '{}'", group, component->name), 0, 0, {}});
  DefaultItem self;
  self.is_self = true;
  file->defaults.push_back(std::move(self));
  return file;
}

std::vector<std::string> ConfigSources::options(const std::string& group) const {
  std::set<std::string> names;
  for (const auto& folder : folders_) {
    const fs::path place = group.empty() && folder.empty() ? fs::path(".") : folder / group;
    if (!is_folder(place)) continue;
    for (const auto& path : entries_of(place)) {
      if (path.extension() == ".yaml") names.insert(path.stem().string());
    }
  }
  if (const auto* table = find_component_table(group)) {
    for (const auto& name : table->names()) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> ConfigSources::groups() const {
  std::set<std::string> names;
  for (const auto& folder : folders_) {
    const fs::path place = folder.empty() ? fs::path(".") : folder;
    if (!is_folder(place)) continue;
    for (const auto& path : entries_of(place)) {
      const auto name = path.filename().string();
      const bool searched = std::find(folders_.begin(), folders_.end(), folder / name) != folders_.end();
      if (!searched && name.front() != '.' && is_folder(path)) names.insert(name);
    }
  }
  for (const auto& kind : component_kinds()) {
    if (kind_has_components(kind)) names.insert(kind);
  }
  return {names.begin(), names.end()};
}

std::string ConfigSources::folders_text() const {
  std::vector<std::string> out;
  for (const auto& folder : folders_) out.push_back(folder.empty() ? "." : folder.string());
  return join(out, ", ");
}

// ---- the algorithm ----

std::vector<std::string> DefaultsList::known_keys() const {
  std::vector<std::string> out;
  for (const auto& [key, option] : known_) out.push_back(key);
  return out;
}

std::vector<ResultDefault> DefaultsList::build(const ConfigFilePtr& primary) {
  TreeNode root;
  root.file = primary;
  root.item.path = primary->shown;
  expand(root, true, nullptr);
  resolve_placeholders(root);
  std::vector<ResultDefault> out;
  flatten(root, out);
  for (const auto& [key, choice] : choices) {
    if (choice.used || choice.file.empty()) continue;
    const bool later = known_.count(key) != 0;
    std::string hint = later ? "move the item that chooses it before this file" : suggestion(key, known_keys());
    if (!later) hint += std::string(hint.empty() ? "" : "; ") + "remove the keyword 'override' to add the group";
    throw config_error(fmt::format("there is nothing to override for '{}'", key), choice.origin.describe(),
                       "no earlier item of the defaults lists has this group", hint);
  }
  return out;
}

std::vector<ResultDefault> DefaultsList::build_option(const std::string& group, const std::string& option, const Origin& origin) {
  TreeNode root;
  root.item.is_group = true;
  root.item.path = group;
  root.item.has_package = true;
  root.item.value = Node(option).set_origin(origin);
  root.item.origin = origin;
  expand(root, false, nullptr);
  resolve_placeholders(root);
  std::vector<ResultDefault> out;
  flatten(root, out);
  return out;
}

bool DefaultsList::apply_deletion(const TreeNode& node) {
  for (auto& deletion : deletions) {
    if (node.item.is_group) {
      if (deletion.key != override_key(node.item, node.parent_group, node.parent_package)) continue;
      if (deletion.option && !(node.item.value.is_string() && node.item.value.as_string() == *deletion.option)) continue;
    } else if (deletion.key != absolute_path(node.item, node.parent_group)) {
      continue;
    }
    deletion.used = true;
    return true;
  }
  return false;
}

void DefaultsList::remember_choice(const TreeNode& node) {
  const auto key = override_key(node.item, node.parent_group, node.parent_package);
  const std::string option = node.item.value.is_string() ? node.item.value.as_string() : "null";
  const auto [known, fresh] = known_.try_emplace(key, option, node.item.origin);
  if (fresh || known->second.first == option) return;
  throw config_error(fmt::format("'{}' is chosen twice: {} and {}", key, option, known->second.first), node.item.origin.describe(),
                     fmt::format("the other choice is at {}", known->second.second.describe()),
                     fmt::format("keep one; to change the first, write '- override {}: {}'", key, known->second.first));
}

void DefaultsList::unknown_option(const TreeNode& node) const {
  const auto path = absolute_path(node.item, node.parent_group);
  const auto group = node.item.is_group ? path : dirname(path);
  const auto option = node.item.is_group ? node.item.value.as_string() : path.substr(group.empty() ? 0 : group.size() + 1);
  const auto options = sources_.options(group);
  const auto searched = "looked in " + sources_.folders_text();
  if (!node.item.is_group) {
    throw config_error(fmt::format("there is no config '{}'", path), node.item.origin.describe(), searched, suggestion(option, options));
  }
  if (options.empty()) {
    throw config_error(fmt::format("there is no config group '{}'", group), node.item.origin.describe(), searched,
                       suggestion(group, sources_.groups()));
  }
  auto near = choice_synonym(group, option);
  if (near.empty()) near = nearest(option, options);
  if (option == "None") near.clear();
  const auto otherwise =
      option == "None" ? fmt::format("leave {}={} out, or choose one of the options", group, option) : "choose one of the options";
  throw config_error(fmt::format("'{}' is not an option of the group '{}'", option, group), node.item.origin.describe(),
                     fmt::format("{}; options: {}", searched, join(options, ", ")),
                     near.empty() ? otherwise : fmt::format("did you mean '{}'?", near));
}

void DefaultsList::expand(TreeNode& node, bool primary, const std::set<std::string>* visible) {
  DefaultItem& item = node.item;
  std::string label = item.path;
  if (!primary) {
    if (apply_deletion(node)) {
      node.dropped = true;
      return;
    }
    if (item.is_group && !item.value.is_missing()) {
      // An alias and its name are one choice.
      if (item.value.is_string()) {
        std::string option = item.value.as_string();
        node.file = sources_.load_option(group_of(item, node.parent_group), option, item.value.origin());
        item.value = Node(option).set_origin(item.value.origin());
      }
      remember_choice(node);
    }
    if (item.is_group && item.value.is_null()) {
      node.dropped = true;
      return;
    }
    if (item.is_group && item.value.is_missing()) {
      const auto group = group_of(item, node.parent_group);
      const auto key = override_key(item, node.parent_group, node.parent_package);
      throw config_error(fmt::format("the group '{}' needs a choice", key), item.origin.describe(),
                         "options: " + join(sources_.options(group), ", "), fmt::format("add {}=OPTION", key));
    }
    label = absolute_path(item, node.parent_group);
    if (item.is_group) label = join_path(label, item.value.as_string());
    if (!item.is_group) {
      std::string option = label.substr(dirname(label).empty() ? 0 : dirname(label).size() + 1);
      node.file = sources_.load_option(dirname(label), option, item.origin);
    }
    if (!node.file) {
      if (!item.optional) unknown_option(node);
      node.dropped = true;
      return;
    }
  }
  if (std::find(stack_.begin(), stack_.end(), label) != stack_.end()) {
    throw config_error(fmt::format("'{}' includes itself", label), item.origin.describe(), "through: " + join(stack_, " -> "),
                       "remove one of the defaults");
  }
  stack_.push_back(label);
  for (const auto& warning : node.file->warnings) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
  }
  std::vector<DefaultItem> items = node.file->defaults;
  if (primary) items.insert(items.end(), appended.begin(), appended.end());
  expand_items(node, std::move(items), visible);
  stack_.pop_back();
}

void DefaultsList::expand_items(TreeNode& node, std::vector<DefaultItem> items, const std::set<std::string>* visible) {
  const bool root = node.item.path == node.file->shown && !node.item.is_group;
  const std::string group = root ? "" : group_of(node.item, node.parent_group);
  std::string package = node.file->header.value_or("");  // the header of a primary file applies to everything it includes
  if (!root) package = final_package(node.item, node.parent_package, node.file->header);
  if (package == "_global_") package.clear();
  for (auto it = items.rbegin(); it != items.rend(); ++it) {
    TreeNode child;
    child.item = std::move(*it);
    DefaultItem& item = child.item;
    if (item.is_self) {
      child.file = node.file;
      child.parent_package = package;
      node.children.push_back(std::move(child));
      continue;
    }
    // Paths appended on the command line are absolute, wherever the primary file is.
    child.parent_group = item.external ? "" : group;
    child.parent_package = item.external ? "" : package;
    if (item.is_group) {
      const auto key = override_key(item, child.parent_group, child.parent_package);
      if (item.overrides) {
        if (visible) {
          throw config_error(fmt::format("'override {}' is not allowed here", key), item.origin.describe(),
                             "this file was chosen by an interpolation, which is resolved too late for overrides",
                             "choose the file by name, without an interpolation");
        }
        choices.try_emplace(key, GroupChoice{item.value, item.origin, node.file->shown, false});
        continue;
      }
      const auto choice = choices.find(key);
      if (choice != choices.end() && (!visible || visible->count(key) != 0)) {
        choice->second.used = true;
        item.value = choice->second.value;
        item.origin = choice->second.origin;
      }
      if (item.value.is_list()) {
        // Several options: one config each, in the same place.
        const auto options = item.value.as_list();
        for (auto option = options.rbegin(); option != options.rend(); ++option) {
          if (option->is_interpolation()) {
            throw config_error(fmt::format("the list of options of '{}' cannot be interpolated", key), item.origin.describe(), {},
                               "write the names without interpolations");
          }
          TreeNode each = child;
          std::string name = option->as_string();
          if (!sources_.load_option(group_of(item, child.parent_group), name, option->origin()) && !item.optional) {
            each.item.value = *option;
            unknown_option(each);
          }
          each.item.is_group = false;
          each.item.path = item.path + "/" + name;
          expand(each, false, visible);
          node.children.push_back(std::move(each));
        }
        continue;
      }
    }
    const bool interpolated = item.is_group ? item.value.is_interpolation() : Node(item.path).is_interpolation();
    if (interpolated) {
      child.placeholder = true;
      for (const auto& [key, choice] : choices) child.visible.insert(key);
    } else {
      expand(child, false, visible);
    }
    node.children.push_back(std::move(child));
  }
  std::reverse(node.children.begin(), node.children.end());
}

bool DefaultsList::resolve_placeholder(TreeNode& node) {
  std::string text = node.item.is_group ? node.item.value.as_string() : node.item.path;
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at)) {
    const auto close = text.find('}', at);
    if (close == std::string::npos) {
      throw config_error(fmt::format("the interpolation in '{}' is not closed", text), node.item.origin.describe(), {}, "write ${group}");
    }
    const auto known = known_.find(trim(std::string_view(text).substr(at + 2, close - at - 2)));
    if (known == known_.end()) return false;
    text.replace(at, close - at + 1, known->second.first);
    at += known->second.first.size();
  }
  node.placeholder = false;
  if (node.item.is_group) {
    node.item.value = Node(text).set_origin(node.item.value.origin());
  } else {
    node.item.path = text;
  }
  const auto visible = node.visible;
  expand(node, false, &visible);
  return true;
}

void DefaultsList::resolve_placeholders(TreeNode& root) {
  for (;;) {
    bool progress = false;
    const TreeNode* left = nullptr;
    const std::function<void(TreeNode&)> visit = [&](TreeNode& node) {
      if (node.placeholder) {
        if (resolve_placeholder(node)) {
          progress = true;
        } else {
          left = &node;
        }
        return;
      }
      for (auto& child : node.children) visit(child);
    };
    visit(root);
    if (!left) return;
    if (progress) continue;
    const auto text = left->item.is_group ? left->item.value.as_string() : left->item.path;
    throw config_error(fmt::format("'{}' cannot be resolved in a defaults list", text), left->item.origin.describe(),
                       "only the choice of a group of the defaults lists can be interpolated here",
                       known_.empty() ? "write the name without an interpolation" : "known: " + join(known_keys(), ", "));
  }
}

void DefaultsList::flatten(const TreeNode& node, std::vector<ResultDefault>& out) {
  if (node.dropped) return;
  if (node.item.is_self) {
    out.push_back({node.file, node.parent_package});
    return;
  }
  if (node.item.is_group) {
    const auto key = override_key(node.item, node.parent_group, node.parent_package);
    if (!seen_.insert(key).second) {
      throw config_error(fmt::format("'{}' appears more than once in the defaults lists", key), node.item.origin.describe(), {},
                         "keep one of them, or give one a different package: group@package");
    }
    chosen_.emplace_back(key, node.item.value.as_string());
  }
  for (const auto& child : node.children) flatten(child, out);
}

}  // namespace yatlab
