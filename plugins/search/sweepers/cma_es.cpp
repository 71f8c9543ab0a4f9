#include "plugins/search/sweepers/cma_es.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace yatlab {
namespace {

double length(const std::vector<double>& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

/// Rotates rows and columns p and q so that matrix[p][q] is zero.
void rotate(std::vector<double>& a, std::vector<double>& vectors, std::size_t n, std::size_t p, std::size_t q) {
  const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1);
  const double s = t * c;
  for (std::size_t k = 0; k < n; ++k) {
    const double kp = a[k * n + p], kq = a[k * n + q];
    a[k * n + p] = c * kp - s * kq;
    a[k * n + q] = s * kp + c * kq;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double pk = a[p * n + k], qk = a[q * n + k];
    a[p * n + k] = c * pk - s * qk;
    a[q * n + k] = s * pk + c * qk;
    const double kp = vectors[k * n + p], kq = vectors[k * n + q];
    vectors[k * n + p] = c * kp - s * kq;
    vectors[k * n + q] = s * kp + c * kq;
  }
}

}  // namespace

Eigen symmetric_eigen(std::vector<double> a, std::size_t n) {
  Eigen out;
  out.vectors.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) out.vectors[i * n + i] = 1;
  constexpr int kSweeps = 60;  // about ten are needed
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool diagonal = true;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (std::abs(a[p * n + q]) <= 1e-16 * std::sqrt(std::abs(a[p * n + p] * a[q * n + q]))) continue;
        diagonal = false;
        rotate(a, out.vectors, n, p, q);
      }
    }
    if (diagonal) break;
  }
  for (std::size_t i = 0; i < n; ++i) out.values.push_back(a[i * n + i]);
  return out;
}

CmaEs::CmaEs(std::vector<double> mean, double sigma, std::size_t lambda)
    : mean_(std::move(mean)), sigma_(sigma), weights_(lambda), mu_(lambda / 2) {
  const double dim = static_cast<double>(n());
  double positive = 0, negative = 0, squares = 0, negative_squares = 0;
  for (std::size_t i = 0; i < lambda; ++i) {
    const double w = std::log((static_cast<double>(lambda) + 1) / 2) - std::log(static_cast<double>(i) + 1);
    weights_[i] = w;
    (i < mu_ ? positive : negative) += std::abs(w);
    (i < mu_ ? squares : negative_squares) += w * w;
  }
  mu_eff_ = positive * positive / squares;
  const double mu_eff_negative = negative * negative / negative_squares;
  c_sigma_ = (mu_eff_ + 2) / (dim + mu_eff_ + 5);
  d_sigma_ = 1 + 2 * std::max(0.0, std::sqrt((mu_eff_ - 1) / (dim + 1)) - 1) + c_sigma_;
  c_c_ = (4 + mu_eff_ / dim) / (dim + 4 + 2 * mu_eff_ / dim);
  c_1_ = 2 / ((dim + 1.3) * (dim + 1.3) + mu_eff_);
  c_mu_ = std::min(1 - c_1_, 2 * (0.25 + mu_eff_ + 1 / mu_eff_ - 2) / ((dim + 2) * (dim + 2) + mu_eff_));
  chi_ = std::sqrt(dim) * (1 - 1 / (4 * dim) + 1 / (21 * dim * dim));
  // Three bounds on the sum of negative weights; the last keeps the matrix positive definite. With two points c_mu can be zero.
  double bound = 1 + 2 * mu_eff_negative / (mu_eff_ + 2);
  if (c_mu_ > 0) bound = std::min({bound, 1 + c_1_ / c_mu_, (1 - c_1_ - c_mu_) / (dim * c_mu_)});
  for (std::size_t i = 0; i < lambda; ++i) weights_[i] *= i < mu_ ? 1 / positive : bound / negative;
  path_sigma_.assign(n(), 0);
  path_c_.assign(n(), 0);
  scale_.assign(n(), 1);
  c_.assign(n() * n(), 0);
  for (std::size_t i = 0; i < n(); ++i) c(i, i) = 1;
  decompose();
}

void CmaEs::decompose() {
  eigen_ = symmetric_eigen(c_, n());
  const double most = *std::max_element(eigen_.values.begin(), eigen_.values.end());
  for (auto& value : eigen_.values) value = std::sqrt(std::max(value, 1e-20 * most));
}

std::vector<double> CmaEs::deviations() const {
  std::vector<double> out(n());
  for (std::size_t i = 0; i < n(); ++i) out[i] = scale_[i] * sigma_ * std::sqrt(c_[i * n() + i]);
  return out;
}

std::vector<double> CmaEs::sample(Draws& draws) const {
  std::vector<double> z(n()), out(mean_);
  for (std::size_t i = 0; i < n(); ++i) z[i] = eigen_.values[i] * draws.normal();
  for (std::size_t i = 0; i < n(); ++i) {
    for (std::size_t j = 0; j < n(); ++j) out[i] += scale_[i] * sigma_ * eigen_.vectors[i * n() + j] * z[j];
  }
  return out;
}

std::vector<double> CmaEs::step_to(const std::vector<double>& point) const {
  std::vector<double> out(n());
  for (std::size_t i = 0; i < n(); ++i) out[i] = (point[i] - mean_[i]) / (scale_[i] * sigma_);
  return out;
}

std::vector<double> CmaEs::whitened(const std::vector<double>& y) const {
  std::vector<double> out(n());
  for (std::size_t j = 0; j < n(); ++j) {
    double along = 0;
    for (std::size_t i = 0; i < n(); ++i) along += eigen_.vectors[i * n() + j] * y[i];
    for (std::size_t i = 0; i < n(); ++i) out[i] += eigen_.vectors[i * n() + j] * along / eigen_.values[j];
  }
  return out;
}

std::vector<double> CmaEs::plausible(const std::vector<double>& point) const {
  const double dim = static_cast<double>(n());
  const double far = length(whitened(step_to(point))) / (std::sqrt(dim) + 2 * dim / (dim + 2));
  if (!(far > 1)) return point;
  auto out = mean_;
  for (std::size_t i = 0; i < n(); ++i) out[i] += (point[i] - mean_[i]) / far;
  return out;
}

void CmaEs::update(const std::vector<std::vector<double>>& ranked) {
  ++generation_;
  std::vector<std::vector<double>> steps;
  for (const auto& point : ranked) steps.push_back(step_to(point));
  std::vector<double> mean_step(n(), 0);
  for (std::size_t k = 0; k < mu_; ++k) {
    for (std::size_t i = 0; i < n(); ++i) mean_step[i] += weights_[k] * steps[k][i];
  }
  for (std::size_t i = 0; i < n(); ++i) mean_[i] += scale_[i] * sigma_ * mean_step[i];

  const auto white = whitened(mean_step);
  for (std::size_t i = 0; i < n(); ++i) {
    path_sigma_[i] = (1 - c_sigma_) * path_sigma_[i] + std::sqrt(c_sigma_ * (2 - c_sigma_) * mu_eff_) * white[i];
  }
  const double path = length(path_sigma_);
  // While the step size grows fast, the covariance's path is not updated.
  const bool slow = path / std::sqrt(1 - std::pow(1 - c_sigma_, 2.0 * static_cast<double>(generation_))) <
                    (1.4 + 2 / (static_cast<double>(n()) + 1)) * chi_;
  for (std::size_t i = 0; i < n(); ++i) {
    path_c_[i] = (1 - c_c_) * path_c_[i] + (slow ? std::sqrt(c_c_ * (2 - c_c_) * mu_eff_) * mean_step[i] : 0);
  }
  const double kept = 1 + (slow ? 0 : c_1_ * c_c_ * (2 - c_c_)) - c_1_ - c_mu_ * std::accumulate(weights_.begin(), weights_.end(), 0.0);
  auto weights = weights_;
  for (std::size_t k = mu_; k < lambda(); ++k) {
    const double far = length(whitened(steps[k]));
    weights[k] *= static_cast<double>(n()) / std::max(far * far, 1e-300);
  }
  for (std::size_t i = 0; i < n(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = kept * c(i, j) + c_1_ * path_c_[i] * path_c_[j];
      for (std::size_t k = 0; k < lambda(); ++k) sum += c_mu_ * weights[k] * steps[k][i] * steps[k][j];
      c(i, j) = c(j, i) = sum;
    }
  }
  decompose();
  sigma_ *= std::exp(std::min(1.0, c_sigma_ / d_sigma_ * (path / chi_ - 1)));
}

void CmaEs::hold_deviations(const std::vector<double>& least, double most) {
  std::fill(scale_.begin(), scale_.end(), 1.0);
  const auto now = deviations();
  sigma_ *= std::min(1.0, most / *std::max_element(now.begin(), now.end()));
  const auto held = deviations();
  for (std::size_t i = 0; i < n(); ++i) scale_[i] = std::max(1.0, least[i] / held[i]);
}

}  // namespace yatlab
