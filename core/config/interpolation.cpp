#include "core/config/interpolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/function_doc.h"
#include "core/config/grammar.h"
#include "core/config/limits.h"
#include "core/config/resolvers.h"
#include "core/config/scalar.h"
#include "core/config/tree.h"

namespace yatlab {
namespace {

// Limits for recursion, which uses the call stack: values that wait for each other, and nesting of brackets and interpolations in their texts.
constexpr int kMaxRunning = 1'000, kMaxNestedAtOnce = 400;

std::string parent_path(const std::string& path, const std::string& text, std::size_t up, const Origin& origin) {
  std::string out = path;
  for (; up > 0; --up) {
    if (out.empty()) {
      throw config_error(fmt::format("'{}' points above the top of the configuration", text), origin.describe(),
                         fmt::format("it is at '{}'", path), "use fewer dots, or the full key without leading dots");
    }
    const auto dot = out.rfind('.');
    out = dot == std::string::npos ? "" : out.substr(0, dot);
  }
  return out;
}

class InterpolationResolver {
 public:
  InterpolationResolver(const Node& root, WarningSink warn) : root_(root), warn_(std::move(warn)) {}

  /// The path of a value, formatted only when needed.
  struct Place {
    const Place* outer = nullptr;
    std::string_view key;
    std::size_t index = 0;
    bool item = false;
    int level = 0;

    std::string path() const {
      if (!outer) return std::string(key);
      return join_key(outer->path(), item ? std::to_string(index) : std::string(key));
    }
  };
  Node value(const Node& node, const std::string& path) { return value(node, Place{nullptr, path, 0, false, 0}); }

  Node value(const Node& node, const Place& place) {
    count(1, 0, node.origin());
    const Running running(*this, node.origin());
    if (node.is_map()) {
      Node out = Node::map();
      out.set_origin(node.origin()).set_default(node.is_default());
      auto& entries = out.as_map();
      entries.reserve(node.size());
      for (const auto& [key, item] : node.as_map()) {
        count(0, key.size(), item.origin());
        entries.emplace_back(key, value(item, Place{&place, key, 0, false, place.level + 1}));
      }
      return out;
    }
    if (node.is_list()) {
      Node out = Node::list();
      out.set_origin(node.origin()).set_default(node.is_default());
      auto& items = out.as_list();
      items.reserve(node.size());
      for (std::size_t i = 0; i < node.size(); ++i) items.push_back(value(node.as_list()[i], Place{&place, {}, i, true, place.level + 1}));
      return out;
    }
    if (!node.is_string()) return node;
    if (node.as_string().find("${") == std::string::npos) {
      count(0, node.as_string().size(), node.origin());
      return node;
    }
    Node out = text(node, place);
    check_levels(out, place.level, node.origin());
    return out;
  }

  /// Counts the resulting values and bytes. A copied value counts once per copy.
  void count(std::size_t values, std::size_t bytes, const Origin& origin) {
    values_ += values;
    bytes_ += bytes;
    if (values_ > limits::kValues) {
      throw config_error(fmt::format("the interpolations expand to more than {} values", limits::kValues), origin.describe(), {},
                         "nest fewer interpolations");
    }
    if (bytes_ > limits::kBytes) {
      throw config_error(fmt::format("the interpolations expand to more than {} bytes of text", limits::kBytes), origin.describe(), {},
                         "interpolate fewer long strings, or nest fewer interpolations");
    }
  }

  void count_all(const Node& node, const Origin& origin) {
    count(1, node.is_string() ? node.as_string().size() : 0, origin);
    if (node.is_list()) {
      for (const auto& item : node.as_list()) count_all(item, origin);
    } else if (node.is_map()) {
      for (const auto& [key, item] : node.as_map()) {
        count(0, key.size(), origin);
        count_all(item, origin);
      }
    }
  }

  /// The resolved value at an absolute path; nullopt if it does not exist.
  std::optional<Node> select(const std::string& path) {
    if (path.empty()) return value(root_, "");
    if (path.size() > limits::kPath)
      throw config_error(fmt::format("a key of {} characters is too long; the limit is {}", path.size(), limits::kPath), {},
                         shortened(path));
    const Node* at = &root_;
    Node held;  // owns the value that `at` points to after following an interpolation
    bool resolved = false;
    std::string here;
    for (const auto& segment : split(path, '.')) {
      if (!resolved && at->is_interpolation()) {
        held = text(*at, Place{nullptr, here, 0, false, 0});
        at = &held;
        resolved = true;
      }
      here = join_key(here, segment);
      at = at->find_path(segment);
      if (!at) return std::nullopt;
    }
    return resolved ? *at : value(*at, here);
  }

 private:
  struct Running {
    Running(InterpolationResolver& r, const Origin& origin) : owner(r) {
      if (++owner.running_ > kMaxRunning) {
        --owner.running_;
        throw config_error(fmt::format("more than {} values depend on each other through interpolations", kMaxRunning), origin.describe());
      }
    }
    ~Running() { --owner.running_; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    InterpolationResolver& owner;
  };

  static void check_levels(const Node& node, int level, const Origin& origin) {
    if (level > limits::kLevels) {
      throw config_error(fmt::format("the interpolations expand to more than {} levels of nesting", limits::kLevels), origin.describe());
    }
    if (node.is_list()) {
      for (const auto& item : node.as_list()) check_levels(item, level + 1, origin);
    } else if (node.is_map()) {
      for (const auto& entry : node.as_map()) check_levels(entry.second, level + 1, origin);
    }
  }

  /// Resolves one string of the configuration that holds interpolations.
  Node text(const Node& node, const Place& place) {
    const auto path = place.path();
    if (const auto known = done_.find(path); known != done_.end()) {
      count(known->second.values, known->second.bytes, node.origin());  // each copy counts in full
      return known->second.node;
    }
    if (std::find(stack_.begin(), stack_.end(), path) != stack_.end()) {
      auto cycle = stack_;
      cycle.push_back(path);
      throw config_error(fmt::format("'{}' is defined in terms of itself", path), node.origin().describe(), join(cycle, " -> "),
                         "give one of these keys a plain value");
    }
    if (stack_.size() > grammar::kMaxNesting) {
      throw config_error(fmt::format("more than {} interpolations refer to each other", grammar::kMaxNesting), node.origin().describe());
    }
    if (node.as_string().size() > limits::kText) {
      throw config_error(fmt::format("a string with interpolations has {} bytes; the limit is {}", node.as_string().size(), limits::kText),
                         node.origin().describe());
    }
    int nested = 0;
    for (const Evaluator* e = evaluator_; e; e = e->outer()) nested += e->depth();
    if (nested > kMaxNestedAtOnce) {
      throw config_error(fmt::format("interpolations that refer to each other are nested more than {} levels deep", kMaxNestedAtOnce),
                         node.origin().describe());
    }
    stack_.push_back(path);
    count(0, path.size(), node.origin());
    const std::size_t values = values_, bytes = bytes_;
    Evaluator evaluator(*this, node.as_string(), path, node.origin());
    Node out = evaluator.whole();
    out.set_origin_deep(node.origin());
    stack_.pop_back();
    done_[path] = {out.freeze(), values_ - values, bytes_ - bytes};
    return out;
  }

  /// Parses and evaluates one text.
  class Evaluator {
   public:
    Evaluator(InterpolationResolver& owner, const std::string& text, const std::string& path, const Origin& origin, int depth = 0)
        : owner_(owner),
          text_(text),
          path_(path),
          origin_(origin),
          report_{"interpolation", text_, origin.describe()},
          begin_(depth),
          depth_(depth),
          outer_(owner.evaluator_) {
      owner_.evaluator_ = this;
    }
    ~Evaluator() { owner_.evaluator_ = outer_; }
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    Node whole() {
      if (text_.rfind("${", 0) == 0) {
        at_ = 2;
        Node only = interpolation();
        if (at_ == text_.size()) return only;
        at_ = 0;
      }
      return Node(literal(""));
    }
    int depth() const { return depth_ - begin_; }
    const Evaluator* outer() const { return outer_; }
    /// Parses the text as one argument of a resolver: a typed value, a list, a map, an interpolation.
    Node argument() { return grammar::parse_argument(text_, report_, origin_, interpolate_, depth_); }

   private:
    [[noreturn]] void fail(const std::string& why, const std::string& hint) const { report_.fail(at_, why, hint); }
    /// Counts nesting, so that a long row of brackets cannot overflow the stack.
    struct NestingGuard {
      explicit NestingGuard(Evaluator& e) : owner(e) {
        if (++owner.depth_ > grammar::kMaxNesting) owner.fail(fmt::format("more than {} levels of nesting", grammar::kMaxNesting), "");
      }
      ~NestingGuard() { --owner.depth_; }
      Evaluator& owner;
    };
    bool end() const { return at_ >= text_.size(); }
    char peek() const { return end() ? '\0' : text_[at_]; }
    bool opens() const { return text_.compare(at_, 2, "${") == 0; }
    void skip_blanks() {
      while (peek() == ' ' || peek() == '\t') ++at_;
    }
    static bool in(char c, const char* set) { return c != '\0' && std::string_view(set).find(c) != std::string_view::npos; }

    /// Text with interpolations up to `stop` (0: to the end); an escaped `\${` is literal.
    std::string literal(const char* stop) {
      const std::size_t begin = at_;
      std::string out;
      while (!end()) {
        std::size_t backslashes = 0;
        for (; peek() == '\\'; ++at_) ++backslashes;
        if (!opens()) {
          out.append(backslashes, '\\');
          if (end() || in(peek(), stop)) break;
          out += text_[at_++];
          continue;
        }
        out.append(backslashes / 2, '\\');
        at_ += 2;
        if (backslashes % 2 == 1) {
          out += "${";
          continue;
        }
        const auto text = as_text(interpolation());
        owner_.count(0, text.size(), origin_);
        out += text;
      }
      owner_.count(0, at_ - begin, origin_);
      return out;
    }
    static std::string as_text(const Node& node) { return node.is_map() || node.is_list() ? node.to_flow() : scalar_to_text(node); }

    /// Called after "${"; consumes the closing '}'.
    Node interpolation() {
      const NestingGuard deeper(*this);
      const std::size_t begin = at_ - 2;
      skip_blanks();
      if (const auto colon = resolver_ahead(); colon != std::string::npos) {
        const std::string name = trim(std::string_view(text_).substr(at_, colon - at_));
        at_ = colon + 1;
        const auto args = grammar::parse_arguments(text_, at_, report_, origin_, interpolate_, depth_);
        return call(name, args);
      }
      return reference(begin);
    }

    /// Position of ':' if `name:` begins at the current position.
    std::size_t resolver_ahead() const {
      std::size_t i = at_;
      while (i < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[i])) || in(text_[i], "_.-"))) ++i;
      std::size_t colon = i;
      while (colon < text_.size() && text_[colon] == ' ') ++colon;
      return i > at_ && colon < text_.size() && text_[colon] == ':' ? colon : std::string::npos;
    }

    Node reference(std::size_t begin) {
      std::size_t dots = 0;
      while (peek() == '.') {
        ++dots;
        ++at_;
      }
      std::vector<std::string> segments;
      std::string segment;
      bool pending = true;  // a segment must follow
      for (;;) {
        if (end()) fail("expected '}' to close it", "add '}'; write \\${ for a literal ${");
        const char c = peek();
        if (c == '}') break;
        if (c == '.') {
          if (segment.empty() && pending) fail("expected a key between the dots", "write ${a.b}");
          flush(segment, segments);
          pending = true;
          ++at_;
        } else if (c == '[') {
          flush(segment, segments);
          ++at_;
          segments.push_back(bracketed());
          pending = false;
        } else if (opens()) {
          at_ += 2;
          segment += as_text(interpolation());
          owner_.count(0, segment.size(), origin_);
          pending = false;
        } else if (in(c, "{]:,'\"")) {
          fail(fmt::format("'{}' is not allowed in a key", c),
               c == ':' ? "':' is only allowed in ${resolver:arguments}; write ${map['a:b']} for a key with ':'" : "write ${map['key']}");
        } else {
          segment += c;
          pending = false;
          ++at_;
        }
      }
      segment = trim(segment);
      flush(segment, segments);
      ++at_;
      if (segments.empty() && dots == 0) fail("expected a key between the braces", "write ${key} or ${resolver:arguments}");
      const std::string written = text_.substr(begin, at_ - begin);
      std::string full = dots > 0 ? parent_path(path_, written, dots, origin_) : "";
      for (const auto& s : segments) {
        if (!full.empty()) full += '.';
        full += s;
      }
      return owner_.fetch(full, written, path_, origin_);
    }
    static void flush(std::string& segment, std::vector<std::string>& segments) {
      if (!segment.empty()) segments.push_back(std::move(segment));
      segment.clear();
    }
    std::string bracketed() {
      skip_blanks();
      std::string key;
      if (peek() == '\'' || peek() == '"') {
        key = grammar::parse_quoted(text_, at_, report_, interpolate_);
        skip_blanks();
      } else {
        key = trim(literal("]"));
      }
      if (peek() != ']') fail("expected ']'", "write ${a[b]}");
      ++at_;
      return key;
    }
    Node call(const std::string& name, const std::vector<Node>& args) {
      const ResolverEntry* resolver = find_resolver(name);
      if (!resolver) {
        std::vector<std::string> names;
        for (const auto& known : interpolation_resolvers()) names.push_back(known.name);
        throw config_error(fmt::format("there is no resolver '{}'", name), origin_.describe(),
                           fmt::format("'{}' contains {}", path_, shortened(text_)), suggestion(name, names));
      }
      const std::function<Node(const std::string&)> select = [&](const std::string& key) {
        return owner_.fetch(absolute(key), "${" + key + "}", path_, origin_);
      };
      const std::function<bool(const std::string&)> exists = [&](const std::string& key) {
        std::string full;
        try {
          full = absolute(key);
        } catch (const Error&) {  // nothing exists above the root
          return false;
        }
        const auto found = owner_.select(full);
        return found && !found->is_missing();
      };
      const std::function<Node(const std::string&)> decode = [&](const std::string& text) {
        const NestingGuard deeper(*this);
        return Evaluator(owner_, text, path_, origin_, depth_).argument();
      };
      Node out = resolver->evaluate({args, select, exists, decode, owner_.warn_, origin_, path_, resolver->doc.signature});
      owner_.count_all(out, origin_);
      return out;
    }
    std::string absolute(const std::string& key) const {
      std::size_t dots = 0;
      while (dots < key.size() && key[dots] == '.') ++dots;
      if (dots == 0) return key;
      const std::string rest = key.substr(dots);
      const auto base = parent_path(path_, key, dots, origin_);
      return rest.empty() ? base : join_key(base, rest);
    }

    InterpolationResolver& owner_;
    const std::string& text_;
    const std::string& path_;
    const Origin& origin_;
    const grammar::Report report_;
    const grammar::Interpolator interpolate_ = [this](std::size_t& at) {
      at_ = at + 2;
      Node out = interpolation();
      at = at_;
      return out;
    };
    std::size_t at_ = 0;
    int begin_ = 0, depth_ = 0;  // nesting depths
    const Evaluator* outer_ = nullptr;
  };

  /// The value of a reference; it must exist and have a value.
  Node fetch(const std::string& full, const std::string& written, const std::string& path, const Origin& origin) {
    auto found = select(full);
    if (!found) {
      throw config_error(fmt::format("{} refers to '{}', which does not exist", written, full), origin.describe(),
                         fmt::format("it is used by '{}'", path), missing_key_hint(root_, full));
    }
    if (found->is_missing()) {
      throw config_error(fmt::format("'{}' is required", full), found->origin().describe(),
                         fmt::format("'{}' uses it in {}", path, written), fmt::format("set it, for example with {}=...", full));
    }
    return std::move(*found);
  }

  const Node& root_;
  const WarningSink warn_;
  std::vector<std::string> stack_;
  struct Done {
    Node node;
    std::size_t values = 0, bytes = 0;  // size of the result
  };
  std::unordered_map<std::string, Done> done_;
  std::size_t values_ = 0, bytes_ = 0;
  int running_ = 0;
  const Evaluator* evaluator_ = nullptr;  // the innermost active one
};

}  // namespace

Node resolve(const Node& root, WarningSink warn) { return InterpolationResolver(root, std::move(warn)).value(root, ""); }

Node resolve_at(const Node& root, std::string_view path) {
  auto found = InterpolationResolver(root, {}).select(std::string(path));
  if (!found) {
    throw config_error(fmt::format("there is no key '{}'", path), root.origin().describe(), {}, missing_key_hint(root, std::string(path)));
  }
  if (found->is_missing()) {
    throw config_error(fmt::format("'{}' is required", path), found->origin().describe(), {},
                       fmt::format("set it, for example with {}=...", path));
  }
  return std::move(*found);
}

Node escape_interpolations(Node node) {
  if (const Node& now = node; now.is_string()) {
    const auto& text = now.as_string();
    std::string out;
    std::size_t from = 0;
    for (auto at = text.find("${"); at != std::string::npos; at = text.find("${", at + 2)) {
      std::size_t backslashes = 0;
      while (backslashes < at - from && text[at - 1 - backslashes] == '\\') ++backslashes;
      out += text.substr(from, at - from) + std::string(backslashes + 1, '\\') + "${";
      from = at + 2;
    }
    if (from == 0) return node;
    return Node(out + text.substr(from)).set_origin(node.origin()).set_default(node.is_default());
  }
  if (node.is_list()) {
    for (auto& item : node.as_list()) item = escape_interpolations(std::move(item));
  } else if (node.is_map()) {
    for (auto& entry : node.as_map()) entry.second = escape_interpolations(std::move(entry.second));
  }
  return node;
}

}  // namespace yatlab
