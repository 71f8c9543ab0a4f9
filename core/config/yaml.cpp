#include "core/config/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/config/limits.h"
#include "core/config/scalar.h"

namespace yatlab {
namespace {

// Maximum number of open brackets before the text is passed to yaml-cpp, which stores data for each. Brackets in quotes count too.
constexpr std::ptrdiff_t kMaxOpen = 10'000;

/// Converts byte positions to (line, column) in characters, and explains bad lines.
class SourceText {
 public:
  explicit SourceText(std::string_view text) : text_(text) {
    for (std::size_t at = 0; at <= text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      lines_.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  int column(const YAML::Mark& mark) const {
    const auto line = line_text(mark.line);
    const auto end = std::min(line.size(), static_cast<std::size_t>(std::max(0, mark.column)));
    // Marks come in text order, so counting continues from the last one.
    if (mark.line != counted_line_ || end < counted_) {
      counted_line_ = mark.line;
      counted_ = 0;
      characters_ = 0;
    }
    characters_ += count_characters(line.substr(counted_, end - counted_));
    counted_ = end;
    return static_cast<int>(characters_) + 1;
  }
  /// Whether the line, or the one before it, is indented with a tab.
  bool tab_indented(int line) const {
    for (int l = std::max(0, line - 1); l <= line; ++l) {
      const auto text = line_text(l);
      const auto first = text.find_first_not_of(" \t");
      if (text.substr(0, first).find('\t') != std::string_view::npos) return true;
    }
    return false;
  }
  /// Whether a quoted text begins at `mark` and is never closed. yaml-cpp then consumes the rest of the file.
  bool unclosed_quote(const YAML::Mark& mark) const {
    const auto line = line_text(mark.line);
    if (mark.column < 0 || static_cast<std::size_t>(mark.column) >= line.size()) return false;
    auto at = static_cast<std::size_t>(line.data() - text_.data()) + static_cast<std::size_t>(mark.column);
    const char quote = text_[at++];
    if (quote != '\'' && quote != '"') return false;
    for (; at < text_.size(); ++at) {
      if (quote == '"' && text_[at] == '\\') {
        ++at;
      } else if (text_[at] == quote) {
        if (quote == '"' || at + 1 >= text_.size() || text_[at + 1] != quote) return false;
        ++at;  // '' is an escaped quote
      }
    }
    return true;
  }
  std::string_view line_text(int line) const {
    if (line < 0 || static_cast<std::size_t>(line) >= lines_.size()) return {};
    return lines_[static_cast<std::size_t>(line)];
  }

 private:
  std::string_view text_;
  std::vector<std::string_view> lines_;
  mutable int counted_line_ = -1;
  mutable std::size_t counted_ = 0, characters_ = 0;  // bytes, and the number of characters in them
};

class Builder : public YAML::EventHandler {
 public:
  Builder(const SourceText& text, const std::string& source, WarningSink warn) : text_(text), source_(source), warn_(std::move(warn)) {}

  Node result;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (wants_key()) return take_key("null", mark);
    add(Node(), mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      fail(mark, "an alias is used inside the value it refers to", "a value cannot contain itself");
    }
    if (wants_key()) {
      if (!found->second.is_string()) fail(mark, "a key must be a single value", "");
      return take_key(found->second.as_string(), mark);
    }
    const Size size = sizes_[anchor];
    count(size, mark);
    place(found->second, size, mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& read) override {
    if (text_.unclosed_quote(mark)) {
      fail(mark, "the quote that opens here is not closed", "add the closing quote, or remove this one");
    }
    const std::string value = with_whole_characters(read);
    if (value.find('\0') != std::string::npos) fail(mark, "this string contains a NUL character", "remove \\0 from it");
    if (wants_key()) {
      if (Node text(value); anchor) remember(anchor, text, {1, value.size()});
      key_is_plain_ = tag == "?" || tag.empty();
      return take_key(value, mark);
    }
    add(typed(mark, tag, value), mark, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(Node::list(), mark, tag, "tag:yaml.org,2002:seq", anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(Node::map(), mark, tag, "tag:yaml.org,2002:map", anchor);
  }
  void OnMapEnd() override { close(); }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& why, const std::string& hint) const {
    throw config_error(fmt::format("cannot read '{}'", source_), origin(mark).describe(), why, hint);
  }

 private:
  /// Size of a value including its descendants.
  struct Size {
    std::size_t values = 1, bytes = 0;
    int levels = 0;
    void hold(const Size& other) {
      values += other.values;
      bytes += other.bytes;
      levels = std::max(levels, other.levels + 1);
    }
  };
  struct Frame {
    Node node;
    YAML::Mark mark;
    YAML::anchor_t anchor = 0;
    Size size;
    std::size_t path = 0;  // total bytes of the keys on the path
    bool have_key = false;
    std::string key;
    YAML::Mark key_mark;
    bool merge_key = false;
    std::unordered_map<std::string, YAML::Mark> seen;  // keys written in this map
    std::vector<Node> merges;                          // maps of `<<`; later ones win
  };

  Origin origin(const YAML::Mark& mark) const { return {shared_source_, mark.line + 1, text_.column(mark), {}}; }
  bool wants_key() const { return !stack_.empty() && stack_.back().node.is_map() && !stack_.back().have_key; }
  void take_key(const std::string& key, const YAML::Mark& mark) {
    Frame& frame = stack_.back();
    frame.merge_key = key == "<<" && key_is_plain_;
    key_is_plain_ = false;
    count({0, key.size()}, mark);
    frame.size.bytes += key.size();
    if (frame.path + key.size() > limits::kPath) {
      fail(mark, fmt::format("the path of keys to this place has more than {} characters", limits::kPath), "use shorter keys");
    }
    if (!frame.merge_key) {
      const auto [first, fresh] = frame.seen.emplace(key, mark);
      if (!fresh) {
        fail(mark, fmt::format("the key '{}' is given twice; the first is in line {}", key, first->second.line + 1), "keep one of them");
      }
      check_keys(frame.seen.size(), mark);
    }
    frame.key = key;
    frame.key_mark = mark;
    frame.have_key = true;
  }
  void check_keys(std::size_t keys, const YAML::Mark& mark) const {
    if (keys > limits::kKeys) fail(mark, fmt::format("this map has more than {} keys", limits::kKeys), "is this a data file?");
  }
  void count(const Size& size, const YAML::Mark& mark) {
    total_.values += size.values;
    total_.bytes += size.bytes;
    if (total_.values > limits::kValues) {
      fail(mark, fmt::format("with its aliases written out, the file has more than {} values", limits::kValues),
           "use fewer nested aliases");
    }
    if (total_.bytes > limits::kBytes) {
      fail(mark, fmt::format("with its aliases written out, the file has more than {} bytes of text", limits::kBytes),
           "use fewer aliases of long strings");
    }
    check_levels(stack_.size() + static_cast<std::size_t>(size.levels), mark);
  }
  void check_levels(std::size_t levels, const YAML::Mark& mark) const {
    if (levels > limits::kLevels) fail(mark, fmt::format("more than {} levels of nesting", limits::kLevels), "");
  }
  void add(Node node, const YAML::Mark& mark, YAML::anchor_t anchor) {
    const Size size{1, node.is_string() ? node.as_string().size() : 0};
    count(size, mark);
    node.set_origin(origin(mark));
    if (anchor) remember(anchor, node, size);
    place(std::move(node), size, mark);
  }
  void remember(YAML::anchor_t anchor, Node& node, const Size& size) {
    anchors_[anchor] = node.freeze();  // aliases share it
    sizes_[anchor] = size;
  }
  void open(Node node, const YAML::Mark& mark, const std::string& tag, const char* usual, YAML::anchor_t anchor) {
    if (wants_key()) fail(mark, "a key must be a single value, not a list or a map", "quote the key");
    if (!(tag.empty() || tag == "?" || tag == "!" || tag == usual)) unknown_tag(mark, tag);
    check_levels(stack_.size() + 1, mark);
    count({}, mark);
    node.set_origin(origin(mark));
    Frame frame;
    frame.path = stack_.empty() ? 0 : stack_.back().path + stack_.back().key.size() + 1;
    frame.node = std::move(node);
    frame.mark = mark;
    frame.anchor = anchor;
    stack_.push_back(std::move(frame));
  }
  void close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    if (!frame.merges.empty()) merge(frame);
    if (frame.anchor) remember(frame.anchor, frame.node, frame.size);
    place(std::move(frame.node), frame.size, frame.mark);
  }
  /// Merged keys come before the map's own, as in PyYAML; a key keeps its first position and its last value.
  void merge(Frame& frame) const {
    frame.merges.push_back(std::move(frame.node));
    Node out = Node::map();
    out.set_origin(frame.merges.back().origin());
    std::unordered_map<std::string, std::size_t> places;
    for (auto& part : frame.merges) {
      for (auto& [key, value] : part.as_map()) {
        const auto [at, fresh] = places.emplace(key, out.size());
        if (fresh) {
          out.as_map().emplace_back(key, std::move(value));
        } else {
          out.as_map()[at->second].second = std::move(value);
        }
      }
    }
    check_keys(out.size(), frame.mark);
    frame.node = std::move(out);
  }
  void place(Node node, const Size& size, const YAML::Mark& mark) {
    if (stack_.empty()) {
      result = std::move(node);
      return;
    }
    Frame& parent = stack_.back();
    parent.size.hold(size);
    if (parent.node.is_list()) {
      parent.node.push_back(std::move(node));
      return;
    }
    parent.have_key = false;
    if (!parent.merge_key) {
      parent.node.as_map().emplace_back(std::move(parent.key), std::move(node));
      return;
    }
    Node::List items = node.is_list() ? std::move(node).as_list() : Node::List{std::move(node)};
    for (auto item = items.rbegin(); item != items.rend(); ++item) {  // in a list, the first wins
      if (!item->is_map()) fail(mark, "'<<' merges maps only", "quote the key if it is a string");
      parent.merges.push_back(std::move(*item));
    }
  }

  void tell(const YAML::Mark& mark, const std::string& warning) const {
    if (!warn_ || ++warnings_ > limits::kWarnings) return;
    const bool last = warnings_ == limits::kWarnings;
    warn_(fmt::format("{}: {}{}", origin(mark).describe(), warning, last ? ". Further warnings for this file are not shown" : ""));
  }
  /// yaml-cpp outputs \N and \_ (U+0085, U+00A0) as single bytes; everything else it outputs is UTF-8.
  static std::string with_whole_characters(std::string_view text) {
    std::string out;
    for (;;) {
      const auto lone = first_invalid_utf8(text);
      out += text.substr(0, lone);
      if (lone == std::string_view::npos) return out;
      out += '\xC2';
      out += text[lone];
      text.remove_prefix(lone + 1);
    }
  }
  [[noreturn]] void unknown_tag(const YAML::Mark& mark, const std::string& tag) const {
    fail(mark, fmt::format("the tag '{}' is not supported", tag), "use plain values; !!str, !!int, !!float, !!bool and !!null are known");
  }
  Node typed(const YAML::Mark& mark, const std::string& tag, const std::string& value) const {
    static const std::string kPrefix = "tag:yaml.org,2002:";
    if (tag == "!") return value;  // quoted
    if (tag.empty() || tag == "?") {
      std::string warning;
      Node node = type_plain_scalar(value, &warning);
      if (!warning.empty()) tell(mark, warning);
      if ((node.is_bool() || node.is_number()) && value != scalar_to_text(node)) node.spell(value);
      return node;
    }
    if (tag.rfind(kPrefix, 0) != 0) unknown_tag(mark, tag);
    const std::string type = tag.substr(kPrefix.size());
    if (type == "str") return value;
    if (type == "null") return {};
    Node node = type_plain_scalar(value);
    if (type == "bool" && node.is_bool()) return node;
    if (type == "int" && node.is_int()) return node;
    if (type == "float" && node.is_number()) return node.as_double();
    if (type != "bool" && type != "int" && type != "float") unknown_tag(mark, tag);
    fail(mark, fmt::format("'{}' cannot be read as !!{}", value, type), "correct the value or remove the tag");
  }

  const SourceText& text_;
  const std::string& source_;
  const SharedText shared_source_ = source_;
  const WarningSink warn_;
  mutable std::size_t warnings_ = 0;
  std::vector<Frame> stack_;
  std::unordered_map<YAML::anchor_t, Node> anchors_;
  std::unordered_map<YAML::anchor_t, Size> sizes_;
  Size total_{0};
  bool key_is_plain_ = false;
};

/// Checks the text before it is parsed as YAML: its size, and that it is text.
void check_text(std::string_view text, const std::string& source) {
  const auto fail = [&](std::size_t at, const std::string& why, const char* hint) {
    const auto before = text.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const auto begin = before.rfind('\n') + 1;  // npos + 1 is 0
    throw config_error(fmt::format("cannot read '{}'", source),
                       fmt::format("{}:{}:{}", source, line, count_characters(before.substr(begin)) + 1), why, hint);
  };
  if (text.size() > limits::kText) {
    throw config_error(fmt::format("cannot read '{}'", source), {},
                       fmt::format("it has {} bytes; the limit for a YAML file is {}", text.size(), limits::kText), "is this a data file?");
  }
  if (const auto bad = first_invalid_utf8(text); bad != std::string_view::npos) {
    fail(bad, fmt::format("byte {} is not UTF-8", bad + 1), "save the file as UTF-8");
  }
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) fail(nul, "there is a NUL character", "save the file as text");
  std::ptrdiff_t open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    open += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
    open = std::max<std::ptrdiff_t>(open, 0);
    if (open > kMaxOpen) fail(i, fmt::format("more than {} brackets are open", kMaxOpen), "close them");
  }
}

}  // namespace

Node parse_yaml(std::string_view text, const std::string& source, WarningSink warn) {
  check_text(text, source);
  // Editors on other systems may put a byte-order mark first.
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  const SourceText lines(text);
  Builder builder(lines, source, std::move(warn));
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) {
      Builder rest(lines, source, {});
      Node first = std::move(builder.result);
      if (parser.HandleNextDocument(rest) && !rest.result.is_null()) {
        throw config_error(fmt::format("cannot read '{}'", source), rest.result.origin().describe(),
                           "a second document starts here ('---')", "keep one document per file");
      }
      return first;
    }
  } catch (const YAML::Exception& e) {
    const bool tab = lines.tab_indented(e.mark.line);
    const std::string line(lines.line_text(e.mark.line));
    std::string hint = "check the indentation and the quotes of this line and the one before";
    if (tab) {
      hint = "indent with spaces; YAML does not allow tabs there";
    } else if (line.find("??") != std::string::npos) {
      hint = "inside [...] and {...} put ??? into quotes";
    } else if (line.find_first_of("@`%") != std::string::npos) {
      hint = "quote values that begin with '@', '`' or '%'";
    }
    builder.fail(e.mark, e.msg, hint);
  }
  Node empty;
  empty.set_origin({source, 1, 1, {}});
  return empty;
}

Node load_yaml(const fs::path& path, WarningSink warn) {
  if (is_folder(path)) {
    throw config_error(fmt::format("'{}' is a folder, not a YAML file", path.string()));
  }
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error& e) {
    throw config_error(e.message(), e.where(), e.why(), "check the path");
  }
  return parse_yaml(text, path.string(), std::move(warn));
}

namespace {

bool needs_quotes(const std::string& s) {
  if (s.empty()) return true;
  if (s.front() == ' ' || s.back() == ' ' || s.back() == ':') return true;
  if (std::string_view("!&*[]{},#|>@`\"'%=~").find(s.front()) != std::string_view::npos) return true;
  if (std::string_view("-?:").find(s.front()) != std::string_view::npos && (s.size() == 1 || s[1] == ' ' || s == "---")) {
    return true;
  }
  if (s == "<<" || s.rfind("---", 0) == 0 || s.rfind("...", 0) == 0) return true;
  if (s.find(": ") != std::string::npos || s.find(" #") != std::string::npos) return true;
  std::string warning;
  return !type_plain_scalar(s, &warning).is_string() || !warning.empty();
}

bool needs_escapes(const std::string& s) {
  for (char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7F) return true;
  }
  // Characters that YAML treats as line breaks or drops.
  for (const char* special : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xEF\xBB\xBF"}) {
    if (s.find(special) != std::string::npos) return true;
  }
  return false;
}

std::string double_quoted(const std::string& s) {
  std::string out = "\"";
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto rest = std::string_view(s).substr(i);
    const auto u = static_cast<unsigned char>(s[i]);
    if (rest.substr(0, 2) == "\xC2\x85") {
      out += "\\u0085";  // yaml-cpp reads \\N as a lone byte
      i += 1;
    } else if (rest.substr(0, 3) == "\xE2\x80\xA8" || rest.substr(0, 3) == "\xE2\x80\xA9") {
      out += s[i + 2] == '\xA8' ? "\\L" : "\\P";
      i += 2;
    } else if (rest.substr(0, 3) == "\xEF\xBB\xBF") {
      out += "\\uFEFF";
      i += 2;
    } else if (s[i] == '"' || s[i] == '\\') {
      out += '\\';
      out += s[i];
    } else if (s[i] == '\n') {
      out += "\\n";
    } else if (s[i] == '\t') {
      out += "\\t";
    } else if (u < 0x20 || u == 0x7F) {
      out += fmt::format("\\x{:02x}", u);
    } else {
      out += s[i];
    }
  }
  return out + "\"";
}

std::string scalar_text(const Node& node) {
  // The recorded spelling if that is YAML: 'Inf' and 'tRUE' are numbers and bools in overrides only.
  if (const auto& typed = node.spelling(); !typed.empty() && type_plain_scalar(typed) == node) return typed;
  if (node.is_float()) {
    auto text = format_double(node.as_double());
    if (text == "inf") return ".inf";
    if (text == "-inf") return "-.inf";
    if (text == "nan") return ".nan";
    return text;
  }
  if (!node.is_string()) return node.to_flow();
  const auto& s = node.as_string();
  if (needs_escapes(s)) return double_quoted(s);
  if (!needs_quotes(s)) return s;
  std::string out = "'";
  for (char c : s) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

bool is_block(const Node& node) { return (node.is_map() || node.is_list()) && node.size() > 0; }

std::string leaf_text(const Node& node) {
  if (node.is_map()) return "{}";
  if (node.is_list()) return "[]";
  return scalar_text(node);
}

// Writes `node` at `indent`; the first line's indentation is already there when `inline_first`.
void emit(const Node& node, std::size_t indent, bool inline_first, std::string& out) {
  if (!is_block(node)) {
    if (!inline_first) out.append(indent, ' ');
    out += leaf_text(node) + "\n";
    return;
  }
  bool first = inline_first;
  const auto start_line = [&] {
    if (!first) out.append(indent, ' ');
    first = false;
  };
  if (node.is_list()) {
    for (const auto& item : node.as_list()) {
      start_line();
      out += "- ";
      emit(item, indent + 2, true, out);
    }
    return;
  }
  for (const auto& [key, value] : node.as_map()) {
    start_line();
    const std::string text = scalar_text(Node(key));
    // YAML readers accept a bare key of at most 1024 characters.
    const bool explicit_key = text.size() > 1000;
    if (explicit_key) {
      out += "? " + text + "\n";
      out.append(indent, ' ');
    }
    out += explicit_key ? ":" : text + ":";
    if (is_block(value)) {
      out += '\n';
      emit(value, indent + 2, false, out);
    } else {
      out += " " + leaf_text(value) + "\n";
    }
  }
}

}  // namespace

std::string emit_yaml(const Node& node) {
  std::string out;
  emit(node, 0, false, out);
  return out;
}

}  // namespace yatlab
