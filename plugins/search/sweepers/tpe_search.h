#pragma once

#include "core/compose/search.h"
#include "core/registry/fields.h"

namespace yatlab {

/// Tree-structured Parzen estimator (Bergstra et al. 2011): a density of the good trials' points and one of the bad ones', each a mixture of
/// a kernel around every point and a wide prior. Of the points drawn from the good density, it proposes the one with the largest ratio to the bad
/// density. Kernels are as in Optuna (Akiba et al. 2019), in the unit cube: of integers by their shares, of choices by smoothed counts.
///
/// Pruned trials rank below completed ones, failed ones count as bad, and running ones count as bad until they end, so that points proposed
/// in the meantime differ. A trial in which a parameter has no value (NaN) does not contribute to that parameter.
class TpeSearch final : public SearchMethod {
 public:
  struct Params {
    std::int64_t seed = 0, startup = 10, candidates = 24, most_good = 25;
    double good_share = 0.1;
    bool multivariate = true;
    static void declare(Fields& f, Params& p) {
      f.field("seed", p.seed, "seed of the random points").non_negative().unlimited();
      f.field("startup", p.startup, "number of random points before the first that is based on results").positive();
      f.field("candidates", p.candidates, "number of points drawn from the density of good ones; the best is tried").range(1, 1e6);
      f.field("good_share", p.good_share, "share of the trials with a value that count as good, rounded up").range(0, 1);
      f.field("most_good", p.most_good, "maximum number of trials that count as good").positive();
      f.field("multivariate", p.multivariate, "model all parameters jointly; false: each parameter by itself");
    }
  };
  explicit TpeSearch(const Params& p) : p_(p) {}

  SearchPoint ask(const SearchSpace& space, const std::vector<Trial>& trials) const override;
  std::size_t independent(const SearchSpace& space) const override;

 private:
  Params p_;
};

}  // namespace yatlab
