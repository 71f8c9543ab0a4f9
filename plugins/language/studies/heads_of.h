#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/measure/study.h"
#include "plugins/language/architectures/attention_heads.h"

namespace yatlab {

/// The attention of a new model of the arm. `model` owns it.
inline const AttentionHeads& heads_of(const StudyContext& context, std::shared_ptr<Architecture>& model, const std::string& who) {
  model = context.model({1}, 2, context.seed);
  const auto* const heads = dynamic_cast<const AttentionHeads*>(model.get());
  if (!heads) throw config_error("study '" + who + "' needs a model with attention", "studies", {}, "use architecture=transformer");
  return *heads;
}

}  // namespace yatlab
