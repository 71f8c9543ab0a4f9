#include "core/model/label_loss_general.h"

#include <ATen/ATen.h>

#include <limits>
#include <vector>

#include "core/ops/pairwise.h"

namespace yatlab {

using Kind = LabelLossOptions::Kind;

GeneralLabelLoss::GeneralLabelLoss(const SparseRows& targets, Kind kind, double floor, const at::Device& device)
    : kind_(kind), floor_(floor), batch_(targets.rows) {
  std::vector<std::int64_t> rows, labels;
  std::vector<double> shares, has_labels;
  for (std::int64_t row = 0; row < targets.rows; ++row) {
    const auto count = targets.length(row);
    has_labels.push_back(count > 0 ? 1.0 : 0.0);
    for (auto i = targets.starts[row]; i < targets.starts[row + 1]; ++i) {
      rows.push_back(row);
      labels.push_back(targets.columns[i]);
      shares.push_back(kind == Kind::kSoftmax ? 1 / static_cast<double>(count) : 1.0);
    }
  }
  const auto there = [&](const auto& values, at::ScalarType type) { return at::tensor(values, type).to(device); };
  rows_ = there(rows, at::kLong);
  labels_ = there(labels, at::kLong);
  shares_ = there(shares, at::kDouble);
  has_labels_ = there(has_labels, at::kDouble).unsqueeze(1);
  sum_ = at::zeros_like(has_labels_);
  top_ = at::full_like(has_labels_, -std::numeric_limits<double>::infinity());
  restart();
}

void GeneralLabelLoss::restart() { rest_ = at::zeros({}, has_labels_.options()); }

void GeneralLabelLoss::block(std::int64_t first, const Tensor& stored, Tensor* stored_gradient, bool sum) {
  const Tensor scores = stored.to(accumulation_type(stored.scalar_type()));
  const bool narrow = scores.scalar_type() != stored.scalar_type();
  Tensor wide = narrow && stored_gradient ? at::empty_like(scores) : Tensor();
  Tensor* const gradient = wide.defined() ? &wide : stored_gradient;
  const double weight = 1 / static_cast<double>(batch_);
  if (kind_ == Kind::kOneVsAll) {
    const Tensor logs = floor_ > 0 ? scores.clamp_min(floor_).log1p() : scores.clamp_min(0) + scores.abs().neg().exp().log1p();
    rest_ += logs.sum(at::kDouble);
    if (gradient) {
      gradient->copy_(floor_ > 0 ? at::where(scores < floor_, at::zeros({}, scores.options()), weight / (1 + scores))
                                 : weight * scores.sigmoid());
    }
  } else {
    if (sum && floor_ > 0) {
      sum_ += scores.clamp_min(floor_).sum(at::IntArrayRef{1}, true, at::kDouble);
    } else if (sum) {
      const Tensor top = at::maximum(top_, scores.amax({1}, true));
      sum_ = sum_ * (top_ - top).exp() + (scores - top.to(scores.scalar_type())).exp().sum(at::IntArrayRef{1}, true, at::kDouble);
      top_ = top;
    }
    if (gradient) gradient->copy_(softmax_gradient(scores));
  }
  subtract(first, scores, gradient);
  if (wide.defined()) stored_gradient->copy_(wide);
}

Tensor GeneralLabelLoss::softmax_gradient(const Tensor& scores) const {
  const Tensor factor = (has_labels_ / (sum_ * static_cast<double>(batch_))).to(scores.scalar_type());
  if (floor_ > 0) return at::where(scores < floor_, at::zeros({}, scores.options()), factor);
  return factor * (scores - top_.to(scores.scalar_type())).exp();
}

void GeneralLabelLoss::subtract(std::int64_t first, const Tensor& scores, Tensor* gradient) {
  const auto n = scores.size(1);
  // Labels of other blocks get weight 0, so their column index does not matter.
  const Tensor column = labels_ - first;
  const Tensor share = at::where(at::logical_and(column >= 0, column < n), shares_, at::zeros({}, shares_.options()));
  const Tensor place = rows_ * n + column.clamp(0, n - 1);
  const Tensor score = scores.reshape({-1}).index_select(0, place).to(at::kDouble);
  rest_ -= (share * (floor_ > 0 ? score.clamp_min(floor_).log() : score)).sum();
  if (!gradient) return;
  Tensor slope = share / static_cast<double>(-batch_);
  if (floor_ > 0) slope = at::where(score < floor_, at::zeros({}, slope.options()), slope / score.clamp_min(floor_));
  gradient->view({-1}).index_add_(0, place, slope.to(scores.scalar_type()));
}

Tensor GeneralLabelLoss::loss() const {
  Tensor out = rest_;
  if (kind_ == Kind::kSoftmax) {
    const Tensor logs = floor_ > 0 ? sum_.log() : top_ + sum_.log();
    out = out + at::where(has_labels_ > 0, logs, at::zeros({}, logs.options())).sum();
  }
  return out / static_cast<double>(batch_);
}

}  // namespace yatlab
