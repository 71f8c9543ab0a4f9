#pragma once

#include "core/train/optimizer.h"

namespace yatlab {

/// Adam (Kingma & Ba 2015) with bias correction, and AdamW (Loshchilov & Hutter 2019) when `decoupled`. State: one step counter and two moments per
/// parameter.
///
/// Sparse gradients (COO, each row once) need not be made dense. By default rows without a gradient are updated with a gradient of 0: the same bytes
/// as dense Adam. With `lazy`, weights and moments of such rows are not updated. At the row's next gradient, its moments are first decayed by all the
/// steps it missed. Then the moments of a row are those of dense Adam (up to rounding). The weights are too, as long as every row has a gradient in
/// every step (bit for bit when rows are multiples of 16 long). `lazy` omits two updates of rows without a gradient: those from the decaying first
/// moment, and weight decay.
class Adam : public Optimizer {
 public:
  struct Params {
    double lr = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double weight_decay = 0.0;
    bool decay_matrices_only = false;
    bool lazy = false;
    static void declare(Fields& f, Params& p);
  };

  explicit Adam(const Params& p, bool decoupled = false) : p_(p), decoupled_(decoupled) {}

  void check(const ArmParts& arm) const override;
  void attach(std::vector<Tensor> parameters) override;
  void step(double lr) override;
  double base_lr() const override { return p_.lr; }
  std::vector<std::pair<std::string, Tensor>> state() const override;

 private:
  struct Step;  // the constants of one update
  void update_rows(std::size_t i, const Tensor& gradient, const Step& step);
  /// Updates several parameters together by tensor operations, with a few operations for all of them.
  struct Lists;
  void update_lists(Lists& lists, double lr, bool decays);

  Params p_;
  bool decoupled_;
  std::vector<Tensor> parameters_, first_, second_;
  std::vector<Tensor> seen_;  // lazy: int64 [rows] for each matrix, the step of a row's last update
  Tensor steps_;              // int64 scalar: a tensor, so that it is saved with the other state
};

}  // namespace yatlab
