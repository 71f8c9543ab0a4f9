#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/compose/pruner.h"
#include "core/compose/search.h"
#include "core/config/sweep.h"
#include "core/registry/registry.h"

namespace yatlab {

/// Chooses the points of a sweep: a list of them, or (SearchSweeper) one after the other.
class Sweeper {
 public:
  virtual ~Sweeper() = default;
  /// All points. Throws a config error where there is no list.
  virtual std::vector<SweepPoint> propose(const std::vector<Dimension>& dimensions) const = 0;
};

YATLAB_KIND(Sweeper, "sweeper", "proposes the points of a sweep")

/// What a search is for, and when it ends.
struct SearchParams {
  std::int64_t trials = 20, batch = 0;
  std::string metric;
  ComponentRef pruner;
  static void declare(Fields& f, SearchParams& p);
};

/// Asks for points, for each arm apart, by what came of those before (or by nothing but their number).
class SearchSweeper : public Sweeper {
 public:
  explicit SearchSweeper(SearchParams params) : params_(std::move(params)) {}

  const SearchParams& params() const { return params_; }
  virtual const SearchMethod& method() const = 0;
  /// Null where every trial goes to its end.
  std::shared_ptr<Pruner> pruner() const;
  std::vector<SweepPoint> propose(const std::vector<Dimension>& dimensions) const override;

 private:
  SearchParams params_;
};

/// A sweeper that searches with a method of core/search.
template <class Method>
class SweeperBy final : public SearchSweeper {
 public:
  struct Params {
    SearchParams search;
    typename Method::Params method;
    static void declare(Fields& f, Params& p) {
      SearchParams::declare(f, p.search);
      Method::Params::declare(f, p.method);
    }
  };
  explicit SweeperBy(const Params& p) : SearchSweeper(p.search), method_(p.method) {}
  const SearchMethod& method() const override { return method_; }

 private:
  Method method_;
};

}  // namespace yatlab
