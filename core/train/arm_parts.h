#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/metric_doc.h"
#include "core/data/dataset.h"
#include "core/experiment/trainer_params.h"
#include "core/model/architecture.h"
#include "core/ops/normalizer.h"
#include "core/ops/operator.h"
#include "core/train/task.h"

namespace yatlab {

/// A planned arm: its components, constructed, and what is known about its data. With it, tasks, analyses and studies tell whether they can work
/// there and what they will measure.
struct ArmParts {
  Node operator_spec = {};                      ///< completed; null without an operator
  std::shared_ptr<Operator> op = {};            ///< may be null
  std::shared_ptr<Normalizer> normalizer = {};  ///< may be null
  /// Built for data of that shape, or a miniature of it (Architecture::miniature). Where nothing is trained it is constructed but not built, and may
  /// be null.
  std::shared_ptr<Architecture> model = {};
  std::shared_ptr<Task> task = {};  ///< null where nothing is trained
  DataShape data = {};
  bool can_hold_back = false;  ///< the data set has a parameter `validation`
  TrainerParams trainer = {};

  /// Throws config errors that name `who` ("analysis 'calibration'") unless the arm has the requirement. Unknown splits pass.
  void require_operator(const std::string& who) const;
  void require_model(const std::string& who) const;
  void require_prototypes(const std::string& who) const;
  void require_language_model(const std::string& who) const;
  void require_split(const std::string& split, const std::string& who) const;
};

}  // namespace yatlab
