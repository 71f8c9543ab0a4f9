#include "core/ops/nmn.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/base/error.h"

namespace yatlab {

void ScaleParams::declare(Fields& f, ScaleParams& p) {
  f.choice("scale", p.scale,
           {{"n_over_log", ScaleKind::kNOverLog},
            {"sqrt_n_over_log", ScaleKind::kSqrtNOverLog},
            {"multiply", ScaleKind::kMultiply},
            {"constant", ScaleKind::kConstant},
            {"none", ScaleKind::kNone}},
           "factor before the scores of n units: (n/ln(1+n))^alpha (paper), "
           "(sqrt(n)/ln(1+n))^alpha, alpha, sqrt(2), or none");
  f.field("alpha_init", p.alpha_init, "where alpha starts (its value, if it is not learned)");
  f.field("learn_alpha", p.learn_alpha, "learn alpha with the network");
}

Nmn::Nmn(std::shared_ptr<Operator> op, const NmnOptions& options) : op_(std::move(op)), options_(options) {
  if (!op_) {
    throw config_error("the NMN layer needs an operator", {}, {}, "set operator=yat, or another");
  }
  weight = register_parameter("weight", at::zeros({options.units, options.inputs}));
  if (options.bias) bias = register_parameter("bias", at::zeros({options.units}));
  if (options.scale.has_alpha()) {
    alpha = at::scalar_tensor(options.scale.alpha_init, at::kFloat);
    alpha = options.scale.learn_alpha ? register_parameter("alpha", alpha) : register_buffer("alpha", alpha);
  } else if (options.scale.scale == ScaleKind::kConstant) {
    constant_ = at::scalar_tensor(std::sqrt(2.0), at::kDouble);  // operators round it to what they compute in
  }
}

namespace {

/// base^alpha. As an exponential it costs a third of at::pow's forward and backward operations.
Tensor power(double base, const Tensor& alpha) { return (alpha * std::log(base)).exp(); }

}  // namespace

Tensor Nmn::factor() const {
  const double n = static_cast<double>(options_.units);
  switch (options_.scale.scale) {
    case ScaleKind::kNOverLog:
      return power(n / std::log1p(n), alpha);
    case ScaleKind::kSqrtNOverLog:
      return power(std::sqrt(n) / std::log1p(n), alpha);
    case ScaleKind::kMultiply:
      return alpha;
    case ScaleKind::kConstant:
      return constant_;  // a number: it may stay on the CPU
    case ScaleKind::kNone:
      break;
  }
  return {};
}

Tensor Nmn::forward(const Tensor& x) {
  if (weight.dim() == 3) return op_->stacked_scores(x, weight, bias, factor());
  if (x.dim() == 1) return op_->scaled_scores(x.unsqueeze(0), weight, bias, factor()).squeeze(0);
  return op_->scaled_scores(x, weight, bias, factor());
}

void register_operator_parameters(torch::nn::Module& owner, const std::shared_ptr<Operator>& op) {
  if (!op || op->parameters().empty()) return;
  auto holder = owner.register_module("operator", std::make_shared<torch::nn::Module>("operator"));
  for (const auto& [name, tensor] : op->parameters()) holder->register_parameter(name, tensor);
}

}  // namespace yatlab
