// The shipped experiments, at smoke scale, with trainer.device=guarded: every architecture, task, optimizer and analysis
// in them. Results must equal the CPU's.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "catch.h"
#include "core/base/text.h"
#include "core/plan/plan.h"
#include "core/run/run.h"
#include "experiment/support.h"
#include "guarded_device/guarded_device.h"
#include "guarded_device/tested_devices.h"
#include "helpers.h"
#include "holds.h"

namespace yatlab::testing {
namespace {

PlanRequest request(const std::string& experiment, const fs::path& results, std::vector<std::string> overrides) {
  PlanRequest out;
  out.experiment = fs::path(YATLAB_SOURCE_DIR) / "experiments" / experiment;
  out.config_path = {fs::path(YATLAB_SOURCE_DIR) / "configs"};
  out.overrides = std::move(overrides);
  out.overrides.insert(out.overrides.end(),
                       {"results=" + results.string(), "data.offline=true", "trackers=[]", "launcher=local", "launcher.workers=1",
                        "report.default_figures=false", "~figures"});  // independent of the device
  return out;
}

/// "arm/seed: metric" -> value, of every job and of its analyses.
std::map<std::string, double> run(const std::string& experiment, const TemporaryFolder& folder, const std::string& device,
                                  std::vector<std::string> overrides) {
  overrides.push_back("trainer.device=" + device);
  const auto results = folder.path() / device;
  RunOptions options;
  options.quiet = true;
  const auto outcome = run_plan(plan_run(request(experiment, results, std::move(overrides))), options);
  CHECK(outcome.exit_code == 0);
  std::map<std::string, double> out;
  for (const auto& entry : fs::recursive_directory_iterator(results)) {
    if (entry.path().filename() != "summary.json") continue;
    // results/NAME/RUN/jobs/...: the job's name does not depend on the run.
    std::string job;
    bool inside = false;
    for (const auto& part : fs::relative(entry.path(), results)) {
      if (inside) job += part.string() + "/";
      inside = inside || part == "jobs";
    }
    if (job.empty()) continue;  // a file of the run, not of a job
    const auto summary = read_json(entry.path());
    for (const auto& [metric, value] : summary.at("metrics").items()) {
      if (value.is_number()) out[job + ": " + metric] = value.get<double>();
    }
  }
  REQUIRE(out.size() > 1);
  return out;
}

/// Measured by a clock, or a property of the process.
bool depends_on_machine(const std::string& name) {
  for (const char* part : {"per_s", "rss", "mfu", "seconds", "memory/peak"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

void check_same_results(const std::string& experiment, double tolerance, std::vector<std::string> overrides = {"scale=smoke"}) {
  INFO(experiment);
  const TemporaryFolder folder;
  const auto here = run(experiment, folder, "cpu", overrides);
  for (const auto& device : tested_devices()) {
    const auto there = run(experiment, folder, name_of(device), overrides);
    CHECK(here.size() == there.size());
    for (const auto& [name, value] : here) {
      if (depends_on_machine(name)) continue;
      INFO(device << ": " << name);
      REQUIRE(there.count(name) == 1);
      if (std::isnan(value)) {
        CHECK(std::isnan(there.at(name)));
      } else if (device.is_cuda() && holds(name, "memory/saved")) {
        CHECK(there.at(name) <= value);  // less for GPT-2's attention: LibTorch's own keeps no weights
      } else {
        CHECK(there.at(name) == Approx(value).epsilon(tolerance).margin(tolerance));
      }
    }
  }
}

}  // namespace

TEST_CASE("MNIST, XOR and decision boundary experiments give the same results on a device", "[guarded][slow]") {
  check_same_results("mnist_inversion.yaml", 0.02, {"scale=smoke", "seeds=[0]"});
  check_same_results("xor.yaml", 0.05, {"scale=smoke", "seeds=[0,1]"});
  check_same_results("decision_boundaries.yaml", 0.02, {"scale=smoke", "seeds=[0]"});
}

TEST_CASE("extreme classification gives the same results on a device", "[guarded][slow]") {
  // With plain gradient descent: slopes of logarithms of scores near 0 are mostly rounding, which Adam would turn into full steps.
  std::vector<std::string> overrides{"scale=smoke", "trainer.epochs=1", "optimizer=sgd", "optimizer.lr=0.01"};
  // The same arms for longer.
  for (const char* arm : {"yat", "inner_product", "inner_product_raw", "cosine", "dot_scaled_q", "yat_spherical", "euclidean"})
    overrides.push_back(std::string("~arms.") + arm + "_converged");
  check_same_results("eurlex4k.yaml", 1e-3, overrides);
  // Each operator, and each loss, once.
  for (const char* arm :
       {"inner_product_raw", "dot_scaled_q", "dot_ova_q", "cosine_unscaled", "cosine_ova", "euclidean_q", "inverse_softermax_q",
        "inverse_ova", "inverse_ova_q", "yat_softmax_q", "yat_softermax_q", "yat_ova_q", "yat_spherical_softmax", "yat_spherical_ova"})
    overrides.push_back(std::string("~arms.") + arm);
  overrides.push_back("architecture.precision=bfloat16");
  check_same_results("eurlex4k.yaml", 1e-2, overrides);
}

TEST_CASE("language model experiments give the same results on a device", "[guarded][slow]") {
  check_same_results("gpt2_vs_aether.yaml", 0.01, {"scale=smoke", "trainer.steps=6", "trainer.eval_steps=3"});
  check_same_results("language_factorial.yaml", 0.01, {"scale=smoke", "trainer.steps=6", "trainer.eval_steps=3"});
  check_same_results("layernorm_ablation.yaml", 0.01,
                     {"scale=smoke", "trainer.steps=6", "trainer.eval_steps=3", "sweep.optimizer.lr=[1e-3]"});
}

TEST_CASE("Aether saves no more for backward than GPT-2 without LayerNorm on any kernel", "[guarded][slow]") {
  add_guarded_device();
  for (const std::string& device : guarded_device_works() ? std::vector<std::string>{"cpu", "guarded"} : std::vector<std::string>{"cpu"}) {
    const TemporaryFolder folder;
    std::map<std::string, double> kept;  // by arm, attention whole or in blocks
    for (const auto& [name, value] : run("language_memory.yaml", folder, device, {"scale=smoke"})) {
      if (holds(name, ": memory/saved") && !holds(name, "recomputed"))
        kept[name.substr(0, name.find('/')) + (holds(name, "block=0") ? " whole" : " blocks")] = value;
    }
    REQUIRE(kept.size() == 6);
    for (const char* attention : {" whole", " blocks"}) {
      INFO(device << attention);
      const auto of = [&](const char* arm) { return kept.at(std::string(arm) + attention); };
      CHECK(of("gpt2_no_ln") > 0);
      CHECK(of("aether") <= of("gpt2_no_ln") + 4 * 4);  // each layer's factor, a float
      CHECK(of("gpt2_no_ln") < of("gpt2"));
    }
  }
}

TEST_CASE("settings that a device does not support are rejected when planned", "[guarded]") {
  add_guarded_device();
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& experiment, std::vector<std::string> overrides) {
    overrides.push_back("scale=smoke");
    return error_of([&] { make_plan(request(experiment, folder.path(), overrides)); });
  };
  CHECK(holds(refusal("eurlex_baselines.yaml", {"trainer.device=guarded"}), "works on the CPU only"));
  CHECK(holds(refusal("eurlex4k.yaml", {"trainer.device=guarded", "optimizer=adam", "optimizer.lazy=true"}),
              "optimizer.lazy needs trainer.device=cpu"));
  CHECK(holds(refusal("mnist_inversion.yaml", {"trainer.device=tpu"}), "use cpu, cuda or cuda:0, or guarded"));
}

}  // namespace yatlab::testing
