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
      f.field("momentum", p.momentum, "share of the last update that is kept").range(0, 1);
      f.field("weight_decay", p.weight_decay, "L2 penalty").non_negative();
      f.field("nesterov", p.nesterov, "look ahead along the momentum");
    }
  };
  explicit Sgd(const Params& p) : p_(p) {}

  void attach(std::vector<Tensor> parameters) override {
    parameters_ = std::move(parameters);
    for (const auto& p : parameters_) velocity_.push_back(at::zeros_like(p.detach()));
  }

  void step(double lr) override {
    at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      Tensor w = parameters_[i].detach();
      Tensor g = parameters_[i].grad();
      if (!g.defined()) continue;
      if (g.is_sparse()) g = g.to_dense();
      const Tensor grad = p_.weight_decay != 0.0 ? g + p_.weight_decay * w : g;
      velocity_[i].mul_(p_.momentum).add_(grad);
      w.add_(p_.nesterov ? grad + p_.momentum * velocity_[i] : velocity_[i], -lr);
    }
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
