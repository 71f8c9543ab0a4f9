#include "plugins/kernels/datasets/shaping.h"

#include <ATen/ATen.h>

#include <set>

#include "catch.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

// Image i of train is filled with the byte i and has the target i; test likewise, from 100.
std::map<std::string, Split> sample(std::int64_t n = 20) {
  const auto fill = [](std::int64_t from, std::int64_t count) {
    const auto values = at::arange(from, from + count);
    return Split{values.to(at::kByte).view({count, 1, 1}).expand({count, 2, 3}).contiguous(), values};
  };
  return {{"train", fill(0, n)}, {"test", fill(100, 10)}};
}

std::vector<std::int64_t> targets(const Split& s) {
  return {s.targets.data_ptr<std::int64_t>(), s.targets.data_ptr<std::int64_t>() + s.size()};
}

std::vector<std::int64_t> iota(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> out;
  for (; from < to; ++from) out.push_back(from);
  return out;
}

}  // namespace

TEST_CASE("pixels become floats in [0, 1]", "[shaping]") {
  auto splits = sample();
  splits["test"].inputs.fill_(255);
  shape_splits(splits, {}, 0);
  CHECK(splits.size() == 2);
  const auto& x = splits.at("train").inputs;
  CHECK(x.scalar_type() == at::kFloat);
  CHECK(x.sizes() == at::IntArrayRef({20, 2, 3}));
  for (int i = 0; i < 20; ++i) CHECK(x[i][1][2].item<float>() == static_cast<float>(i) / 255.0f);
  CHECK(splits.at("test").inputs.eq(1).all().item<bool>());
}

TEST_CASE("pixels can be symmetric or standardized", "[shaping]") {
  auto splits = sample();
  Shaping s;
  s.pixels = Shaping::Pixels::kSymmetric;
  shape_splits(splits, s, 0);
  CHECK(splits.at("train").inputs[0][0][0].item<float>() == -1.0f);
  CHECK(splits.at("test").inputs[5][0][0].item<float>() == Approx(105 / 127.5 - 1));

  splits = sample();
  s.pixels = Shaping::Pixels::kStandardized;
  s.limit = 10;
  shape_splits(splits, s, 0);
  // 0 .. 9: mean 4.5, population variance 99/12
  const double std = std::sqrt(99.0 / 12);
  CHECK(splits.at("train").inputs[9][0][0].item<float>() == Approx(4.5 / std));
  CHECK(splits.at("test").inputs[0][1][1].item<float>() == Approx((100 - 4.5) / std));

  splits = sample();
  s.mean = 0.25;
  s.std = 0.5;
  shape_splits(splits, s, 0);
  CHECK(splits.at("train").inputs[3][0][0].item<float>() == Approx((3 / 255.0 - 0.25) / 0.5));

  splits = sample();
  s.mean = s.std = std::nullopt;
  s.limit = 1;
  CHECK(caught([&] { shape_splits(splits, s, 0); }).why() == "the training pixels are all equal");
}

TEST_CASE("limits take the first samples", "[shaping]") {
  auto splits = sample();
  Shaping s;
  s.limit = 7;
  s.test_limit = 3;
  shape_splits(splits, s, 0);
  CHECK(targets(splits.at("train")) == iota(0, 7));
  CHECK(splits.at("train").inputs.size(0) == 7);
  CHECK(targets(splits.at("test")) == iota(100, 103));
  splits = sample();
  s.limit = 1000;
  shape_splits(splits, s, 0);
  CHECK(splits.at("train").size() == 20);
}

TEST_CASE("validation holds out the last samples or a seeded random draw", "[shaping]") {
  auto splits = sample();
  Shaping s;
  s.validation = 0.25;
  shape_splits(splits, s, 0);
  CHECK(targets(splits.at("train")) == iota(0, 15));
  CHECK(targets(splits.at("validation")) == iota(15, 20));
  CHECK(splits.at("validation").inputs[0][0][0].item<float>() == Approx(15 / 255.0));

  s.hold_out = Shaping::HoldOut::kSeeded;
  std::set<std::vector<std::int64_t>> draws;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    auto a = sample(), b = sample();
    shape_splits(a, s, seed);
    shape_splits(b, s, seed);
    const auto train = targets(a.at("train")), held = targets(a.at("validation"));
    CHECK(held == targets(b.at("validation")));
    CHECK(held.size() == 5);
    CHECK(std::is_sorted(train.begin(), train.end()));
    std::set<std::int64_t> all(train.begin(), train.end());
    all.insert(held.begin(), held.end());
    CHECK(all.size() == 20);
    for (std::size_t i = 0; i < held.size(); ++i) {  // images go with their targets
      CHECK(a.at("validation").inputs[static_cast<std::int64_t>(i)][0][0].item<float>() == Approx(static_cast<double>(held[i]) / 255));
    }
    draws.insert(held);
  }
  CHECK(draws.size() == 5);

  s.limit = 2;
  splits = sample();
  s.validation = 0.1;
  const auto e = caught([&] { shape_splits(splits, s, 0); });
  CHECK(e.kind() == ErrorKind::kConfig);
  CHECK(e.message() == "'dataset.validation' = 0.1 leaves no validation sample");
  CHECK(e.why() == "there are 2 training samples");
  s.limit = 1;
  s.validation = 0.9;
  splits = sample();
  CHECK(caught([&] { shape_splits(splits, s, 0); }).message() == "'dataset.validation' = 0.9 leaves no training sample");
}

TEST_CASE("validation is a share, or a number of samples", "[shaping]") {
  CHECK(held_out(0.25, 20) == 5);
  CHECK(held_out(0.9, 20) == 18);
  CHECK(held_out(1, 20) == 1);
  CHECK(held_out(5000, 60000) == 5000);
  CHECK(caught([] { held_out(20, 20); }).message() == "'dataset.validation' = 20 leaves no training sample");
  CHECK(caught([] { held_out(2.5, 20, "row"); }).hint() == "set a share up to 0.9, or an integer");
  CHECK(caught([] { held_out(0.95, 20); }).message() == "'dataset.validation' cannot be 0.95");
  auto splits = sample();
  Shaping s;
  s.validation = 7;
  shape_splits(splits, s, 0);
  CHECK(splits.at("validation").size() == 7);
  CHECK(splits.at("train").size() == 13);
}

TEST_CASE("floats that are pixels already are not divided again", "[shaping]") {
  auto splits = sample();
  for (auto& [name, split] : splits) split.inputs = at::full({split.size(), 2, 3}, 0.5f);
  shape_splits(splits, {}, 0);
  CHECK(splits.at("train").inputs.eq(0.5).all().item<bool>());
}
