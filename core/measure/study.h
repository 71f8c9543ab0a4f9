#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/measure/analysis.h"
#include "core/measure/operator_choice.h"

namespace yatlab {

/// The inputs of a study: an arm's components, untrained.
struct StudyContext {
  std::shared_ptr<const OperatorChoice> op;  ///< null when the experiment names no operator
  std::shared_ptr<Normalizer> normalizer;    ///< null when it names none
  /// A new model of the arm's architecture; throws when the experiment names none.
  std::function<std::shared_ptr<Architecture>(std::vector<std::int64_t> input_shape, std::int64_t outputs, std::uint64_t seed)> model;
  std::uint64_t seed = 0;
  /// share: progress in [0, 1]; what: the current activity. Throws when the run was asked to stop.
  std::function<void(double share, const std::string& what)> progress = [](double, const std::string&) {};
};

/// Measures operators, normalizers or untrained models.
class Study {
 public:
  virtual ~Study() = default;
  virtual Findings run(const StudyContext& context) const = 0;

  /// The names of what `run` finds in such an arm. Tables and figures are checked against them before anything runs. Reports use their titles, units
  /// and directions.
  virtual FindingNames names(const ArmParts& arm) const = 0;

  /// Throws a config error where this study cannot work. Called when an arm is planned.
  virtual void check(const ArmParts&) const {}
};

YATLAB_KIND(Study, "study", "measures an operator, a normalizer or an untrained model")

}  // namespace yatlab
