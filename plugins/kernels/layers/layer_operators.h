#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ops/operator.h"

namespace yatlab {

/// The operator of one layer.
struct LayerOperator {
  std::shared_ptr<Operator> op;
  bool own = true;  ///< the experiment's: it has the architecture's scale
};

/// `operators`: which operator each layer has, the last layer's last. "operator" is the experiment's, with its parameters; any other
/// name that operator with its defaults. Of fewer names than layers the first stands for those in front as well.
struct LayerOperators {
  std::vector<std::string> names = {"operator"};
  static void declare(Fields& f, LayerOperators& p);

  /// True when all layers have the experiment's operator.
  bool all_own() const;
  /// For so many layers. Throws a config error when there are more names than layers, an unknown one, or `own` is missed.
  std::vector<LayerOperator> of(std::size_t layers, const std::shared_ptr<Operator>& own) const;
};

}  // namespace yatlab
