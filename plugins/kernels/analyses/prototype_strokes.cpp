#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/measure/analysis.h"
#include "plugins/kernels/architectures/prototypes.h"

namespace yatlab {
namespace {

/// Measures "localized, structured strokes" (fig:mnist_prototypes): the share of a prototype's energy (its squared weights) that is in strokes. A
/// stroke is a connected set of pixels (eight neighbours, one sign) among the 10 % with the largest weights. Noise has few such sets, because its
/// largest weights are scattered. The same is measured for the change by training, w - w_start, which excludes the random initialization.
class PrototypeStrokes final : public Analysis {
 public:
  struct Params {
    double share = 0.1;
    std::int64_t pixels = 8;
    static void declare(Fields& f, Params& p) {
      f.field("share", p.share, "share of the pixels that may form strokes: those with the largest weights").range(0, 1);
      f.field("pixels", p.pixels, "minimum number of connected pixels in a stroke").positive();
    }
  };
  explicit PrototypeStrokes(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts&) const override {
    return {with_prefix("strokes/", {MetricDoc("share").called("energy in strokes").higher().percent().shown(),
                                     MetricDoc("brightest").called("energy of the brightest pixels").neither().percent(),
                                     MetricDoc("added_share").called("energy in strokes, of what training added").higher().percent(),
                                     MetricDoc("unused").called("energy in pixels that no training image uses").neither().percent()}),
            {}};
  }
  void check(const ArmParts& arm) const override {
    arm.require_prototypes("analysis 'prototype_strokes'");
    if (!arm.data.input_shape.empty()) require_pictures(arm.data.input_shape);
  }

  Findings analyse(const TrainedArm& arm) const override {
    const auto shape = arm.dataset.input_shape();
    require_pictures(shape);
    const Tensor after = prototypes_of(arm.model, "prototype_strokes").to(at::kCPU, at::kDouble);
    const Tensor before = prototypes_of(*arm.initial(), "prototype_strokes").to(at::kCPU, at::kDouble);
    const auto whole = mean_shares(after, shape), added = mean_shares(after - before, shape);
    Findings out;
    out.metrics["strokes/share"] = whole.strokes;
    out.metrics["strokes/brightest"] = whole.brightest;
    out.metrics["strokes/added_share"] = added.strokes;
    out.metrics["strokes/unused"] = unused_share(after, arm.splits.at("train").in_tensors("analysis 'prototype_strokes'").inputs);
    return out;
  }

 private:
  /// The mean share of the prototypes' energy in pixels that are the same in all images.
  static double unused_share(const Tensor& prototypes, const Tensor& images) {
    const auto [least, most] = at::aminmax(images.flatten(1), 0);
    const Tensor energy = prototypes.square(), unused = energy * least.eq(most).to(at::kCPU, at::kDouble);
    return (unused.sum(-1) / energy.sum(-1)).nan_to_num(0).mean().item<double>();
  }

  struct Shares {
    double strokes = 0, brightest = 0;
  };

  static void require_pictures(const std::vector<std::int64_t>& shape) {
    if (shape.size() == 2) return;
    throw config_error("analysis 'prototype_strokes' needs images as samples", "analyses", {},
                       "remove it, or use a data set of images such as mnist");
  }

  Shares mean_shares(const Tensor& prototypes, const std::vector<std::int64_t>& shape) const {
    Shares out;
    const Tensor all = prototypes.contiguous();
    const auto n = all.size(0);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto* w = all.data_ptr<double>() + i * all.size(1);
      const auto one = shares_of(std::vector<double>(w, w + all.size(1)), shape[0], shape[1]);
      out.strokes += one.strokes / static_cast<double>(n);
      out.brightest += one.brightest / static_cast<double>(n);
    }
    return out;
  }

  Shares shares_of(const std::vector<double>& w, std::int64_t rows, std::int64_t columns) const {
    const auto size = static_cast<std::int64_t>(w.size());
    const auto kept = static_cast<std::int64_t>(std::llround(p_.share * static_cast<double>(size)));
    std::vector<std::int64_t> order(w.size());
    for (std::int64_t i = 0; i < size; ++i) order[static_cast<std::size_t>(i)] = i;
    const auto weight = [&](std::int64_t i) { return w[static_cast<std::size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return std::abs(weight(a)) > std::abs(weight(b)); });
    std::vector<char> open(w.size(), 0);
    double all = 0, brightest = 0, strokes = 0;
    for (const double v : w) all += v * v;
    if (all == 0) return {};
    for (std::int64_t k = 0; k < kept; ++k) {
      const auto i = order[static_cast<std::size_t>(k)];
      open[static_cast<std::size_t>(i)] = weight(i) != 0;
      brightest += weight(i) * weight(i);
    }
    for (std::int64_t start = 0; start < size; ++start) {
      if (!open[static_cast<std::size_t>(start)]) continue;
      std::vector<std::int64_t> found = {start};
      open[static_cast<std::size_t>(start)] = 0;
      double energy = 0;
      for (std::size_t at = 0; at < found.size(); ++at) {
        const auto i = found[at], row = i / columns, column = i % columns;
        energy += weight(i) * weight(i);
        for (std::int64_t r = std::max<std::int64_t>(row - 1, 0); r <= std::min(row + 1, rows - 1); ++r) {
          for (std::int64_t c = std::max<std::int64_t>(column - 1, 0); c <= std::min(column + 1, columns - 1); ++c) {
            const auto next = r * columns + c;
            if (!open[static_cast<std::size_t>(next)] || (weight(next) > 0) != (weight(i) > 0)) continue;
            open[static_cast<std::size_t>(next)] = 0;
            found.push_back(next);
          }
        }
      }
      if (static_cast<std::int64_t>(found.size()) >= p_.pixels) strokes += energy;
    }
    return {strokes / all, brightest / all};
  }

  Params p_;
};

YATLAB_REGISTER(Analysis, PrototypeStrokes, "prototype_strokes", "share of the prototypes' energy in connected strokes");

}  // namespace
}  // namespace yatlab
