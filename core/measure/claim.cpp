#include "core/measure/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/failure.h"

namespace yatlab {
namespace {

struct ClaimTexts {
  std::mutex mutex;
  std::map<std::string, ClaimText> by_label;
};
ClaimTexts& claim_texts() {
  static auto& all = *new ClaimTexts;
  return all;
}

}  // namespace

std::int64_t ClaimContext::scaled(std::int64_t full, std::int64_t least) const {
  return std::max(least, static_cast<std::int64_t>(std::llround(static_cast<double>(full) * effort)));
}

void detail::describe_claim(Component& component) {
  std::string source = component.origin, yaml = component.doc;
  if (const auto* embedded = yaml.empty() && component.library.empty() ? embedded_claim_text(component.source) : nullptr) {
    source = embedded->file;
    yaml = embedded->text;
  }
  if (yaml.empty()) {
    throw config_error("it has no text", source,
                       "a claim must be registered with its text, or have a .yaml file in the folder of its source",
                       "see core/measure/claim_text.h");
  }
  auto text = ClaimText::parse(yaml, source);
  component.doc = text.statement();
  auto& all = claim_texts();
  const std::lock_guard lock(all.mutex);
  all.by_label.insert_or_assign(component.name, std::move(text));
}

const ClaimText& claim_text(const std::string& label) {
  const auto& component = Registry<Claim>::table().at(label);
  auto& all = claim_texts();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_label.find(component.name);
  if (found == all.by_label.end()) {
    throw config_error(fmt::format("claim '{}' has no text", component.name), component.origin,
                       "it is registered with a line of documentation, like other components", "register it with ClaimYaml{\"...\"}");
  }
  return found->second;
}

CheckedClaim check_claim(const Node& spec, const ClaimContext& context) {
  const Node completed = Registry<Claim>::complete(spec);
  const auto label = completed.at("name").as_string();
  const auto& text = claim_text(label);
  const auto claim = Registry<Claim>::create(completed);
  CheckedClaim out{label, text.title(), text.statement(), text.how(), context.op.name(), {}, {}, text.place()};
  in_component("claim", label, [&] {
    claim->check(context, out.evidence);
    out.words = text.words(context.op.name(), out.evidence.values());
  });
  if (!text.corrects(context.op.name())) out.evidence.drop(Role::kCorrected);
  if (!out.evidence.counterexample_stands()) out.words.counterexample.clear();
  return out;
}

}  // namespace yatlab
