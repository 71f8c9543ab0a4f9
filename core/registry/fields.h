#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// The type of a parameter's value.
enum class FieldType { kBool, kInt, kFloat, kString, kEnum, kList, kMap, kComponent, kGroup, kAny };

/// A reference from one component's parameters to another component: `init: normal` or
/// `init: {name: normal, std: 0.3}`. Build it with `Registry<T>::create(ref.node)`.
struct ComponentRef {
  Node node;  ///< a map with at least `name`, completed with the component's defaults; null if none

  ComponentRef() = default;
  ComponentRef(const char* name) { node.set("name", name); }
  bool empty() const { return node.is_null(); }
  std::string name() const { return empty() ? "" : node.at("name").as_string(); }
};

struct Schema;

/// The largest absolute value of integers that declare no other limit.
constexpr std::int64_t kLargestInteger = 2147483647;

/// One declared parameter. Reading, checking, documentation and completion all use it.
struct Field {
  std::string name;
  FieldType type = FieldType::kAny;
  std::string doc;
  Node default_value;              ///< `???` when mandatory
  bool nullable = false;           ///< null is a valid value
  std::optional<double> min, max;  ///< numbers (and numbers in lists)
  bool exclusive_min = false, exclusive_max = false;
  bool unlimited = false;                 ///< floats may be infinite or beyond float32, integers beyond kLargestInteger
  std::vector<std::string> choices;       ///< kEnum
  FieldType item_type = FieldType::kAny;  ///< of a kList's items, or of a kMap's entries (kString for texts)
  std::string kind;           ///< kComponent: the kind of the component ("initializer"); kList: the kind that its items name, if any
  std::vector<Field> fields;  ///< kGroup
  bool rest = false;          ///< kMap: keys that match no field also become its entries
  std::string once;           ///< why a run has only one value of it, so that no sweep varies it; "" where arms and points may differ
  bool shown = false;         ///< affects only how results are shown
  bool steers = false;        ///< controls where, when or how often something is done; no result depends on it
  std::function<void(const Node&)> assign;  ///< stores a checked value into the Params struct

  /// "float > 0", "one of squared, plain, inverse", "list of integers", ...
  std::string type_text() const;
};

/// Collects the fields that a `Params` struct declares:
///
///     struct Params {
///       double epsilon = 1e-5;
///       static void declare(Fields& f, Params& p) {
///         f.field("epsilon", p.epsilon, "added to the squared distance").positive();
///       }
///     };
class Fields {
 public:
  /// Constraints on the field just declared; chainable.
  class Handle {
   public:
    explicit Handle(Fields& owner, std::size_t index) : owner_(&owner), index_(index) {}
    Handle positive() { return bound(0, true); }
    Handle non_negative() { return bound(0, false); }
    Handle min(double v) { return bound(v, false); }
    Handle max(double v) {
      field().max = v;
      return *this;
    }
    Handle range(double lo, double hi) { return min(lo).max(hi); }
    Handle below(double v) {
      field().exclusive_max = true;
      return max(v);
    }
    /// Allows any number. Without this, floats must be finite in float32 (positive values must stay positive there), and integers without a `max` are
    /// at most kLargestInteger, so that the product of two does not overflow. NaN is never valid.
    Handle unlimited() {
      field().unlimited = true;
      return *this;
    }
    /// The items of a list are names of components of this kind.
    Handle names_of(const char* kind) {
      field().kind = kind;
      return *this;
    }
    /// The entries of a map are texts.
    Handle of_texts() {
      field().item_type = FieldType::kString;
      return *this;
    }
    /// The entries of this map may also be written next to it, under keys that match no field: `operator.eps` for `operator.parameters.eps`.
    /// The code that reads the map must reject unknown names.
    Handle rest() {
      field().rest = true;
      return *this;
    }
    /// A run has only one value of it, for the reason `why`. No sweep varies it.
    Handle once(std::string why) {
      field().once = std::move(why);
      return *this;
    }
    /// It affects only how results are shown. `why`: why a run has only one value of it.
    Handle shown(std::string why) {
      field().shown = true;
      return once(std::move(why));
    }
    /// No result depends on it.
    Handle steers() {
      field().steers = true;
      return *this;
    }
    /// There is no default: a config must set it.
    Handle required() {
      field().default_value = Node("???");
      return *this;
    }

   private:
    Handle bound(double v, bool exclusive) {
      field().min = v;
      field().exclusive_min = exclusive;
      return *this;
    }
    Field& field() { return owner_->fields_[index_]; }
    Fields* owner_;
    std::size_t index_;
  };

  Handle field(std::string name, bool& target, std::string doc) {
    return add(std::move(name), FieldType::kBool, std::move(doc), Node(target), [&target](const Node& n) { target = n.as_bool(); });
  }
  Handle field(std::string name, std::int64_t& target, std::string doc) {
    return add(std::move(name), FieldType::kInt, std::move(doc), Node(target), [&target](const Node& n) { target = n.as_int(); });
  }
  Handle field(std::string name, double& target, std::string doc) {
    return add(std::move(name), FieldType::kFloat, std::move(doc), Node(target), [&target](const Node& n) { target = n.as_double(); });
  }
  Handle field(std::string name, std::string& target, std::string doc) {
    return add(std::move(name), FieldType::kString, std::move(doc), Node(target), [&target](const Node& n) { target = n.as_string(); });
  }
  /// A free-form value, stored unchanged.
  Handle field(std::string name, Node& target, std::string doc) {
    return add(std::move(name), FieldType::kAny, std::move(doc), target, [&target](const Node& n) { target = n; });
  }
  /// A nullable value.
  template <class T>
  Handle field(std::string name, std::optional<T>& target, std::string doc) {
    T scratch{};
    Fields probe;
    probe.field(name, scratch, doc);
    auto handle = add(std::move(name), probe.fields_[0].type, std::move(doc), target ? node_of(*target) : Node(), [&target](const Node& n) {
      if (n.is_null()) {
        target.reset();
      } else {
        target = value_of<T>(n);
      }
    });
    fields_.back().nullable = true;
    return handle;
  }
  template <class T>
  Handle field(std::string name, std::vector<T>& target, std::string doc) {
    Node value = Node::list();
    for (const T& item : target) value.push_back(node_of(item));
    auto handle = add(std::move(name), FieldType::kList, std::move(doc), std::move(value), [&target](const Node& n) {
      target.clear();
      for (const auto& item : n.as_list()) target.push_back(value_of<T>(item));
    });
    fields_.back().item_type = item_type<T>();
    return handle;
  }
  /// One of several named values (an enum, a function, anything copyable and comparable).
  template <class T>
  Handle choice(std::string name, T& target, std::vector<std::pair<std::string, T>> values, std::string doc) {
    Node current;
    std::vector<std::string> names;
    for (const auto& [text, value] : values) {
      if (value == target) current = Node(text);
      names.push_back(text);
    }
    auto handle =
        add(std::move(name), FieldType::kEnum, std::move(doc), std::move(current), [&target, values = std::move(values)](const Node& n) {
          for (const auto& [text, value] : values) {
            if (text == n.as_string()) target = value;
          }
        });
    fields_.back().choices = std::move(names);
    return handle;
  }
  /// Another component of kind `kind` ("initializer"). An empty default means "none" (null).
  Handle component(std::string name, ComponentRef& target, std::string kind, std::string doc) {
    auto handle = add(std::move(name), FieldType::kComponent, std::move(doc), target.node, [&target](const Node& n) { target.node = n; });
    fields_.back().kind = std::move(kind);
    fields_.back().nullable = target.empty();
    return handle;
  }
  /// A nested struct with its own `declare`.
  template <class P>
  Handle group(std::string name, P& target, std::string doc) {
    Fields inner;
    P::declare(inner, target);
    auto assigners = inner.fields_;
    auto handle = add(std::move(name), FieldType::kGroup, std::move(doc), Node::map(), [assigners](const Node& n) {
      for (const auto& f : assigners) {
        const Node* given = n.find(f.name);
        f.assign(given ? *given : f.default_value);
      }
    });
    fields_.back().fields = std::move(inner.fields_);
    return handle;
  }
  /// A map with free keys (arms, tables, ...), stored unchanged.
  Handle map(std::string name, Node& target, std::string doc) {
    if (target.is_null()) target = Node::map();
    return add(std::move(name), FieldType::kMap, std::move(doc), target, [&target](const Node& n) { target = n; });
  }

  const std::vector<Field>& all() const { return fields_; }
  std::vector<Field> take() { return std::move(fields_); }

 private:
  template <class T>
  static Node node_of(const T& v) {
    if constexpr (std::is_same_v<T, ComponentRef>) {
      return v.node;
    } else {
      return Node(v);
    }
  }
  template <class T>
  static T value_of(const Node& n) {
    if constexpr (std::is_same_v<T, bool>)
      return n.as_bool();
    else if constexpr (std::is_same_v<T, std::int64_t>)
      return n.as_int();
    else if constexpr (std::is_same_v<T, double>)
      return n.as_double();
    else if constexpr (std::is_same_v<T, Node>)
      return n;
    else
      return n.as_string();
  }
  template <class T>
  static FieldType item_type() {
    if constexpr (std::is_same_v<T, bool>)
      return FieldType::kBool;
    else if constexpr (std::is_same_v<T, std::int64_t>)
      return FieldType::kInt;
    else if constexpr (std::is_same_v<T, double>)
      return FieldType::kFloat;
    else if constexpr (std::is_same_v<T, Node>)
      return FieldType::kAny;
    else
      return FieldType::kString;
  }
  Handle add(std::string name, FieldType type, std::string doc, Node default_value, std::function<void(const Node&)> assign) {
    Field f;
    f.name = std::move(name);
    f.type = type;
    f.doc = std::move(doc);
    f.default_value = std::move(default_value);
    f.assign = std::move(assign);
    fields_.push_back(std::move(f));
    return Handle(*this, fields_.size() - 1);
  }
  std::vector<Field> fields_;
};

/// The fields of a parameter struct, independent of any instance. Configs are checked against it.
struct Schema {
  std::vector<Field> fields;

  /// The schema that `P::declare` describes, with P's member initialisers as defaults.
  template <class P>
  static Schema of() {
    P params;
    Fields f;
    P::declare(f, params);
    Schema schema{f.take()};
    schema.detach();
    return schema;
  }
  const Field* find(const std::string& name) const;
  /// The field that takes the keys that match no field; nullptr if there is none.
  const Field* rest() const;
  std::vector<std::string> names() const;

  /// Fills absent keys of `value` (a map, or null) with defaults, recursively and through component
  /// references; defaults are marked as such. Keys that an earlier completion supplied and that this
  /// schema does not have are dropped. `origin` names the schema ("operator/yat").
  void complete(Node& value, const std::string& origin) const;

  /// Where a text is declared, replaces bools and numbers by the text that was typed for them, recursively: 1.10 in a title is "1.10".
  /// `complete` includes it; call it again after interpolations are resolved.
  void read_texts(Node& value) const;

  /// Checks keys, types, ranges and choices of a completed `value`. `path` is the key path for
  /// messages ("operator"). Interpolations and `???` pass unless `resolved`.
  /// `extra` keys are allowed besides the fields (e.g. "name").
  void check(const Node& value, const std::string& path, bool resolved, const std::vector<std::string>& extra = {}) const;

 private:
  void detach();
};

/// Like Schema::read_texts, for the value of one field. Where a number or bool is declared, drops the record of how it was typed.
void read_text(const Field& field, Node& value);

/// The value of `field` in `node`, a map of `fields`: the given value or the default. A `rest` field also gets the keys that match no field.
/// Config error for a key that is given twice.
Node value_in(const Node& node, const Field& field, const std::vector<Field>& fields);

/// Reads a completed, checked and resolved node into a `P`.
template <class P>
P read_params(const Node& node) {
  P params;
  Fields f;
  P::declare(f, params);
  for (const auto& field : f.all()) field.assign(value_in(node, field, f.all()));
  return params;
}

/// Completes and checks `node` against P's declaration, then reads it.
template <class P>
P read_checked(Node node, const std::string& path) {
  const auto schema = Schema::of<P>();
  schema.complete(node, path);
  schema.check(node, path, true, {"name"});
  return read_params<P>(node);
}

}  // namespace yatlab
