#include "plugins/extreme/architectures/one_vs_all_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace yatlab {
namespace {

using Sums = std::array<double, kLanes>;
constexpr std::int64_t kChunk = 256;  // float sums are added to double ones after this many terms
constexpr std::size_t kUsed = static_cast<std::size_t>(kLanes);

// Arithmetic on lanes as on numbers. Loops of sixteen become vector instructions.
template <class F>
inline Lanes each(const F& f) {
  Lanes out;
  for (std::int64_t l = 0; l < kLanes; ++l) out.v[l] = f(l);
  return out;
}
inline Lanes lanes(double v) {
  return each([v](std::int64_t) { return static_cast<float>(v); });
}
inline Lanes lanes(const Sums& v) {
  return each([&v](std::int64_t l) { return static_cast<float>(v[static_cast<std::size_t>(l)]); });
}
inline Lanes operator+(const Lanes& a, const Lanes& b) {
  return each([&](std::int64_t l) { return a.v[l] + b.v[l]; });
}
inline Lanes operator-(const Lanes& a, const Lanes& b) {
  return each([&](std::int64_t l) { return a.v[l] - b.v[l]; });
}
inline Lanes operator*(const Lanes& a, const Lanes& b) {
  return each([&](std::int64_t l) { return a.v[l] * b.v[l]; });
}
inline Lanes operator*(const Lanes& a, double b) { return a * lanes(b); }
inline Lanes& operator+=(Lanes& a, const Lanes& b) { return a = a + b; }
inline Lanes positive_part(const Lanes& a) {
  return each([&](std::int64_t l) { return a.v[l] > 0 ? a.v[l] : 0.f; });
}

// Sum over i < n of term(i), lane by lane.
template <class Term>
Sums total(std::size_t n, const Term& term) {
  Sums out{};
  for (std::size_t begin = 0; begin < n; begin += kChunk) {
    Lanes part = lanes(0);
    for (std::size_t i = begin; i < std::min(begin + kChunk, n); ++i) part += term(i);
    for (std::size_t l = 0; l < kUsed; ++l) out[l] += static_cast<double>(part[l]);
  }
  return out;
}
Sums dot(const LaneMatrix& a, const LaneMatrix& b) {
  return total(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

class Solver {
 public:
  Solver(const SparseRows& x, const std::vector<std::vector<std::int64_t>>& positives, const OneVsAllOptions& options)
      : x_(x),
        o_(options),
        rows_(static_cast<std::size_t>(x.rows)),
        size_(static_cast<std::size_t>(x.width) + 1),
        y_(rows_, lanes(-1)),
        w_(size_),
        z_(rows_),
        slope_(rows_),
        curve_(rows_),
        gradient_(size_) {
    for (std::size_t l = 0; l < positives.size(); ++l) {
      for (const auto r : positives[l]) y_[static_cast<std::size_t>(r)][l] = 1;
    }
    set_scale(positives);
    start(positives);
  }

  LaneMatrix run(std::size_t used, OneVsAllReport* report) {
    Sums objective = look();
    std::array<bool, kLanes> done{}, stuck{};
    int step = 0;
    for (;; ++step) {
      const Sums squares = dot(gradient_, gradient_);
      bool all = true;
      for (std::size_t l = 0; l < kUsed; ++l) {
        norm_[l] = std::sqrt(squares[l]);
        done[l] = stuck[l] || l >= used || norm_[l] <= o_.tolerance * scale_[l];
        all = all && done[l];
      }
      if (all || step == o_.max_newton) break;
      const LaneMatrix direction = newton_direction(done);
      search(direction, objective, done, stuck);
      objective = look();
    }
    if (report) {
      report->newton = step;
      report->products = products_;
      for (std::size_t l = 0; l < used; ++l) {
        report->objective.push_back(objective[l]);
        report->gradient_norm.push_back(norm_[l]);
        report->converged.push_back(norm_[l] <= o_.tolerance * scale_[l]);
      }
    }
    return std::move(w_);
  }

 private:
  bool hinge() const { return o_.loss == OneVsAllOptions::Loss::kSquaredHinge; }

  // The gradient norm of the positive rows alone at w = 0: c * slope at 0 * sum of their x.
  void set_scale(const std::vector<std::vector<std::int64_t>>& positives) {
    LaneMatrix sum(size_);
    std::vector<std::int64_t> rows;
    for (const auto& list : positives) rows.insert(rows.end(), list.begin(), list.end());
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    LaneMatrix in;
    for (const auto r : rows) in.push_back(positive_part(y_[static_cast<std::size_t>(r)]));
    transposed(rows, in, sum);
    const Sums squares = dot(sum, sum);
    const double slope = hinge() ? 2 : 0.5;
    for (std::size_t l = 0; l < kUsed; ++l) scale_[l] = o_.c * slope * std::max(std::sqrt(squares[l]), 1.0);
  }

  void start(const std::vector<std::vector<std::int64_t>>& positives) {
    if (o_.bias == 0) return;
    for (std::size_t l = 0; l < positives.size(); ++l) {
      const double n = static_cast<double>(rows_), yes = static_cast<double>(positives[l].size());
      // Hinge: all at margin 1 as negatives; logistic: the logit of the label's share.
      const double constant = hinge() ? -1 : std::log((yes + 0.5) / (n - yes + 0.5));
      w_.back()[l] = static_cast<float>(constant / o_.bias);
    }
    product(w_, z_);
  }

  void product(const LaneMatrix& dense, LaneMatrix& out) {
    ++products_;
    multiply_lanes(x_, dense, out);
    add_bias(dense, out);
  }
  void product(const std::vector<std::int64_t>& rows, const LaneMatrix& dense, LaneMatrix& out) {
    ++products_;
    multiply_lanes(x_, rows, dense, out);
    add_bias(dense, out);
  }
  void add_bias(const LaneMatrix& dense, LaneMatrix& out) const {
    const Lanes constant = dense.back() * o_.bias;
    for (auto& v : out) v += constant;
  }
  void transposed(const std::vector<std::int64_t>& rows, const LaneMatrix& in, LaneMatrix& out) {
    ++products_;
    add_transposed_lanes(x_, rows, in, out);
    out.back() += lanes(total(in.size(), [&](std::size_t i) { return in[i]; })) * o_.bias;
  }

  // The loss of one row and, where requested, its first and second derivatives in z.
  Lanes loss(const Lanes& z, const Lanes& y, Lanes* slope = nullptr, Lanes* curve = nullptr) const {
    Lanes out;
    if (hinge()) {
      for (std::int64_t l = 0; l < kLanes; ++l) {
        const float m = 1 - y.v[l] * z.v[l], miss = m > 0 ? m : 0.f;
        out.v[l] = miss * miss;
        if (slope) slope->v[l] = -2 * y.v[l] * miss;
        if (curve) curve->v[l] = m > 0 ? 2.f : 0.f;
      }
      return out;
    }
    for (std::int64_t l = 0; l < kLanes; ++l) {
      const float m = y.v[l] * z.v[l], e = std::exp(-std::abs(m));
      out.v[l] = std::max(-m, 0.f) + std::log1p(e);
      const float miss = m > 0 ? e / (1 + e) : 1 / (1 + e);  // sigmoid(-m)
      if (slope) slope->v[l] = -y.v[l] * miss;
      if (curve) curve->v[l] = miss * (1 - miss);
    }
    return out;
  }

  // Objective, gradient, curvature and active rows at w_.
  Sums look() {
    active_.clear();
    const Sums losses = total(rows_, [&](std::size_t i) { return loss(z_[i], y_[i], &slope_[i], &curve_[i]); });
    LaneMatrix slopes;
    for (std::size_t i = 0; i < rows_; ++i) {
      // Rows that every lane classifies with enough margin have neither slope nor curvature.
      bool any = false;
      for (std::int64_t l = 0; l < kLanes; ++l) any = any || slope_[i][l] != 0;
      if (!any) continue;
      active_.push_back(static_cast<std::int64_t>(i));
      slopes.push_back(slope_[i] * o_.c);
    }
    gradient_ = w_;
    transposed(active_, slopes, gradient_);
    Sums out = dot(w_, w_);
    for (std::size_t l = 0; l < kUsed; ++l) out[l] = out[l] / 2 + o_.c * losses[l];
    return out;
  }

  // Solves H d = -g by conjugate gradients, preconditioned by H's diagonal, to a tenth of |g|.
  LaneMatrix newton_direction(const std::array<bool, kLanes>& done) {
    LaneMatrix d(size_), r(size_), s(size_), p, hp, xp, inverse(size_, lanes(1));
    for (const auto i : active_) {
      const Lanes factor = curve_[static_cast<std::size_t>(i)] * o_.c;
      for (auto e = x_.starts[i]; e < x_.starts[i + 1]; ++e) {
        inverse[static_cast<std::size_t>(x_.columns[e])] += factor * (double{x_.values[e]} * x_.values[e]);
      }
      inverse.back() += factor * (o_.bias * o_.bias);
    }
    for (std::size_t i = 0; i < size_; ++i) {
      inverse[i] = each([&](std::int64_t l) { return 1 / inverse[i].v[l]; });
      r[i] = gradient_[i] * -1;
      s[i] = inverse[i] * r[i];
    }
    p = s;
    Sums rs = dot(r, s);
    std::array<bool, kLanes> stop = done;
    for (int k = 0; k < o_.max_cg; ++k) {
      product(active_, p, xp);
      for (std::size_t i = 0; i < active_.size(); ++i) xp[i] = xp[i] * curve_[static_cast<std::size_t>(active_[i])] * o_.c;
      hp = p;
      transposed(active_, xp, hp);
      const Sums php = dot(p, hp);
      Sums alpha{};
      for (std::size_t l = 0; l < kUsed; ++l) alpha[l] = stop[l] || !(php[l] > 0) ? 0 : rs[l] / php[l];
      const Lanes a = lanes(alpha);
      for (std::size_t i = 0; i < size_; ++i) {
        d[i] += a * p[i];
        r[i] = r[i] - a * hp[i];
      }
      const Sums rest = dot(r, r);
      bool all = true;
      for (std::size_t l = 0; l < kUsed; ++l) {
        stop[l] = stop[l] || !(php[l] > 0) || std::sqrt(rest[l]) <= 0.1 * norm_[l];
        all = all && stop[l];
      }
      if (all) break;
      for (std::size_t i = 0; i < size_; ++i) s[i] = inverse[i] * r[i];
      const Sums next = dot(r, s);
      Sums beta{};
      for (std::size_t l = 0; l < kUsed; ++l) beta[l] = stop[l] || !(rs[l] > 0) ? 0 : next[l] / rs[l];
      const Lanes b = lanes(beta);
      for (std::size_t i = 0; i < size_; ++i) p[i] = s[i] + b * p[i];
      rs = next;
    }
    return d;
  }

  // Halves each lane's step until its objective decreases enough, then takes it.
  void search(const LaneMatrix& d, const Sums& objective, const std::array<bool, kLanes>& done, std::array<bool, kLanes>& stuck) {
    LaneMatrix zd;
    product(d, zd);
    const Sums descent = dot(gradient_, d), wd = dot(w_, d), dd = dot(d, d), ww = dot(w_, w_);
    Sums t{};
    std::array<bool, kLanes> settled = done;
    for (std::size_t l = 0; l < kUsed; ++l) t[l] = done[l] ? 0 : 1;
    for (int attempt = 0; attempt < 25; ++attempt) {
      const Lanes step = lanes(t);
      const Sums losses = total(rows_, [&](std::size_t i) { return loss(z_[i] + step * zd[i], y_[i]); });
      bool all = true;
      for (std::size_t l = 0; l < kUsed; ++l) {
        if (settled[l]) continue;
        const double value = (ww[l] + 2 * t[l] * wd[l] + t[l] * t[l] * dd[l]) / 2 + o_.c * losses[l];
        // Single precision cannot resolve smaller differences.
        settled[l] = value <= objective[l] + 1e-4 * t[l] * descent[l] + 1e-7 * std::abs(objective[l]);
        if (!settled[l]) t[l] /= 2;
        all = all && settled[l];
      }
      if (all) break;
    }
    for (std::size_t l = 0; l < kUsed; ++l) {
      if (settled[l]) continue;
      t[l] = 0;
      stuck[l] = true;
    }
    const Lanes step = lanes(t);
    for (std::size_t i = 0; i < size_; ++i) w_[i] += step * d[i];
    for (std::size_t i = 0; i < rows_; ++i) z_[i] += step * zd[i];
  }

  const SparseRows& x_;
  const OneVsAllOptions& o_;
  std::size_t rows_, size_;
  LaneMatrix y_, w_, z_, slope_, curve_, gradient_;
  std::vector<std::int64_t> active_;
  Sums scale_{}, norm_{};
  int products_ = 0;
};

}  // namespace

LaneMatrix solve_one_vs_all(const SparseRows& x, const std::vector<std::vector<std::int64_t>>& positives, const OneVsAllOptions& options,
                            OneVsAllReport* report) {
  return Solver(x, positives, options).run(positives.size(), report);
}

}  // namespace yatlab
