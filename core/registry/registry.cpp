#include "core/registry/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/registry/pack_index.h"

namespace yatlab {
namespace {

// A registration that waits for `register_components`.
struct Pending {
  detail::Registration source;
  std::vector<std::string> aliases;
  std::string library;
};

struct RegistryState {
  std::recursive_mutex mutex;  // a component's declaration may itself use the registry
  std::map<std::string, ComponentTable> tables;
  std::vector<Pending> pending;
  std::string library;  // the plugin library that is being loaded
};

// Function-local, so that it exists before any component registers itself. Never destroyed: plugin
// libraries may still use it in their own static destructors.
RegistryState& registry_state() {
  static RegistryState& all = *new RegistryState;
  return all;
}

ComponentTable& table_of(const std::string& kind) { return registry_state().tables.try_emplace(kind, kind).first->second; }

/// Creates the kinds that packs have components of, before any pack is loaded.
void add_packed_kinds() {
  static bool added = false;
  if (std::exchange(added, pack_index().begin() != pack_index().end()) || !added) return;
  for (const auto& packed : pack_index()) {
    auto& table = table_of(packed.kind);
    if (table.doc().empty()) table.set_doc(packed.kind_doc);
  }
}

bool is_among(const char* words, const std::string& name) {
  const auto all = split(words, ' ');
  return std::find(all.begin(), all.end(), name) != all.end();
}

const PackedComponent* find_packed(const std::string& kind, const std::string& name) {
  const auto& index = pack_index();
  const auto it = std::find_if(index.begin(), index.end(), [&](const PackedComponent& packed) {
    return packed.kind == kind && (packed.name == name || (!name.empty() && is_among(packed.aliases, name)));
  });
  return it == index.end() ? nullptr : it;
}

/// Hides build paths: the file name for a library, the path below the root for this project.
std::string source_of(const Pending& waiting) {
  const std::string path = waiting.source.file;
  if (!waiting.library.empty()) return path.substr(path.rfind('/') + 1);
  const auto at = path.rfind("/plugins/");
  return at == std::string::npos ? path : path.substr(at + 1);
}

std::string origin_of(const Pending& waiting) {
  const auto place = fmt::format("{}:{}", source_of(waiting), waiting.source.line);
  return waiting.library.empty() ? place : fmt::format("{} ({})", waiting.library, place);
}

bool legal_name(const std::string& name) {
  if (name.empty()) return false;
  for (char c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (!(std::isalnum(u) || c == '_' || c == '-' || c == ':' || c == '.' || u >= 0x80)) return false;
  }
  return true;
}

}  // namespace

void ComponentTable::add(Component component) {
  std::vector<std::string> spoken{component.name};
  spoken.insert(spoken.end(), component.aliases.begin(), component.aliases.end());
  for (std::size_t i = 0; i < spoken.size(); ++i) {
    const auto& name = spoken[i];
    if (!legal_name(name)) {
      throw Error(ErrorKind::kPlugin, fmt::format("'{}' is not a valid {} name", name, kind_), component.origin,
                  "names can contain letters, digits, '_', '-', '.' and ':'", "rename the component");
    }
    const PackedComponent* packed = find_packed(kind_, name);
    const Component* other = find_loaded(name);
    if (other || (packed && packed->source != component.source)) {
      throw Error(ErrorKind::kPlugin, fmt::format("{} '{}' is registered twice", kind_, name), component.origin,
                  fmt::format("already registered by {}", other ? other->origin : packed->source), "give one of them a different name");
    }
    if (std::find(spoken.begin(), spoken.begin() + static_cast<std::ptrdiff_t>(i), name) !=
        spoken.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw Error(ErrorKind::kPlugin, fmt::format("{} '{}' has the same name twice", kind_, spoken[0]), component.origin,
                  fmt::format("'{}' is repeated among its aliases", name), "remove the alias");
    }
  }
  const auto at = std::lower_bound(components_.begin(), components_.end(), component.name,
                                   [](const Component& c, const std::string& n) { return c.name < n; });
  components_.insert(at, std::move(component));
}

const Component* ComponentTable::find(const std::string& name) const {
  const std::lock_guard lock(registry_state().mutex);
  if (const auto* loaded = find_loaded(name)) return loaded;
  const auto* packed = find_packed(kind_, name);
  if (!packed) return nullptr;
  load_pack(packed->pack);
  return find_loaded(name);
}

const Component* ComponentTable::find_loaded(const std::string& name) const {
  for (const auto& c : components_) {
    if (c.name == name) return &c;
    if (std::find(c.aliases.begin(), c.aliases.end(), name) != c.aliases.end()) return &c;
  }
  return nullptr;
}

const Component& ComponentTable::at(const std::string& name, const std::string& where) const {
  if (const Component* found = find(name)) return *found;
  if (names().empty()) {
    throw config_error(fmt::format("unknown {} '{}'", kind_, shortened(name)), where, fmt::format("no {} is registered", kind_),
                       "check the kind's name");
  }
  throw config_error(fmt::format("unknown {} '{}'", kind_, shortened(name)), where, {},
                     suggestion(name, names()) + fmt::format(" ('yatlab list {}' shows all)", kind_));
}

Node ComponentTable::complete(Node spec, const std::string& path) const {
  if (spec.is_string()) {
    Node map = Node::map();
    map.set("name", spec);
    map.set_origin(spec.origin());
    spec = std::move(map);
  }
  if (!spec.is_map() || !spec.has("name")) {
    throw config_error(fmt::format("{} must be a {} or {{name: ..., <parameters>}}", shortened(spec.to_flow()), kind_),
                       spec.origin().describe());
  }
  const auto& component = at(spec.at("name").as_string(), spec.origin().describe());
  component.schema.complete(spec, kind_ + "/" + component.name);
  component.schema.check(spec, path.empty() ? kind_ : path, true, {"name"});
  spec.set("name", component.name);
  return spec;
}

std::shared_ptr<void> ComponentTable::create(const Node& spec) const {
  const Node completed = complete(spec);
  return at(completed.at("name").as_string()).create(completed);
}

std::vector<ComponentTable::Listed> ComponentTable::listed() const {
  const std::lock_guard lock(registry_state().mutex);
  std::vector<Listed> out;
  for (const auto& c : components_) out.push_back({c.name, c.doc, c.aliases});
  for (const auto& packed : pack_index()) {
    if (packed.kind != kind_ || find_loaded(packed.name)) continue;
    out.push_back({packed.name, packed.doc, *packed.aliases ? split(packed.aliases, ' ') : std::vector<std::string>()});
  }
  std::sort(out.begin(), out.end(), [](const Listed& a, const Listed& b) { return a.name < b.name; });
  return out;
}

std::vector<std::string> ComponentTable::names() const {
  std::vector<std::string> out;
  for (auto& c : listed()) out.push_back(std::move(c.name));
  return out;
}

void ComponentTable::load_built() const {
  const std::lock_guard lock(registry_state().mutex);
  for (const auto& packed : pack_index()) {
    if (packed.kind == kind_ && is_pack_built(packed.pack)) load_pack(packed.pack);
  }
}

void ComponentTable::load_those_with(const std::string& parameter) const {
  const std::lock_guard lock(registry_state().mutex);
  if (std::any_of(components_.begin(), components_.end(), [&](const Component& c) { return c.schema.find(parameter); })) return;
  for (const auto& packed : pack_index()) {
    if (packed.kind == kind_ && is_among(packed.parameters, parameter)) load_pack(packed.pack);
  }
}

ComponentTable& component_table(const std::string& kind) {
  const std::lock_guard lock(registry_state().mutex);
  register_components();
  return table_of(kind);
}

ComponentTable* find_component_table(const std::string& kind) {
  const std::lock_guard lock(registry_state().mutex);
  register_components();
  const auto it = registry_state().tables.find(kind);
  return it == registry_state().tables.end() ? nullptr : &it->second;
}

std::vector<std::string> component_kinds() {
  const std::lock_guard lock(registry_state().mutex);
  register_components();
  std::vector<std::string> out;
  for (const auto& [kind, table] : registry_state().tables) out.push_back(kind);
  return out;
}

void register_components() {
  const std::lock_guard lock(registry_state().mutex);
  add_packed_kinds();
  if (registry_state().pending.empty()) return;
  const auto batch = std::exchange(registry_state().pending, {});
  std::exception_ptr first;
  for (const auto& waiting : batch) {
    try {
      Component component;
      component.kind = waiting.source.kind;
      component.name = waiting.source.name;
      component.aliases = waiting.aliases;
      component.doc = waiting.source.doc;
      component.origin = origin_of(waiting);
      component.source = source_of(waiting);
      component.library = waiting.library;
      try {
        waiting.source.describe(component);
      } catch (const std::exception& e) {
        throw Error(ErrorKind::kPlugin, fmt::format("{} '{}' cannot be registered", component.kind, component.name), component.origin,
                    fmt::format("its declaration of parameters throws: {}", e.what()));
      }
      auto& table = table_of(component.kind);
      if (table.doc().empty()) table.set_doc(waiting.source.kind_doc);
      table.add(std::move(component));
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void set_registration_origin(std::string origin) {
  const std::lock_guard lock(registry_state().mutex);
  registry_state().library = std::move(origin);
}

BuiltInScope::BuiltInScope() {
  const std::lock_guard lock(registry_state().mutex);
  before_ = std::exchange(registry_state().library, {});
}
BuiltInScope::~BuiltInScope() { set_registration_origin(before_); }

struct RegistrySnapshot::Tables {
  std::map<std::string, ComponentTable> all;
};

RegistrySnapshot::RegistrySnapshot() : saved_(std::make_unique<Tables>()) {
  const std::lock_guard lock(registry_state().mutex);
  register_components();
  saved_->all = registry_state().tables;
}

RegistrySnapshot::~RegistrySnapshot() = default;

void RegistrySnapshot::restore() const {
  const std::lock_guard lock(registry_state().mutex);
  registry_state().pending.clear();
  auto& tables = registry_state().tables;
  for (auto it = tables.begin(); it != tables.end();) {
    // A pack is loaded only once, so its components stay.
    std::list<Component> of_packs;
    for (const auto& c : it->second.all()) {
      if (find_packed(c.kind, c.name) && c.library.empty()) of_packs.push_back(c);
    }
    // Assigned, not replaced: references to existing tables stay valid.
    if (const auto saved = saved_->all.find(it->first); saved != saved_->all.end()) {
      it->second = saved->second;
      for (auto& c : of_packs) {
        const auto& have = it->second.all();
        if (std::none_of(have.begin(), have.end(), [&](const Component& one) { return one.name == c.name; })) it->second.add(std::move(c));
      }
      ++it;
    } else {
      it = tables.erase(it);
    }
  }
}

std::vector<std::string> RegistrySnapshot::added() const {
  const std::lock_guard lock(registry_state().mutex);
  std::vector<std::string> out;
  for (const auto& [kind, table] : registry_state().tables) {
    const auto saved = saved_->all.find(kind);
    for (const auto& component : table.all()) {
      if (saved == saved_->all.end() || !saved->second.find(component.name)) {
        out.push_back(kind + "/" + component.name);
      }
    }
  }
  return out;
}

int detail::defer_registration(const Registration& registration, std::initializer_list<const char*> aliases) noexcept {
  const std::lock_guard lock(registry_state().mutex);
  registry_state().pending.push_back({registration, {aliases.begin(), aliases.end()}, registry_state().library});
  return 0;
}

}  // namespace yatlab
