// Several ranks train one model: each in its own thread, with the same rendezvous as processes.
#include <ATen/ATen.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/train/gradient_exchange.h"
#include "core/train/rank_rendezvous.h"
#include "holds.h"
#include "temporary_folder.h"
#include "train/training.h"

namespace yatlab {
namespace {

using testing::after;
using testing::error_of;
using testing::go_on;
using testing::holds;
using testing::Recorder;
using testing::Setup;
using testing::train;
using testing::Trained;

RankPlace place_in(const RankStore& store, std::int64_t rank, std::int64_t size) {
  RankPlace out;
  out.rank = rank;
  out.size = size;
  out.address = "127.0.0.1";
  out.port = store.port();
  out.store_is_there = true;
  out.patience = 30;
  return out;
}

/// The result of `work` on each of `size` ranks; rank 0 is the calling thread.
template <class Work>
auto on_ranks(std::int64_t size, const Work& work) {
  using Result = decltype(work(std::declval<ProcessGroup&>()));
  const RankStore store;
  const auto as = [&](std::int64_t rank) {
    RankRendezvous rendezvous(place_in(store, rank, size));
    const auto group = rendezvous.join(at::kCPU);
    Result out = work(*group);
    group->leave();
    return out;
  };
  std::vector<std::future<Result>> others;
  for (std::int64_t r = 1; r < size; ++r) others.push_back(std::async(std::launch::async, as, r));
  std::vector<Result> out;
  out.push_back(as(0));
  for (auto& other : others) out.push_back(other.get());
  return out;
}

/// stops: one per rank; empty: no rank stops.
std::vector<Trained> train_together(std::int64_t ranks, const Setup& s, const fs::path& checkpoints, Recorder& recorder,
                                    const std::vector<std::function<bool()>>& stops = {}) {
  return on_ranks(ranks, [&](ProcessGroup& group) {
    Recorder unseen;
    const auto rank = static_cast<std::size_t>(group.rank());
    return train(s, checkpoints, rank == 0 ? recorder : unseen, stops.empty() ? go_on : stops[rank], &group);
  });
}

void check_close(const std::string& a, const std::string& b, double tolerance = 1e-4) {
  const auto x = parse_safetensors(a, "a").tensors, y = parse_safetensors(b, "b").tensors;
  REQUIRE(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    INFO(x[i].first);
    const double apart = (x[i].second.to(at::kDouble) - y[i].second.to(at::kDouble)).abs().max().item<double>();
    CHECK(apart < tolerance);
  }
}

void check_close(const Recorder& a, const Recorder& b, double tolerance = 1e-4) {
  REQUIRE(a.rows.size() == b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    CHECK(a.rows[i].step == b.rows[i].step);
    CHECK(a.rows[i].samples == b.rows[i].samples);
    REQUIRE(a.rows[i].metrics.size() == b.rows[i].metrics.size());
    for (const auto& [name, value] : a.rows[i].metrics) {
      INFO("step " << a.rows[i].step << " " << name);
      CHECK(std::abs(value - b.rows[i].metrics.at(name)) < tolerance * (1 + std::abs(value)));
    }
  }
}

}  // namespace

TEST_CASE("several ranks follow the curve of one process, and end with one model", "[ranks]") {
  Setup s;
  SECTION("points") { s.params.grad_clip = 0.5; }  // the last batch of 2: two of four ranks have no sample of it
  SECTION("points in micro-batches whose numbers differ by rank") {
    s.params.batch_size = 7;
    s.params.micro_batch = 2;
  }
  SECTION("text") { s = testing::small_language_model(); }
  SECTION("text in micro-batches") {
    s = testing::small_language_model();
    s.params.micro_batch = 1;
  }
  SECTION("text in recomputed blocks, with tied embeddings") {
    s = testing::small_language_model();
    s.architecture.set("recompute", true);
  }
  s.params.log_every = 1;
  const TemporaryFolder alone;
  Recorder one;
  const auto whole = train(s, alone.path(), one);
  for (const int ranks : {1, 2, 4}) {
    INFO(ranks << " ranks");
    const TemporaryFolder folder;
    Recorder many;
    const auto trained = train_together(ranks, s, folder.path(), many);
    check_close(one, many);
    check_close(whole.model, trained[0].model);
    for (const auto& other : trained) {
      CHECK(other.model == trained[0].model);
      CHECK(other.outcome.steps == whole.outcome.steps);
      CHECK(other.outcome.state == whole.outcome.state);
    }
    CHECK(trained[0].outcome.samples == whole.outcome.samples);
    Recorder again;
    const TemporaryFolder twice;
    CHECK(train_together(ranks, s, twice.path(), again)[0].model == trained[0].model);
    CHECK(again.rows == many.rows);
  }
}

TEST_CASE("interrupted ranks resume bitwise identically or up to rounding with other counts", "[ranks][resume]") {
  Setup s = testing::small_language_model(0.3);
  s.params.batch_size = 5;  // the last of 2: one of three ranks then draws nothing
  for (const int ranks : {2, 3}) {
    const TemporaryFolder unbroken, broken;
    Recorder a, b;
    const auto whole = train_together(ranks, s, unbroken.path(), a);
    // One rank receives the request; all stop after the same step.
    std::vector<std::function<bool()>> stops(static_cast<std::size_t>(ranks), go_on);
    stops.back() = after(7);
    for (const auto& part : train_together(ranks, s, broken.path(), b, stops)) {
      CHECK(part.outcome.state == TrainOutcome::State::kInterrupted);
      CHECK(part.outcome.steps == 7);
    }
    const auto end = train_together(ranks, s, broken.path(), b);
    CHECK(end[0].outcome.resumed);
    CHECK(end[0].model == whole[0].model);
    CHECK(end.back().model == whole[0].model);
    CHECK(a.rows == b.rows);
  }
  s = testing::small_language_model();
  const TemporaryFolder alone, broken;
  Recorder a, b;
  const auto whole = train(s, alone.path(), a);
  train_together(2, s, broken.path(), b, {after(3), go_on});
  train_together(3, s, broken.path(), b, {go_on, after(4), go_on});
  CHECK(b.rows.back().step == 7);
  const auto end = train(s, broken.path(), b);
  check_close(end.model, whole.model);
  check_close(a, b);
}

TEST_CASE("each rank's dropout uses its own random stream", "[ranks]") {
  // Both ranks see the same sample: gradients equal those of one process only without dropout, or with the same masks.
  const auto curve = [](double dropout, std::int64_t ranks) {
    Setup s = testing::small_language_model(dropout);
    for (auto& [name, split] : s.splits)
      split = {split.inputs.narrow(0, 0, 1).repeat({2, 1}), split.targets.narrow(0, 0, 1).repeat({2, 1})};
    s.params.batch_size = ranks;
    s.params.shuffle = false;
    s.params.steps = 1;
    if (ranks == 1) s.splits.at("train") = {s.splits.at("train").inputs.narrow(0, 0, 1), s.splits.at("train").targets.narrow(0, 0, 1)};
    const TemporaryFolder folder;
    Recorder r;
    train_together(ranks, s, folder.path(), r);
    for (const auto& row : r.rows) {
      if (row.metrics.count("train/batch_loss")) return row.metrics.at("train/batch_loss");
    }
    return 0.0;
  };
  CHECK(std::abs(curve(0, 1) - curve(0, 2)) < 1e-5);
  CHECK(std::abs(curve(0.5, 1) - curve(0.5, 2)) > 1e-3);
}

TEST_CASE("ranks end together: diverged, at a target or by early stopping", "[ranks]") {
  Setup s;
  s.params.epochs = 30;
  SECTION("diverged") { s.params.diverged_above = 0.9; }
  SECTION("a target") {
    s.params.target.metric = "test/accuracy";
    s.params.target.at_least = 0.7;
  }
  SECTION("early stopping") {
    s.params.early_stopping.metric = "test/accuracy";
    s.params.early_stopping.patience = 1;
  }
  const TemporaryFolder alone, folder;
  Recorder one, many;
  const auto whole = train(s, alone.path(), one);
  CHECK(whole.outcome.steps < 30 * 7);
  const auto ranks = train_together(3, s, folder.path(), many);
  for (const auto& rank : ranks) {
    CHECK(rank.outcome.state == whole.outcome.state);
    CHECK(rank.outcome.steps == whole.outcome.steps);
    CHECK(rank.model == ranks[0].model);
  }
  check_close(one, many, 1e-3);
}

TEST_CASE("ranks agree that evaluations show a divergence", "[ranks]") {
  Setup s = testing::small_language_model();
  s.optimizer.set("lr", 1e-12);
  s.params.diverged_evaluations = 2;
  s.params.eval_steps = 3;
  s.params.steps = 12;
  const TemporaryFolder folder;
  Recorder r;
  for (const auto& rank : train_together(3, s, folder.path(), r)) {
    CHECK(rank.outcome.state == TrainOutcome::State::kDiverged);
    CHECK(rank.outcome.steps == 6);
  }
}

TEST_CASE("ranks agree that an evaluation is not finite", "[ranks][finite]") {
  Setup s;
  SECTION("points") {}
  SECTION("text") { s = testing::small_language_model(); }
  SECTION("label sets") { s = testing::label_sets(true); }
  s.optimizer = testing::spec("adam", {{"lr", 1e38}});
  for (const bool last : {true, false}) {
    s.params.steps = last ? 1 : 5;
    s.params.eval_steps = 1;
    const TemporaryFolder folder;
    Recorder r;
    const auto ranks = train_together(3, s, folder.path(), r);
    for (const auto& rank : ranks) {
      CHECK(rank.outcome.state == TrainOutcome::State::kDiverged);
      CHECK(rank.outcome.steps == 1);
      CHECK(rank.model == ranks[0].model);
    }
    CHECK(holds(ranks[0].outcome.why, " is nan at step 1"));
    // Killed after it, they reach the same result.
    const auto again = train_together(3, s, folder.path(), r);
    for (const auto& rank : again) CHECK(rank.outcome.state == TrainOutcome::State::kDiverged);
    CHECK(again[0].outcome.why == ranks[0].outcome.why);
    CHECK(again[0].model == ranks[0].model);
  }
}

TEST_CASE("sparse gradients are summed by row with identical bytes on every rank", "[ranks]") {
  const auto gradients = on_ranks(3, [](ProcessGroup& group) {
    Tensor rows = at::zeros({6, 2}).requires_grad_(true), far = rows.detach().clone().requires_grad_(true),
           dense = at::zeros({3}).requires_grad_(true), unused = at::zeros({2}).requires_grad_(true);
    GradientExchange exchange({rows, dense, unused, far}, {}, group);
    // Numbers whose sum depends on the order.
    const std::vector<double> factors = {1e8, 1, -1e8};
    const auto rank = group.rank();
    Tensor order;
    for (int step = 0; step < 2; ++step) {
      for (const auto& p : {rows, dense, unused, far}) p.mutable_grad().reset();
      exchange.begin(static_cast<double>(rank), false);
      // Rank 1 has no sample in the second step, which must not affect the others.
      if (step == 0 || rank != 1) {
        const Tensor found = at::embedding(rows, at::tensor({rank, rank + 1, std::int64_t(5)}), -1, false, /*sparse=*/true);
        const Tensor one = at::embedding(far, at::tensor({std::int64_t(2)}), -1, false, /*sparse=*/true);
        (found.sum() * static_cast<double>(rank + 1) + dense.sum() * 2 + one.sum() * factors[static_cast<std::size_t>(rank)]).backward();
      }
      const auto told = exchange.finish();
      if (told.loss != 3) return std::make_tuple(Tensor(), Tensor(), Tensor());
      if (step == 0) order = far.grad()._values().clone();
    }
    return std::make_tuple(unused.grad().defined() ? Tensor() : rows.grad(), dense.grad(), order);
  });
  for (const auto& [rows, dense, order] : gradients) {
    REQUIRE(rows.defined());
    REQUIRE(rows.is_sparse());
    CHECK(at::equal(order, std::get<2>(gradients[0])));
    CHECK(rows.is_coalesced());
    CHECK(at::equal(rows._indices()[0], at::tensor({0, 1, 2, 3, 5}, at::kLong)));
    CHECK(at::equal(rows._values().select(1, 0), at::tensor({1.0F, 1.0F, 3.0F, 3.0F, 4.0F})));
    CHECK(at::equal(dense, at::tensor({4.0F, 4.0F, 4.0F})));
  }
}

TEST_CASE("gradient buckets are sent during the backward pass", "[ranks]") {
  /// A group of one that counts its calls.
  struct Counting final : ProcessGroup {
    struct Done final : Work {
      void wait() override {}
    };
    int reductions = 0;
    std::int64_t rank() const override { return 0; }
    std::int64_t size() const override { return 1; }
    std::unique_ptr<Work> all_reduce(const Tensor&, Reduce) override { return ++reductions, std::make_unique<Done>(); }
    void broadcast(const Tensor&) override {}
    std::vector<Tensor> all_gather(const Tensor& t) override { return {t}; }
    void leave() override {}
  } group;
  constexpr std::int64_t kWidth = 600;  // a matrix fills a bucket
  const Tensor first = at::full({kWidth, kWidth}, 1e-3).requires_grad_(true), second = first.detach().clone().requires_grad_(true);
  GradientExchange exchange({first, second}, {}, group);
  std::vector<int> when_half_way;
  const auto pass = [&] {
    Tensor middle = at::ones({2, kWidth}).matmul(first);
    middle.register_hook([&](const Tensor& gradient) {
      when_half_way.push_back(group.reductions);
      return gradient;
    });
    middle.matmul(second).sum().backward();
  };
  for (int step = 0; step < 2; ++step) {
    first.mutable_grad().reset();
    second.mutable_grad().reset();
    group.reductions = 0;
    pass();  // a micro-batch: nothing is sent
    exchange.begin(0, false);
    pass();
    exchange.finish();
    const Tensor expected = at::full({kWidth, kWidth}, 2 * 2 * 1e-3 * kWidth);
    CHECK(at::allclose(second.grad(), expected, 1e-4));
  }
  REQUIRE(when_half_way.size() == 4);
  CHECK(when_half_way[2] == 0);
  CHECK(when_half_way[3] == 2);  // the loss, and the second matrix's
  CHECK(group.reductions == 3);  // the loss, and two buckets
}

TEST_CASE("ranks notice when their parameters differ", "[ranks][errors]") {
  const auto equal = on_ranks(3, [](ProcessGroup& group) {
    const Tensor same = at::arange(5, at::kFloat), own = same.clone();
    if (group.rank() == 1) own[2].add_(1e-6);
    const bool before = equal_on_all_ranks({same}, group);
    return std::make_pair(before, equal_on_all_ranks({same, own}, group));
  });
  for (const auto& [before, changed] : equal) {
    CHECK(before);
    CHECK_FALSE(changed);
  }
}

TEST_CASE("ranks that cannot connect report the reason quickly", "[ranks][errors]") {
  const RankStore store;
  SECTION("different world sizes") {
    const RankRendezvous first(place_in(store, 0, 2));
    CHECK(holds(error_of([&] { const RankRendezvous second(place_in(store, 1, 3)); }), "rank 1 expects 3 ranks, but rank 0 expects 2"));
  }
  SECTION("the same rank twice") {
    const RankRendezvous first(place_in(store, 0, 2));
    CHECK(holds(error_of([&] { const RankRendezvous second(place_in(store, 0, 2)); }), "two processes have rank 0 of 2"));
  }
  SECTION("nobody listens") {
    auto place = place_in(store, 1, 2);
    place.port = 9;  // discard: no service listens there today
    place.patience = 1;
    const auto error = error_of([&] { const RankRendezvous lonely(place); });
    CHECK(holds(error, "rank 1 of 2: nobody answered within 1 seconds"));
    CHECK(holds(error, "MASTER_ADDR=127.0.0.1 MASTER_PORT=9"));
  }
  SECTION("a rank never arrives") {
    auto place = place_in(store, 0, 2);
    place.patience = 1;
    RankRendezvous first(place);
    CHECK(holds(error_of([&] { first.join(at::kCPU); }), "rank 1 did not answer in time"));
  }
  SECTION("a rank fails before joining") {
    RankRendezvous first(place_in(store, 0, 2)), second(place_in(store, 1, 2));
    second.report("no memory");
    try {
      first.join(at::kCPU);
      FAIL("the ranks connected");
    } catch (const ContactLost& lost) {
      CHECK(lost.why == "rank 1: no memory");
      CHECK(lost.failed);
    }
  }
  SECTION("rank 0 does not need the others") {
    RankRendezvous first(place_in(store, 0, 2)), second(place_in(store, 1, 2));
    first.announce(false);
    CHECK_FALSE(second.wanted(go_on));
  }
  SECTION("fewer samples than ranks") {
    Setup s;
    s.params.batch_size = 2;
    const TemporaryFolder folder;
    struct Many final : ProcessGroup {
      std::int64_t rank() const override { return 0; }
      std::int64_t size() const override { return 3; }
      std::unique_ptr<Work> all_reduce(const Tensor&, Reduce) override { return nullptr; }
      void broadcast(const Tensor&) override {}
      std::vector<Tensor> all_gather(const Tensor&) override { return {}; }
      void leave() override {}
    } group;
    Recorder r;
    CHECK(holds(error_of([&] { train(s, folder.path(), r, go_on, &group); }), "3 ranks cannot share a batch of 2 samples"));
  }
}

TEST_CASE("rank 0 with the store stays until the others have heard and no longer", "[ranks]") {
  const auto place = [](std::int64_t rank, std::int64_t port) {
    RankPlace out;
    out.rank = rank;
    out.size = 2;
    out.address = "127.0.0.1";
    out.port = port;
    out.patience = 30;
    return out;
  };
  const auto free_port = [] { return RankStore().port(); };
  const auto seconds_of = [](RankRendezvous& rendezvous) {
    const auto begin = std::chrono::steady_clock::now();
    rendezvous.wait_until_all_left();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  SECTION("a rank is late") {
    const auto port = free_port();
    RankRendezvous first(place(0, port)), second(place(1, port));
    first.announce(false);
    std::atomic<bool> asks{false};
    auto other = std::async(std::launch::async, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      asks = true;
      return second.wanted(go_on);
    });
    first.wait_until_all_left();
    CHECK(asks);
    CHECK_FALSE(other.get());
    CHECK(seconds_of(second) < 5);  // it does not hold the store
  }
  SECTION("a rank never asks") {
    auto here = place(0, free_port());
    here.patience = 1;
    RankRendezvous first(here);
    first.announce(false);
    const double waited = seconds_of(first);
    CHECK(waited > 0.9);
    CHECK(waited < 15);
  }
  SECTION("the store is elsewhere") {
    const RankStore store;
    RankRendezvous first(place_in(store, 0, 2));
    first.announce(false);
    CHECK(seconds_of(first) < 5);
  }
}

TEST_CASE("a rank that exits during training ends the others", "[ranks][errors]") {
  const RankStore store;
  const auto begin = std::chrono::steady_clock::now();
  const auto as = [&](std::int64_t rank) {
    auto place = place_in(store, rank, 2);
    place.patience = 2;
    RankRendezvous rendezvous(place);
    const auto group = rendezvous.join(at::kCPU);
    if (rank == 1) {
      rendezvous.report("it broke");
      return std::string();
    }
    try {
      group->broadcast(at::zeros({1}));  // leaves without waiting for an answer
      group->all_reduce(at::zeros({1}), ProcessGroup::Reduce::kSum)->wait();
    } catch (const ContactLost& lost) {
      return lost.why;
    }
    return std::string("nothing was noticed");
  };
  auto other = std::async(std::launch::async, as, 1);
  CHECK(as(0) == "rank 1: it broke");
  other.get();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

}  // namespace yatlab
