#include "core/verdict/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/verdict/format.h"

namespace yatlab {
namespace {

constexpr double kWidestInterval = 10;  // in tolerances

std::string plural(std::size_t n, const char* word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); }

NumberFormat format_named(const std::string& name) {
  for (const auto& [text, format] : number_formats()) {
    if (text == name) return format;
  }
  return NumberFormat::kNumber;
}

// Prints values with enough decimals to tell ours from the paper's.
class Printer {
 public:
  Printer(const VerdictInput& in, double m, double s) : in_(in), format_(format_named(in.format)) {
    decimals_ = decimals_for(format_, {s}, {m, in.paper.low, in.paper.high});
    if (is_percent(format_)) decimals_ = 2;
  }
  std::string value(double v) const { return format_value(v, format_, decimals_) + unit(format_); }
  std::string paper() const {
    if (in_.sample) return sample_text(*in_.sample, format_);
    if (in_.paper.width() == 0) return format_exact(in_.paper.low, format_) + unit(format_);
    return fmt::format("{} to {}{}", format_exact(in_.paper.low, format_), format_exact(in_.paper.high, format_), unit(format_));
  }
  /// "92.08 % ± 0.15 points"
  std::string region() const {
    if (in_.tolerance == 0) return paper();
    return fmt::format("{} ± {}", paper(), tolerance());
  }
  /// All its digits: rounded as our values are, a small one would be 0.
  std::string tolerance() const {
    const auto plain = is_percent(format_) ? NumberFormat::kPercent : NumberFormat::kNumber;
    return format_exact(in_.tolerance, plain) + (is_percent(format_) ? " points" : "");
  }
  std::string distance(double v) const {
    const auto plain = is_percent(format_) ? NumberFormat::kPercent : format_ == NumberFormat::kSigned ? NumberFormat::kNumber : format_;
    return format_value(std::abs(v), plain, decimals_) + (is_percent(format_) ? " points" : "");
  }
  /// "[−0.30, +0.12] points"
  std::string differences(const Interval& i) const {
    return fmt::format("[{}, {}]{}", format_difference(i.low, format_, decimals_), format_difference(i.high, format_, decimals_),
                       is_percent(format_) ? " points" : "");
  }
  std::string interval(const Interval& i) const {
    return fmt::format("[{}, {}]{}", format_value(i.low, format_, decimals_), format_value(i.high, format_, decimals_), unit(format_));
  }

 private:
  const VerdictInput& in_;
  NumberFormat format_;
  int decimals_;
};

std::size_t all_seeds(const VerdictInput& in) { return in.values.size() + in.not_finite + in.diverged + in.failed; }

std::string losses(const VerdictInput& in) {
  std::vector<std::string> parts;
  if (in.not_finite > 0) parts.push_back(fmt::format("not finite for {} of {}", in.not_finite, plural(all_seeds(in), "seed")));
  if (in.diverged > 0) parts.push_back(plural(in.diverged, "seed") + " diverged");
  if (in.failed > 0) parts.push_back(plural(in.failed, "seed") + " without a result");
  return parts.empty() ? "" : "; " + join(parts, ", ");
}

/// The 90 and 95 % intervals of the mean, and the 95 % interval of one more run. With a sample of the paper: of the difference, shifted by the
/// paper's mean.
struct Intervals {
  Interval mean90, mean95, next;
};

/// The compared quantity: our values, as a sample of n with a mean, and its uncertainty.
struct Compared {
  std::size_t n = 0;
  double m = 0;
  Intervals at;
  std::string test;  ///< the test used with a sample of the paper: "Welch's t-test"
  double p = 1;      ///< its p-value
};

/// Our values for the paper's seeds, in its order; empty if we lack one of them, or they are too few.
std::vector<double> values_of_its_seeds(const VerdictInput& in) {
  std::vector<double> out;
  for (const auto seed : in.sample->seeds) {
    const auto ours = std::find(in.seeds.begin(), in.seeds.end(), seed);
    if (ours == in.seeds.end()) return {};
    out.push_back(in.values.at(static_cast<std::size_t>(ours - in.seeds.begin())));
  }
  return out.size() < kFewestSeeds ? std::vector<double>{} : out;
}

Compared compared_with_sample(const VerdictInput& in) {
  const auto around = [](double m, const Interval& difference) { return Interval{m - difference.width() / 2, m + difference.width() / 2}; };
  if (const auto own = values_of_its_seeds(in); !own.empty()) {
    const auto test = paired_test(own, in.sample->values);
    std::vector<double> differences;
    for (std::size_t i = 0; i < own.size(); ++i) differences.push_back(own[i] - in.sample->values[i]);
    const double m = in.sample->summary.mean + test.difference;
    const auto wide = around(m, *test.ci95);
    return {own.size(),
            m,
            {around(m, *confidence_interval(differences, 0.90)), wide, wide},
            fmt::format("the paired t-test over {} seeds", own.size()),
            *test.p};
  }
  const auto test = welch_test(summarize(in.values), in.sample->summary);
  const double m = mean(in.values);
  const auto wide = around(m, test.interval(0.95));
  return {in.values.size(), m, {around(m, test.interval(0.90)), wide, wide}, "Welch's t-test", test.p};
}

Compared compared(const VerdictInput& in) {
  const std::size_t n = in.values.size();
  const double m = mean(in.values);
  if (n < 2 || in.deterministic) return {n, m, {{m, m}, {m, m}, {m, m}}, "", 1};
  if (in.share) {
    const auto wide = wilson_interval(m * static_cast<double>(n), static_cast<double>(n));
    return {n, m, {wilson_interval(m * static_cast<double>(n), static_cast<double>(n), 0.90), wide, wide}, "", 1};
  }
  if (in.sample) return compared_with_sample(in);
  return {n, m, {*confidence_interval(in.values, 0.90), *confidence_interval(in.values), *prediction_interval(in.values)}, "", 1};
}

bool meets(const Interval& a, const Interval& b) { return a.low <= b.high && b.low <= a.high; }
bool within(const Interval& inner, const Interval& outer) { return outer.low <= inner.low && inner.high <= outer.high; }

/// The step of the rule that decides.
enum class Step { kEqual, kTooWide, kNotReached, kConsistent, kOther, kNeither };

/// The sentence for a step, if the paper prints one value. `apart`: the distance of the mean from it.
std::string why_one_value(Step step, const Compared& ours, const Printer& print, const std::string& apart, bool plausible) {
  const auto& at = ours.at;
  switch (step) {
    case Step::kEqual:
      return fmt::format("{}, and its 90 % interval {} within {}", apart, print.interval(at.mean90), print.region());
    case Step::kTooWide:
      return fmt::format("one more run would fall anywhere in {} (95 %), wider than ten tolerances of {}", print.interval(at.next),
                         print.tolerance());
    case Step::kNotReached:
      return fmt::format("{} lies in {}, where one more run falls with 95 %, but the mean's 95 % interval {} does not reach {}",
                         print.paper(), print.interval(at.next), print.interval(at.mean95), print.region());
    case Step::kConsistent:
      return fmt::format("{}; the mean's 90 % interval {} is not within {}",
                         plausible
                             ? fmt::format("{} lies in {}, where one more run falls with 95 %", print.paper(), print.interval(at.next))
                             : fmt::format("{}, tolerance {}", apart, print.tolerance()),
                         print.interval(at.mean90), print.region());
    case Step::kOther:
      return fmt::format("{}, which lies outside {}, where one more run falls with 95 %; the mean's 95 % interval {} is outside {}", apart,
                         print.interval(at.next), print.interval(at.mean95), print.region());
    default:
      return fmt::format("{}; its 95 % interval {} is neither within nor outside {}", apart, print.interval(at.mean95), print.region());
  }
}

/// The same for a sample of the paper.
std::string why_sample(Step step, const VerdictInput& in, const Compared& ours, const Printer& print, const std::string& apart,
                       bool plausible) {
  const auto difference = [&](const Interval& i) { return print.differences({i.low - in.paper.low, i.high - in.paper.low}); };
  const auto narrow = difference(ours.at.mean90), wide = difference(ours.at.mean95), margin = print.tolerance();
  const auto tested = fmt::format("{}, {} ({})", apart, format_p(ours.p), ours.test);
  switch (step) {
    case Step::kEqual:
      return fmt::format("{}, and the 90 % interval of the difference, {}, lies within ± {} (two one-sided tests, {})", apart, narrow,
                         margin, ours.test);
    case Step::kTooWide:
      return fmt::format("the difference may lie anywhere in {} (95 %), wider than ten tolerances of {}", wide, margin);
    case Step::kConsistent:
      return fmt::format("{}; the 90 % interval of the difference, {}, is not within ± {}",
                         plausible ? tested : fmt::format("{}, tolerance {}", apart, margin), narrow, margin);
    case Step::kOther:
      return fmt::format("{}; the 95 % interval of the difference, {}, lies outside ± {}", tested, wide, margin);
    default:
      return fmt::format("{}; the 95 % interval of the difference, {}, is neither within nor outside ± {}", tested, wide, margin);
  }
}

Judgement decide(const VerdictInput& in) {
  const std::size_t n = in.values.size(), needed = in.deterministic ? 1 : kFewestSeeds;
  if (n < needed) {
    return {Verdict::kInconclusive,
            in.values.empty() ? std::string("no value was measured") : fmt::format("{}, a verdict needs {}", plural(n, "seed"), needed)};
  }
  if (in.diverged + in.not_finite > 0) {
    return {Verdict::kInconclusive,
            fmt::format("the mean is that of the {} of {} which are left", n, plural(n + in.diverged + in.not_finite, "seed"))};
  }
  const Compared ours = compared(in);
  const double m = ours.m;
  const Intervals& at = ours.at;
  const Printer print(in, m, sample_std(in.values).value_or(0));
  // The paper's digits are rounded; a mean off by exactly the tolerance must not fail because of one bit.
  const double slack = 1e-12 * std::max({std::abs(m), std::abs(in.paper.low), std::abs(in.paper.high), in.tolerance});
  const Interval region{in.paper.low - in.tolerance - slack, in.paper.high + in.tolerance + slack};
  const Interval printed{in.paper.low - slack, in.paper.high + slack};
  const bool near = region.contains(m);
  const bool above = m > in.paper.high;
  const double distance = printed.contains(m) ? 0 : above ? m - in.paper.high : in.paper.low - m;

  const auto other = [&](const std::string& evidence) -> Judgement {
    Verdict verdict = Verdict::kDiffers;
    if (in.direction != Direction::kNone) verdict = above == (in.direction == Direction::kHigher) ? Verdict::kBetter : Verdict::kWorse;
    return {verdict, evidence};
  };
  if (in.deterministic) {
    const auto text =
        distance == 0 ? fmt::format("{} is {}", print.value(m), in.paper.width() == 0 ? print.paper() : "in " + print.paper())
                      : fmt::format("{} is {} {} {}", print.value(m), print.distance(distance), above ? "above" : "below", print.paper());
    const auto exact = fmt::format("{}, tolerance {}; deterministic", text, print.tolerance());
    return near ? Judgement{Verdict::kReproduced, exact} : other(exact);
  }
  const auto apart =
      distance == 0
          ? fmt::format("the mean {} {} {}", print.value(m), in.paper.width() == 0 ? "is" : "lies in", print.paper())
          : fmt::format("the mean {} is {} {} {}", print.value(m), print.distance(distance), above ? "above" : "below", print.paper());
  const bool equal = within(at.mean90, region), plausible = meets(at.next, printed);
  const bool too_wide = at.next.width() > kWidestInterval * in.tolerance + slack && in.paper.width() == 0;
  const auto reason = [&](Step step) {
    return ours.test.empty() ? why_one_value(step, ours, print, apart, plausible) : why_sample(step, in, ours, print, apart, plausible);
  };
  if (equal && ours.n >= kFewestForEquality) return {Verdict::kReproduced, reason(Step::kEqual)};
  if (near || plausible) {
    if (too_wide) return {Verdict::kInconclusive, reason(Step::kTooWide)};
    if (!meets(at.mean95, region)) return {Verdict::kInconclusive, reason(Step::kNotReached)};
    if (!equal) return {Verdict::kConsistent, reason(Step::kConsistent)};
    return {Verdict::kConsistent,
            fmt::format("{}, tolerance {}; equality takes {} seeds, here are {}", apart, print.tolerance(), kFewestForEquality, ours.n)};
  }
  if (!meets(at.mean95, region)) return other(reason(Step::kOther));
  return {Verdict::kInconclusive, reason(Step::kNeither)};
}

}  // namespace

const std::vector<std::pair<std::string, Direction>>& directions() {
  static const std::vector<std::pair<std::string, Direction>> all = {
      {"higher", Direction::kHigher}, {"lower", Direction::kLower}, {"none", Direction::kNone}};
  return all;
}

const std::vector<Verdict>& all_verdicts() {
  static const std::vector<Verdict> all = {Verdict::kReproduced, Verdict::kConsistent,   Verdict::kBetter,       Verdict::kWorse,
                                           Verdict::kDiffers,    Verdict::kInconclusive, Verdict::kUndertrained, Verdict::kNotComparable};
  return all;
}

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
      return "reproduced";
    case Verdict::kConsistent:
      return "consistent";
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kDiffers:
      return "differs";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kUndertrained:
      return "undertrained";
    case Verdict::kNotComparable:
      return "not comparable";
  }
  return "?";
}

std::string counted_verdict(std::size_t n, const std::string& verdict) {
  const std::string one = to_string(Verdict::kDiffers);
  if (n == 1 || verdict.rfind(one, 0) != 0) return fmt::format("{} {}", n, verdict);
  return fmt::format("{} differ{}", n, verdict.substr(one.size()));
}

std::string sample_text(const PaperSample& sample, NumberFormat format, bool with_n) {
  const auto plain = is_percent(format) ? NumberFormat::kPercent : format == NumberFormat::kScientific ? format : NumberFormat::kNumber;
  const auto& s = sample.summary;
  const auto places = [](const std::string& text) {
    const auto point = text.find('.');
    return point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
  };
  // Printed values keep their digits; a mean and deviation computed from values by seed would have too many.
  const int decimals = sample.values.empty() ? std::max(places(format_exact(s.mean, format)), places(format_exact(s.std, plain)))
                                             : decimals_for(format, {s.std}, {s.mean});
  const bool exact = format == NumberFormat::kScientific && sample.values.empty();
  return fmt::format("{} ± {}{}{}", exact ? format_exact(s.mean, format) : format_value(s.mean, format, decimals),
                     exact ? format_exact(s.std, plain) : format_value(s.std, plain, decimals), unit(format),
                     with_n ? fmt::format(" (n = {})", s.n) : "");
}

std::string verdict_name(const Judgement& judgement) {
  return to_string(judgement.verdict) + std::string(judgement.fitted ? ", fitted" : "");
}

Judgement judge(const VerdictInput& input) {
  Judgement out = !input.not_comparable.empty() ? Judgement{Verdict::kNotComparable, join(input.not_comparable, "; ")}
                  : input.unmet                 ? *input.unmet
                                                : decide(input);
  out.why += losses(input);
  // For a protocol chosen by these numbers, agreement is weak evidence, but a miss is not.
  out.fitted = !input.fitted.empty() && (out.verdict == Verdict::kReproduced || out.verdict == Verdict::kConsistent);
  if (out.fitted) out.why += fmt::format("; {} under a fitted protocol: {}", to_string(out.verdict), input.fitted);
  return out;
}

}  // namespace yatlab
