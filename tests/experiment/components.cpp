#include "experiment/components.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/compose/sweeper.h"
#include "core/measure/analysis.h"
#include "core/measure/claim.h"
#include "core/measure/study.h"
#include "core/plan/plan.h"
#include "core/report/report.h"

namespace yatlab {
namespace testing {

std::vector<std::int64_t>& Breaking::seeds() {
  static std::vector<std::int64_t> seeds;
  return seeds;
}
std::vector<std::vector<Trial>>& witnessed_trials() {
  static std::vector<std::vector<Trial>> trials;
  return trials;
}
std::vector<ShownCurves>& shown_curves() {
  static std::vector<ShownCurves> curves;
  return curves;
}
std::atomic<int>& moving_data_version() {
  static std::atomic<int> version{0};
  return version;
}
std::atomic<int>& moving_data_loads() {
  static std::atomic<int> loads{0};
  return loads;
}

namespace {
std::mutex witness_mutex;
std::vector<std::string> witnessed;
void note(std::string event) {
  const std::lock_guard lock(witness_mutex);
  witnessed.push_back(std::move(event));
}
}  // namespace

std::vector<std::string> Witness::events() {
  const std::lock_guard lock(witness_mutex);
  return witnessed;
}
void Witness::clear() {
  const std::lock_guard lock(witness_mutex);
  witnessed.clear();
}
std::function<void(const JobSpec&, const Progress&)>& Witness::on_progress() {
  static std::function<void(const JobSpec&, const Progress&)> call;
  return call;
}
std::vector<std::string>& recording() {
  static std::vector<std::string> events;
  return events;
}
bool& throwing_config_error() {
  static bool config = false;
  return config;
}
std::string& throwing_call() {
  static std::string call;
  return call;
}
std::atomic<int>& throwing_calls() {
  static std::atomic<int> calls{0};
  return calls;
}

}  // namespace testing

namespace {

/// Fails for the seeds set by a test.
class BreakingAnalysis final : public Analysis {
 public:
  Findings analyse(const TrainedArm& arm) const override {
    const auto& seeds = testing::Breaking::seeds();
    if (std::count(seeds.begin(), seeds.end(), static_cast<std::int64_t>(arm.seed)) > 0) {
      throw config_error("broken on purpose", "the test");
    }
    Findings out;
    out.metrics["breaking/passed"] = 1;
    return out;
  }
  FindingNames names(const ArmParts&) const override { return {{"breaking/passed"}, {}}; }
};
YATLAB_REGISTER(Analysis, BreakingAnalysis, "breaking", "fails when a test says so");

/// Returns scores that are not finite for the seeds set by a test.
class LostAnalysis final : public Analysis {
 public:
  Findings analyse(const TrainedArm& arm) const override {
    const auto& seeds = testing::Breaking::seeds();
    Findings out;
    out.metrics["lost/passed"] = 1;
    if (std::count(seeds.begin(), seeds.end(), static_cast<std::int64_t>(arm.seed)) > 0) out.not_finite = "scores on 'test' are not finite";
    return out;
  }
  FindingNames names(const ArmParts&) const override { return {{"lost/passed"}, {}}; }
};
YATLAB_REGISTER(Analysis, LostAnalysis, "lost", "finds scores that are not finite when a test says so");

/// Four points whose provenance a test can change, as when real files arrive after a first run.
class MovingData final : public Dataset {
 public:
  std::map<std::string, Split> load(const DataContext&) override {
    ++testing::moving_data_loads();
    const bool real = testing::moving_data_version() == 1;
    provenance_ = {
        real ? "moving" : "standin", sha256(real ? "real" : "substitute"), real ? "local" : "embedded", real ? "" : "moving", {}};
    const float shift = real ? 0.5f : 0.0f;
    const Split points{at::tensor({0.f, 0.f, 0.f, 1.f, 1.f, 0.f, 1.f, 1.f}).view({4, 2}) + shift,
                       at::tensor(std::vector<std::int64_t>{0, 1, 1, 0}, at::kLong)};
    return {{"train", points}, {"test", points}};
  }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {2}; }
  std::int64_t num_classes() const override { return 2; }

 private:
  Provenance provenance_;
};
YATLAB_REGISTER(Dataset, MovingData, "moving", "data that change between runs");

/// Pictures of bytes, many enough to be kept as bytes, too (byte_rows). Their first row of pixels is empty.
class BytePictures final : public Dataset {
 public:
  std::map<std::string, Split> load(const DataContext&) override {
    provenance_ = {"byte_pictures", sha256("byte_pictures"), "embedded", "", {}};
    Tensor pixels = at::arange(kPictures * 28 * 28, at::kLong).remainder(256).to(at::kFloat).div(255).view({kPictures, 28, 28});
    pixels.select(1, 0).zero_();
    const Split train{pixels, at::arange(kPictures, at::kLong).remainder(10)};
    return {{"train", train}, {"test", Split{pixels.narrow(0, 0, 20), train.targets.narrow(0, 0, 20)}}};
  }
  const Provenance& provenance() const override { return provenance_; }
  std::vector<std::int64_t> input_shape() const override { return {28, 28}; }
  std::int64_t num_classes() const override { return 10; }

 private:
  static constexpr std::int64_t kPictures = 5500;
  Provenance provenance_;
};
YATLAB_REGISTER(Dataset, BytePictures, "byte_pictures", "pictures that are kept as bytes, too");

/// The dot product, with a text that changes only the job's identity.
class Labelled final : public Operator {
 public:
  struct Params {
    std::string label;
    static void declare(Fields& f, Params& p) { f.field("label", p.label, "any text"); }
  };
  explicit Labelled(const Params&) {}
  Tensor scores(const Tensor& x, const Tensor& w, const Tensor&) const override { return at::matmul(x, w.transpose(-1, -2)); }
  OperatorTraits traits() const override { return {}; }
  std::int64_t flops(std::int64_t b, std::int64_t n, std::int64_t d) const override { return 2 * b * n * d; }
};
YATLAB_REGISTER(Operator, Labelled, "labelled", "the dot product by another name");

class WitnessTracker final : public Tracker {
 public:
  void on_run_start(const RunInfo& info) override {
    testing::note(fmt::format("start {} jobs, {} workers", info.plan.jobs.size(), info.workers));
  }
  void on_job_start(const JobSpec& job, const JobBeginning& beginning) override {
    testing::note((beginning.kept ? "kept " : "begin ") + job.label());
  }
  void on_progress(const JobSpec& job, const Progress& progress) override {
    if (const auto& call = testing::Witness::on_progress()) call(job, progress);
  }
  void on_job_finish(const JobSpec& job, JobState state, const Metrics&, const std::string&) override {
    testing::note(fmt::format("{} {}", to_string(state), job.label()));
  }
  void on_run_finish() override { testing::note("finish"); }
};
YATLAB_REGISTER(Tracker, WitnessTracker, "witness", "tells a test what it was told");

/// Records all calls except progress and machine-specific paths.
class RecordingTracker final : public Tracker {
 public:
  void on_run_start(const RunInfo& info) override {
    std::string jobs;
    for (const auto& job : info.plan.jobs) jobs += " " + job.label() + " " + job.hash + " " + job.config.to_flow();
    note(fmt::format("run {} '{}' {} seeds={} {}", info.plan.name, info.plan.title, join(info.plan.arms, ","), info.plan.seeds.size(),
                     jobs));
  }
  void on_job_start(const JobSpec& job, const JobBeginning& beginning) override {
    note(fmt::format("start {} {}", job.label(), beginning.kept ? "kept" : "") +
         (beginning.data ? beginning.data->name + beginning.data->sha256 : ""));
  }
  void on_resume(const JobSpec& job, std::int64_t step) override { note(fmt::format("resume {} {}", job.label(), step)); }
  void on_metrics(const JobSpec& job, const MetricRow& row) override {
    std::string values;
    for (const auto& [name, value] : row.metrics) values += fmt::format(" {}={}", name, value);
    note(fmt::format("row {} {} {} {}{}", job.label(), row.step, row.epoch, row.tokens.value_or(-1), values));
  }
  void on_checkpoint(const JobSpec& job, const SavedCheckpoint& saved) override {
    note(fmt::format("checkpoint {} {} {}", job.label(), saved.step, fs::exists(saved.folder / "manifest.json")));
  }
  void on_media(const JobSpec& job, const Media& media) override {
    note(fmt::format("media {} {} {} {} '{}'", job.label(), media.name, media.step, media.value.index(), media.caption));
  }
  void on_job_finish(const JobSpec& job, JobState state, const Metrics& metrics, const std::string& why) override {
    std::string values;
    for (const auto& [name, value] : metrics) values += fmt::format(" {}={}", name, value);
    note(fmt::format("finish {} {} '{}'{}", job.label(), to_string(state), why, values));
  }
  void on_run_finish() override { note("finish"); }
  void on_report(const RunInfo&, const Report& report) override {
    std::string names;
    for (const auto& media : report.media) names += " " + media.name;
    note("report" + names);
  }

 private:
  static void note(std::string event) { testing::recording().push_back(std::move(event)); }
};
YATLAB_REGISTER(Tracker, RecordingTracker, "recording", "tells a test all that it was told");

class ThrowingTracker final : public Tracker {
 public:
  ThrowingTracker() { call("constructor"); }
  void on_run_start(const RunInfo&) override { call("on_run_start"); }
  void on_job_start(const JobSpec&, const JobBeginning&) override { call("on_job_start"); }
  void on_metrics(const JobSpec&, const MetricRow&) override { call("on_metrics"); }
  void on_progress(const JobSpec&, const Progress&) override { call("on_progress"); }
  void on_job_finish(const JobSpec&, JobState, const Metrics&, const std::string&) override { call("on_job_finish"); }
  void on_checkpoint(const JobSpec&, const SavedCheckpoint&) override { call("on_checkpoint"); }
  void on_media(const JobSpec&, const Media&) override { call("on_media"); }
  void on_run_finish() override { call("on_run_finish"); }
  void on_report(const RunInfo&, const Report&) override { call("on_report"); }

 private:
  static void call(const std::string& name) {
    ++testing::throwing_calls();
    if (name != testing::throwing_call()) return;
    if (testing::throwing_config_error()) throw config_error("this cannot be", "the test");
    throw std::runtime_error("no route to host");
  }
};
YATLAB_REGISTER(Tracker, ThrowingTracker, "throwing", "throws when a test says so");

/// Points along the diagonal of the space, each proposed after the results of earlier ones.
class WitnessSearch final : public SearchMethod {
 public:
  struct Params {
    static void declare(Fields&, Params&) {}
  };
  explicit WitnessSearch(const Params&) {}
  SearchPoint ask(const SearchSpace& space, const std::vector<Trial>& trials) const override {
    testing::witnessed_trials().push_back(trials);
    SearchPoint out;
    for (const auto& p : space.parameters) out.push_back(p.low + (p.high - p.low) * static_cast<double>(trials.size()) / 16);
    return out;
  }
  std::size_t independent(const SearchSpace&) const override { return 1; }
};
YATLAB_REGISTER(Sweeper, SweeperBy<WitnessSearch>, "witness", "tells a test what it was told");

class WitnessPruner final : public Pruner {
 public:
  bool prune(const std::vector<SearchCurve>& others, const SearchCurve& own) const override {
    testing::shown_curves().push_back({others, own});
    return false;
  }
};
YATLAB_REGISTER(Pruner, WitnessPruner, "witness", "tells a test what it was shown");

/// E(w, w) = bound: holds for the dot product with unit vectors and bound = 1.
class SelfSimilarity final : public Claim {
 public:
  struct Params {
    double bound = 1;
    static void declare(Fields& f, Params& p) { f.field("bound", p.bound, "the printed value"); }
  };
  explicit SelfSimilarity(const Params& p) : p_(p) {}
  void check(const ClaimContext& context, Evidence& evidence) const override {
    context.tick(0.5, "scoring");
    const auto w = at::ones({1, 1}, at::TensorOptions().dtype(at::kDouble));
    const double value = context.op.make()->scores(w, w).item<double>();
    evidence.equals(Role::kCore, "E(w,w)", value, p_.bound, 1e-12, "w = 1");
    evidence.set("points", context.scaled(100, 7));
    evidence.set("value", value);
  }

 private:
  Params p_;
};
YATLAB_REGISTER(Claim, SelfSimilarity, "thm:self-similarity", ClaimYaml{R"(title: Self-similarity
statement: E(w,w) = 1 for ‖w‖ = 1
how: one score
tried: "{points} points"
corrected:
  yat: E(w,w) = ‖w‖⁴/ε
counterexample: "w = 1: E = {value}"
)"});

/// Fails as third-party claims may.
class BreakingClaim final : public Claim {
 public:
  void check(const ClaimContext&, Evidence&) const override { throw std::runtime_error("no convergence"); }
};
YATLAB_REGISTER(Claim, BreakingClaim, "thm:breaking",
                ClaimYaml{"{title: Breaking, statement: this breaks, how: not at all, tried: nothing}"});

/// The norm of the first weight row of an untrained model, and a score.
class FirstRow final : public Study {
 public:
  Findings run(const StudyContext& context) const override {
    context.progress(0.5, "");
    const auto model = context.model({2, 2}, 3, context.seed);
    Findings out;
    out.metrics["rows"] = static_cast<double>(model->prototypes().size(0));
    out.metrics["columns"] = static_cast<double>(model->prototypes().size(1));
    out.metrics["norm"] = model->prototypes()[0].norm().item<double>();
    const auto w = at::ones({1, 1}, at::TensorOptions().dtype(at::kDouble));
    out.metrics["score"] = context.op->make()->scores(w, w).item<double>();
    out.artifacts["row"] = tensor_to_json(model->prototypes()[0]);
    return out;
  }
  FindingNames names(const ArmParts&) const override { return {{"rows", "columns", "norm", "score"}, {"row"}}; }
  void check(const ArmParts& arm) const override { arm.require_model("study 'first_row'"); }
};
YATLAB_REGISTER(Study, FirstRow, "first_row", "the first weight row");

}  // namespace
}  // namespace yatlab
