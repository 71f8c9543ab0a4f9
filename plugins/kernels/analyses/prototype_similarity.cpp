#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "core/base/error.h"
#include "core/figure/raster.h"
#include "core/measure/analysis.h"
#include "core/ops/operator.h"
#include "plugins/kernels/architectures/prototypes.h"

namespace yatlab {

/// Similarity of every two prototypes under several operators (paper, "Territorial Structure"), and the rank of one pair among all pairs.
class PrototypeSimilarity final : public Analysis {
 public:
  struct Params {
    std::vector<std::string> operators = {"dot", "cosine", "euclidean", "yat"};
    std::vector<std::int64_t> pair = {7, 9};
    static void declare(Fields& f, Params& p) {
      f.field("operators", p.operators, "operators that measure the similarity").names_of("operator");
      f.field("pair", p.pair, "two classes whose similarity is compared with all other pairs'").non_negative();
    }
  };
  explicit PrototypeSimilarity(const Params& p) : p_(p) {
    if (p_.pair.size() != 2) throw config_error("prototype_similarity.pair must name two classes", {}, {}, "write pair: [7, 9]");
  }

  FindingNames names(const ArmParts& arm) const override {
    FindingNames out{{}, {"prototype_similarity"}};
    const Tensor w = arm.model->prototypes();
    if (std::max(p_.pair[0], p_.pair[1]) >= w.size(0)) return out;
    for (const auto& name : p_.operators) {
      const auto title = fmt::format("pairs less similar than {}-{} ({})", p_.pair[0], p_.pair[1], name);
      out.metrics.push_back(MetricDoc(percentile_of(name)).called(title).neither().percent());
    }
    return out;
  }
  void check(const ArmParts& arm) const override {
    arm.require_prototypes("analysis 'prototype_similarity'");
    for (const auto& name : p_.operators) Registry<Operator>::create(Node(name));
  }

  Findings analyse(const TrainedArm& arm) const override {
    at::NoGradGuard no_grad;
    const Tensor w = prototypes_of(arm.model, "prototype_similarity").to(at::kCPU, at::kDouble);
    Findings out;
    nlohmann::ordered_json matrices = nlohmann::ordered_json::object();
    for (const auto& name : p_.operators) {
      const Tensor s = Registry<Operator>::create(Node(name))->scores(w, w).contiguous();
      out.media.push_back(
          {"similarity/" + name, picture(s), fmt::format("similarity of every two prototypes under '{}'; darker is more", name)});
      auto& rows = matrices[name] = nlohmann::ordered_json::array();
      std::vector<double> others;
      for (std::int64_t i = 0; i < s.size(0); ++i) {
        rows.push_back(std::vector<double>(s[i].data_ptr<double>(), s[i].data_ptr<double>() + s.size(1)));
        for (std::int64_t j = 0; j < i; ++j) others.push_back(s[i][j].item<double>());
      }
      if (p_.pair[0] >= s.size(0) || p_.pair[1] >= s.size(0)) continue;
      const double pair = s[p_.pair[0]][p_.pair[1]].item<double>();
      const auto below = std::count_if(others.begin(), others.end(), [&](double v) { return v < pair; });
      // 1: no other pair is as similar; 0: all others are more similar.
      out.metrics[percentile_of(name)] = std::isnan(pair)    ? pair
                                         : others.size() > 1 ? static_cast<double>(below) / static_cast<double>(others.size() - 1)
                                                             : 1.0;
    }
    out.artifacts["prototype_similarity"] = {{"labels", arm.dataset.class_names()}, {"matrices", std::move(matrices)}, {"pair", p_.pair}};
    return out;
  }

 private:
  static Image picture(const Tensor& s) {
    Heat heat;
    heat.rows = static_cast<std::size_t>(s.size(0));
    heat.columns = static_cast<std::size_t>(s.size(1));
    heat.values.assign(s.data_ptr<double>(), s.data_ptr<double>() + s.numel());
    ColorScale scale;
    scale.map = ColorMap::kLight;
    std::tie(scale.min, scale.max) = finite_limits(heat.values);
    return heat_image(heat, scale, 16);
  }

  std::string percentile_of(const std::string& op) const {
    return fmt::format("similarity/{}/{}-{}_percentile", op, p_.pair[0], p_.pair[1]);
  }

  Params p_;
};

YATLAB_REGISTER(Analysis, PrototypeSimilarity, "prototype_similarity", "similarity matrix of the prototypes");

}  // namespace yatlab
