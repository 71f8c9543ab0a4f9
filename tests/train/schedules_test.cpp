#include <cmath>

#include "catch.h"
#include "core/base/error.h"
#include "core/train/schedule.h"
#include "helpers.h"

namespace yatlab {
namespace {

using testing::spec;

std::shared_ptr<Schedule> schedule(const char* name, const std::vector<std::pair<std::string, Node>>& parameters = {}) {
  return Registry<Schedule>::create(spec(name, parameters));
}

}  // namespace

TEST_CASE("constant: 1 throughout, after a linear warm-up", "[schedules]") {
  const auto plain = schedule("constant");
  for (const int step : {0, 1, 99}) CHECK(plain->factor(step, 100, 10) == 1.0);
  const auto warm = schedule("constant", {{"warmup_steps", 4}});
  const double expected[] = {0.25, 0.5, 0.75, 1, 1, 1};
  for (int step = 0; step < 6; ++step) CHECK(warm->factor(step, 100, 10) == expected[step]);
  CHECK(schedule("constant", {{"warmup_steps", 1}})->factor(0, 100, 10) == 1.0);
}

TEST_CASE("linear: a straight line from the end of the warm-up", "[schedules]") {
  const auto s = schedule("linear", {{"warmup_steps", 5}, {"final_factor", 0.2}});
  for (int step = 0; step < 5; ++step) CHECK(s->factor(step, 25, 5) == Approx((step + 1) / 5.0));
  for (int step = 5; step <= 25; ++step) CHECK(s->factor(step, 25, 5) == Approx(1 - 0.8 * (step - 5) / 20.0));
  CHECK(s->factor(25, 25, 5) == Approx(0.2));
  CHECK(s->factor(40, 25, 5) == Approx(0.2));  // constant beyond the end
  const auto plain = schedule("linear");
  CHECK(plain->factor(0, 10, 1) == 1.0);
  CHECK(plain->factor(9, 10, 1) == Approx(0.1));
  CHECK(plain->factor(10, 10, 1) == 0.0);
}

TEST_CASE("cosine: half a cosine from the end of the warm-up", "[schedules]") {
  const auto s = schedule("cosine", {{"warmup_steps", 4}, {"final_factor", 0.1}});
  for (int step = 0; step < 4; ++step) CHECK(s->factor(step, 24, 6) == Approx((step + 1) / 4.0));
  CHECK(s->factor(4, 24, 6) == 1.0);
  for (int step = 4; step <= 24; ++step) {
    CHECK(s->factor(step, 24, 6) == Approx(0.1 + 0.45 * (1 + std::cos(3.14159265358979323846 * (step - 4) / 20.0))));
  }
  CHECK(s->factor(14, 24, 6) == Approx(0.55));  // halfway
  CHECK(s->factor(24, 24, 6) == Approx(0.1));
  double last = 2;
  for (int step = 3; step <= 24; ++step) {
    CHECK(s->factor(step, 24, 6) <= last);
    last = s->factor(step, 24, 6);
  }
}

TEST_CASE("a logarithmic warm-up agrees with DeepSpeed's", "[schedules]") {
  // WarmupDecayLR with 8 warm-up steps of 20, by its formula: log(i + 1) / log(8), then (20 - i) / 12.
  const double expected[] = {0, 0.333333333, 0.528320834, 0.666666667, 0.773976032, 0.861654166, 0.935784974, 1};
  const auto s = schedule("linear", {{"warmup_steps", 8}, {"warmup", "logarithmic"}});
  for (int step = 0; step < 8; ++step) CHECK(s->factor(step, 20, 5) == Approx(expected[step]).margin(1e-9));
  for (int step = 8; step <= 20; ++step) CHECK(s->factor(step, 20, 5) == Approx((20 - step) / 12.0).margin(1e-12));
  CHECK(schedule("cosine", {{"warmup_steps", 1}, {"warmup", "logarithmic"}})->factor(0, 20, 5) == 1.0);
}

TEST_CASE("a warm-up as long as the run, or longer, never divides by zero", "[schedules]") {
  for (const char* name : {"linear", "cosine"}) {
    INFO(name);
    const auto s = schedule(name, {{"warmup_steps", 10}, {"final_factor", 0.3}});
    CHECK(s->factor(9, 10, 5) == 1.0);
    CHECK(s->factor(10, 10, 5) == Approx(0.3));
    CHECK(s->factor(3, 4, 2) == Approx(0.4));
    CHECK(s->factor(12, 4, 2) == Approx(0.3));
  }
}

TEST_CASE("step: a drop every few epochs", "[schedules]") {
  const auto s = schedule("step", {{"every_epochs", 3}, {"gamma", 0.5}});
  const std::int64_t per_epoch = 7;
  for (std::int64_t step = 0; step < 70; ++step) {
    const std::int64_t drops = step / 21;
    CHECK(s->factor(step, 70, per_epoch) == Approx(std::pow(0.5, drops)));
  }
  CHECK(s->factor(20, 70, per_epoch) == 1.0);
  CHECK(s->factor(21, 70, per_epoch) == 0.5);
}

TEST_CASE("schedules reject invalid settings", "[schedules]") {
  CHECK_THROWS_AS(schedule("constant", {{"warmup_steps", -1}}), Error);
  CHECK_THROWS_AS(schedule("cosine", {{"final_factor", 1.5}}), Error);
  CHECK_THROWS_AS(schedule("linear", {{"final_factor", -0.1}}), Error);
  CHECK_THROWS_AS(schedule("step", {{"every_epochs", 0}}), Error);
  CHECK_THROWS_AS(schedule("step", {{"gamma", 0.0}}), Error);
}

}  // namespace yatlab
