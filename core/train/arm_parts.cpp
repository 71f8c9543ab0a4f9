#include "core/train/arm_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/model/language_model.h"

namespace yatlab {

void ArmParts::require_operator(const std::string& who) const {
  if (!op) throw config_error(who + " needs an operator", {}, "the arm has none", "set operator=yat or another operator");
}

void ArmParts::require_model(const std::string& who) const {
  if (!model) {
    throw config_error(who + " needs a model", {}, "the arm has no architecture",
                       "set architecture=one_hidden_layer or another architecture");
  }
}

void ArmParts::require_prototypes(const std::string& who) const {
  require_model(who);
  if (!model->prototypes().defined()) {
    throw config_error(who + " needs an architecture with prototypes", {}, "this architecture has none",
                       "use architecture=prototype_classifier, or remove the analysis");
  }
}

void ArmParts::require_language_model(const std::string& who) const {
  require_model(who);
  if (!dynamic_cast<const LanguageModel*>(model.get())) {
    throw config_error(who + " needs a model that predicts tokens", {}, "this architecture does not",
                       "use architecture=gpt2, or remove it");
  }
}

void ArmParts::require_split(const std::string& split, const std::string& who) const {
  if (data.splits.empty() || std::find(data.splits.begin(), data.splits.end(), split) != data.splits.end()) return;
  throw config_error(
      fmt::format("{}: the data set has no split '{}'", who, split), {}, "it has " + join(data.splits, ", "),
      split == "validation" && can_hold_back ? "hold samples back with dataset.validation=0.1" : suggestion(split, data.splits));
}

}  // namespace yatlab
