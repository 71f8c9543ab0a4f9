#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/measure/analysis.h"
#include "core/measure/operator_choice.h"

namespace yatlab {

/// What a study looks at: an arm's components, with nothing trained.
struct StudyContext {
  std::shared_ptr<const OperatorChoice> op;  ///< null when the experiment names no operator
  std::shared_ptr<Normalizer> normalizer;    ///< null when it names none
  /// A new model of the arm's architecture; throws when the experiment names none.
  std::function<std::shared_ptr<Architecture>(std::vector<std::int64_t> input_shape, std::int64_t outputs, std::uint64_t seed)> model;
  std::uint64_t seed = 0;
  /// share in [0, 1] and what is being done; gives up (throws) when the run was told to stop.
  std::function<void(double share, const std::string& what)> progress = [](double, const std::string&) {};
};

/// Measures operators, normalizers or untrained models by themselves.
class Study {
 public:
  virtual ~Study() = default;
  virtual Findings run(const StudyContext& context) const = 0;

  /// What `run` finds in such an arm: tables and figures are checked against it before anything runs, and its titles, units and directions
  /// are those of reports.
  virtual FindingNames names(const ArmParts& arm) const = 0;

  /// Throws a config error where this study cannot work. Called when an arm is planned.
  virtual void check(const ArmParts&) const {}
};

YATLAB_KIND(Study, "study", "looks at an operator, a normalizer or an untrained model")

}  // namespace yatlab
