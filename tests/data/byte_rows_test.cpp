#include "core/data/byte_rows.h"

#include <ATen/ATen.h>

#include <limits>

#include "catch.h"
#include "core/data/batches.h"
#include "core/ops/vector_code.h"
#include "plugins/kernels/datasets/shaping.h"

using namespace yatlab;

namespace {

constexpr std::int64_t kSamples = 6001, kSide = 28;  // MNIST's shape, and too large for any cache

/// Every byte value occurs, in every sample in another order; shaped like image sets.
Split images(Shaping::Pixels pixels = Shaping::Pixels::kUnit) {
  const Tensor numbers = at::arange(kSamples * kSide * kSide).mul(7919).remainder(256);
  std::map<std::string, Split> splits;
  splits["train"] = {numbers.to(at::kByte).view({kSamples, kSide, kSide}), at::arange(kSamples)};
  splits["test"] = {splits["train"].inputs.narrow(0, 0, 1), splits["train"].targets.narrow(0, 0, 1)};
  Shaping shaping;
  shaping.pixels = pixels;
  shape_splits(splits, shaping, 0);
  return splits.at("train");
}

}  // namespace

TEST_CASE("batches gathered from bytes equal those from tensors", "[batches][bytes]") {
  const std::string set = GENERATE("generic", "avx2", "avx512");
  const std::string before = kernel::instruction_set_name();
  if (!kernel::use_instruction_set(set)) return;
  const Split plain = images(GENERATE(Shaping::Pixels::kUnit, Shaping::Pixels::kSymmetric));
  Split split = plain;
  split.rows = byte_rows(split);
  REQUIRE(split.rows);
  CHECK(split.size() == kSamples);
  CHECK(&split.in_tensors("a test") == &split);
  Batches slow(plain, 64), fast(split, 64);
  for (const bool shuffle : {false, true}) {
    slow.start_epoch(shuffle, 5);
    fast.start_epoch(shuffle, 5);
    for (const std::int64_t index : {std::int64_t{0}, std::int64_t{17}, slow.count() - 1}) {
      const auto a = slow.get(index), b = fast.get(index);
      CHECK(a.inputs.sizes() == b.inputs.sizes());
      CHECK(at::equal(a.inputs, b.inputs));
      CHECK(at::equal(a.targets, b.targets));
    }
  }
  kernel::use_instruction_set(before);
}

TEST_CASE("only large inputs that are all bytes over 255 are kept as bytes", "[batches][bytes]") {
  const Split good = images();
  const auto with = [&](std::int64_t place, float value) {
    Split split{good.inputs.clone(), good.targets};
    split.inputs.data_ptr<float>()[place] = value;
    return byte_rows(split);
  };
  CHECK(with(0, 1.0F));
  const auto last = good.inputs.numel() - 1;
  for (const auto place : {std::int64_t{0}, std::int64_t{70000}, last}) {
    for (const float value : {0.5F, -0.0F, 1.0F / 255.0F + 1e-9F, -1.0F / 255.0F, 256.0F / 255.0F, std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity()})
      CHECK_FALSE(with(place, value));
  }
  const Split symmetric = images(Shaping::Pixels::kSymmetric);
  for (const float value : {0.0F, -0.0F, 0.5F, -1.0F - 1e-6F, 257.0F / 255.0F, std::numeric_limits<float>::quiet_NaN()}) {
    Split split{symmetric.inputs.clone(), symmetric.targets};
    REQUIRE(byte_rows(split));
    split.inputs.data_ptr<float>()[70000] = value;
    CHECK_FALSE(byte_rows(split));
  }
  CHECK_FALSE(byte_rows(images(Shaping::Pixels::kStandardized)));
  CHECK_FALSE(byte_rows({good.inputs.narrow(0, 0, 100), good.targets.narrow(0, 0, 100)}));
  CHECK_FALSE(byte_rows({good.inputs.to(at::kDouble), good.targets}));
  CHECK_FALSE(byte_rows({good.inputs.transpose(1, 2), good.targets}));
  CHECK_FALSE(byte_rows({}));
}
