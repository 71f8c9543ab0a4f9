#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compose/pruner.h"
#include "core/compose/search.h"
#include "core/config/sweep.h"
#include "core/registry/registry.h"

namespace yatlab {

/// What a search optimises, and when it ends.
struct SearchParams {
  std::int64_t trials = 20, batch = 0;
  std::string metric;
  ComponentRef pruner;
  static void declare(Fields& f, SearchParams& p);
};

/// A search: its parameters, and the method that chooses its points.
struct SearchSetup {
  SearchParams params;
  std::shared_ptr<const SearchMethod> method;
  /// Null where no trial is pruned.
  std::shared_ptr<Pruner> pruner() const;
};

/// Chooses the points of a sweep. It overrides one of the two: `propose` gives all points at once; `search` chooses each arm's next points
/// by the results of the earlier ones.
class Sweeper {
 public:
  virtual ~Sweeper() = default;
  virtual std::vector<SweepPoint> propose(const std::vector<Dimension>& dimensions) const;
  virtual std::optional<SearchSetup> search() const { return std::nullopt; }
};

YATLAB_KIND(Sweeper, "sweeper", "proposes the points of a sweep")

/// The sweeper of a search method (core/compose/search.h).
template <class Method>
class SweeperBy final : public Sweeper {
 public:
  struct Params {
    SearchParams search;
    typename Method::Params method;
    static void declare(Fields& f, Params& p) {
      SearchParams::declare(f, p.search);
      Method::Params::declare(f, p.method);
    }
  };
  explicit SweeperBy(const Params& p) : setup_{p.search, std::make_shared<Method>(p.method)} {}
  std::optional<SearchSetup> search() const override { return setup_; }

 private:
  SearchSetup setup_;
};

}  // namespace yatlab
