#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/figure/figure.h"
#include "core/registry/fields.h"

namespace yatlab {

/// A square region of the plane, sampled on a regular grid: for plots of studies and analyses of 2-D inputs.
struct Plane {
  std::vector<double> center = {0, 0};
  double half_width = 3;
  std::int64_t resolution = 161;

  /// Declares three settings of the component that uses the plane.
  static void declare(Fields& f, Plane& p);
  /// Throws unless `center` has two coordinates.
  void check(const std::string& who) const;

  /// [resolution^2, 2], double: row by row from the top, each from the left.
  at::Tensor points() const;
  /// Converts values at `points()` to a grid for figures and artifacts.
  Heat grid(const at::Tensor& values) const;
};

/// {"x0", "y0", "cell", "rows", "columns", "values"}; values with 7 digits.
nlohmann::ordered_json grid_to_json(const Heat& grid);

/// The class with the highest score in each row of scores [N, C]: [N] double on the CPU; NaN where the highest is not a finite number.
at::Tensor class_regions(const at::Tensor& scores);

/// The regions in which each class has the highest score: {"grid": class indices, "classes": C, "boundaries": [{"between": [a, b], "x": [...], "y":
/// [...]}]}. scores: [resolution^2, C] at `points()`. On a boundary, its two classes tie above all others.
nlohmann::ordered_json decision_to_json(const Plane& plane, const at::Tensor& scores);

}  // namespace yatlab
