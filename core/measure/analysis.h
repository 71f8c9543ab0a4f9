#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/media.h"
#include "core/data/dataset.h"
#include "core/model/architecture.h"
#include "core/train/arm_parts.h"
#include "core/train/task.h"

namespace yatlab {

/// A data set other than the arm's own.
struct OtherData {
  std::shared_ptr<const Dataset> dataset;
  std::map<std::string, Split> splits;
};

/// The loaded data of an arm: splits that are read from several files, batch by batch, are left out.
struct ArmData {
  const Dataset& dataset;
  const std::map<std::string, Split>& splits;
  /// Reads another data set, of a completed spec, from the same place as the arm's.
  std::function<OtherData(const Node& dataset)> other_data = {};
};

/// A trained arm, the input of an analysis.
struct TrainedArm {
  Architecture& model;
  /// The same model before the first training step (rebuilt from the seed).
  std::function<std::shared_ptr<Architecture>()> initial;
  const std::map<std::string, Split>& splits;
  const Dataset& dataset;
  const Task& task;
  std::shared_ptr<Operator> op;  ///< may be null
  std::uint64_t seed = 0;
  std::int64_t eval_batch_size = 1000;
  /// The training samples that its steps have used: the first `most` of them, also where the split is in several files.
  std::function<Split(std::int64_t most)> trained_on = {};
  std::shared_ptr<Normalizer> normalizer = {};  ///< null: softmax
  /// Reads another data set, of a completed spec, from the same place as the arm's; on the arm's device.
  std::function<OtherData(const Node& dataset)> other_data = {};
};

/// The results of an analysis.
struct Findings {
  Metrics metrics;                                          ///< scalars; added to the job's metrics
  std::map<std::string, nlohmann::ordered_json> artifacts;  ///< written to `artifacts/<name>.json`
  std::vector<Media> media = {};                            ///< pictures, tables, histograms, text: for trackers, and stored in media/
  /// Set by an analysis whose model gives non-finite scores: "scores on 'test' are not finite". The job then counts as diverged, as after such an
  /// evaluation, and its other findings are discarded.
  std::string not_finite = {};
};

/// Analyses one trained arm. Must leave the model unchanged.
class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual Findings analyse(const TrainedArm& arm) const = 0;

  /// The names of what `analyse` finds in such an arm. Tables and figures are checked against them before anything runs. Reports use their titles,
  /// units and directions.
  virtual FindingNames names(const ArmParts& arm) const = 0;

  /// Throws a config error where this analysis cannot work. Called when an arm is planned, so that the error comes before the training.
  virtual void check(const ArmParts&) const {}

  /// Throws a config or data error where `analyse` cannot work with these data, and only they show it: "no whole document in the split 'test'". Called
  /// before the training, when the data are loaded; `check` is called again, too.
  virtual void check_data(const ArmParts&, const ArmData&) const {}

  /// True for analyses that also run on models whose training diverged; the others are skipped there.
  virtual bool of_diverged() const { return false; }
};

YATLAB_KIND(Analysis, "analysis", "measures a trained arm")

/// {"shape": [...], "data": [...]}: the form of a tensor in an artifact. float32 values are written with enough digits to read back exactly.
nlohmann::ordered_json tensor_to_json(const Tensor& tensor);

}  // namespace yatlab
