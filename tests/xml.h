#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace yatlab::testing {

/// An element of an XML document, with its text and that of its children.
struct XmlElement {
  std::string name, text;
  std::map<std::string, std::string> attributes;
  std::vector<XmlElement> children;

  /// Every element of this name below, in the document's order.
  std::vector<XmlElement> all(const std::string& wanted) const {
    std::vector<XmlElement> out;
    for (const auto& child : children) {
      if (child.name == wanted) out.push_back(child);
      for (auto& inner : child.all(wanted)) out.push_back(inner);
    }
    return out;
  }
};

/// A strict reader of the XML that JUnit reports use: elements, quoted attributes, the five entities. Throws std::runtime_error with the
/// position.
class XmlReader {
 public:
  explicit XmlReader(const std::string& text) : text_(text) {}
  XmlElement read() {
    expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    blanks();
    auto out = element();
    blanks();
    if (at_ != text_.size()) fail("text after the document");
    return out;
  }

 private:
  const std::string& text_;
  std::size_t at_ = 0;

  [[noreturn]] void fail(const std::string& why) const { throw std::runtime_error(why + " at byte " + std::to_string(at_)); }
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool next_is(const char* what) const { return text_.compare(at_, std::strlen(what), what) == 0; }
  void expect(const char* what) {
    if (!next_is(what)) fail(std::string("no ") + what);
    at_ += std::strlen(what);
  }
  void blanks() {
    while (here() == ' ' || here() == '\n') ++at_;
  }
  std::string name() {
    const auto begin = at_;
    while ((here() >= 'a' && here() <= 'z') || here() == ':') ++at_;
    if (at_ == begin) fail("no name");
    return text_.substr(begin, at_ - begin);
  }
  std::string character() {
    if (here() == '<' || here() == '\0') fail("a bare character");
    if (here() != '&') return std::string(1, text_[at_++]);
    static const std::map<std::string, std::string> kEntities = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&#39;", "'"}};
    const auto end = text_.find(';', at_);
    const auto found = end == std::string::npos ? kEntities.end() : kEntities.find(text_.substr(at_, end + 1 - at_));
    if (found == kEntities.end()) fail("no entity");
    at_ = end + 1;
    return found->second;
  }
  XmlElement element() {
    XmlElement out;
    expect("<");
    out.name = name();
    for (blanks(); here() != '>' && here() != '/'; blanks()) {
      const auto key = name();
      expect("=\"");
      std::string value;
      while (here() != '"') value += character();
      expect("\"");
      if (!out.attributes.emplace(key, value).second) fail("twice the attribute " + key);
    }
    if (next_is("/>")) {
      at_ += 2;
      return out;
    }
    expect(">");
    while (!next_is("</")) {
      if (here() == '<') {
        out.children.push_back(element());
      } else {
        out.text += character();
      }
    }
    expect("</");
    expect(out.name.c_str());
    expect(">");
    return out;
  }
};

inline XmlElement read_xml(const std::string& text) { return XmlReader(text).read(); }

}  // namespace yatlab::testing
