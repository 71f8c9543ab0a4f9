#pragma once

#include "core/compose/search.h"
#include "core/registry/fields.h"

namespace yatlab {

/// Draws every point uniformly from the space, regardless of results: the baseline of every other method (Bergstra and Bengio 2012).
class RandomSearch final : public SearchMethod {
 public:
  struct Params {
    std::int64_t seed = 0;
    static void declare(Fields& f, Params& p) { f.field("seed", p.seed, "seed of the random points").non_negative().unlimited(); }
  };
  explicit RandomSearch(const Params& p) : p_(p) {}

  SearchPoint ask(const SearchSpace& space, const std::vector<Trial>& trials) const override;
  std::size_t independent(const SearchSpace& space) const override;

 private:
  Params p_;
};

}  // namespace yatlab
