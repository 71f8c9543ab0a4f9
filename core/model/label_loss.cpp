#include "core/model/label_loss.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/data/sparse_rows.h"
#include "core/model/label_loss_general.h"
#include "core/model/label_loss_kernel.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/softmax_rows.h"

namespace yatlab {
namespace {

using Kind = LabelLossOptions::Kind;
using torch::autograd::variable_list;

/// The true labels of one row within the labels [first, first + n).
struct TrueLabels {
  const std::int64_t* begin;
  const std::int64_t* end;
};

TrueLabels true_labels(const SparseRows& targets, std::int64_t row, std::int64_t first, std::int64_t n) {
  const auto* begin = targets.columns + targets.starts[row];
  const auto* end = targets.columns + targets.starts[row + 1];
  return {std::lower_bound(begin, end, first), std::lower_bound(begin, end, first + n)};
}

/// One computation of the loss, optionally with gradients.
class Computation {
 public:
  Computation(const LabelScorer& scorer, const Tensor& queries, const Tensor& rows, const Tensor& targets, const LabelLossOptions& options)
      : scorer_(scorer),
        queries_(queries.detach()),
        rows_(rows.detach()),
        targets_(sparse_rows(targets)),
        kind_(options.kind),
        floor_(scorer.log_floor()),
        labels_(rows.size(-2)),
        members_(queries.dim() == 3 ? queries.size(0) : 1),
        batch_(queries.size(-2)),
        block_(options.block > 0 ? std::min(options.block, labels_) : labels_),
        sums_(static_cast<std::size_t>(targets_.rows), kernel::RowSum{0, 0}) {
    if (targets_.width != labels_ || targets_.rows != members_ * batch_) {
      throw Error(ErrorKind::kInternal, "label_loss: the shapes of queries, labels and targets do not match");
    }
    if (use_cpu_kernel(queries_)) return;
    if (queries_.dim() == 3) throw Error(ErrorKind::kInternal, "label_loss: stacks work only on the CPU");
    general_.emplace(targets_, kind_, floor_, queries_.device());
  }

  bool in_blocks() const { return block_ < labels_; }

  /// Returns the mean loss (per member, in a stack), in the type of the queries. Fills `gradients` (of queries, rows, then the scorer's parameters)
  /// unless null.
  Tensor run(variable_list* gradients) {
    if (!gradients) {
      visit([&](std::int64_t first, const Tensor& scores, Tensor*) { dispatch(first, scores, nullptr, true); }, nullptr);
    } else if (kind_ == Kind::kSoftmax && in_blocks()) {
      visit([&](std::int64_t first, const Tensor& scores, Tensor*) { dispatch(first, scores, nullptr, true); }, nullptr);
      visit([&](std::int64_t first, const Tensor& scores, Tensor* out) { dispatch(first, scores, out, false); }, gradients);
    } else {
      visit([&](std::int64_t first, const Tensor& scores, Tensor* out) { dispatch(first, scores, out, true); }, gradients);
    }
    if (general_) return general_->loss().to(queries_.scalar_type());
    std::vector<double> losses;
    for (std::int64_t member = 0; member < members_; ++member) losses.push_back(loss_of(member));
    return queries_.dim() == 3 ? at::tensor(losses, queries_.options()) : at::scalar_tensor(losses.front(), queries_.options());
  }

 private:
  double loss_of(std::int64_t member) const {
    const auto begin = member * batch_, end = begin + batch_;
    double total = 0;
    for (auto row = begin; row < end; ++row) {
      const auto i = static_cast<std::size_t>(row);
      if (kind_ == Kind::kSoftmax && targets_.length(row) > 0) {
        total += (floor_ > 0 ? 0.0 : sums_[i].top) + std::log(sums_[i].sum);
      }
    }
    for (auto row = begin; row < end; ++row) total += parts_[static_cast<std::size_t>(row)];
    return total / static_cast<double>(batch_);
  }

  /// Calls `body(first, scores, &their gradient or null)` for every block of labels, and backpropagates that gradient into `gradients`.
  template <class Body>
  void visit(const Body& body, variable_list* gradients) {
    parts_.assign(static_cast<std::size_t>(targets_.rows), 0.0);
    if (general_) general_->restart();
    for (std::int64_t first = 0; first < labels_; first += block_) {
      const auto n = std::min(block_, labels_ - first);
      if (!gradients) {
        body(first, scorer_.block_scores(queries_, rows_.narrow(-2, first, n)).contiguous(), nullptr);
        continue;
      }
      variable_list inputs{queries_.detach().requires_grad_(), rows_.narrow(-2, first, n).detach().requires_grad_()};
      for (const auto& parameter : scorer_.score_parameters()) inputs.push_back(parameter);
      Tensor scores;
      {
        at::AutoGradMode grad(true);
        scores = scorer_.block_scores(inputs[0], inputs[1]);
      }
      Tensor gradient = at::empty(scores.sizes(), scores.options());
      body(first, scores.detach().contiguous(), &gradient);
      const auto found = torch::autograd::grad({scores}, inputs, {gradient}, false, false, true);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!found[i].defined()) continue;
        if (!in_blocks()) {
          (*gradients)[i] = found[i];
        } else if (i == 1) {
          if (!(*gradients)[1].defined()) (*gradients)[1] = at::empty_like(rows_);
          (*gradients)[1].narrow(-2, first, n).copy_(found[1]);
        } else if ((*gradients)[i].defined()) {
          (*gradients)[i].add_(found[i]);
        } else {
          (*gradients)[i] = found[i].clone();
        }
      }
    }
  }

  void dispatch(std::int64_t first, const Tensor& scores, Tensor* gradient, bool sum) {
    if (general_) {
      general_->block(first, scores, gradient, sum);
    } else if (scores.scalar_type() == at::kDouble) {
      block<double>(first, scores, gradient, sum);
    } else if (scores.scalar_type() == at::kFloat) {
      block<float>(first, scores, gradient, sum);
    } else if (scores.scalar_type() == at::kBFloat16) {
      block_in_float(first, scores, gradient, sum);
    } else {
      throw Error(ErrorKind::kInternal, "label_loss: scores must be float, double or bfloat16");
    }
  }

  template <class T>
  void block(std::int64_t first, const Tensor& scores, Tensor* gradient, bool sum) {
    const auto n = scores.size(-1);
    const T* all = scores.data_ptr<T>();
    T* out = gradient ? gradient->data_ptr<T>() : nullptr;
    at::parallel_for(0, targets_.rows, 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto row = begin; row < end; ++row) {
        this->row<T>(row, first, all + row * n, n, out ? out + row * n : nullptr, sum);
      }
    });
  }

  /// For bfloat16 scores, one row at a time in float.
  void block_in_float(std::int64_t first, const Tensor& scores, Tensor* gradient, bool sum) {
    const auto n = scores.size(-1);
    const auto bits = [n](const Tensor& t, std::int64_t row) {
      return reinterpret_cast<std::uint16_t*>(t.data_ptr<c10::BFloat16>()) + row * n;
    };
    at::parallel_for(0, targets_.rows, 1, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> wide(static_cast<std::size_t>(n)), slopes(gradient ? wide.size() : 0);
      for (auto row = begin; row < end; ++row) {
        kernel::widen(bits(scores, row), n, wide.data());
        this->row<float>(row, first, wide.data(), n, gradient ? slopes.data() : nullptr, sum);
        if (gradient) kernel::narrow(slopes.data(), n, bits(*gradient, row));
      }
    });
  }

  template <class T>
  void row(std::int64_t row, std::int64_t first, const T* scores, std::int64_t n, T* gradient, bool sum) {
    const auto i = static_cast<std::size_t>(row);
    const auto floor = static_cast<T>(floor_);
    const double batch = static_cast<double>(batch_);
    const auto count = targets_.length(row);
    const auto labels = true_labels(targets_, row, first, n);
    if (kind_ == Kind::kOneVsAll) {
      parts_[i] += kernel::one_vs_all(scores, n, floor, 1 / batch, gradient);
      subtract(labels, first, scores, 1.0, batch, gradient, parts_[i]);
      return;
    }
    if (count == 0) {
      if (gradient) std::fill(gradient, gradient + n, T(0));
      return;
    }
    if (sum) kernel::add_to_sum(scores, n, floor, sums_[i]);
    if (gradient) kernel::softmax_gradient(scores, n, floor, sums_[i], 1 / batch, gradient);
    subtract(labels, first, scores, 1 / static_cast<double>(count), batch, gradient, parts_[i]);
  }

  /// Subtracts the true labels' logits, weighted by `share`, from loss and gradient.
  template <class T>
  void subtract(const TrueLabels& labels, std::int64_t first, const T* scores, double share, double batch, T* gradient,
                double& loss) const {
    for (const auto* label = labels.begin; label < labels.end; ++label) {
      const auto j = *label - first;
      const double score = scores[j];
      const bool floored = floor_ > 0 && scores[j] < static_cast<T>(floor_);
      loss -= share * (floor_ > 0 ? std::log(floored ? floor_ : score) : score);
      if (gradient && !floored) gradient[j] -= static_cast<T>(share / batch / (floor_ > 0 ? score : 1.0));
    }
  }

  const LabelScorer& scorer_;
  Tensor queries_, rows_;
  SparseRows targets_;
  Kind kind_;
  double floor_;
  std::int64_t labels_, members_, batch_, block_;
  std::vector<kernel::RowSum> sums_;         // softmax: one per row
  std::vector<double> parts_;                // the other terms of each row's loss
  std::optional<GeneralLabelLoss> general_;  // replaces these two
};

/// The factor of each member's gradients, broadcastable to `dims` dimensions; a scalar is returned unchanged.
Tensor of_members(const Tensor& factor, std::int64_t dims) {
  if (factor.dim() == 0) return factor;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(dims), 1);
  shape.front() = factor.size(0);
  return factor.view(shape);
}

class LabelLossNode : public torch::autograd::Function<LabelLossNode> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, at::TensorList inputs, Computation* computation) {
    variable_list gradients(inputs.size());
    Tensor loss = computation->run(&gradients);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!gradients[i].defined()) gradients[i] = at::zeros_like(inputs[i]);
    }
    ctx->saved_data["gradients"] = gradients;
    return loss;
  }

  static variable_list backward(torch::autograd::AutogradContext* ctx, variable_list outputs) {
    // Moved out, so that the large ones become the parameters' gradients without a copy.
    auto found = ctx->saved_data.find("gradients");
    if (found == ctx->saved_data.end()) throw Error(ErrorKind::kInternal, "label_loss: backward ran twice");
    variable_list gradients = found->second.toTensorVector();
    ctx->saved_data.erase(found);
    // Usually the loss itself is minimised, and multiplying by 1 is skipped. On other devices the check would need a synchronisation.
    if (!outputs[0].is_cpu() || !outputs[0].eq(1).all().item<bool>()) {
      for (auto& g : gradients) g.mul_(of_members(outputs[0], g.dim()));
    }
    gradients.emplace_back();  // for the argument `computation`
    return gradients;
  }
};

}  // namespace

Tensor label_loss(const LabelScorer& scorer, const Tensor& queries, const Tensor& targets, const LabelLossOptions& options) {
  const Tensor rows = scorer.label_rows();
  variable_list inputs{queries, rows};
  for (const auto& parameter : scorer.score_parameters()) inputs.push_back(parameter);
  Computation computation(scorer, queries, rows, targets, options);
  const bool needed =
      at::GradMode::is_enabled() && std::any_of(inputs.begin(), inputs.end(), [](const Tensor& t) { return t.requires_grad(); });
  if (needed) return LabelLossNode::apply(at::TensorList(inputs), &computation);
  at::NoGradGuard no_grad;
  return computation.run(nullptr);
}

}  // namespace yatlab
