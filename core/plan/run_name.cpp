#include "core/plan/run_name.h"
#include "core/experiment/experiment_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/base/text.h"
#include "core/compose/as_written.h"
#include "core/config/override.h"

namespace yatlab {
namespace {

constexpr std::size_t kLongestWord = 40, kLongestWords = 64, kLongestScale = 24;

/// Keeps characters that shells, file systems and links accept; runs of others become one '_', none at the ends.
std::string clean(const std::string& text, std::size_t longest) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("._=,+-").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
    if (out.size() > longest) {
      out.resize(longest - 1);
      out += '+';  // marks the cut
      break;
    }
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

std::string last_part(const std::string& key) { return key.substr(key.find_last_of("./") + 1); }

/// "epsilon=0.1" for operator.epsilon=0.1, "mine" for +arms.mine=[...], "no-linear" for ~arms.linear. Keys with the same last part keep all parts.
std::vector<std::string> override_words(const Plan& plan) {
  std::vector<Override> shown;
  std::map<std::string, std::set<std::string>> keys;  // by their last parts
  for (const auto& text : plan.overrides) {
    auto given = parse_override(text);
    if (given.key != "seeds" && !may_change_results(given.key)) continue;
    keys[last_part(given.key)].insert(given.key);
    shown.push_back(std::move(given));
  }
  std::vector<std::string> out;
  for (const auto& given : shown) {
    const auto last = last_part(given.key);
    auto word = keys[last].size() > 1 ? given.key : last;
    if (given.has_package && !given.package.empty()) word += "_" + given.package;
    const auto equal = given.text.find('=');
    if (given.kind == OverrideKind::kDelete) {
      word = "no-" + word;
    } else if (given.key.rfind("arms.", 0) != 0 && equal != std::string::npos) {
      word += "=" + clean(given.text.substr(equal + 1), kLongestWord);
    }
    out.push_back(clean(word, kLongestWord));
  }
  return out;
}

}  // namespace

std::string run_name(const Plan& plan, const std::string& stamp) {
  std::string out = stamp;
  if (!plan.scale.empty()) out += "-" + clean(plan.scale, kLongestScale);
  const auto words = override_words(plan);
  std::size_t taken = 0, length = 0;
  for (const auto& word : words) {
    length += word.size() + 1;
    if (length > kLongestWords) break;
    out += "-" + word;
    ++taken;
  }
  if (taken < words.size()) out += fmt::format("-and-{}-more", words.size() - taken);
  return out + "-" + plan.hash.substr(0, 6);
}

bool is_full(const Plan& plan) { return plan.scale.empty() && plan.as_written; }

}  // namespace yatlab
