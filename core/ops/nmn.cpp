#include "core/ops/nmn.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <cmath>

#include "core/base/error.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/stacked_operator.h"

namespace yatlab {

void ScaleParams::declare(Fields& f, ScaleParams& p) {
  f.choice("scale", p.scale,
           {{"n_over_log", ScaleKind::kNOverLog},
            {"sqrt_n_over_log", ScaleKind::kSqrtNOverLog},
            {"multiply", ScaleKind::kMultiply},
            {"constant", ScaleKind::kConstant},
            {"none", ScaleKind::kNone}},
           "factor on the scores of n units: (n/ln(1+n))^alpha (paper), (sqrt(n)/ln(1+n))^alpha, alpha, sqrt(2), or none");
  f.field("alpha_init", p.alpha_init, "initial value of alpha (its fixed value if not learned)");
  f.field("learn_alpha", p.learn_alpha, "learn alpha with the network");
}

Nmn::Nmn(std::shared_ptr<Operator> op, const NmnOptions& options) : op_(std::move(op)), options_(options) {
  if (!op_) {
    throw config_error("the NMN layer needs an operator", {}, {}, "set operator=yat or another operator");
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

Tensor power_composed(const Tensor& alpha, double log_base) { return (alpha * log_base).exp(); }

/// exp(alpha * log_base) in one step each way: as operations on one number they took a tenth of a small model's training step.
class Power : public torch::autograd::Function<Power> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& alpha, double log_base) {
    const at::AutoDispatchBelowADInplaceOrView below;
    Tensor out = at::empty_like(alpha);
    const auto* from = alpha.data_ptr<float>();
    auto* to = out.data_ptr<float>();
    for (std::int64_t i = 0; i < alpha.numel(); ++i) to[i] = static_cast<float>(std::exp(static_cast<double>(from[i]) * log_base));
    ctx->save_for_backward({alpha, out});
    ctx->saved_data["log_base"] = log_base;
    return out;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx, const torch::autograd::variable_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const double log_base = ctx->saved_data["log_base"].toDouble();
    if (at::GradMode::is_enabled()) return {grads[0] * power_composed(saved[0], log_base) * log_base, Tensor()};  // differentiable itself
    const Tensor given = grads[0].contiguous(), out = at::empty_like(saved[1]);
    const auto *gradient = given.data_ptr<float>(), *value = saved[1].data_ptr<float>();
    auto* to = out.data_ptr<float>();
    for (std::int64_t i = 0; i < out.numel(); ++i)
      to[i] = static_cast<float>(static_cast<double>(gradient[i]) * static_cast<double>(value[i]) * log_base);
    return {out, Tensor()};
  }
};

/// base^alpha
Tensor power(double base, const Tensor& alpha) {
  const double log_base = std::log(base);
  const bool fused = use_cpu_kernel(alpha) && alpha.scalar_type() == at::kFloat && alpha.is_contiguous();
  return fused ? Power::apply(alpha, log_base) : power_composed(alpha, log_base);
}

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
  if (weight.dim() == 3) return stacked_scores(*op_, x, weight, bias, factor());
  if (x.dim() == 1) return op_->scaled_scores(x.unsqueeze(0), weight, bias, factor()).squeeze(0);
  return op_->scaled_scores(x, weight, bias, factor());
}

void register_operator_parameters(torch::nn::Module& owner, const std::shared_ptr<Operator>& op) {
  if (!op || op->parameters().empty()) return;
  auto holder = owner.register_module("operator", std::make_shared<torch::nn::Module>("operator"));
  for (const auto& [name, tensor] : op->parameters()) holder->register_parameter(name, tensor);
}

}  // namespace yatlab
