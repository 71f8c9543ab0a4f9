#include "plugins/kernels/optimizers/adam_update.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/error.h"
#include "core/ops/vector_code.h"
#include "core/train/arm_parts.h"
#include "plugins/kernels/layers/elementwise.h"

namespace yatlab {
namespace {

/// True when each row index [1, n] is larger than the one before it.
bool ascending(const Tensor& indices) {
  const Tensor flat = indices.contiguous();
  const auto* begin = flat.data_ptr<std::int64_t>();
  return std::adjacent_find(begin, begin + flat.numel(), std::greater_equal<>()) == begin + flat.numel();
}

}  // namespace

void Adam::Params::declare(Fields& f, Params& p) {
  f.field("lr", p.lr, "learning rate before the schedule").positive();
  f.field("beta1", p.beta1, "decay of the first moment").non_negative().below(1);
  f.field("beta2", p.beta2, "decay of the second moment").non_negative().below(1);
  f.field("epsilon", p.epsilon, "added to the root of the second moment").non_negative();
  f.field("weight_decay", p.weight_decay, "L2 penalty (adam) or decoupled decay (adamw)").non_negative();
  f.field("decay_matrices_only", p.decay_matrices_only,
          "apply weight decay only to tensors of two or more dimensions, not to biases, gains and scales (as for GPT-2)");
  f.field("lazy", p.lazy, "for sparse gradients: leave rows without a gradient unchanged, instead of updating them with gradient 0");
}

/// One update of n weights w from gradients g, with moments m and v. `root_correction2` is sqrt(1 - beta2^t), `lr` is already divided by
/// 1 - beta1^t; `l2` is added to the gradient times w, and w is first multiplied by `shrink`.
struct Adam::Step {
  std::int64_t t;
  float lr, beta1, one_minus_beta1, beta2, one_minus_beta2, root_correction2, epsilon, l2, shrink;

  void update(float* w, const float* g, float* m, float* v, std::int64_t n) const {
    kernel::vector_code([&]() YATLAB_VECTORS { loop(w, g, m, v, n); });
  }

 private:
  YATLAB_INLINE void loop(float* __restrict w, const float* __restrict g, float* __restrict m, float* __restrict v, std::int64_t n) const {
    const Step s = *this;
    for (std::int64_t i = 0; i < n; ++i) {
      const float gi = g[i] + s.l2 * w[i];
      m[i] = s.beta1 * m[i] + s.one_minus_beta1 * gi;
      v[i] = s.beta2 * v[i] + s.one_minus_beta2 * gi * gi;
      w[i] = w[i] * s.shrink - s.lr * m[i] / (std::sqrt(v[i]) / s.root_correction2 + s.epsilon);
    }
  }
};

struct Adam::Lists {
  std::vector<Tensor> weights, gradients, first, second;
  std::int64_t elements = 0;

  void add(const Tensor& w, const Tensor& g, const Tensor& m, const Tensor& v) {
    weights.push_back(w);
    gradients.push_back(g);
    first.push_back(m);
    second.push_back(v);
    elements += w.numel();
  }
};

void Adam::check(const ArmParts& arm) const {
  if (!p_.lazy || arm.trainer.device == "cpu") return;
  throw config_error("optimizer.lazy needs trainer.device=cpu", "optimizer.lazy",
                     "on other devices gradients are dense, so every row is updated", "use optimizer.lazy=false");
}

void Adam::attach(std::vector<Tensor> parameters) {
  parameters_ = std::move(parameters);
  for (const auto& p : parameters_) {
    first_.push_back(at::zeros_like(p.detach()));
    second_.push_back(at::zeros_like(p.detach()));
    if (p_.lazy) seen_.push_back(at::zeros({p.dim() == 2 ? p.size(0) : 0}, at::kLong));
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
  const Step step{t, static_cast<float>(lr / correction1),
                  // 1 - beta loses digits in float: 0.001 would be 0.00100005.
                  static_cast<float>(p_.beta1), static_cast<float>(1.0 - p_.beta1), static_cast<float>(p_.beta2),
                  static_cast<float>(1.0 - p_.beta2), static_cast<float>(root_correction2), static_cast<float>(p_.epsilon),
                  static_cast<float>(l2), static_cast<float>(shrink)};
  Step without_decay = step;
  without_decay.l2 = 0;
  without_decay.shrink = 1;
  constexpr std::int64_t kMostNumbers = std::int64_t{1} << 25;  // elements per list: it needs a temporary of the same size
  Lists lists[2];                                               // without and with weight decay
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const bool decays = !p_.decay_matrices_only || parameters_[i].dim() > 1;
    const Step& own = decays ? step : without_decay;
    const Tensor& w = parameters_[i];
    Tensor g = w.grad();
    if (!g.defined()) continue;
    if (g.is_sparse()) {
      if (g.dim() == 2 && g.sparse_dim() == 1 && plain_floats(w, g._values(), first_[i], second_[i])) {
        update_rows(i, g, own);
        continue;
      }
      g = g.to_dense();
    }
    if (plain_floats(w, g, first_[i], second_[i])) {
      // Pieces are multiples of 16, so that every number is rounded as in a single loop.
      constexpr std::int64_t kPiece = 1 << 15;
      float* const weights = w.data_ptr<float>();
      const float* const gradient = g.data_ptr<float>();
      float* const first = first_[i].data_ptr<float>();
      float* const second = second_[i].data_ptr<float>();
      const auto n = w.numel();
      at::parallel_for(0, (n + kPiece - 1) / kPiece, 1, [&](std::int64_t begin, std::int64_t end) {
        const auto at = begin * kPiece;
        own.update(weights + at, gradient + at, first + at, second + at, std::min(end * kPiece, n) - at);
      });
      continue;
    }
    auto& list = lists[decays ? 1 : 0];
    list.add(w, g, first_[i], second_[i]);
    if (list.elements >= kMostNumbers) update_lists(list, lr, decays);
  }
  update_lists(lists[0], lr, false);
  update_lists(lists[1], lr, true);
}

void Adam::update_lists(Lists& lists, double lr, bool decays) {
  auto& [w, g, m, v, elements] = lists;
  if (w.empty()) return;
  const auto t = static_cast<double>(*steps_.data_ptr<std::int64_t>());
  const double correction1 = 1.0 - std::pow(p_.beta1, t), root_correction2 = std::sqrt(1.0 - std::pow(p_.beta2, t));
  if (decays && !decoupled_ && p_.weight_decay != 0.0) g = at::_foreach_add(g, w, p_.weight_decay);
  at::_foreach_mul_(m, p_.beta1);
  at::_foreach_add_(m, g, 1.0 - p_.beta1);
  at::_foreach_mul_(v, p_.beta2);
  at::_foreach_addcmul_(v, g, g, 1.0 - p_.beta2);
  if (decays && decoupled_ && p_.weight_decay != 0.0) at::_foreach_mul_(w, 1.0 - lr * p_.weight_decay);
  auto below = at::_foreach_sqrt(v);
  at::_foreach_div_(below, root_correction2);
  at::_foreach_add_(below, p_.epsilon);
  at::_foreach_addcdiv_(w, m, below, -lr / correction1);
  lists = {};
}

void Adam::update_rows(std::size_t i, const Tensor& given, const Step& step) {
  // Autograd loses the flag that a gradient is coalesced; ascending rows prove the same.
  const Tensor gradient = ascending(given._indices()) ? given : given.coalesce();
  const Tensor index = gradient._indices().contiguous(), values = gradient._values();
  const auto* rows = index.data_ptr<std::int64_t>();
  const auto present = values.size(0), dim = values.size(1), all = parameters_[i].size(0);
  const float* g = values.data_ptr<float>();
  float* w = parameters_[i].detach().data_ptr<float>();
  float* m = first_[i].data_ptr<float>();
  float* v = second_[i].data_ptr<float>();
  if (p_.lazy) {
    auto* seen = seen_[i].data_ptr<std::int64_t>();
    at::parallel_for(0, present, 256, [&](std::int64_t begin, std::int64_t end) {
      for (auto k = begin; k < end; ++k) {
        const auto row = rows[k], at = row * dim, missed = step.t - 1 - seen[row];
        if (missed > 0) {
          const auto decay1 = static_cast<float>(std::pow(p_.beta1, static_cast<double>(missed)));
          const auto decay2 = static_cast<float>(std::pow(p_.beta2, static_cast<double>(missed)));
          for (auto j = at; j < at + dim; ++j) {
            m[j] *= decay1;
            v[j] *= decay2;
          }
        }
        seen[row] = step.t;
        step.update(w + at, g + k * dim, m + at, v + at, dim);
      }
    });
    return;
  }
  // A vector loop and its remainder round differently. In pieces of a multiple of 16 rows, every number is at the same loop position as in dense
  // Adam's single loop.
  constexpr std::int64_t kRows = 64;
  at::parallel_for(0, (all + kRows - 1) / kRows, 4, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> piece(static_cast<std::size_t>(kRows * dim));
    auto k = std::lower_bound(rows, rows + present, begin * kRows) - rows;
    for (auto first = begin * kRows; first < std::min(end * kRows, all); first += kRows) {
      const auto last = std::min(first + kRows, all);
      std::fill(piece.begin(), piece.end(), 0.0F);
      for (; k < present && rows[k] < last; ++k) std::copy_n(g + k * dim, dim, piece.data() + (rows[k] - first) * dim);
      step.update(w + first * dim, piece.data(), m + first * dim, v + first * dim, (last - first) * dim);
    }
  });
}

std::vector<std::pair<std::string, Tensor>> Adam::state() const {
  std::vector<std::pair<std::string, Tensor>> out{{"steps", steps_}};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    out.emplace_back("first." + std::to_string(i), first_[i]);
    out.emplace_back("second." + std::to_string(i), second_[i]);
    if (p_.lazy) out.emplace_back("seen." + std::to_string(i), seen_[i]);
  }
  return out;
}

}  // namespace yatlab
