#pragma once

#include <functional>
#include <initializer_list>
#include <list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/node.h"
#include "core/registry/fields.h"

namespace yatlab {

/// Everything known about one registered component.
struct Component {
  std::string kind;                  ///< "operator"
  std::string name;                  ///< "yat"
  std::vector<std::string> aliases;  ///< {"ⵟ"}
  std::string doc;                   ///< one line
  std::string origin;                ///< "plugins/kernels/operators/yat.cpp:12", "libmine.so (mine.cpp:12)"
  std::string source;                ///< "plugins/kernels/operators/yat.cpp"; for a plugin library: just the file name
  std::string library;               ///< the plugin library's path; "" for built-in components
  Schema schema;
  /// Turns completed parameters into an owning pointer to the kind's interface.
  std::function<std::shared_ptr<void>(const Node&)> create;
};

/// All components of one kind. Type-erased; use it through `Registry<T>`.
class ComponentTable {
 public:
  explicit ComponentTable(std::string kind, std::string doc = {}) : kind_(std::move(kind)), doc_(std::move(doc)) {}

  /// Throws when the name or an alias is taken (naming both origins), or when the name is not legal.
  void add(Component component);
  /// By name or alias; nullptr when unknown. Loads the pack that has it. Pointers to components stay valid.
  const Component* find(const std::string& name) const;
  /// By name or alias. Throws for an unknown name and suggests the nearest. `where` goes into the message.
  const Component& at(const std::string& name, const std::string& where = {}) const;
  /// Turns `{name: ..., <parameters>}`, or just a name, into `{name: ..., <all parameters>}`. Config errors for unknown names and parameters.
  /// `path` is what messages call it; if empty, the kind.
  Node complete(Node spec, const std::string& path = {}) const;
  /// Builds the component, as a pointer to its kind's interface.
  std::shared_ptr<void> create(const Node& spec) const;
  /// The loaded components, in alphabetical order of names.
  const std::list<Component>& all() const { return components_; }
  /// An entry in the list of components, loaded or not.
  struct Listed {
    std::string name, doc;
    std::vector<std::string> aliases;
  };
  /// All components, in alphabetical order of names; loads nothing.
  std::vector<Listed> listed() const;
  std::vector<std::string> names() const;
  /// Loads the built packs that have components of this kind.
  void load_built() const;
  /// Loads the packs that have components with this parameter, unless a loaded component has it.
  void load_those_with(const std::string& parameter) const;
  const std::string& kind() const { return kind_; }
  const std::string& doc() const { return doc_; }
  void set_doc(std::string doc) { doc_ = std::move(doc); }

 private:
  const Component* find_loaded(const std::string& name) const;

  std::string kind_, doc_;
  std::list<Component> components_;
};

/// The table of one kind, created on first use. It is in a single shared library, whichever library uses it.
ComponentTable& component_table(const std::string& kind);
/// nullptr when no component of that kind was ever declared.
ComponentTable* find_component_table(const std::string& kind);
std::vector<std::string> component_kinds();

/// Moves the registrations that `YATLAB_REGISTER` has collected into the tables. Every access to a table does
/// this first. `main` calls it early, so that two built-in components with the same name are reported
/// before anything else happens. Registers all that it can, then throws the first error.
void register_components();

/// Set while a plugin library registers its components; their origin then names this path.
void set_registration_origin(std::string origin);

/// While it exists, registered components count as built in, even while a plugin library loads.
class BuiltInScope {
 public:
  BuiltInScope();
  ~BuiltInScope();
  BuiltInScope(const BuiltInScope&) = delete;
  BuiltInScope& operator=(const BuiltInScope&) = delete;

 private:
  std::string before_;
};

/// A copy of all tables at the time of construction. It is restored when a plugin library fails to load.
class RegistrySnapshot {
 public:
  RegistrySnapshot();
  ~RegistrySnapshot();
  RegistrySnapshot(const RegistrySnapshot&) = delete;
  RegistrySnapshot& operator=(const RegistrySnapshot&) = delete;
  /// Drops every component and kind added since, except components of packs, and all pending registrations.
  void restore() const;
  /// "kind/name" of every component added since, in alphabetical order.
  std::vector<std::string> added() const;

 private:
  struct Tables;
  std::unique_ptr<Tables> saved_;
};

/// Each interface sets its kind by specialising this: `YATLAB_KIND(Operator, "operator", "doc")`.
template <class T>
struct KindOf;

#define YATLAB_KIND(Interface, kind_name, kind_doc) \
  template <>                                       \
  struct KindOf<Interface> {                        \
    static constexpr const char* name = kind_name;  \
    static constexpr const char* doc = kind_doc;    \
  };

/// Wraps the component that `Registry<T>::create` has built and returns the result. To wrap its components, a kind defines an overload next to its
/// interface.
template <class T>
std::shared_ptr<T> wrap_created(const Component&, std::shared_ptr<T> built) {
  return built;
}

/// Typed access to one kind's table.
template <class T>
class Registry {
 public:
  static ComponentTable& table() {
    auto& t = component_table(KindOf<T>::name);
    if (t.doc().empty()) t.set_doc(KindOf<T>::doc);
    return t;
  }
  /// Turns `{name: ..., <parameters>}`, or just a name, into `{name: ..., <all parameters>}`. Checks it and replaces aliases by names.
  /// `path` is what messages call it; if empty, the kind.
  static Node complete(const Node& spec, const std::string& path = {}) { return table().complete(spec, path); }
  /// Completes, checks, builds.
  static std::shared_ptr<T> create(const Node& spec) {
    const Node completed = complete(spec);
    const auto& component = table().at(completed.at("name").as_string());
    return wrap_created(component, std::static_pointer_cast<T>(component.create(completed)));
  }
  static std::shared_ptr<T> create(const ComponentRef& ref) { return create(ref.node); }
  static std::shared_ptr<T> create(const char* name) { return create(Node(name)); }
};

/// A component without parameters.
struct NoParams {
  static void declare(Fields&, NoParams&) {}
};

namespace detail {
template <class C, class = void>
struct ParamsOf {
  using type = NoParams;
};
template <class C>
struct ParamsOf<C, std::void_t<typename C::Params>> {
  using type = typename C::Params;
};

/// A registration that `YATLAB_REGISTER` has deferred.
struct Registration {
  const char* kind;
  const char* kind_doc;
  const char* file;
  int line;
  const char* name;
  const char* doc;
  void (*describe)(Component&);  ///< fills in schema and create; may throw
};
/// Runs inside static initialisers, also those of a library that is being loaded. These must not throw,
/// so it only records the registration.
int defer_registration(const Registration& registration, std::initializer_list<const char*> aliases) noexcept;

template <class Interface, class C>
void describe_component(Component& component) {
  using P = typename ParamsOf<C>::type;
  component.schema = Schema::of<P>();
  component.create = [](const Node& node) -> std::shared_ptr<void> {
    std::shared_ptr<Interface> built;
    if constexpr (std::is_constructible_v<C, const P&>) {
      built = std::make_shared<C>(read_params<P>(node));
    } else {
      built = std::make_shared<C>();
    }
    return built;
  };
}

template <class Interface, class C>
int register_component(const char* file, int line, const char* name, const char* doc,
                       std::initializer_list<const char*> aliases = {}) noexcept {
  return defer_registration({KindOf<Interface>::name, KindOf<Interface>::doc, file, line, name, doc, &describe_component<Interface, C>},
                            aliases);
}
}  // namespace detail

#define YATLAB_CONCAT_(a, b) a##b
#define YATLAB_CONCAT(a, b) YATLAB_CONCAT_(a, b)

/// Registers a component from its own file, with one line:
///
///     YATLAB_REGISTER(Operator, Cosine, "cosine", "alignment without magnitude");
///
/// Aliases may follow: `..., {"ⵟ"});`
/// Takes effect with the next `register_components()`: errors are thrown there, never before main.
#define YATLAB_REGISTER(Interface, Class, ...)                                       \
  [[maybe_unused]] static const int YATLAB_CONCAT(yatlab_registered_, __COUNTER__) = \
      ::yatlab::detail::register_component<Interface, Class>(__FILE__, __LINE__, __VA_ARGS__)

}  // namespace yatlab
