#include "plugins/language/analyses/ngram_scores.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/model/language_model.h"

namespace yatlab {
namespace {

/// Windows as a plain array of tokens.
struct Windows {
  at::Tensor inputs, targets;
  std::int64_t rows, length;
  const std::int64_t *x, *y;

  explicit Windows(const TextWindows& text)
      : inputs(token_numbers(text.inputs.to(at::kCPU)).contiguous()),
        targets(token_numbers(text.targets.to(at::kCPU)).contiguous()),
        rows(inputs.size(0)),
        length(inputs.size(1)),
        x(inputs.data_ptr<std::int64_t>()),
        y(targets.data_ptr<std::int64_t>()) {}

  /// The `size` tokens that end at position t of a row; t + 1 >= size.
  std::uint64_t context(std::int64_t row, std::int64_t t, std::int64_t size) const {
    std::uint64_t key = 0;
    for (std::int64_t i = t - size + 1; i <= t; ++i) {
      key = (key + static_cast<std::uint64_t>(x[row * length + i]) + 1) * 0x9E3779B97F4A7C15U;
      key ^= key >> 29;
      key *= 0xBF58476D1CE4E5B9U;
      key ^= key >> 32;
    }
    return key;
  }
};

/// The tokens that followed contexts of one size, with their counts.
class Follows {
 public:
  Follows(const Windows& text, std::int64_t size) {
    for (std::int64_t row = 0; row < text.rows; ++row) {
      for (std::int64_t t = std::max<std::int64_t>(0, size - 1); t < text.length; ++t) {
        seen_.push_back({text.context(row, t, size), static_cast<std::uint32_t>(text.y[row * text.length + t]), 1});
      }
    }
    std::sort(seen_.begin(), seen_.end(),
              [](const Seen& a, const Seen& b) { return a.context != b.context ? a.context < b.context : a.token < b.token; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < seen_.size(); ++i) {
      if (seen_[i].context == seen_[last].context && seen_[i].token == seen_[last].token) {
        ++seen_[last].count;
      } else {
        seen_[++last] = seen_[i];
      }
    }
    if (!seen_.empty()) seen_.resize(last + 1);
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (contexts_.empty() || contexts_.back().context != seen_[i].context) contexts_.push_back({seen_[i].context, i, 0});
      contexts_.back().all += seen_[i].count;
    }
  }

  /// The probability at this order, given `below`, the probability at the next lower order.
  double probability(std::uint64_t context, std::int64_t token, double below) const {
    const auto found = std::lower_bound(contexts_.begin(), contexts_.end(), context,
                                        [](const Context& c, std::uint64_t wanted) { return c.context < wanted; });
    if (found == contexts_.end() || found->context != context) return below;
    const auto next = std::next(found) == contexts_.end() ? seen_.size() : std::next(found)->begin;
    const auto first = seen_.begin() + static_cast<std::ptrdiff_t>(found->begin), last = seen_.begin() + static_cast<std::ptrdiff_t>(next);
    const auto wanted = static_cast<std::uint32_t>(token);
    const auto follow = std::lower_bound(first, last, wanted, [](const Seen& s, std::uint32_t t) { return s.token < t; });
    const double own = follow != last && follow->token == wanted ? follow->count : 0;
    const auto all = static_cast<double>(found->all), different = static_cast<double>(next - found->begin);
    return (own + different * below) / (all + different);
  }

 private:
  struct Seen {
    std::uint64_t context;
    std::uint32_t token, count;
  };
  struct Context {
    std::uint64_t context;
    std::size_t begin;  // in seen_
    std::uint64_t all;
  };
  std::vector<Seen> seen_;  // each pair once, sorted by context and token
  std::vector<Context> contexts_;
};

}  // namespace

std::vector<double> ngram_losses(const TextWindows& train, const TextWindows& test, std::int64_t vocabulary, std::int64_t orders) {
  const Windows from(train), to(test);
  // For every target, its probability at the highest order computed so far.
  std::vector<double> p(static_cast<std::size_t>(to.rows * to.length), 1 / static_cast<double>(vocabulary)), losses;
  for (std::int64_t order = 1; order <= orders; ++order) {
    const auto size = order - 1;
    const Follows follows(from, size);
    double sum = 0;
    for (std::int64_t row = 0; row < to.rows; ++row) {
      for (std::int64_t t = 0; t < to.length; ++t) {
        auto& own = p[static_cast<std::size_t>(row * to.length + t)];
        if (t + 1 >= size) own = follows.probability(to.context(row, t, size), to.y[row * to.length + t], own);
        sum -= std::log(own);
      }
    }
    losses.push_back(sum / static_cast<double>(p.size()));
  }
  return losses;
}

}  // namespace yatlab
