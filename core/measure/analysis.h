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

/// A data set beside the arm's own.
struct OtherData {
  std::shared_ptr<const Dataset> dataset;
  std::map<std::string, Split> splits;
};

/// A trained arm, as an analysis sees it.
struct TrainedArm {
  Architecture& model;
  /// The same model as it was before the first step (rebuilt from the seed).
  std::function<std::shared_ptr<Architecture>()> initial;
  const std::map<std::string, Split>& splits;
  const Dataset& dataset;
  const Task& task;
  std::shared_ptr<Operator> op;  ///< may be null
  std::uint64_t seed = 0;
  std::int64_t eval_batch_size = 1000;
  /// What its steps have seen of the training split, also where that lies in several files: the first samples, `most` of them.
  std::function<Split(std::int64_t most)> trained_on = {};
  std::shared_ptr<Normalizer> normalizer = {};  ///< null: softmax
  /// Reads another data set, of a completed spec, from where the arm's was read; on the arm's device.
  std::function<OtherData(const Node& dataset)> other_data = {};
};

/// What an analysis found.
struct Findings {
  Metrics metrics;                                          ///< scalars; join the job's metrics
  std::map<std::string, nlohmann::ordered_json> artifacts;  ///< written to `artifacts/<name>.json`
  std::vector<Media> media = {};                            ///< pictures, tables, histograms, text: for trackers, and kept in media/
  /// Set by an analysis whose model gives scores that are not finite numbers, "scores on 'test' are not finite": the job is diverged then, as
  /// after such an evaluation, and nothing else that was found counts.
  std::string not_finite = {};
};

/// Looks at one trained arm. Must leave the model as it found it.
class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual Findings analyse(const TrainedArm& arm) const = 0;

  /// What `analyse` finds in such an arm: tables and figures are checked against it before anything runs, and its titles, units and directions
  /// are those of reports.
  virtual FindingNames names(const ArmParts& arm) const = 0;

  /// Throws a config error where this analysis cannot work. Called when an arm is planned: nobody should learn it after the training.
  virtual void check(const ArmParts&) const {}

  /// True for those that also look at models whose training diverged; others are passed over there.
  virtual bool of_diverged() const { return false; }
};

YATLAB_KIND(Analysis, "analysis", "looks at a trained arm")

/// {"shape": [...], "data": [...]}: how a tensor travels in an artifact. float32 values are written
/// with the digits that read back the same.
nlohmann::ordered_json tensor_to_json(const Tensor& tensor);

}  // namespace yatlab
