#include "core/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/report/format.h"
#include "core/report/statistics.h"

namespace yatlab {
namespace {

constexpr std::size_t kFewestSeeds = 3;
constexpr double kWidestInterval = 10;  // in tolerances

std::string plural(std::size_t n, const char* word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); }

NumberFormat format_named(const std::string& name) {
  for (const auto& [text, format] : number_formats()) {
    if (text == name) return format;
  }
  return NumberFormat::kNumber;
}

// Prints values with as many decimals as tell ours from the paper's.
class Printer {
 public:
  Printer(const VerdictInput& in, double m, double s) : format_(format_named(in.format)) {
    decimals_ = decimals_for(format_, {s}, {m, in.paper});
    if (is_percent(format_)) decimals_ = 2;
  }
  std::string value(double v) const { return format_value(v, format_, decimals_) + unit(format_); }
  std::string paper(double v) const { return format_exact(v, format_) + unit(format_); }
  std::string distance(double v) const {
    const auto plain = is_percent(format_) ? NumberFormat::kPercent : format_ == NumberFormat::kSigned ? NumberFormat::kNumber : format_;
    return format_value(std::abs(v), plain, decimals_) + (is_percent(format_) ? " points" : "");
  }
  std::string interval(const Interval& i) const {
    return fmt::format("[{}, {}]{}", format_value(i.low, format_, decimals_), format_value(i.high, format_, decimals_), unit(format_));
  }

 private:
  NumberFormat format_;
  int decimals_;
};

std::string losses(const VerdictInput& in) {
  std::vector<std::string> parts;
  if (in.diverged > 0) parts.push_back(plural(in.diverged, "seed") + " diverged");
  if (in.failed > 0) parts.push_back(plural(in.failed, "seed") + " without a result");
  return parts.empty() ? "" : "; " + join(parts, ", ");
}

Judgement decide(const VerdictInput& in) {
  const std::size_t needed = in.deterministic ? 1 : kFewestSeeds;
  if (in.values.size() < needed) {
    return {Verdict::kInconclusive, in.values.empty() ? std::string("no value was measured")
                                                      : fmt::format("{}, a verdict needs {}", plural(in.values.size(), "seed"), needed)};
  }
  const double m = mean(in.values);
  const double distance = std::abs(m - in.paper);
  // A deterministic metric repeats itself: one more run gives the same value.
  const Interval next = prediction_interval(in.values).value_or(Interval{m, m});
  const Printer print(in, m, sample_std(in.values).value_or(0));
  // The paper's own digits are rounded; a mean that is off by exactly the tolerance must not fail by a bit.
  const double slack = 1e-12 * std::max({std::abs(m), std::abs(in.paper), in.tolerance});
  const bool near = distance <= in.tolerance + slack;
  const bool plausible = next.low - slack <= in.paper && in.paper <= next.high + slack;
  if (near || plausible) {
    if (next.width() > kWidestInterval * in.tolerance + slack) {
      return {Verdict::kInconclusive, fmt::format("one more run would fall anywhere in {} (95 %), wider than ten tolerances of {}",
                                                  print.interval(next), print.distance(in.tolerance))};
    }
    if (near) {
      return {Verdict::kReproduced, fmt::format("mean {} is {} from {}, tolerance {}", print.value(m), print.distance(distance),
                                                print.paper(in.paper), print.distance(in.tolerance))};
    }
    return {Verdict::kReproduced,
            fmt::format("{} lies in {}, where one more run falls with 95 %", print.paper(in.paper), print.interval(next))};
  }
  const bool above = m > in.paper;
  Verdict verdict = Verdict::kDiffers;
  if (in.direction != Direction::kNone) {
    verdict = above == (in.direction == Direction::kHigher) ? Verdict::kBetter : Verdict::kWorse;
  }
  const std::string range =
      in.values.size() > 1 ? fmt::format(" and outside {}, where one more run falls with 95 %", print.interval(next)) : std::string();
  return {verdict, fmt::format("{} is {} {} the mean {}{}", print.paper(in.paper), print.distance(distance), above ? "below" : "above",
                               print.value(m), range)};
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
      return "reproduced";
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kDiffers:
      return "differs";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kNotComparable:
      return "not comparable";
  }
  return "?";
}

const char* mark(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
      return "\u2713";
    case Verdict::kBetter:
      return "\u25b2";
    case Verdict::kWorse:
      return "\u25bc";
    case Verdict::kDiffers:
      return "\u2260";
    case Verdict::kInconclusive:
      return "?";
    case Verdict::kNotComparable:
      return "\u2205";
  }
  return "";
}

Judgement judge(const VerdictInput& input) {
  Judgement out = input.not_comparable.empty() ? decide(input) : Judgement{Verdict::kNotComparable, join(input.not_comparable, "; ")};
  out.why += losses(input);
  return out;
}

}  // namespace yatlab
