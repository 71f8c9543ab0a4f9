#include "core/data/batches.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

#include "catch.h"
#include "core/data/permutation.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

// All targets of an epoch, and a check that inputs belong to them (row i holds i everywhere).
std::vector<std::int64_t> walk(Batches& batches) {
  std::vector<std::int64_t> seen;
  for (std::int64_t b = 0; b < batches.count(); ++b) {
    const auto batch = batches.get(b);
    REQUIRE(batch.inputs.size(0) == batch.targets.size(0));
    for (std::int64_t i = 0; i < batch.targets.size(0); ++i) {
      const auto target = batch.targets[i].item<std::int64_t>();
      REQUIRE(batch.inputs[i].eq(static_cast<double>(target)).all().item<bool>());
      seen.push_back(target);
    }
  }
  return seen;
}

}  // namespace

TEST_CASE("an epoch holds every sample once, each with its own target", "[batches]") {
  for (auto type : {at::kFloat, at::kDouble, at::kHalf, at::kLong}) {
    const auto targets = at::arange(103);
    const auto inputs = targets.to(type).view({103, 1, 1}).expand({103, 3, 2});  // strides of 0
    Batches batches(inputs, targets, 10);
    CHECK(batches.count() == 11);
    std::vector<std::int64_t> all(103);
    std::iota(all.begin(), all.end(), 0);
    CHECK(walk(batches) == all);  // before any epoch: the data's order
    batches.start_epoch(true, 1);
    auto shuffled = walk(batches);
    CHECK(shuffled != all);
    std::sort(shuffled.begin(), shuffled.end());
    CHECK(shuffled == all);
    batches.start_epoch(false, 1);
    CHECK(walk(batches) == all);
  }
}

TEST_CASE("the last batch is smaller, or dropped", "[batches]") {
  const auto x = at::zeros({103, 2}), y = at::zeros({103}, at::kLong);
  Batches keep(x, y, 10), drop(x, y, 10, true), large(x, y, 1000);
  for (bool shuffle : {false, true}) {
    for (auto* b : {&keep, &drop, &large}) b->start_epoch(shuffle, 3);
    CHECK(keep.count() == 11);
    CHECK(keep.get(10).inputs.sizes() == at::IntArrayRef({3, 2}));
    CHECK(keep.get(10).targets.sizes() == at::IntArrayRef({3}));
    CHECK(drop.count() == 10);
    CHECK(drop.get(9).inputs.size(0) == 10);
    CHECK(large.count() == 1);
    CHECK(large.get(0).inputs.size(0) == 103);
  }
  CHECK(caught([&] { drop.get(10); }).message() == "batch 10 is out of range: there are 10");
  CHECK(caught([&] { Batches(x, y, 104, true); }).message() == "an epoch has no batches");
  CHECK(caught([&] { Batches(x.narrow(0, 0, 0), y.narrow(0, 0, 0), 1); }).why() == "0 samples, batches of 1");
  CHECK(caught([&] { Batches(x, y, 0); }).exit_code() == 2);
  CHECK(caught([&] { Batches(x, y.narrow(0, 0, 5), 1); }).kind() == ErrorKind::kInternal);
}

TEST_CASE("the order of samples depends on the seed alone", "[batches]") {
  const auto targets = at::arange(1000);
  const auto inputs = targets.to(at::kFloat).unsqueeze(1).clone();
  Batches one(inputs, targets, 64), two(inputs, targets, 64);
  one.start_epoch(true, 5);
  const auto epoch = walk(one);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  two.start_epoch(true, 4);
  two.get(3);
  two.start_epoch(true, 5);
  CHECK(walk(two) == epoch);
  // A run that resumes in the middle of the epoch.
  const auto tail = two.get(15).targets;
  CHECK(std::vector<std::int64_t>(tail.data_ptr<std::int64_t>(), tail.data_ptr<std::int64_t>() + tail.size(0)) ==
        std::vector<std::int64_t>(epoch.begin() + 960, epoch.end()));
  at::set_num_threads(threads);
  two.start_epoch(true, 6);
  CHECK(walk(two) != epoch);
}

TEST_CASE("batches reuse their buffers", "[batches]") {
  Batches batches(at::zeros({100, 4}), at::zeros({100}, at::kLong), 10);
  batches.start_epoch(true, 0);
  const void* first = batches.get(0).inputs.data_ptr();
  CHECK(batches.get(7).inputs.data_ptr() == first);
}

TEST_CASE("permutations are portable and uniform", "[permutation]") {
  // Reference values from an implementation of the engine (64-bit Mersenne twister) and of the shuffle in another language.
  CHECK(permutation(8, 42) == std::vector<std::int64_t>{7, 0, 5, 1, 2, 4, 3, 6});
  CHECK(permutation(0, 1).empty());
  CHECK(permutation(1, 1) == std::vector<std::int64_t>{0});
  // Each of the 24 orders of 4 items: 24000 draws, 1000 expected, standard deviation 31.
  std::map<std::vector<std::int64_t>, int> counts;
  for (std::uint64_t seed = 0; seed < 24000; ++seed) ++counts[permutation(4, seed)];
  CHECK(counts.size() == 24);
  for (const auto& [order, n] : counts) CHECK(std::abs(n - 1000) < 5 * 31);
}
