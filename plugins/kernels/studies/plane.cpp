#include "plugins/kernels/studies/plane.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/figure/contour.h"

namespace yatlab {
namespace {

double rounded(double v) { return std::isfinite(v) ? std::stod(fmt::format("{:.7g}", v)) : v; }

}  // namespace

void Plane::declare(Fields& f, Plane& p) {
  f.field("center", p.center, "centre of the square");
  f.field("half_width", p.half_width, "distance from the centre of the square to its sides").positive();
  f.field("resolution", p.resolution, "points along each side").range(2, 10000);
}

void Plane::check(const std::string& who) const {
  if (center.size() != 2) throw config_error(who + ".center must have two coordinates");
}

at::Tensor Plane::points() const {
  const double cell = 2 * half_width / static_cast<double>(resolution);
  const auto options = at::TensorOptions(at::kDouble);
  const auto steps = (at::arange(resolution, options) + 0.5) * cell - half_width;
  const auto x = (steps + center[0]).view({1, -1}).expand({resolution, resolution});
  const auto y = (center[1] - steps).view({-1, 1}).expand({resolution, resolution});
  return at::stack({x, y}, -1).reshape({-1, 2}).contiguous();
}

Heat Plane::grid(const at::Tensor& values) const {
  const auto flat = values.detach().to(at::kCPU, at::kDouble).contiguous().view(-1);
  Heat out;
  out.rows = out.columns = static_cast<std::size_t>(resolution);
  out.cell = 2 * half_width / static_cast<double>(resolution);
  out.x0 = center[0] - half_width;
  out.y0 = center[1] - half_width;
  out.values.assign(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
  return out;
}

nlohmann::ordered_json grid_to_json(const Heat& grid) {
  nlohmann::ordered_json out = {{"x0", grid.x0}, {"y0", grid.y0}, {"cell", grid.cell}, {"rows", grid.rows}, {"columns", grid.columns}};
  auto& values = out["values"] = nlohmann::ordered_json::array();
  for (const double v : grid.values) values.push_back(rounded(v));
  return out;
}

at::Tensor class_regions(const at::Tensor& given) {
  const auto scores = given.detach().to(at::kCPU, at::kDouble);
  const auto [most, place] = scores.max(1);
  return place.to(at::kDouble).masked_fill(most.isfinite().logical_not(), std::numeric_limits<double>::quiet_NaN());
}

nlohmann::ordered_json decision_to_json(const Plane& plane, const at::Tensor& given) {
  at::NoGradGuard no_grad;
  const auto scores = given.detach().to(at::kCPU, at::kDouble);
  const std::int64_t classes = scores.size(1);
  nlohmann::ordered_json out;
  Heat regions = plane.grid(class_regions(scores));
  out["classes"] = classes;
  auto& boundaries = out["boundaries"] = nlohmann::ordered_json::array();
  const auto infinity = at::full({scores.size(0)}, std::numeric_limits<double>::infinity(), scores.options());
  for (std::int64_t a = 0; a < classes; ++a) {
    for (std::int64_t b = a + 1; b < classes; ++b) {
      const auto sa = scores.select(1, a), sb = scores.select(1, b);
      // Relative, because the scores of peaked kernels are not linear between grid points.
      auto tie = (sa - sb) / (sa.abs() + sb.abs() + 1e-300);
      // Against a class whose score is always 0 (one logit) the relative value is only a sign, which makes the boundary a staircase.
      if (!at::any(sa).item<bool>() || !at::any(sb).item<bool>()) tie = sa - sb;
      if (classes > 2) {
        auto others = scores.clone();
        others.select(1, a).fill_(-std::numeric_limits<double>::infinity());
        others.select(1, b).fill_(-std::numeric_limits<double>::infinity());
        // Where a third class has the highest score, these two have no boundary.
        tie = at::where(others.amax(1) > at::maximum(sa, sb), infinity, tie);
      }
      for (const auto& curve : contour_lines(plane.grid(tie), 0)) {
        nlohmann::ordered_json x = nlohmann::ordered_json::array(), y = x;
        for (double v : curve.x) x.push_back(rounded(v));
        for (double v : curve.y) y.push_back(rounded(v));
        boundaries.push_back({{"between", {a, b}}, {"x", std::move(x)}, {"y", std::move(y)}});
      }
    }
  }
  out["grid"] = grid_to_json(regions);
  return out;
}

}  // namespace yatlab
