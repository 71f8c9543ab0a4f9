#include "core/verdict/display_titles.h"

#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "core/registry/registry.h"
#include "core/verdict/format.h"

namespace yatlab {
namespace {

struct Usual {
  const char* name;
  const char* title;
};
constexpr Usual kUsual[] = {{"epsilon", "ε"}, {"alpha", "α"},          {"beta", "β"},     {"gamma", "γ"},
                            {"sigma", "σ"},   {"lambda", "λ"},         {"tau", "τ"},      {"lr", "learning rate"},
                            {"std", "σ"},     {"dataset", "data set"}, {"op", "operator"}};

std::string last_part(const std::string& name) { return name.substr(name.find_last_of('.') + 1); }

// One letter, optionally with an index: "ℓ", "x₁", "k2".
bool is_symbol(const std::string& text) {
  std::size_t letters = 0;
  for (const char c : text) letters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  const auto first = static_cast<unsigned char>(text.empty() ? ' ' : text[0]);
  return (letters == 1 || letters == 2) && (first >= 0x80 || std::isalpha(first)) &&
         (letters == 1 || text.find_first_not_of("0123456789", 1) == std::string::npos || first >= 0x80);
}

// The symbol that begins a declaration's doc; "" if there is none, or components of that kind disagree.
std::string declared_symbol(const std::string& name) {
  const auto dot = name.find('.');
  if (dot == std::string::npos) return {};
  const ComponentTable* table = find_component_table(name.substr(0, dot));
  if (!table) return {};
  const std::string key = name.substr(dot + 1);
  std::string found;
  for (const auto& component : table->all()) {
    const Field* field = component.schema.find(key);
    if (!field) continue;
    const auto colon = field->doc.find(": ");
    const std::string symbol = colon == std::string::npos ? "" : field->doc.substr(0, colon);
    if (!is_symbol(symbol)) continue;
    if (!found.empty() && found != symbol) return {};
    found = symbol;
  }
  return found;
}

}  // namespace

std::string parameter_title(const std::string& name, const std::map<std::string, std::string>& given) {
  if (const auto found = given.find(name); found != given.end()) return found->second;
  if (const auto symbol = declared_symbol(name); !symbol.empty()) return symbol;
  std::string last = last_part(name);
  if (!last.empty() && last[0] == '+') last.erase(0, 1);
  for (const auto& usual : kUsual) {
    if (last == usual.name) return usual.title;
  }
  std::replace(last.begin(), last.end(), '_', ' ');
  return last;
}

std::vector<std::string> parameter_titles(const std::vector<std::string>& names, const std::map<std::string, std::string>& given) {
  std::vector<std::string> out;
  for (const auto& name : names) out.push_back(parameter_title(name, given));
  const std::vector<std::string> titles = out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::count(titles.begin(), titles.end(), titles[i]) > 1) out[i] = names[i];
  }
  return out;
}

std::string titled_value(const std::string& title, const Node& value) {
  return title + (is_symbol(title) ? " = " : " ") + format_parameter(value);
}

std::string point_title(const Node::Map& point, const std::map<std::string, std::string>& given) {
  std::vector<std::string> names, parts;
  for (const auto& entry : point) names.push_back(entry.first);
  const auto titles = parameter_titles(names, given);
  for (std::size_t i = 0; i < point.size(); ++i) parts.push_back(titled_value(titles[i], point[i].second));
  return join(parts, ", ");
}

std::string readable_metric(const std::string& name) {
  std::string out = name;
  if (name.rfind("train/", 0) == 0) out = "training " + name.substr(6);
  if (name.rfind("test/", 0) == 0) out = "test " + name.substr(5);
  if (name.rfind("validation/", 0) == 0) out = "validation " + name.substr(11);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

}  // namespace yatlab
