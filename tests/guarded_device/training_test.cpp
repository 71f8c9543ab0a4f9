// Whole trainings on a device: the same history as on the CPU, and only the listed waits of the host.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "catch.h"
#include "core/config/yaml.h"
#include "guarded_device/guarded_device.h"
#include "guarded_device/tested_devices.h"
#include "temporary_folder.h"
#include "train/sparse.h"
#include "train/training.h"

namespace yatlab::testing {
namespace {

Setup on_device(Setup s, const c10::Device& device) {
  s.params.device = name_of(device);
  for (auto& [name, split] : s.splits) {
    const auto there = [&](const Tensor& t) { return t.layout() == at::kStrided ? t.to(device) : t; };
    split = Split{there(split.inputs), there(split.targets)};
  }
  return s;
}

/// Compares the histories of a training on each device, row by row.
void check_same_history(const Setup& s, double tolerance = 1e-4) {
  TemporaryFolder folder;
  Recorder here;
  train(s, folder.path() / "here", here);
  for (const auto& device : tested_devices()) {
    Recorder there;
    train(on_device(s, device), folder.path() / name_of(device), there);
    REQUIRE(here.rows.size() == there.rows.size());
    for (std::size_t i = 0; i < here.rows.size(); ++i) {
      CHECK(here.rows[i].step == there.rows[i].step);
      REQUIRE(here.rows[i].metrics.size() == there.rows[i].metrics.size());
      for (const auto& [name, value] : here.rows[i].metrics) {
        INFO(device << ": " << name << " at step " << here.rows[i].step);
        CHECK(there.rows[i].metrics.at(name) == Approx(value).epsilon(tolerance).margin(tolerance));
      }
    }
  }
}

/// A small language model; its text is a number sequence with some structure.
Setup language(const char* op, const std::string& architecture) {
  Setup s;
  Node model = parse_yaml("{name: transformer, layers: 3, heads: 2, width: 16, context: 12, dropout: 0.1, " + architecture + "}", "test");
  s.architecture = model;
  s.op = spec(op);
  s.task = spec("language_modeling");
  s.optimizer = spec("adamw", {{"lr", 1e-3}, {"weight_decay", 0.1}, {"decay_matrices_only", true}});
  s.input_shape = {12};
  s.classes = 20;
  const auto make = [](std::int64_t n, std::int64_t phase) {
    const Tensor t = (at::arange(n * 12, at::kLong) * 7 + phase).remainder(19).view({n, 12});
    return Split{t, (t + 7).remainder(19)};
  };
  s.splits = {{"train", make(64, 0)}, {"test", make(16, 5)}};
  s.params.grad_clip = 1.0;
  s.params.eval_batch_size = 8;
  return s;
}

constexpr const char* kAether = "norm: {place: none}, attention: {scale: none}, mlp: {kind: nmn, scale: n_over_log}";

/// The device traffic of one step, as the difference between two trainings.
GuardedTraffic::Counts per_step(Setup s) {
  add_guarded_device();
  constexpr std::int64_t kMore = 4;
  GuardedTraffic::Counts counts[2];
  s.params.log_every = 1000;
  s.params.shuffle = false;
  for (const int longer : {0, 1}) {
    s.params.steps = 3 + longer * kMore;
    s.params.eval_steps = *s.params.steps;
    Recorder recorder;
    TemporaryFolder folder;
    const Setup there = on_device(s, kGuarded);
    const GuardedTraffic traffic;
    train(there, folder.path(), recorder);
    counts[longer] = traffic.counts();
  }
  GuardedTraffic::Counts out;
  out.host_reads = (counts[1].host_reads - counts[0].host_reads) / kMore;
  out.sent = (counts[1].sent - counts[0].sent) / kMore;
  out.operations = (counts[1].operations - counts[0].operations) / kMore;
  for (const auto& [name, n] : counts[1].by_name) {
    if (const auto more = n - counts[0].by_name[name]; more > 0) out.by_name[name] = more / kMore;
  }
  return out;
}

}  // namespace

TEST_CASE("language models train the same on a device as on the CPU", "[guarded]") {
  for (const auto& [op, architecture] :
       std::vector<std::pair<const char*, std::string>>{{"dot", ""},
                                                        {"cosine", "attention: {scale: learned}"},
                                                        {"yat", kAether},
                                                        // A score near 0 that is alone in its row is mostly rounding, and so is the slope
                                                        // of s / (epsilon + s) there, if epsilon is small.
                                                        {"yat",
                                                         "norm: {place: pre, kind: rms}, attention: {scale: sqrt, block: 4, normalizer: "
                                                         "{name: softermax, epsilon: 0.01}}, mlp: {kind: nmn}, recompute: true"}}) {
    INFO(op << " " << architecture);
    Setup s = language(op, architecture);
    // Other kinds of devices draw other random numbers; the guarded one draws the CPU's.
    if (!guarded_device_works()) s.architecture.set("dropout", 0.0);
    check_same_history(s, 0.01);
  }
}

TEST_CASE("the host reads only loss and close pairs of a step on a device", "[guarded]") {
  if (!guarded_device_works()) return;
  SECTION("GPT-2: the host reads the loss only") {
    Setup s = language("dot", "");
    auto step = per_step(s);
    CHECK(step.host_reads == 1);
    CHECK(step.sent == 0);
    CHECK(step.by_name["aten::_local_scalar_dense"] == 1);
    // One list for all matrices, one for all gains, instead of nine operations per parameter.
    CHECK(step.by_name["aten::_foreach_mul_"] <= 6);
    CHECK(step.by_name["aten::_foreach_addcdiv_"] == 2);
    s.params.micro_batch = 4;
    step = per_step(s);
    CHECK(step.host_reads == 1);
    CHECK(step.sent == 0);
  }
  SECTION("Aether: the host also reads the number of close pairs for each use") {
    const auto step = per_step(language("yat", kAether));
    // Three layers: the MLP's forward and backward pass, the attention's forward pass, its recomputation, and its backward pass.
    CHECK(step.host_reads - 1 >= 3 * (2 + 3));
    CHECK(step.host_reads - 1 <= 2 * 3 * (2 + 3));
    CHECK(step.by_name.at("aten::nonzero") == 3 * (2 + 3));
    CHECK(step.sent == 0);
  }
  SECTION("classifier: the host reads the loss only") {
    Setup s;
    s.op = spec("cosine");
    const auto step = per_step(s);
    CHECK(step.host_reads == 1);
    CHECK(step.sent == 0);
  }
  SECTION("classifier with distances: the host also reads the number of close pairs") {
    Setup s;
    for (const auto& [op, uses] : {std::pair{"yat", 2}, {"euclidean", 1}}) {
      INFO(op);
      s.op = spec(op);
      const auto step = per_step(s);
      CHECK(step.by_name.at("aten::nonzero") == uses);
      CHECK(step.host_reads - 1 <= 2 * uses);
      CHECK(step.sent == 0);
    }
  }
  SECTION("extreme classification: batch features and labels are also sent") {
    Setup s = label_sets(true);
    for (const char* loss : {"cross_entropy", "one_vs_all"}) {
      INFO(loss);
      s.task.set("loss", loss);
      const auto step = per_step(s);
      CHECK(step.by_name.at("aten::nonzero") == 2);
      CHECK(step.host_reads - 1 <= 4);
      CHECK(step.sent == 3 + 4);  // of features: starts, columns, factors; of labels: rows, columns, shares, whether a row has any
    }
  }
}

TEST_CASE("classifiers train on a device as on the CPU", "[guarded]") {
  Setup s;
  for (const char* op : {"dot", "yat", "cosine", "euclidean"}) {
    INFO(op);
    s.op = spec(op);
    check_same_history(s);
  }
  s.op = spec("yat");
  for (const char* architecture : {"mlp", "one_hidden_layer"}) {
    INFO(architecture);
    s.architecture = spec(architecture);
    check_same_history(s);
  }
  s.input_shape = {2, 2};
  for (auto& [name, split] : s.splits) split.inputs = split.inputs.view({-1, 2, 2});
  for (const char* architecture :
       {"{name: cnn, channels: [3], normalization: batch}", "{name: resnet, width: 2, blocks: 1, scale: n_over_log}",
        "{name: mlp, hidden: [5], repeat: 2, operators: [operator, cosine, dot], normalization: batch}"}) {
    INFO(architecture);
    s.architecture = parse_yaml(architecture, "test");
    check_same_history(s, 5e-3);  // rounding grows step by step, by 2e-3 on some processors
  }
}

TEST_CASE("optimizers and gradient clipping give the same results on a device", "[guarded]") {
  Setup s;
  s.params.grad_clip = 0.05;
  s.params.micro_batch = 3;
  for (const auto& optimizer : {spec("adam", {{"lr", 0.05}, {"weight_decay", 0.1}}), spec("adamw", {{"lr", 0.05}, {"weight_decay", 0.1}}),
                                spec("sgd", {{"lr", 0.1}, {"momentum", 0.9}, {"weight_decay", 0.1}}),
                                spec("sgd", {{"lr", 0.1}, {"momentum", 0.9}, {"nesterov", true}})}) {
    INFO(optimizer.at("name").as_string());
    s.optimizer = optimizer;
    check_same_history(s);
  }
}

}  // namespace yatlab::testing
