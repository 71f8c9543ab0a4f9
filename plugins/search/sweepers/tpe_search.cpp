#include "plugins/search/sweepers/tpe_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "plugins/search/sweepers/draws.h"
#include "plugins/search/sweepers/trial_order.h"
#include "plugins/search/sweepers/unit_cube.h"

namespace yatlab {
namespace {

using Kind = SearchParameter::Kind;
using Indices = std::vector<std::size_t>;

constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// Attempts at drawing parameters independently until their combination is allowed; after that points are drawn from the space.
constexpr int kSeparateDraws = 100;

double below_normal(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// All trials have full weight while there are fewer than 25; otherwise those before the last 25 weigh less with age.
double age_weight(std::size_t i, std::size_t n) {
  constexpr std::size_t kFull = 25;
  if (n < kFull || i + kFull >= n) return 1;
  const double first = 1 / static_cast<double>(n);
  const std::size_t ramp = n - kFull;
  return ramp == 1 ? first : first + (1 - first) * static_cast<double>(i) / static_cast<double>(ramp - 1);
}

/// A mixture of products of kernels: one product per trial, in the order of their proposal, and one for the prior.
class Parzen {
 public:
  /// For the parameters `of`, from the points of the trials `from`.
  Parzen(const SearchSpace& space, const std::vector<Trial>& trials, const Indices& from, Indices of) : space_(space), of_(std::move(of)) {
    const std::size_t n = from.size();
    for (std::size_t i = 0; i < n; ++i) weights_.push_back(age_weight(i, n));
    weights_.push_back(1);
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    for (auto& w : weights_) w /= sum;
    for (const auto i : of_) {
      const auto& p = space.parameters[i];
      std::vector<double> values;
      for (const auto t : from) values.push_back(trials[t].point[i]);
      if (p.kind == Kind::kChoice) {
        kernels_.push_back(choice_kernels(p, values));
      } else {
        for (auto& value : values) value = to_unit(p, value);
        kernels_.push_back(number_kernels(values));
      }
    }
  }

  /// Writes values of its parameters into `point`.
  void draw(Draws& draws, SearchPoint& point) const {
    double rest = draws.uniform();
    std::size_t j = 0;
    while (j + 1 < weights_.size() && rest >= weights_[j]) rest -= weights_[j++];
    for (std::size_t c = 0; c < of_.size(); ++c) {
      const auto& p = space_.parameters[of_[c]];
      const Kernel& k = kernels_[c][j];
      if (p.kind == Kind::kChoice) {
        // The kernel's own choice, if it has one, with probability 1 - width; otherwise a uniform choice.
        const bool own = !std::isnan(k.at) && draws.uniform() < 1 - k.width;
        point[of_[c]] = own ? k.at : static_cast<double>(draws.below(p.choices));
      } else {
        double unit = k.at + k.width * draws.normal();
        while (!(unit >= 0 && unit < 1)) unit = k.at + k.width * draws.normal();
        point[of_[c]] = from_unit(p, unit);
      }
    }
  }

  double log_density(const SearchPoint& point) const {
    std::vector<double> logs(weights_.size());
    for (std::size_t j = 0; j < logs.size(); ++j) logs[j] = std::log(weights_[j]);
    for (std::size_t c = 0; c < of_.size(); ++c) {
      const auto& p = space_.parameters[of_[c]];
      const double value = point[of_[c]];
      const double unit = to_unit(p, value);
      const auto share = p.kind == Kind::kInteger ? unit_share(p, value) : std::pair(0.0, 0.0);
      for (std::size_t j = 0; j < logs.size(); ++j) {
        const Kernel& k = kernels_[c][j];
        if (p.kind == Kind::kChoice) {
          const double even = 1 / static_cast<double>(p.choices);
          logs[j] += std::log(std::isnan(k.at) ? even : k.width * even + (k.at == value ? 1 - k.width : 0));
        } else if (p.kind == Kind::kInteger) {
          logs[j] += std::log(below_normal((share.second - k.at) / k.width) - below_normal((share.first - k.at) / k.width)) - k.log_mass;
        } else {
          const double z = (unit - k.at) / k.width;
          logs[j] -= z * z / 2 + std::log(k.width) + k.log_mass;
        }
      }
    }
    const double most = *std::max_element(logs.begin(), logs.end());
    if (most == kNothing) return kNothing;
    double sum = 0;
    for (const double log : logs) sum += std::exp(log - most);
    return most + std::log(sum);
  }

 private:
  /// For a number: a normal distribution, truncated to the unit interval. For a choice: `at` is the trial's choice, or NaN, and `width` the weight
  /// of the uniform distribution over all choices.
  struct Kernel {
    double at = 0.5, width = 1, log_mass = 0;  ///< log of the normal distribution's mass in the interval
  };

  /// As in Optuna, where a trial's row counts 1 for its own choice and 1 / (number of kernels) for every choice.
  static std::vector<Kernel> choice_kernels(const SearchParameter& p, const std::vector<double>& values) {
    const double all = static_cast<double>(p.choices) / static_cast<double>(values.size() + 1);
    std::vector<Kernel> out;
    for (const double value : values) out.push_back({value, all / (1 + all)});
    out.push_back({std::nan(""), 1});
    return out;
  }

  /// The last is the prior: centred, as wide as the interval. It does not count as a neighbour of the others.
  static std::vector<Kernel> number_kernels(const std::vector<double>& at) {
    const std::size_t n = at.size();
    std::vector<Kernel> out(n);
    for (std::size_t j = 0; j < n; ++j) out[j].at = at[j];
    widths_by_neighbours(out);
    const double narrowest = 1 / std::min(100.0, 2 + static_cast<double>(n));
    out.emplace_back();
    for (auto& k : out) {
      if (std::isnan(k.at)) k = Kernel();
      k.width = std::clamp(k.width, narrowest, 1.0);
      k.log_mass = std::log(below_normal((1 - k.at) / k.width) - below_normal(-k.at / k.width));
    }
    return out;
  }

  /// A kernel's width is the distance to its farther neighbour; for the outermost kernels, to their only neighbour; for a single kernel, to the
  /// farther end of the interval. Trials without a value for the parameter are left out.
  static void widths_by_neighbours(std::vector<Kernel>& kernels) {
    Indices order;
    for (std::size_t j = 0; j < kernels.size(); ++j) {
      if (!std::isnan(kernels[j].at)) order.push_back(j);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return kernels[a].at < kernels[b].at; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t last = order.size() - 1;
      const double here = kernels[order[i]].at;
      const double left = here - (i == 0 ? 0 : kernels[order[i - 1]].at);
      const double right = (i == last ? 1 : kernels[order[i + 1]].at) - here;
      kernels[order[i]].width = last == 0 ? std::max(left, right) : i == 0 ? right : i == last ? left : std::max(left, right);
    }
  }

  const SearchSpace& space_;
  Indices of_;
  std::vector<double> weights_;
  std::vector<std::vector<Kernel>> kernels_;  ///< [parameter][trial]
};

/// Scores candidate points: a density of good trials and one of bad ones.
struct Model {
  Parzen good, bad;
  double gain(const SearchPoint& point) const { return good.log_density(point) - bad.log_density(point); }
};

Model model_of(const SearchSpace& space, const std::vector<Trial>& trials, Indices used, Indices of, const TpeSearch::Params& params) {
  best_first(trials, used);
  const auto valued = std::count_if(used.begin(), used.end(), [&](std::size_t t) { return has_value(trials[t]); });
  const auto share = static_cast<std::int64_t>(std::ceil(params.good_share * static_cast<double>(valued)));
  const auto middle = used.begin() + std::min({share, params.most_good, static_cast<std::int64_t>(valued)});
  Indices good(used.begin(), middle), bad(middle, used.end());
  std::sort(good.begin(), good.end());
  std::sort(bad.begin(), bad.end());
  return {Parzen(space, trials, good, of), Parzen(space, trials, bad, of)};
}

/// A point whose parameters were chosen independently, each from the trials in which it has a value.
class SeparateModels {
 public:
  SeparateModels(const SearchSpace& space, const std::vector<Trial>& trials, const TpeSearch::Params& params) : params_(params) {
    for (std::size_t i = 0; i < space.parameters.size(); ++i) {
      Indices used;
      for (std::size_t t = 0; t < trials.size(); ++t) {
        if (!std::isnan(trials[t].point[i])) used.push_back(t);
      }
      models_.push_back(model_of(space, trials, std::move(used), {i}, params));
    }
  }

  SearchPoint draw(Draws& draws) const {
    SearchPoint out(models_.size()), candidate(models_.size());
    for (std::size_t i = 0; i < models_.size(); ++i) {
      double best = kNothing;
      for (std::int64_t c = 0; c < params_.candidates; ++c) {
        models_[i].good.draw(draws, candidate);
        const double gain = models_[i].gain(candidate);
        if (c > 0 && !(gain > best)) continue;
        best = gain;
        out[i] = candidate[i];
      }
    }
    return out;
  }

 private:
  const TpeSearch::Params& params_;
  std::vector<Model> models_;
};

SearchPoint from_space(const SearchSpace& space, Draws& draws) {
  return draw_allowed(space, [&] {
    std::vector<double> unit(space.parameters.size());
    for (auto& u : unit) u = draws.uniform();
    return from_unit(space, unit);
  });
}

}  // namespace

SearchPoint TpeSearch::ask(const SearchSpace& space, const std::vector<Trial>& trials) const {
  Draws draws(static_cast<std::uint64_t>(p_.seed), "tpe search", trials.size());
  if (trials.size() < independent(space) || space.parameters.empty()) return from_space(space, draws);
  if (!p_.multivariate) {
    const SeparateModels models(space, trials, p_);
    for (int i = 0; i < kSeparateDraws; ++i) {
      auto point = models.draw(draws);
      if (!space.allowed || space.allowed(point)) return point;
    }
    return from_space(space, draws);
  }
  Indices used(trials.size()), of(space.parameters.size());
  std::iota(used.begin(), used.end(), std::size_t{0});
  std::iota(of.begin(), of.end(), std::size_t{0});
  const Model model = model_of(space, trials, std::move(used), std::move(of), p_);
  SearchPoint best;
  double most = kNothing;
  for (std::int64_t c = 0; c < p_.candidates; ++c) {
    const auto candidate = draw_allowed(space, [&] {
      SearchPoint point(space.parameters.size());
      model.good.draw(draws, point);
      return point;
    });
    const double gain = model.gain(candidate);
    if (c == 0 || gain > most) {
      most = gain;
      best = candidate;
    }
  }
  return best;
}

std::size_t TpeSearch::independent(const SearchSpace&) const { return static_cast<std::size_t>(p_.startup); }

}  // namespace yatlab
