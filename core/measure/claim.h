#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/measure/operator_choice.h"
#include "core/registry/registry.h"
#include "core/report/evidence.h"

namespace yatlab {

/// What a claim is checked with.
struct ClaimContext {
  /// The operator that stands where the paper has its product. Statements are checked for it, whatever it is.
  OperatorChoice op;
  std::uint64_t seed = 0;
  /// 1 is the full search; smaller values make it shorter, never different in kind.
  double effort = 1;
  /// share in [0, 1] and what is being done.
  std::function<void(double share, const std::string& what)> progress = [](double, const std::string&) {};

  /// `full` points (restarts, samples, ...) at full effort, never fewer than `least`.
  std::int64_t scaled(std::int64_t full, std::int64_t least) const;
  /// Reports progress, and gives up (throws) when the run was told to stop. Call it every second or so.
  void tick(double share, const std::string& what) const { progress(share, what); }
};

/// One numbered statement of the paper, checked numerically. Its component name is the paper's label, its
/// one-line documentation is the statement. Constants that the paper prints are parameters whose defaults are
/// the printed values, so that a false variant can be planted and seen to fail.
class Claim {
 public:
  virtual ~Claim() = default;
  /// "Lipschitz Continuity", as the paper calls it.
  virtual std::string title() const = 0;
  /// How it is checked, in one or two sentences.
  virtual std::string how() const = 0;
  /// Measures, and holds what it measures against bounds. Deterministic in context.seed.
  virtual void check(const ClaimContext& context, Evidence& evidence) const = 0;
};

YATLAB_KIND(Claim, "claim", "a statement of the paper, checked numerically")

}  // namespace yatlab
