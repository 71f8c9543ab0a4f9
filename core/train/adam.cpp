#include "core/train/adam.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/train/adam_loop.h"
#include "core/train/elementwise.h"

namespace yatlab {
void Adam::Params::declare(Fields& f, Params& p) {
  f.field("lr", p.lr, "learning rate before the schedule").positive();
  f.field("beta1", p.beta1, "decay of the first moment").range(0, 1);
  f.field("beta2", p.beta2, "decay of the second moment").range(0, 1);
  f.field("epsilon", p.epsilon, "added to the root of the second moment").non_negative();
  f.field("weight_decay", p.weight_decay, "L2 penalty (adam) or decoupled decay (adamw)").non_negative();
}

void Adam::attach(std::vector<Tensor> parameters) {
  parameters_ = std::move(parameters);
  for (const auto& p : parameters_) {
    first_.push_back(at::zeros_like(p.detach()));
    second_.push_back(at::zeros_like(p.detach()));
  }
  steps_ = at::zeros({1}, at::kLong);
}

void Adam::step(double lr) {
  at::NoGradGuard no_grad;
  auto& t = *steps_.data_ptr<std::int64_t>();
  ++t;
  const double correction1 = 1.0 - std::pow(p_.beta1, static_cast<double>(t));
  const double root_correction2 = std::sqrt(1.0 - std::pow(p_.beta2, static_cast<double>(t)));
  const double l2 = decoupled_ ? 0.0 : p_.weight_decay;
  const double shrink = decoupled_ ? 1.0 - lr * p_.weight_decay : 1.0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    Tensor w = parameters_[i].detach();
    const Tensor& g = parameters_[i].grad();
    if (!g.defined()) continue;
    if (plain_floats(w, g, first_[i], second_[i])) {
      adam_update(w.data_ptr<float>(), g.data_ptr<float>(), first_[i].data_ptr<float>(),
                  second_[i].data_ptr<float>(), w.numel(), static_cast<float>(lr / correction1),
                  // 1 - beta loses digits in float: 0.001 would be 0.00100005.
                  static_cast<float>(p_.beta1), static_cast<float>(1.0 - p_.beta1),
                  static_cast<float>(p_.beta2), static_cast<float>(1.0 - p_.beta2),
                  static_cast<float>(root_correction2), static_cast<float>(p_.epsilon),
                  static_cast<float>(l2), static_cast<float>(shrink));
      continue;
    }
    const Tensor grad = l2 != 0.0 ? g + l2 * w : g;
    first_[i].mul_(p_.beta1).add_(grad, 1.0 - p_.beta1);
    second_[i].mul_(p_.beta2).addcmul_(grad, grad, 1.0 - p_.beta2);
    w.mul_(shrink).addcdiv_(first_[i], second_[i].sqrt().div_(root_correction2).add_(p_.epsilon),
                            -lr / correction1);
  }
}

std::vector<std::pair<std::string, Tensor>> Adam::state() const {
  std::vector<std::pair<std::string, Tensor>> out{{"steps", steps_}};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    out.emplace_back("first." + std::to_string(i), first_[i]);
    out.emplace_back("second." + std::to_string(i), second_[i]);
  }
  return out;
}

}  // namespace yatlab
