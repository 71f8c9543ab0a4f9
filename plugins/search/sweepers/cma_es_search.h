#pragma once

#include "core/compose/search.h"
#include "core/registry/fields.h"

namespace yatlab {

/// CMA-ES (Hansen 2016) in the unit cube: each generation of lambda points is drawn from one normal distribution, which then moves towards the
/// better half and adapts to its shape. Trial i belongs to generation i / lambda; until all results of a generation exist, points come from
/// the distribution before it. Space is mirrored at the cube's faces. Integers are rounded, and always vary by a few steps.
///
/// Pruned trials rank below completed ones, and failed ones last. Choices are a config error, as they have no normal distribution.
class CmaEsSearch final : public SearchMethod {
 public:
  struct Params {
    std::int64_t seed = 0, population = 0;
    double sigma = 0.1667;
    static void declare(Fields& f, Params& p) {
      f.field("seed", p.seed, "seed of the random points").non_negative().unlimited();
      f.field("population", p.population, "points per generation (lambda), at least 2; 0: 4 + 3 ln(number of parameters)").range(0, 1e5);
      f.field("sigma", p.sigma, "standard deviation of the first generation; 1: the whole range").positive().max(1);
    }
  };
  explicit CmaEsSearch(const Params& p) : p_(p) {}

  SearchPoint ask(const SearchSpace& space, const std::vector<Trial>& trials) const override;
  /// The size of the first generation.
  std::size_t independent(const SearchSpace& space) const override;

 private:
  Params p_;
};

}  // namespace yatlab
