#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace yatlab {

/// A text shared by its copies: all values of a file name that file. It is as small as a pointer, because each value has three.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) : text_(text.empty() ? nullptr : new Shared(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}
  const std::string& str() const {
    static const std::string none;
    return text_ ? text_->text : none;
  }
  operator const std::string&() const { return str(); }
  bool empty() const { return !text_; }
  friend bool operator==(const SharedText& a, const SharedText& b) { return a.text_ == b.text_ || a.str() == b.str(); }
  friend bool operator!=(const SharedText& a, const SharedText& b) { return !(a == b); }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
  friend bool operator!=(const SharedText& a, const std::string& b) { return a.str() != b; }

 private:
  struct Shared : boost::intrusive_ref_counter<Shared> {
    explicit Shared(std::string t) : text(std::move(t)) {}
    std::string text;
  };
  boost::intrusive_ptr<const Shared> text_;
};

/// Where a configuration value was set.
struct Origin {
  SharedText source;  ///< file path, "command line", "default of operator/yat", ...
  int line = 0;       ///< 1-based; 0 when the source has no lines
  int column = 0;     ///< 1-based
  SharedText text;    ///< for overrides: the override as it was written

  /// "experiments/x.yaml:3:5", "command line (operator.epsilon=1e-3)", "default of operator/yat"
  std::string describe() const;
};

/// A configuration value (null, bool, integer, float, string, list or ordered map) and its
/// origin. Value semantics. Strings with `${...}` are interpolations until resolved; the string
/// `???` is a mandatory value that is not set.
class Node {
 public:
  using List = std::vector<Node>;
  using Map = std::vector<std::pair<std::string, Node>>;  // insertion order is kept

  Node() = default;
  Node(std::nullptr_t) {}
  Node(bool v) : value_(v) {}
  Node(int v) : value_(static_cast<std::int64_t>(v)) {}
  Node(std::int64_t v) : value_(v) {}
  Node(double v) : value_(v) {}
  Node(std::string v) : value_(std::move(v)) {}
  Node(const char* v) : value_(std::string(v)) {}
  Node(List v) : value_(Box<List>(std::move(v))) {}
  Node(Map v) : value_(Box<Map>(std::move(v))) {}

  static Node list() { return Node(List{}); }
  static Node map() { return Node(Map{}); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_float() const { return std::holds_alternative<double>(value_); }
  bool is_number() const { return is_int() || is_float(); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_list() const { return std::holds_alternative<Box<List>>(value_); }
  bool is_map() const { return std::holds_alternative<Box<Map>>(value_); }
  bool is_missing() const;        ///< the string "???"
  bool is_interpolation() const;  ///< a string with an unescaped "${"
  /// "null", "bool", "integer", "float", "string", "list" or "map"
  const char* type_name() const;

  // Typed access. A wrong type throws a config error that names the value and its origin.
  bool as_bool() const;
  std::int64_t as_int() const;
  double as_double() const;  ///< integers are widened
  // References and pointers into a node are available only from an lvalue: a temporary returns its parts by
  // value, so `for (const auto& x : resolve(config).as_list())` is safe, and returns no pointers.
  const std::string& as_string() const&;
  std::string as_string() &&;
  std::string as_string() const&& { return as_string(); }
  const List& as_list() const&;
  List& as_list() &;
  List as_list() &&;
  List as_list() const&& { return as_list(); }
  const Map& as_map() const&;
  Map& as_map() &;
  Map as_map() &&;
  Map as_map() const&& { return as_map(); }

  // Maps.
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Node* find(std::string_view key) const&;  ///< nullptr if absent or not a map
  Node* find(std::string_view key) &;
  const Node* find(std::string_view key) const&& = delete;
  const Node& at(std::string_view key) const&;  ///< throws when absent
  Node at(std::string_view key) &&;
  Node at(std::string_view key) const&& { return at(key); }
  Node& set(std::string key, Node value) &;  ///< insert or replace; null becomes a map
  bool erase(std::string_view key);

  /// Dotted path ("operator.epsilon", "arms.yat.0"); integers index lists. nullptr when absent.
  const Node* find_path(std::string_view dotted) const&;
  Node* find_path(std::string_view dotted) &;
  const Node* find_path(std::string_view dotted) const&& = delete;

  // Lists.
  void push_back(Node value);
  std::size_t size() const;  ///< items of a list or map, else 0

  const Origin& origin() const& { return origin_; }
  Origin origin() && { return std::move(origin_); }
  Origin origin() const&& { return origin_; }
  Node& set_origin(Origin o) & {
    origin_ = std::move(o);
    return *this;
  }
  Node set_origin(Origin o) && { return std::move(set_origin(std::move(o))); }
  /// Sets the origin of this node and of everything below it.
  Node& set_origin_deep(const Origin& o) &;
  Node set_origin_deep(const Origin& o) && { return std::move(set_origin_deep(o)); }

  /// How a bool or a number was typed, if that differs from its standard text: "1.10", "0x1F", "yes". It is not part of the value. Where text is
  /// declared, it becomes the value: see text_of_scalar.
  const std::string& spelling() const { return spelling_; }
  Node& spell(std::string typed) & {
    spelling_ = SharedText(std::move(typed));
    return *this;
  }
  Node spell(std::string typed) && { return std::move(spell(std::move(typed))); }

  /// True when the value is a schema's default.
  bool is_default() const { return is_default_; }
  Node& set_default(bool on) & {
    is_default_ = on;
    return *this;
  }
  Node set_default(bool on) && { return std::move(set_default(on)); }

  /// From now on, copies share its lists and maps until one of them changes, so thousands of jobs each store only their
  /// own parts. No mutable pointer or reference into the value may remain.
  Node& freeze() &;

  /// Deep equality of values (origins do not count; 1 and 1.0 differ).
  bool operator==(const Node& other) const;
  bool operator!=(const Node& other) const { return !(*this == other); }

  /// One line, as in YAML's flow style: {a: 1, b: [x, y]}. Strings are quoted where needed.
  std::string to_flow() const;

 private:
  /// A list or map. Copies are independent, except those of a frozen one.
  template <class T>
  class Box {
   public:
    explicit Box(T items) : items_(std::make_shared<T>(std::move(items))) {}
    Box(const Box& other) : items_(other.frozen_ ? other.items_ : std::make_shared<T>(other.get())), frozen_(other.frozen_) {}
    Box(Box&&) noexcept = default;
    Box& operator=(const Box& other) { return *this = Box(other); }
    Box& operator=(Box&&) noexcept = default;
    const T& get() const {
      static const T none;
      return items_ ? *items_ : none;  // null after a move
    }
    T& change() {
      if (!items_ || (frozen_ && items_.use_count() > 1)) items_ = std::make_shared<T>(get());
      frozen_ = false;
      return *items_;
    }
    void freeze() { frozen_ = true; }
    bool frozen() const { return frozen_; }
    bool operator==(const Box& other) const { return items_ == other.items_ || get() == other.get(); }

   private:
    std::shared_ptr<T> items_;
    bool frozen_ = false;
  };
  template <class Self>
  static Self* found_path(Self& self, std::string_view dotted);
  const List& items() const { return std::get<Box<List>>(value_).get(); }
  const Map& entries() const { return std::get<Box<Map>>(value_).get(); }

  std::variant<std::monostate, bool, std::int64_t, double, std::string, Box<List>, Box<Map>> value_;
  Origin origin_;
  SharedText spelling_;
  bool is_default_ = false;
};

/// Text of a scalar as Python's str() formats it, and so as Hydra shows it in casts and
/// interpolations: 1000000.0, 1e-05, "true" for bools, "null".
std::string scalar_to_text(const Node& scalar);

/// A scalar's typed text: "1.10", "1e5"; without a recorded spelling, as scalar_to_text.
std::string text_of_scalar(const Node& scalar);

/// A description of a value for messages: "integer 5", "map {a: 1}", "null"; long ones are shortened.
std::string describe_value(const Node& node);

/// Shortest decimal text that reads back as the same double, always with a '.', an exponent, or
/// inf/nan, so that it stays a float.
std::string format_double(double v);

nlohmann::ordered_json to_json(const Node& node);
Node from_json(const nlohmann::ordered_json& json);

}  // namespace yatlab
