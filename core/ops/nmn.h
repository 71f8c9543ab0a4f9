#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "core/ops/operator.h"

namespace yatlab {

/// The factor s by which the NMN layer of n units multiplies all its scores.
enum class ScaleKind {
  kNOverLog,      ///< (n / ln(1 + n))^alpha: the paper
  kSqrtNOverLog,  ///< (sqrt(n) / ln(1 + n))^alpha: the author's code of 2025
  kMultiply,      ///< alpha: the author's code of 2026
  kConstant,      ///< sqrt(2)
  kNone,          ///< 1
};

/// The settings of the scale: three parameters that several architectures share.
struct ScaleParams {
  ScaleKind scale = ScaleKind::kNone;
  double alpha_init = 1;
  bool learn_alpha = true;
  static void declare(Fields& f, ScaleParams& p);

  /// True when there is an alpha.
  bool has_alpha() const { return scale != ScaleKind::kConstant && scale != ScaleKind::kNone; }
  /// True when the factor may fall below 0.
  bool may_be_negative() const { return scale == ScaleKind::kMultiply && (learn_alpha || alpha_init < 0); }
};

/// The settings of an NMN layer.
struct NmnOptions {
  std::int64_t inputs = 0;
  std::int64_t units = 0;
  bool bias = false;
  ScaleParams scale;
};

/// The NMN layer (paper, section "Neural Matter Networks"): s * K(x, w_j) + bias for n units, where
/// K is any operator; with yat, s (x.w + b)^2 / (|x - w|^2 + epsilon).
///
/// Parameters: weight [n, d] and bias [n] (zeros until initialised), alpha [] (a buffer when it is not learned). The operator's parameters belong to
/// the architecture: see `register_operator_parameters`.
class Nmn : public torch::nn::Module {
 public:
  Nmn(std::shared_ptr<Operator> op, const NmnOptions& options);

  /// x: [..., d] -> [..., n]. In a stack of S, whose parameters are [S, ...]: x [G, B, d] -> [S, B, n], see Operator::stacked_scores.
  Tensor forward(const Tensor& x);

  /// The factor s, differentiable in alpha; undefined for `kNone`.
  Tensor factor() const;

  const NmnOptions& options() const { return options_; }
  const Operator& op() const { return *op_; }
  /// True when the layer may return negative scores.
  bool may_be_negative() const { return !op_->traits().non_negative || options_.scale.may_be_negative(); }

  Tensor weight, bias, alpha;  ///< undefined where not configured

 private:
  std::shared_ptr<Operator> op_;
  NmnOptions options_;
  Tensor constant_;
};

/// Registers the operator's learned parameters as "operator.<name>" of `owner`, once for all layers that use it. Does nothing for null and for
/// operators without learned parameters.
void register_operator_parameters(torch::nn::Module& owner, const std::shared_ptr<Operator>& op);

}  // namespace yatlab
