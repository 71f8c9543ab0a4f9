#pragma once

#include "core/compose/search.h"
#include "core/registry/fields.h"

namespace yatlab {

/// The points of Sobol's sequence (1967; direction numbers of Joe and Kuo 2008), which fill the space more evenly than random ones. The seed
/// gives a digital shift (exclusive or), which makes every point uniform over the space and keeps their spacing: of the first
/// 2^k, one is in each of 2^k equal intervals of every parameter, for k up to 20. Reals have enough digits for that. Points that
/// are not allowed are skipped.
class SobolSearch final : public SearchMethod {
 public:
  struct Params {
    std::int64_t seed = 0;
    static void declare(Fields& f, Params& p) {
      f.field("seed", p.seed, "seed of the random shift of the points").non_negative().unlimited();
    }
  };
  explicit SobolSearch(const Params& p) : p_(p) {}

  SearchPoint ask(const SearchSpace& space, const std::vector<Trial>& trials) const override;
  std::size_t independent(const SearchSpace& space) const override;

 private:
  Params p_;
};

}  // namespace yatlab
