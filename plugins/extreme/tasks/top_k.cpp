#include "plugins/extreme/tasks/top_k.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace yatlab {

TopK top_k_labels(const Tensor& scores, std::int64_t k) {
  TopKMerger merger(scores.size(0), k);
  merger.add(scores, 0);
  return merger.take();
}

TopKMerger::TopKMerger(std::int64_t rows, std::int64_t k)
    : rows_(rows), k_(k), heap_(static_cast<std::size_t>(rows * k)), size_(static_cast<std::size_t>(rows), 0) {
  if (k < 1) throw Error(ErrorKind::kInternal, fmt::format("the best {} labels", k));
}

void TopKMerger::offer(std::int64_t row, std::int64_t label, float score) {
  if (!std::isfinite(score)) finite_.store(false, std::memory_order_relaxed);
  // A heap ordered by `ranks_before` has the lowest-ranked entry on top.
  const auto before = [](const Entry& a, const Entry& b) { return ranks_before(a.score, a.label, b.score, b.label); };
  auto* const begin = heap_.data() + row * k_;
  auto& size = size_[static_cast<std::size_t>(row)];
  if (size < k_) {
    begin[size++] = {score, label};
    std::push_heap(begin, begin + size, before);
  } else if (ranks_before(score, label, begin->score, begin->label)) {
    std::pop_heap(begin, begin + k_, before);
    begin[k_ - 1] = {score, label};
    std::push_heap(begin, begin + k_, before);
  }
}

void TopKMerger::add(const Tensor& scores, std::int64_t first) {
  if (scores.dim() != 2 || scores.size(0) != rows_) {
    throw Error(ErrorKind::kInternal, fmt::format("expected scores of {} rows", rows_));
  }
  const auto block = scores.detach().to(at::kCPU, at::kFloat).contiguous();
  const auto n = block.size(1);
  if (block.numel() > 0) {  // checked here, since scores below the best are never offered
    const auto [least, most] = at::aminmax(block);
    if (!std::isfinite(least.item<float>()) || !std::isfinite(most.item<float>())) finite_ = false;
  }
  const auto* values = block.data_ptr<float>();
  // One row costs about n comparisons; a task for a thread needs some 100,000.
  const auto grain = std::max<std::int64_t>(1, 100'000 / std::max<std::int64_t>(n, 1));
  at::parallel_for(0, rows_, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const float* row = values + r * n;
      const auto& size = size_[static_cast<std::size_t>(r)];
      const auto* worst = heap_.data() + r * k_;
      for (std::int64_t i = 0; i < n; ++i) {
        // Most scores are below a full heap's worst one. NaN on either side fails the comparison, and is handled below.
        if (size == k_ && row[i] < worst->score) continue;
        offer(r, first + i, row[i]);
      }
    }
  });
}

float TopKMerger::floor(std::int64_t row) const {
  if (size_[static_cast<std::size_t>(row)] < k_) return -std::numeric_limits<float>::infinity();
  return heap_[static_cast<std::size_t>(row * k_)].score;
}

TopK TopKMerger::take() {
  TopK out{at::full({rows_, k_}, std::int64_t{-1}, at::kLong), at::full({rows_, k_}, -std::numeric_limits<float>::infinity(), at::kFloat)};
  auto* labels = out.indices.data_ptr<std::int64_t>();
  auto* scores = out.scores.data_ptr<float>();
  for (std::int64_t r = 0; r < rows_; ++r) {
    auto* const begin = heap_.data() + r * k_;
    auto* const end = begin + size_[static_cast<std::size_t>(r)];
    std::sort(begin, end, [](const Entry& a, const Entry& b) { return ranks_before(a.score, a.label, b.score, b.label); });
    for (auto* e = begin; e != end; ++e) {
      labels[r * k_ + (e - begin)] = e->label;
      scores[r * k_ + (e - begin)] = e->score;
    }
  }
  heap_.clear();
  out.finite = finite_;
  return out;
}

}  // namespace yatlab
