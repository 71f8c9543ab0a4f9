#include "plugins/kernels/datasets/own_samples.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "catch.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

/// n samples of `classes` classes in turn; sample i holds i and -i.
OwnSamples samples(std::int64_t n, std::int64_t classes = 2) {
  OwnSamples out;
  const auto numbers = at::arange(n, at::kFloat);
  out.inputs = at::stack({numbers, -numbers}, 1);
  for (std::int64_t i = 0; i < n; ++i) out.labels.push_back("c" + std::to_string(i % classes));
  return out;
}

OwnSplits shaped(OwnSamples train, const OwnShaping& shaping = {}, std::vector<std::string>* notices = nullptr) {
  return shape_own_samples("mine", {{"train", std::move(train)}}, shaping, [&](const std::string& text) {
    if (notices) notices->push_back(text);
  });
}

std::set<float> firsts(const Split& split) {
  const auto column = split.inputs.select(1, 0).contiguous();
  return {column.data_ptr<float>(), column.data_ptr<float>() + column.numel()};
}

OwnSamples with_missing() {
  auto out = samples(100);
  out.inputs[3][1] = kNone;
  out.inputs[3][0] = kNone;
  out.inputs[40][1] = kNone;
  return out;
}

}  // namespace

TEST_CASE("the test share is stratified and the same for every training seed", "[own_samples]") {
  const auto a = shaped(samples(100, 4));
  REQUIRE(a.splits.size() == 2);
  const auto &train = a.splits.at("train"), &test = a.splits.at("test");
  CHECK(train.size() == 80);
  CHECK(test.size() == 20);
  CHECK(test.targets.bincount().equal(at::full({4}, 5, at::kLong)));
  auto all = firsts(train);
  for (const auto value : firsts(test)) CHECK(all.insert(value).second);  // in one of them
  CHECK(all.size() == 100);
  CHECK(at::equal(train.targets, train.inputs.select(1, 0).to(at::kLong).remainder(4)));  // samples keep their class
  CHECK(at::equal(train.inputs.select(1, 0), -train.inputs.select(1, 1)));
  const auto order = train.inputs.select(1, 0).contiguous();
  CHECK(std::is_sorted(order.data_ptr<float>(), order.data_ptr<float>() + order.numel()));
  CHECK(at::equal(shaped(samples(100, 4)).splits.at("test").inputs, test.inputs));
  OwnShaping other;
  other.split_seed = 1;
  CHECK_FALSE(at::equal(shaped(samples(100, 4), other).splits.at("test").inputs, test.inputs));
}

TEST_CASE("samples are split as configured", "[own_samples]") {
  OwnShaping shaping;
  shaping.test = 0.3;
  shaping.validation = 0.5;
  const auto a = shaped(samples(100), shaping);
  CHECK(a.splits.at("test").size() == 30);
  CHECK(a.splits.at("validation").size() == 36);  // round(0.5 * 35) of each class
  CHECK(a.splits.at("train").size() == 34);
  CHECK(shaping.splits() == std::vector<std::string>{"train", "validation", "test"});
  shaping = {};
  shaping.limit = 10;
  shaping.test_limit = 4;
  const auto cut = shaped(samples(100), shaping);
  CHECK(cut.splits.at("train").size() == 10);
  CHECK(cut.splits.at("test").size() == 4);
  CHECK(*firsts(cut.splits.at("train")).rbegin() > 20);  // drawn, not the first
  // A rare class contributes no test sample when classes are split separately.
  auto rare = samples(100);
  rare.labels[7] = "rare";
  shaping = {};
  const auto with_rare = shaped(rare, shaping);
  CHECK(with_rare.splits.at("train").targets.eq(2).sum().item<int>() == 1);
  auto alone = samples(6, 6);
  CHECK_THROWS_WITH(shaped(alone), Catch::Matchers::ContainsSubstring("'dataset.test' = 0.2 leaves no test sample of mine") &&
                                       Catch::Matchers::ContainsSubstring("dataset.stratify=false"));
  shaping.stratify = false;
  CHECK(shaped(alone, shaping).splits.at("test").size() == 1);
}

TEST_CASE("given test samples are kept as they are", "[own_samples]") {
  std::map<std::string, OwnSamples> parts = {{"train", samples(10)}, {"test", samples(4)}};
  OwnShaping shaping;
  const auto a = shape_own_samples("mine", parts, shaping, {});
  CHECK(a.splits.at("train").size() == 10);
  CHECK(a.splits.at("test").size() == 4);
  shaping.test = 0.2;
  CHECK_THROWS_WITH(shape_own_samples("mine", parts, shaping, {}), Catch::Matchers::ContainsSubstring("mine has its own test samples"));
  parts["test"].inputs = at::zeros({4, 3});
  CHECK_THROWS_WITH(shape_own_samples("mine", parts, {}, {}), Catch::Matchers::ContainsSubstring("test samples have a different shape") &&
                                                                  Catch::Matchers::ContainsSubstring("3 against 2"));
}

TEST_CASE("classes are ordered by numbers and then by words", "[own_samples]") {
  auto some = samples(12);
  some.labels = {"10", "9", "elm", "-1", "2.5", "oak", "10", "9", "elm", "-1", "2.5", "oak"};
  OwnShaping shaping;
  shaping.stratify = false;
  const auto a = shaped(some, shaping);
  CHECK(a.classes == std::vector<std::string>{"-1", "2.5", "9", "10", "elm", "oak"});
  CHECK_THROWS_WITH(shaped(samples(10, 1)),
                    Catch::Matchers::ContainsSubstring("only one class") && Catch::Matchers::ContainsSubstring("every label is 'c0'"));
}

TEST_CASE("feature scaling is fitted on training samples for each column", "[own_samples]") {
  auto train = samples(50), test = samples(50);
  train.inputs = at::stack({at::arange(50, at::kFloat) * 3 + 7, at::full({50}, 4.f)}, 1);
  test.inputs = train.inputs * 100;
  OwnShaping shaping;
  shaping.scale = OwnShaping::Scale::kStandardize;
  auto a = shape_own_samples("mine", {{"train", train}, {"test", test}}, shaping, {});
  const auto column = a.splits.at("train").inputs.select(1, 0).to(at::kDouble);
  CHECK(column.mean().item<double>() == Approx(0).margin(1e-6));
  CHECK(column.std(false).item<double>() == Approx(1));
  CHECK(a.splits.at("train").inputs.select(1, 1).abs().max().item<float>() == 0);  // the channel that never changes
  const double mean = 7 + 3 * 24.5, std = 3 * std::sqrt((50.0 * 50 - 1) / 12);
  CHECK(a.splits.at("test").inputs[49][0].item<double>() == Approx((15400 - mean) / std));
  CHECK(a.splits.at("test").inputs[0][1].item<double>() == Approx(396));  // minus the training mean, divided by 1
  shaping.scale = OwnShaping::Scale::kUnit;
  a = shape_own_samples("mine", {{"train", train}, {"test", test}}, shaping, {});
  CHECK(a.splits.at("train").inputs[0][0].item<float>() == 0);
  CHECK(a.splits.at("train").inputs[49][0].item<float>() == 1);
  // The values of a channel share one scale, as do all of a grey image's.
  shaping.scale = OwnShaping::Scale::kStandardize;
  auto images = samples(50);
  images.inputs = at::rand({50, 3, 4, 5}) * at::tensor({1.f, 10.f, 100.f}).view({1, 3, 1, 1});
  const auto channels =
      shape_own_samples("mine", {{"train", images}, {"test", images}}, shaping, {}).splits.at("train").inputs.to(at::kDouble);
  CHECK(at::allclose(channels.mean({0, 2, 3}), at::zeros({3}, at::kDouble), 0, 1e-5));
  CHECK(at::allclose(channels.std({0, 2, 3}, false), at::ones({3}, at::kDouble), 1e-5));
  images.inputs = at::rand({50, 4, 5}) * at::arange(1, 6, at::kFloat);
  const auto grey = shape_own_samples("mine", {{"train", images}, {"test", images}}, shaping, {}).splits.at("train").inputs.to(at::kDouble);
  CHECK(grey.std(false).item<double>() == Approx(1));
  CHECK(grey.select(2, 4).std(false).item<double>() > 1.1);  // not scaled to 1 separately
  // Bytes are fractions of 255, as in image sets.
  auto bytes = samples(50);
  bytes.inputs = at::full({50, 2}, 51, at::kByte);
  CHECK(shaped(bytes).splits.at("train").inputs[0][0].item<float>() == 0.2f);
}

TEST_CASE("missing values are rejected, dropped or filled with the training mean", "[own_samples]") {
  auto placed = with_missing();
  placed.place = [](std::int64_t sample, std::int64_t value) {
    return "row " + std::to_string(sample) + " value " + std::to_string(value);
  };
  CHECK_THROWS_WITH(shaped(placed), Catch::Matchers::ContainsSubstring("mine: 3 values in 2 of 100 train samples missing") &&
                                        Catch::Matchers::ContainsSubstring("row 3 value 0") &&
                                        Catch::Matchers::ContainsSubstring("dataset.missing=drop"));
  OwnShaping shaping;
  std::vector<std::string> notices;
  shaping.missing = OwnShaping::Missing::kDrop;
  const auto dropped = shaped(with_missing(), shaping, &notices);
  CHECK(dropped.splits.at("train").size() + dropped.splits.at("test").size() == 98);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0] == "mine: 3 values in 2 of 100 train samples missing: samples removed");
  shaping.missing = OwnShaping::Missing::kMean;
  auto test = samples(2);
  test.inputs[1][1] = kNone;
  const auto filled = shape_own_samples("mine", {{"train", with_missing()}, {"test", test}}, shaping, [](const std::string&) {});
  const double first = (99 * 50 - 3) / 99.0, second = -(99 * 50 - 3 - 40) / 98.0;
  CHECK(filled.splits.at("train").inputs[3][0].item<double>() == Approx(first));
  CHECK(filled.splits.at("train").inputs[40][1].item<double>() == Approx(second));
  CHECK(filled.splits.at("test").inputs[1][1].item<double>() == Approx(second));
  auto never = samples(10);
  never.inputs.select(1, 1).fill_(kNone);
  CHECK_THROWS_WITH(shaped(never, shaping), Catch::Matchers::ContainsSubstring("every training sample lacks value 1"));
  shaping.missing = OwnShaping::Missing::kDrop;
  CHECK_THROWS_WITH(shaped(never, shaping), Catch::Matchers::ContainsSubstring("every train sample of mine has a missing value"));
  auto infinite = samples(10);
  infinite.inputs[5][0] = std::numeric_limits<float>::infinity();
  CHECK_THROWS_WITH(shaped(infinite, shaping), Catch::Matchers::ContainsSubstring("1 value of mine is infinite") &&
                                                   Catch::Matchers::ContainsSubstring("train sample 5, value 0"));
}

TEST_CASE("files are found by path or in the data folders", "[own_samples]") {
  OfflineWorld world;
  put(world.context.root / "mine.csv", "a");
  put(world.dir / "lab/other.csv", "a");
  world.context.search_path = {world.dir / "lab"};
  CHECK(find_own_file("dataset.file", (world.dir / "lab/other.csv").string(), world.context) == world.dir / "lab/other.csv");
  CHECK(find_own_file("dataset.file", "mine.csv", world.context) == world.context.root / "mine.csv");
  CHECK(find_own_file("dataset.file", "other.csv", world.context) == world.dir / "lab/other.csv");
  const auto e = caught([&] { find_own_file("dataset.file", "none.csv", world.context); });
  CHECK(e.kind() == ErrorKind::kData);
  CHECK(e.message() == "'none.csv' does not exist");
  CHECK_THAT(e.why(), Catch::Matchers::ContainsSubstring(fs::current_path().string()) &&
                          Catch::Matchers::ContainsSubstring(world.context.root.string()) && Catch::Matchers::ContainsSubstring("lab"));
}

TEST_CASE("regression targets and unprintable class names are rejected", "[own_samples]") {
  using Catch::Matchers::ContainsSubstring;
  auto prices = samples(300);
  for (std::size_t i = 0; i < prices.labels.size(); ++i) prices.labels[i] = std::to_string(1000 + 7 * i);
  CHECK_THROWS_WITH(shaped(prices),
                    ContainsSubstring("mine: 300 different numbers as classes, in 300 samples") && ContainsSubstring("regression"));
  for (std::size_t i = 0; i < prices.labels.size(); ++i) prices.labels[i] = std::to_string(i / 5) + ",5";  // sixty, with decimal commas
  CHECK_THROWS_WITH(shaped(prices), ContainsSubstring("60 different numbers") && ContainsSubstring("regression"));
  auto few = samples(12);
  for (std::size_t i = 0; i < few.labels.size(); ++i) few.labels[i] = std::to_string(i) + ".25";
  CHECK_THROWS_WITH(shaped(few), ContainsSubstring("12 different numbers") && ContainsSubstring("regression"));
  std::vector<std::string> notices;
  for (std::size_t i = 0; i < prices.labels.size(); ++i) prices.labels[i] = std::to_string(i / 5);  // whole numbers may be classes
  CHECK(shaped(prices, {}, &notices).classes.size() == 60);
  REQUIRE(notices.size() == 1);
  CHECK_THAT(notices[0], ContainsSubstring("60 different numbers as classes") && ContainsSubstring("regression"));
  notices.clear();
  for (std::size_t i = 0; i < prices.labels.size(); ++i) prices.labels[i] = std::to_string(i % 20) + ".5";  // grades
  CHECK(shaped(prices, {}, &notices).classes.size() == 20);
  CHECK(notices.empty());
  auto odd = samples(20);
  odd.labels[3] = "1", odd.labels[4] = "1.0";
  CHECK_THROWS_WITH(shaped(odd), ContainsSubstring("classes '1' and '1.0' are the same number"));
  for (const char* name : {"Zo\xEB", "two\nlines", "\x1b[31m", ""}) {
    odd = samples(20);
    odd.labels[7] = name;
    const auto e = caught([&] { shaped(odd); });
    CHECK(e.where() == "mine: train sample 7");
    CHECK(std::string(e.what()).find('\x1b') == std::string::npos);
  }
  odd = samples(20);
  odd.labels[3] = "nan", odd.labels[4] = "inf";  // words
  odd.labels[5] = "3";
  OwnShaping shaping;
  shaping.stratify = false;
  CHECK(shaped(odd, shaping).classes == std::vector<std::string>{"3", "c0", "c1", "inf", "nan"});
}

TEST_CASE("empty inputs and inputs of mixed types are rejected", "[own_samples]") {
  using Catch::Matchers::ContainsSubstring;
  auto nothing = samples(10);
  nothing.inputs = at::zeros({10, 0});
  CHECK_THROWS_WITH(shaped(nothing), ContainsSubstring("train inputs contain no values") && ContainsSubstring("10 x 0"));
  std::map<std::string, OwnSamples> parts = {{"train", samples(10)}, {"test", samples(4)}};
  parts.at("train").inputs = at::full({10, 2}, 51, at::kByte);  // which would become 0.2 here, and stay 51 there
  CHECK_THROWS_WITH(shape_own_samples("mine", parts, {}, {}), ContainsSubstring("differ in type"));
}
