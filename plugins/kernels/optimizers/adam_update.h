#pragma once

#include "core/train/optimizer.h"

namespace yatlab {

/// Adam (Kingma & Ba 2015) with bias correction, and AdamW (Loshchilov & Hutter 2019) when
/// `decoupled`. State: one step counter and two moments per parameter.
///
/// Sparse gradients (COO, each row once) need not be made dense. By default rows without a gradient are
/// updated with a gradient of 0: the same bytes as dense Adam. With `lazy` such rows rest, weight and moments,
/// and a row's moments are decayed by all the steps it has missed when its turn comes: then the moments of a
/// row are those of dense Adam (to rounding), and the weights are too, as long as every row has a gradient in
/// every step (bit for bit when rows are multiples of 16 long). What `lazy` leaves out are a resting row's own late movements (its first
/// moment going on for some steps) and its weight decay.
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
  struct Step;  // the numbers of one update
  void update_rows(std::size_t i, const Tensor& gradient, const Step& step);
  /// Some parameters at once by tensor operations, a handful for all of them together.
  struct Lists;
  void update_lists(Lists& lists, double lr, bool decays);

  Params p_;
  bool decoupled_;
  std::vector<Tensor> parameters_, first_, second_;
  std::vector<Tensor> seen_;  // lazy: int64 [rows] of each matrix, the step of a row's last update
  Tensor steps_;              // int64 scalar: a tensor, so that it travels with the other state
};

}  // namespace yatlab
