#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <mutex>
#include <set>
#include <thread>

#include "catch.h"
#include "core/model/initialize.h"
#include "core/system/stop.h"
#include "core/train/arm_parts.h"
#include "core/train/threads.h"
#include "helpers.h"
#include "plugins/kernels/architectures/prototypes.h"

namespace yatlab {
namespace {

using testing::error_of;

std::shared_ptr<Architecture> built(const char* architecture) {
  const auto model = Registry<Architecture>::create(architecture);
  BuildContext context;
  context.op = Registry<Operator>::create("dot");
  context.input_shape = {2, 3};
  context.num_classes = 4;
  model->build(context);
  return model;
}

}  // namespace

TEST_CASE("threads: loops and matrix products get the same number", "[threads]") {
  const int before = at::get_num_threads();
  for (const int n : {2, 1}) {
    set_compute_threads(n);
    CHECK(at::get_num_threads() == n);
    const auto blas = describe_openblas();
    if (!blas.loaded) continue;  // another BLAS: nothing to set
    CHECK(blas.threads == n);
    CHECK_FALSE(blas.core.empty());
    CHECK(blas.config.find("OpenBLAS") != std::string::npos);
  }
  set_compute_threads(before);
}

// With Clang they run on one thread; cmake/Targets.cmake has the reason.
#if defined(__GNUC__) && !defined(__clang__)
TEST_CASE("threads: loops use as many threads as set", "[threads]") {
  const int before = at::get_num_threads();
  for (const int n : {1, 2}) {
    set_compute_threads(n);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    const auto note = [&] {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    };
    at::parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) { note(); });
    CHECK(seen.size() == static_cast<std::size_t>(n));
  }
  set_compute_threads(before);
}
#endif

TEST_CASE("prototypes are copied and missing ones are reported with the analysis", "[prototypes]") {
  const auto model = built("prototype_classifier");
  const Tensor w = prototypes_of(*model, "prototype_norms");
  REQUIRE(w.sizes() == at::IntArrayRef({4, 6}));
  w.zero_();
  CHECK(model->prototypes().abs().sum().item<double>() > 0);

  const auto mlp = built("mlp");
  CHECK(error_of([&] { prototypes_of(*mlp, "prototype_norms"); }) ==
        "analysis 'prototype_norms' needs an architecture with prototypes\n  try: use architecture=prototype_classifier, or remove the "
        "analysis");
  CHECK(error_of([&] { mlp->set_prototypes(w); }) ==
        "this architecture has no prototypes to replace\n"
        "  try: remove prototype analyses, or use an architecture with prototypes");
}

TEST_CASE("missing parts of an arm are reported by name", "[prototypes]") {
  ArmParts arm;
  CHECK(error_of([&] { arm.require_operator("study 's'"); }).rfind("study 's' needs an operator", 0) == 0);
  CHECK(error_of([&] { arm.require_model("study 's'"); }).rfind("study 's' needs a model", 0) == 0);
  CHECK(error_of([&] { arm.require_prototypes("study 's'"); }).rfind("study 's' needs a model", 0) == 0);
  CHECK(error_of([&] { arm.require_language_model("study 's'"); }).rfind("study 's' needs a model", 0) == 0);
  arm.op = Registry<Operator>::create("dot");
  CHECK_NOTHROW(arm.require_operator("study 's'"));
  arm.model = built("mlp");
  CHECK_NOTHROW(arm.require_model("study 's'"));
  CHECK(error_of([&] { arm.require_prototypes("study 's'"); }).rfind("study 's' needs an architecture with prototypes", 0) == 0);
  CHECK(error_of([&] { arm.require_language_model("study 's'"); }).rfind("study 's' needs a model that predicts tokens", 0) == 0);
  arm.model = built("prototype_classifier");
  CHECK_NOTHROW(arm.require_prototypes("study 's'"));

  CHECK_NOTHROW(arm.require_split("validation", "study 's'"));  // its splits are unknown
  arm.data.splits = {"train", "test"};
  CHECK_NOTHROW(arm.require_split("train", "study 's'"));
  CHECK_NOTHROW(arm.require_split("test", "study 's'"));
  const auto error = error_of([&] { arm.require_split("validation", "study 's'"); });
  CHECK(error.find("study 's': the data set has no split 'validation'") == 0);
  CHECK(error.find("it has train, test") != std::string::npos);
  CHECK(error.find("dataset.validation=0.1") == std::string::npos);
  arm.can_hold_back = true;
  CHECK(error_of([&] { arm.require_split("validation", "study 's'"); }).find("dataset.validation=0.1") != std::string::npos);
  CHECK(error_of([&] { arm.require_split("tset", "study 's'"); }).find("dataset.validation=0.1") == std::string::npos);
}

TEST_CASE("initialisation depends on seed, purpose and index alone", "[initialize]") {
  const auto drawn = [](std::uint64_t seed, const std::string& purpose, std::uint64_t index) {
    Tensor t = at::empty({5, 3});
    initialize(t, "normal", seed, purpose, index);
    return t;
  };
  const Tensor first = drawn(1, "layer", 0);
  at::manual_seed(99);
  at::randn({7});
  CHECK(at::equal(drawn(1, "layer", 0), first));
  CHECK_FALSE(at::equal(drawn(2, "layer", 0), first));
  CHECK_FALSE(at::equal(drawn(1, "other", 0), first));
  CHECK_FALSE(at::equal(drawn(1, "layer", 1), first));
  Tensor vector = at::empty({5});
  ComponentRef quarter = "constant";
  quarter.node.set("value", 0.25);
  initialize(vector, quarter, 1, "bias");
  CHECK(at::equal(vector, at::full({5}, 0.25)));
  CHECK(flat_size({28, 28}) == 784);
  CHECK(flat_size({}) == 1);
}

TEST_CASE("signals request a stop once handlers are installed", "[stop]") {
  install_stop_signals();
  REQUIRE(stop_signal() == 0);
  {
    const SavesWhenStopped saves;
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
      std::raise(signal);
      CHECK(stop_signal() == signal);
      request_stop(0);
    }
    CHECK(stop_signal() == 0);
  }
  // If there is nothing to save, the signal ends the process, except signals that only report a lost reader or terminal.
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE}) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::raise(signal);
      ::_exit(7);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    INFO(signal);
    if (signal == SIGUSR1 || signal == SIGPIPE) {
      CHECK(WIFEXITED(status));
    } else {
      CHECK(WIFSIGNALED(status));
      CHECK(WTERMSIG(status) == signal);
    }
  }
}

}  // namespace yatlab
