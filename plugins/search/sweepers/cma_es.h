#pragma once

#include <cstddef>
#include <vector>

#include "plugins/search/sweepers/draws.h"

namespace yatlab {

/// Eigenvalues of a symmetric n x n matrix and, as columns, orthonormal eigenvectors (row-major, like the matrix), by Jacobi rotations.
struct Eigen {
  std::vector<double> values, vectors;
};
Eigen symmetric_eigen(std::vector<double> matrix, std::size_t n);

/// The distribution of CMA-ES and its update: (mu/mu_w, lambda) with active covariance matrix adaptation and cumulative step sizes, symbols and
/// constants as in Hansen's tutorial (2016, arXiv:1604.00772). It is independent of bounds and objective functions.
class CmaEs {
 public:
  /// `sigma` > 0; lambda >= 2.
  CmaEs(std::vector<double> mean, double sigma, std::size_t lambda);

  std::size_t lambda() const { return weights_.size(); }
  const std::vector<double>& mean() const { return mean_; }
  /// The step size, which scales all deviations.
  double sigma() const { return sigma_; }
  /// Row-major.
  const std::vector<double>& covariance() const { return c_; }
  /// The standard deviation of each coordinate of the samples.
  std::vector<double> deviations() const;

  std::vector<double> sample(Draws& draws) const;
  /// `point`, moved along a line towards the mean if it is improbable under this distribution: for points from another distribution (Hansen
  /// 2011, arXiv:1110.4181).
  std::vector<double> plausible(const std::vector<double>& point) const;
  /// Updates the distribution from lambda points, the best first.
  void update(const std::vector<std::vector<double>>& ranked);

  /// From now on each coordinate's deviation is at least `least`, by a scale between distribution and samples that the step size does not
  /// include (as the margin of Hamano et al. 2022): otherwise an integer's deviation would fall below one. None exceeds `most`.
  void hold_deviations(const std::vector<double>& least, double most);

 private:
  std::size_t n() const { return mean_.size(); }
  void decompose();
  double& c(std::size_t i, std::size_t j) { return c_[i * n() + j]; }
  /// (x - mean) / sigma, without the scale.
  std::vector<double> step_to(const std::vector<double>& point) const;
  /// C^(-1/2) y
  std::vector<double> whitened(const std::vector<double>& y) const;

  std::vector<double> mean_;
  double sigma_;
  std::vector<double> weights_;  ///< by rank; those of the worse half are negative
  std::size_t mu_ = 0;
  double mu_eff_ = 0, c_sigma_ = 0, d_sigma_ = 0, c_c_ = 0, c_1_ = 0, c_mu_ = 0, chi_ = 0;
  std::vector<double> c_, path_sigma_, path_c_, scale_;
  Eigen eigen_;  ///< of C; holds square roots of the eigenvalues
  std::size_t generation_ = 0;
};

}  // namespace yatlab
