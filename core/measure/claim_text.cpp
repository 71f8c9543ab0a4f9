#include "core/measure/claim_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/yaml.h"

namespace yatlab {
namespace {

constexpr const char* kAny = "any";

/// Calls see(begin, end) for every "{name}", without its braces. Other braces are text: {0}, {(1, 0)}.
template <class See>
void each_placeholder(const std::string& text, const See& see) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    auto end = open + 1;
    if (end == text.size() || !letter(text[end])) continue;
    while (end < text.size() && (letter(text[end]) || std::isdigit(static_cast<unsigned char>(text[end])))) ++end;
    if (end < text.size() && text[end] == '}') see(open + 1, end);
  }
}

std::string filled(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string out;
  std::size_t done = 0;
  each_placeholder(text, [&](std::size_t begin, std::size_t end) {
    out += text.substr(done, begin - 1 - done) + values.at(text.substr(begin, end - begin));
    done = end + 1;
  });
  return out + text.substr(done);
}

std::vector<EmbeddedClaimText>& embedded() {
  static auto& all = *new std::vector<EmbeddedClaimText>;  // filled by static initialisers, never destroyed
  return all;
}

}  // namespace

ClaimText ClaimText::parse(std::string_view yaml, const std::string& source) {
  static const std::vector<std::string> keys = {"title",        "place",   "statement", "how",           "tried",
                                                "out_of_reach", "reading", "corrected", "counterexample"};
  static const std::set<std::string> differ = {"reading", "corrected", "counterexample"};
  ClaimText out;
  out.source_ = source;
  const auto string_of = [](const Node& value, const std::string& key) {
    if (!value.is_string()) {
      throw config_error(fmt::format("{}: {} is not a string", key, shortened(value.to_flow())), value.origin().describe(), {},
                         "put it in quotes");
    }
    return trim(value.as_string());
  };
  const Node node = parse_yaml(yaml, source);
  if (!node.is_map()) throw config_error("the text of a claim must be a map", source, {}, "write title:, statement:, how: and tried:");
  for (const auto& [key, value] : node.as_map()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw config_error(fmt::format("the text of a claim cannot have a key '{}'", key), value.origin().describe(), {},
                         suggestion(key, keys));
    }
    if (value.is_map() && differ.count(key)) {
      for (const auto& [op, text] : value.as_map()) out.parts_[key][op] = string_of(text, key + "." + op);
    } else {
      out.parts_[key][kAny] = string_of(value, key);
    }
  }
  for (const char* key : {"title", "statement", "how", "tried"}) {
    if (out.text_of(key, kAny).empty()) {
      throw config_error(fmt::format("the text of a claim has no key '{}'", key), source, {}, fmt::format("write {}: ...", key));
    }
  }
  const auto take = [&out](const char* key) {
    std::string line = out.text_of(key, kAny);
    out.parts_.erase(key);
    return line;
  };
  out.title_ = take("title");
  out.place_ = take("place");
  out.statement_ = take("statement");
  out.how_ = take("how");
  for (const auto& [key, part] : out.parts_) {
    for (const auto& [op, text] : part) {
      each_placeholder(text,
                       [&, t = &text](std::size_t begin, std::size_t end) { out.placeholders_.insert(t->substr(begin, end - begin)); });
    }
  }
  return out;
}

std::string ClaimText::text_of(const std::string& part, const std::string& op) const {
  const auto found = parts_.find(part);
  if (found == parts_.end()) return {};
  auto it = found->second.find(op);
  if (it == found->second.end()) it = found->second.find(kAny);
  return it == found->second.end() ? "" : it->second;
}

bool ClaimText::corrects(const std::string& op) const { return !text_of("corrected", op).empty() || !text_of("reading", op).empty(); }

ClaimWords ClaimText::words(const std::string& op, const std::map<std::string, std::string>& values) const {
  for (const auto& name : placeholders_) {
    if (!values.count(name)) {
      throw Error(ErrorKind::kJob, fmt::format("{{{}}} has no value", name), source_, {},
                  fmt::format("call evidence.set(\"{}\", ...) in the check", name));
    }
  }
  for (const auto& [name, value] : values) {
    if (!placeholders_.count(name)) {
      throw Error(ErrorKind::kJob, fmt::format("the value '{}' is not used in the text", name), source_, {},
                  fmt::format("write {{{}}} in the text, or remove the value", name));
    }
  }
  const auto put = [&](const char* part) { return filled(text_of(part, op), values); };
  return {put("reading"), put("corrected"), put("counterexample"), put("tried"), put("out_of_reach")};
}

int embed_claim_texts(const EmbeddedClaimText* first, std::size_t count) noexcept {
  embedded().insert(embedded().end(), first, first + count);
  return 0;
}

const EmbeddedClaimText* embedded_claim_text(const std::string& source) {
  const auto stem = source.substr(0, source.rfind('.'));
  const auto& all = embedded();
  const auto it = std::find_if(all.begin(), all.end(), [&](const EmbeddedClaimText& t) { return t.file == stem + ".yaml"; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace yatlab
