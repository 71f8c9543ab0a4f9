#include "plugins/extreme/architectures/embedding_mean.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/data/sparse_rows.h"
#include "core/ops/kernel_choice.h"
#include "core/ops/vector_code.h"

namespace yatlab {
namespace {

/// Some rows of a matrix and their factors in a sum.
template <class T>
struct Terms {
  const std::int64_t* rows;
  const float* factors;
  std::int64_t count;
};

/// out [dim] = sum of factor * source[row]. Four rows at a time, so that `out` is read and written a quarter as often.
template <class T>
YATLAB_INLINE void sum_rows(const Terms<T>& terms, const T* __restrict source, std::int64_t dim, T* __restrict out) {
  for (std::int64_t j = 0; j < dim; ++j) out[j] = 0;
  std::int64_t i = 0;
  for (; i + 4 <= terms.count; i += 4) {
    const T* a = source + terms.rows[i] * dim;
    const T* b = source + terms.rows[i + 1] * dim;
    const T* c = source + terms.rows[i + 2] * dim;
    const T* d = source + terms.rows[i + 3] * dim;
    const T fa = terms.factors[i], fb = terms.factors[i + 1], fc = terms.factors[i + 2], fd = terms.factors[i + 3];
    for (std::int64_t j = 0; j < dim; ++j) out[j] += (fa * a[j] + fb * b[j]) + (fc * c[j] + fd * d[j]);
  }
  for (; i < terms.count; ++i) {
    const T* a = source + terms.rows[i] * dim;
    const T fa = terms.factors[i];
    for (std::int64_t j = 0; j < dim; ++j) out[j] += fa * a[j];
  }
}

void sum(const Terms<float>& terms, const float* source, std::int64_t dim, float* out) {
  kernel::vector_code([&]() YATLAB_VECTORS { sum_rows(terms, source, dim, out); });
}
void sum(const Terms<double>& terms, const double* source, std::int64_t dim, double* out) { sum_rows(terms, source, dim, out); }

/// The factor of every entry: 1 / n for its row's n entries, or v / sum |v|.
std::vector<float> entry_factors(const SparseRows& bags, BagWeights weights) {
  std::vector<float> out(static_cast<std::size_t>(bags.starts[bags.rows]));
  for (std::int64_t row = 0; row < bags.rows; ++row) {
    const auto begin = bags.starts[row], end = bags.starts[row + 1];
    double total = 0;
    for (auto i = begin; i < end; ++i) total += weights == BagWeights::kBinary ? 1.0 : std::abs(bags.values[i]);
    const double scale = total > 0 ? 1.0 / total : 0.0;
    for (auto i = begin; i < end; ++i) {
      out[static_cast<std::size_t>(i)] = static_cast<float>(weights == BagWeights::kBinary ? scale : scale * bags.values[i]);
    }
  }
  return out;
}

/// Tables stacked one below the other, and the rows that belong to each.
struct Members {
  Members(const at::Tensor& table, const SparseRows& all)
      : bags(all), count(table.dim() == 3 ? table.size(0) : 1), stacked(table.dim() == 3), rows(all.rows / count), dim(table.size(-1)) {}

  /// The rows of one member; `starts` still index all entries.
  SparseRows bags_of(std::int64_t member) const { return {bags.starts + member * rows, bags.columns, bags.values, rows, bags.width}; }
  /// [each, d] for a single table; [S, each, d] for a stack.
  std::vector<std::int64_t> shape(std::int64_t each) const {
    return stacked ? std::vector<std::int64_t>{count, each, dim} : std::vector<std::int64_t>{each, dim};
  }

  const SparseRows& bags;
  std::int64_t count;
  bool stacked;
  std::int64_t rows;  // of each member
  std::int64_t dim;
};

template <class T>
at::Tensor forward(const at::Tensor& table, const SparseRows& bags, const std::vector<float>& factors) {
  const Members members(table, bags);
  const auto dim = members.dim;
  at::Tensor out = at::empty(members.shape(members.rows), table.options());
  const T* source = table.data_ptr<T>();
  T* target = out.data_ptr<T>();
  at::parallel_for(0, bags.rows, 8, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = begin; row < end; ++row) {
      const auto start = bags.starts[row];
      const T* own = source + row / members.rows * bags.width * dim;
      sum(Terms<T>{bags.columns + start, factors.data() + start, bags.length(row)}, own, dim, target + row * dim);
    }
  });
  return out;
}

/// The entries of `bags` grouped by feature: the columns of the matrix.
struct ByFeature {
  std::vector<std::int64_t> features;  // those that occur, ascending
  std::vector<std::int64_t> starts;    // [features + 1]
  std::vector<std::int64_t> rows;
  std::vector<float> factors;

  std::int64_t present() const { return static_cast<std::int64_t>(features.size()); }

  ByFeature(const SparseRows& bags, const std::vector<float>& entry) {
    std::vector<std::int64_t> next(static_cast<std::size_t>(bags.width), 0);
    for (auto i = bags.starts[0]; i < bags.starts[bags.rows]; ++i) ++next[static_cast<std::size_t>(bags.columns[i])];
    std::int64_t total = 0;
    for (std::int64_t f = 0; f < bags.width; ++f) {
      auto& n = next[static_cast<std::size_t>(f)];
      if (n == 0) continue;
      features.push_back(f);
      starts.push_back(total);
      total += n;
      n = total - n;  // from here on: where the feature's next entry goes
    }
    starts.push_back(total);
    rows.resize(static_cast<std::size_t>(total));
    factors.resize(static_cast<std::size_t>(total));
    for (std::int64_t row = 0; row < bags.rows; ++row) {
      for (auto i = bags.starts[row]; i < bags.starts[row + 1]; ++i) {
        const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(bags.columns[i])]++);
        rows[place] = row;
        factors[place] = entry[static_cast<std::size_t>(i)];
      }
    }
  }
};

/// `target`: one gradient row for each feature that occurs, or for every feature if `whole`.
template <class T>
void add_up(const T* source, const ByFeature& by, std::int64_t dim, bool whole, T* target) {
  at::parallel_for(0, by.present(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (auto f = begin; f < end; ++f) {
      const auto i = static_cast<std::size_t>(f);
      const auto start = by.starts[i];
      sum(Terms<T>{by.rows.data() + start, by.factors.data() + start, by.starts[i + 1] - start}, source, dim,
          target + (whole ? by.features[i] : f) * dim);
    }
  });
}

template <class T>
at::Tensor backward(const at::Tensor& gradient, const SparseRows& bags, const std::vector<float>& factors, bool sparse) {
  const Members members(gradient, bags);
  std::vector<ByFeature> by;
  std::int64_t present = 0;
  for (std::int64_t m = 0; m < members.count; ++m) present += by.emplace_back(members.bags_of(m), factors).present();
  at::Tensor out =
      sparse ? at::empty({present, members.dim}, gradient.options()) : at::zeros(members.shape(bags.width), gradient.options());
  const T* source = gradient.data_ptr<T>();
  T* target = out.data_ptr<T>();
  for (const auto& own : by) {
    add_up(source, own, members.dim, !sparse, target);
    source += members.rows * members.dim;
    target += (sparse ? own.present() : bags.width) * members.dim;
  }
  if (!sparse) return out;
  at::Tensor index = at::empty({members.stacked ? 2 : 1, present}, at::kLong);  // member (in a stack), and feature
  auto* const all = index.data_ptr<std::int64_t>();
  std::int64_t done = 0;
  for (std::size_t m = 0; m < by.size(); ++m) {
    if (members.stacked) std::fill_n(all + done, by[m].present(), static_cast<std::int64_t>(m));
    std::copy(by[m].features.begin(), by[m].features.end(), all + (members.stacked ? present : 0) + done);
    done += by[m].present();
  }
  out = at::_sparse_coo_tensor_unsafe(index, out, members.shape(bags.width));
  out._coalesced_(true);
  return out;
}

class EmbeddingMean : public torch::autograd::Function<EmbeddingMean> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& table, const at::Tensor& bags, std::int64_t weights,
                            bool sparse_gradient) {
    ctx->saved_data["bags"] = bags;
    ctx->saved_data["weights"] = weights;
    ctx->saved_data["sparse"] = sparse_gradient;
    const auto view = sparse_rows(bags);
    const auto factors = entry_factors(view, static_cast<BagWeights>(weights));
    const auto dense = table.contiguous();
    return dense.scalar_type() == at::kDouble ? yatlab::forward<double>(dense, view, factors)
                                              : yatlab::forward<float>(dense, view, factors);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx, torch::autograd::variable_list outputs) {
    const at::Tensor bags = ctx->saved_data["bags"].toTensor();
    const bool sparse = ctx->saved_data["sparse"].toBool();
    const auto view = sparse_rows(bags);
    const auto factors = entry_factors(view, static_cast<BagWeights>(ctx->saved_data["weights"].toInt()));
    const at::Tensor gradient = outputs[0].contiguous();
    return {gradient.scalar_type() == at::kDouble ? yatlab::backward<double>(gradient, view, factors, sparse)
                                                  : yatlab::backward<float>(gradient, view, factors, sparse),
            {},
            {},
            {}};
  }
};

/// The same with LibTorch, for other devices: features, bags and factors are copied there.
at::Tensor general(const at::Tensor& table, const at::Tensor& bags, BagWeights weights) {
  const auto view = sparse_rows(bags);
  const auto there = [&](const at::Tensor& t) { return t.to(table.device()); };
  const at::Tensor starts = there(bags.crow_indices()), features = there(bags.col_indices());
  const at::Tensor factors = there(at::tensor(entry_factors(view, weights), table.scalar_type()));
  constexpr std::int64_t kSum = 0;
  return std::get<0>(at::embedding_bag(table, features, starts, /*scale_grad_by_freq=*/false, kSum, /*sparse=*/false, factors,
                                       /*include_last_offset=*/true));
}

}  // namespace

at::Tensor embedding_mean(const at::Tensor& table, const at::Tensor& bags, BagWeights weights, bool sparse_gradient) {
  const bool stacked = table.dim() == 3;
  if ((table.dim() != 2 && !stacked) || table.size(-2) != bags.size(1) || (stacked && bags.size(0) % table.size(0) != 0) ||
      (table.scalar_type() != at::kFloat && table.scalar_type() != at::kDouble)) {
    throw Error(ErrorKind::kInternal, "embedding_mean: a float table [features, dim] for bags [rows, features] is needed");
  }
  if (stacked && !use_cpu_kernel(table)) throw Error(ErrorKind::kInternal, "embedding_mean: stacks are for the CPU");
  if (!use_cpu_kernel(table)) return general(table, bags, weights);
  return EmbeddingMean::apply(table, bags, static_cast<std::int64_t>(weights), sparse_gradient);
}

}  // namespace yatlab
