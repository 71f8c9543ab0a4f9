#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/measure/study.h"

namespace yatlab {
namespace {

/// A normalizer's curve over one score x >= 0 (paper, fig:softer_functions_appendix): for element-wise functions the value itself; for competitive
/// ones the share of x against one rival score.
class Squashing final : public Study {
 public:
  struct Params {
    double to = 4, rival = 1;
    std::int64_t points = 401;
    static void declare(Fields& f, Params& p) {
      f.field("to", p.to, "largest score").positive();
      f.field("rival", p.rival, "the other score, for competitive normalizers").non_negative();
      f.field("points", p.points, "points on the curve").min(2);
    }
  };
  explicit Squashing(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts&) const override {
    return {{MetricDoc("squashing/at_0").called("value at 0").neither().shown(),
             MetricDoc("squashing/at_end").called(fmt::format("value at {:g}", p_.to)).neither().shown()},
            {"squashing"}};
  }
  void check(const ArmParts& arm) const override {
    if (!arm.normalizer)
      throw config_error("study 'squashing' needs a normalizer", {}, "the arm has none", "set a normalizer, such as normalizer=softermax");
  }

  Findings run(const StudyContext& context) const override {
    if (!context.normalizer) throw config_error("study 'squashing' needs a normalizer", "normalizer");
    at::NoGradGuard no_grad;
    const Tensor x = at::linspace(0, p_.to, p_.points, at::kDouble);
    const bool competes = context.normalizer->competitive();
    Tensor y;
    if (competes) {
      y = context.normalizer->normalize(at::stack({x, at::full_like(x, p_.rival)}, -1), -1).select(-1, 0).contiguous();
    } else {
      y = context.normalizer->normalize(x, -1).contiguous();
    }
    const auto list = [](const Tensor& t) { return std::vector<double>(t.data_ptr<double>(), t.data_ptr<double>() + t.numel()); };
    Findings out;
    out.metrics["squashing/at_0"] = y[0].item<double>();
    out.metrics["squashing/at_end"] = y[-1].item<double>();
    out.artifacts["squashing"] = {{"competitive", competes}, {"rival", p_.rival}, {"x", list(x)}, {"y", list(y)}};
    return out;
  }

 private:
  Params p_;
};

YATLAB_REGISTER(Study, Squashing, "squashing", "curve of a normalizer");

}  // namespace
}  // namespace yatlab
