#pragma once

#include "core/train/optimizer.h"

namespace yatlab {

/// Adam (Kingma & Ba 2015) with bias correction, and AdamW (Loshchilov & Hutter 2019) when
/// `decoupled`. State: one step counter and two moments per parameter.
class Adam : public Optimizer {
 public:
  struct Params {
    double lr = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double weight_decay = 0.0;
    static void declare(Fields& f, Params& p);
  };

  explicit Adam(const Params& p, bool decoupled = false) : p_(p), decoupled_(decoupled) {}

  void attach(std::vector<Tensor> parameters) override;
  void step(double lr) override;
  double base_lr() const override { return p_.lr; }
  std::vector<std::pair<std::string, Tensor>> state() const override;

 private:
  Params p_;
  bool decoupled_;
  std::vector<Tensor> parameters_, first_, second_;
  Tensor steps_;  // int64 scalar: a tensor, so that it travels with the other state
};

}  // namespace yatlab
