#include <ATen/ATen.h>

#include "core/train/optimizer.h"

namespace yatlab {

/// Stochastic gradient descent with heavy-ball momentum (dampening 0) and an L2 penalty.
class Sgd final : public Optimizer {
 public:
  struct Params {
    double lr = 0.01;
    double momentum = 0.0;
    double weight_decay = 0.0;
    bool nesterov = false;
    static void declare(Fields& f, Params& p) {
      f.field("lr", p.lr, "learning rate before the schedule").positive();
      f.field("momentum", p.momentum, "momentum factor: share of the last update that is kept").range(0, 1);
      f.field("weight_decay", p.weight_decay, "L2 penalty").non_negative();
      f.field("nesterov", p.nesterov, "use Nesterov momentum");
    }
  };
  explicit Sgd(const Params& p) : p_(p) {}

  void attach(std::vector<Tensor> parameters) override {
    parameters_ = std::move(parameters);
    for (const auto& p : parameters_) velocity_.push_back(at::zeros_like(p.detach()));
  }

  void step(double lr) override {
    at::NoGradGuard no_grad;
    std::vector<Tensor> weights, gradients, velocities;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor g = parameters_[i].grad();
      if (!g.defined()) continue;
      weights.push_back(parameters_[i].detach());
      gradients.push_back(g.is_sparse() ? g.to_dense() : g);
      velocities.push_back(velocity_[i]);
    }
    if (weights.empty()) return;
    if (p_.weight_decay != 0.0) gradients = at::_foreach_add(gradients, weights, p_.weight_decay);
    at::_foreach_mul_(velocities, p_.momentum);
    at::_foreach_add_(velocities, gradients, 1.0);
    at::_foreach_add_(weights, p_.nesterov ? at::_foreach_add(gradients, velocities, p_.momentum) : velocities, -lr);
  }

  double base_lr() const override { return p_.lr; }

  std::vector<std::pair<std::string, Tensor>> state() const override {
    std::vector<std::pair<std::string, Tensor>> out;
    for (std::size_t i = 0; i < velocity_.size(); ++i) {
      out.emplace_back("velocity." + std::to_string(i), velocity_[i]);
    }
    return out;
  }

 private:
  Params p_;
  std::vector<Tensor> parameters_, velocity_;
};

YATLAB_REGISTER(Optimizer, Sgd, "sgd", "stochastic gradient descent with momentum");

}  // namespace yatlab
