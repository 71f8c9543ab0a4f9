#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ops/operator.h"

namespace yatlab {

/// The operator of one layer.
struct LayerOperator {
  std::shared_ptr<Operator> op;
  bool own = true;  ///< the experiment's operator: uses the architecture's scale
};

/// `operators`: the operator of each layer, the last layer's last. "operator" is the experiment's, with its parameters; any other name is that
/// operator with its defaults. With fewer names than layers, the first name also applies to the earlier layers.
struct LayerOperators {
  std::vector<std::string> names = {"operator"};
  static void declare(Fields& f, LayerOperators& p);

  /// True when all layers have the experiment's operator.
  bool all_own() const;
  /// The operators for this many layers. Throws a config error when there are more names than layers, a name is unknown, or `own` is needed and null.
  std::vector<LayerOperator> of(std::size_t layers, const std::shared_ptr<Operator>& own) const;
};

}  // namespace yatlab
