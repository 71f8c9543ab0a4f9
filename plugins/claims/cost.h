#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/ops/operator.h"

/// Shared by the claims about the layer's cost: numbers that count operations, the layer's algorithm written with them, and a stopwatch.
namespace yatlab::claims::cost {

using at::Tensor;

/// A double that counts its arithmetic operations, each +, -, * and / as one.
struct Counted {
  double value = 0;
  static std::int64_t& operations() {
    static thread_local std::int64_t count = 0;
    return count;
  }
  static Counted count(double v) {
    ++operations();
    return {v};
  }
  friend Counted operator+(Counted a, Counted b) { return count(a.value + b.value); }
  friend Counted operator-(Counted a, Counted b) { return count(a.value - b.value); }
  friend Counted operator*(Counted a, Counted b) { return count(a.value * b.value); }
  friend Counted operator/(Counted a, Counted b) { return count(a.value / b.value); }
};

/// Number of operations that `f` performs on Counted numbers.
inline std::int64_t operations_of(const std::function<void()>& f) {
  const std::int64_t before = Counted::operations();
  f();
  return Counted::operations() - before;
}

/// A row-major matrix of Counted numbers.
struct CountedMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<Counted> entries;
  CountedMatrix(std::int64_t r, std::int64_t c) : rows(r), columns(c), entries(static_cast<std::size_t>(r * c)) {}
  /// t: [r, c], any floating type.
  explicit CountedMatrix(const Tensor& t) : CountedMatrix(t.size(0), t.size(1)) {
    const Tensor d = t.to(at::kDouble).contiguous();
    const double* const p = d.data_ptr<double>();
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].value = p[i];
  }
  Counted& at(std::int64_t i, std::int64_t j) { return entries[static_cast<std::size_t>(i * columns + j)]; }
  const Counted& at(std::int64_t i, std::int64_t j) const { return entries[static_cast<std::size_t>(i * columns + j)]; }
  Tensor tensor() const {
    Tensor out = at::empty({rows, columns}, at::kDouble);
    double* const p = out.data_ptr<double>();
    for (std::size_t i = 0; i < entries.size(); ++i) p[i] = entries[i].value;
    return out;
  }
};

/// The cost of each step of a pass, counted while it ran.
struct ForwardCount {
  std::int64_t gemm = 0, x_norms = 0, w_norms = 0, elementwise = 0;
  std::int64_t total() const { return gemm + x_norms + w_norms + elementwise; }
};
struct ForwardRun {
  CountedMatrix dot, denominator, y;
  ForwardCount count;
};

/// The forward pass in the steps of thm:forward-complexity. A sum of d products counts 2d operations, as in the paper's GEMM; epsilon is added to the
/// B row norms.
inline ForwardRun counted_forward(const CountedMatrix& x, const CountedMatrix& w, double epsilon) {
  const std::int64_t batch = x.rows, units = w.rows, dim = x.columns;
  ForwardRun run{{batch, units}, {batch, units}, {batch, units}, {}};
  const auto inner = [dim](const CountedMatrix& a, std::int64_t i, const CountedMatrix& b, std::int64_t j) {
    Counted sum;
    for (std::int64_t k = 0; k < dim; ++k) sum = sum + a.at(i, k) * b.at(j, k);
    return sum;
  };
  std::vector<Counted> x_norm, w_norm;
  run.count.gemm = operations_of([&] {
    for (std::int64_t i = 0; i < batch; ++i) {
      for (std::int64_t j = 0; j < units; ++j) run.dot.at(i, j) = inner(x, i, w, j);
    }
  });
  run.count.x_norms = operations_of([&] {
    for (std::int64_t i = 0; i < batch; ++i) x_norm.push_back(inner(x, i, x, i) + Counted{epsilon});
  });
  run.count.w_norms = operations_of([&] {
    for (std::int64_t j = 0; j < units; ++j) w_norm.push_back(inner(w, j, w, j));
  });
  run.count.elementwise = operations_of([&] {
    for (std::int64_t i = 0; i < batch; ++i) {
      for (std::int64_t j = 0; j < units; ++j) {
        const Counted s = run.dot.at(i, j);
        run.denominator.at(i, j) = x_norm[static_cast<std::size_t>(i)] + w_norm[static_cast<std::size_t>(j)] - Counted{2} * s;
        run.y.at(i, j) = s * s / run.denominator.at(i, j);
      }
    }
  });
  return run;
}

struct BackwardCount {
  std::int64_t scalar = 0;  ///< the gradient of S, item 1
  std::int64_t norms = 0;   ///< the gradient of the two norms: its entries and their sums along rows and columns
  std::int64_t gemm = 0;    ///< items 2 and 3
  std::int64_t rows = 0;    ///< adding the gradients of the norms to the two matrices
  std::int64_t total() const { return scalar + norms + gemm + rows; }
};
struct BackwardRun {
  CountedMatrix x, w;  ///< the gradients
  BackwardCount count;
};

/// The closed-form backward pass, from the S and denominators saved by the forward pass. With `as_printed` the gradients are only what
/// thm:backward-complexity lists, G_S W and G_S' X.
inline BackwardRun counted_backward(const CountedMatrix& g, const CountedMatrix& x, const CountedMatrix& w, const ForwardRun& forward,
                                    bool as_printed) {
  const std::int64_t batch = x.rows, units = w.rows, dim = x.columns;
  BackwardRun run{{batch, dim}, {units, dim}, {}};
  CountedMatrix g_dot(batch, units);
  std::vector<Counted> x_sum(static_cast<std::size_t>(batch)), w_sum(static_cast<std::size_t>(units));
  // dY/dS = 2 S (D + S) / D^2, with the norms constant.
  run.count.scalar = operations_of([&] {
    for (std::int64_t i = 0; i < batch; ++i) {
      for (std::int64_t j = 0; j < units; ++j) {
        const Counted s = forward.dot.at(i, j), d = forward.denominator.at(i, j);
        g_dot.at(i, j) = g.at(i, j) * (Counted{2} * s * (d + s) / (d * d));
      }
    }
  });
  if (!as_printed) {
    // dY/d|x|^2 = dY/d|w|^2 = -S^2 / D^2
    run.count.norms = operations_of([&] {
      for (std::int64_t i = 0; i < batch; ++i) {
        for (std::int64_t j = 0; j < units; ++j) {
          const Counted part = g.at(i, j) * (forward.y.at(i, j) / forward.denominator.at(i, j));
          x_sum[static_cast<std::size_t>(i)] = x_sum[static_cast<std::size_t>(i)] + part;
          w_sum[static_cast<std::size_t>(j)] = w_sum[static_cast<std::size_t>(j)] + part;
        }
      }
    });
  }
  run.count.gemm = operations_of([&] {
    for (std::int64_t i = 0; i < batch; ++i) {
      for (std::int64_t j = 0; j < units; ++j) {
        for (std::int64_t k = 0; k < dim; ++k) {
          run.x.at(i, k) = run.x.at(i, k) + g_dot.at(i, j) * w.at(j, k);
          run.w.at(j, k) = run.w.at(j, k) + g_dot.at(i, j) * x.at(i, k);
        }
      }
    }
  });
  if (!as_printed) {
    const auto subtract = [dim](CountedMatrix& out, const std::vector<Counted>& sums, const CountedMatrix& rows) {
      for (std::int64_t i = 0; i < rows.rows; ++i) {
        const Counted twice = Counted{2} * sums[static_cast<std::size_t>(i)];
        for (std::int64_t k = 0; k < dim; ++k) out.at(i, k) = out.at(i, k) - twice * rows.at(i, k);
      }
    };
    run.count.rows = operations_of([&] {
      subtract(run.x, x_sum, x);
      subtract(run.w, w_sum, w);
    });
  }
  return run;
}

/// Largest |a - b|, divided by the largest |b|.
inline double relative_gap(const Tensor& a, const Tensor& b) {
  return ((a - b).abs().max() / b.abs().max().clamp_min(1e-300)).item<double>();
}

/// The stopwatch, in seconds. Tests replace it to show that no verdict depends on it.
inline std::function<double()>& stopwatch() {
  static std::function<double()> now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  return now;
}

/// Median of `repeats` timed calls, after one untimed, in seconds; at least a nanosecond, as a clock may not advance. For notes: times never decide a
/// verdict.
inline double median_seconds(std::int64_t repeats, const std::function<void()>& f) {
  f();
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < repeats; ++i) {
    const double start = stopwatch()();
    f();
    seconds.push_back(stopwatch()() - start);
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  return std::max(1e-9, seconds[seconds.size() / 2]);
}

/// The work of one training step: forward, and backward from a sum. Returns seconds (median).
inline double step_seconds(std::int64_t repeats, const std::vector<Tensor>& leaves, const std::function<Tensor()>& forward) {
  return median_seconds(repeats, [&] {
    const Tensor y = forward();
    y.backward(at::ones_like(y));
    for (Tensor leaf : leaves) leaf.mutable_grad() = Tensor();
  });
}

}  // namespace yatlab::claims::cost
