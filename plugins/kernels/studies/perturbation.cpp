#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/measure/study.h"
#include "core/ops/search.h"

namespace yatlab {
namespace {

/// How much the response changes when the input moves by at most delta, with x, x' and w in the unit ball: mean and maximum over random directions,
/// and the worst case found by search over x, w and the direction. Compared with the paper's bound (2/epsilon + 4/epsilon^2) delta
/// (prop:input-robustness, fig:yat_robustness b).
class Perturbation final : public Study {
 public:
  struct Params {
    std::vector<double> epsilons = {0.1, 1};
    std::vector<double> deltas = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1};
    std::vector<std::string> bounded = {"yat"};
    std::int64_t dimension = 8, samples = 20000, starts = 64, steps = 200;
    static void declare(Fields& f, Params& p) {
      f.field("bounded", p.bounded, "operators that the bound applies to; others are measured as configured, without a bound");
      f.field("epsilons", p.epsilons, "one curve for each, for operators that the bound applies to").positive();
      f.field("deltas", p.deltas, "sizes of the perturbation").positive();
      f.field("dimension", p.dimension, "dimension of x and w").min(1);
      f.field("samples", p.samples, "random pairs for each delta").min(1);
      f.field("starts", p.starts, "number of starts of the search for the worst case").min(1);
      f.field("steps", p.steps, "gradient ascent steps from each start").min(1);
    }
  };
  explicit Perturbation(const Params& p) : p_(p) {}

  FindingNames names(const ArmParts& arm) const override {
    FindingNames out{{}, {"perturbation"}};
    if (!is_bounded(OperatorChoice(arm.operator_spec))) return out;
    for (const double epsilon : p_.epsilons) {
      out.metrics.push_back(MetricDoc(share_of_bound(epsilon))
                                .called(fmt::format("largest change found, of the bound, ε = {:g}", epsilon))
                                .neither()
                                .percent()
                                .shown());
    }
    return out;
  }
  void check(const ArmParts& arm) const override { arm.require_operator("study 'perturbation'"); }

  Findings run(const StudyContext& context) const override {
    if (!context.op) throw config_error("study 'perturbation' needs an operator", "operator");
    const bool uses = is_bounded(*context.op);
    const auto epsilons = uses ? p_.epsilons : std::vector<double>{0};
    Findings out;
    nlohmann::ordered_json json = {
        {"uses_epsilon", uses}, {"dimension", p_.dimension}, {"samples", p_.samples}, {"starts", p_.starts}, {"deltas", p_.deltas}};
    for (std::size_t e = 0; e < epsilons.size(); ++e) {
      const auto op = uses ? context.op->with_epsilon(epsilons[e]) : context.op->make();
      const double slope = uses ? 2 / epsilons[e] + 4 / (epsilons[e] * epsilons[e]) : NAN;
      nlohmann::ordered_json curve = {{"epsilon", epsilons[e]}, {"slope", slope}};
      double tight = 0;
      for (std::size_t i = 0; i < p_.deltas.size(); ++i) {
        context.progress(static_cast<double>(e * p_.deltas.size() + i) / static_cast<double>(epsilons.size() * p_.deltas.size()),
                         fmt::format("perturbation of {:g}", p_.deltas[i]));
        const auto [mean, largest] = sampled(*op, p_.deltas[i], context.seed, i);
        const double worst = std::max(largest, searched(*op, p_.deltas[i], context.seed, i));
        curve["mean"].push_back(mean);
        curve["largest"].push_back(largest);
        curve["worst"].push_back(worst);
        tight = std::max(tight, worst / (slope * p_.deltas[i]));
      }
      if (uses) out.metrics[share_of_bound(epsilons[e])] = tight;
      json["curves"].push_back(std::move(curve));
    }
    out.artifacts["perturbation"] = std::move(json);
    return out;
  }

 private:
  bool is_bounded(const OperatorChoice& op) const {
    return op.has_parameter("epsilon") && std::find(p_.bounded.begin(), p_.bounded.end(), op.name()) != p_.bounded.end();
  }
  static std::string share_of_bound(double epsilon) { return fmt::format("perturbation/epsilon={:g}/share_of_bound", epsilon); }

  static Tensor in_ball(const Tensor& x) { return x / x.norm(2, -1, true).clamp_min(1); }
  static Tensor unit(const Tensor& x) { return x / x.norm(2, -1, true).clamp_min(1e-12); }

  /// |score(x', w) - score(x, w)| with z = (x, direction, w): [R, 3, d] -> [R]. Projecting x + delta u back onto the ball never lengthens the step.
  static Tensor change(const Operator& op, const Tensor& z, double delta) {
    const Tensor x = in_ball(z.select(1, 0)), w = in_ball(z.select(1, 2)).unsqueeze(1);
    const Tensor moved = in_ball(x + delta * unit(z.select(1, 1)));
    return (op.scores(moved.unsqueeze(1), w) - op.scores(x.unsqueeze(1), w)).view(-1).abs();
  }

  Tensor draw(std::int64_t n, std::uint64_t seed) const {
    const auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
    Tensor z = at::randn({n, 3, p_.dimension}, generator, at::TensorOptions(at::kDouble));
    const Tensor u = at::rand({n, 1}, generator, z.options());
    // x uniform in the ball, w on its surface, where responses are largest.
    z.select(1, 0).copy_(unit(z.select(1, 0)) * u.pow(1.0 / static_cast<double>(p_.dimension)));
    z.select(1, 2).copy_(unit(z.select(1, 2)));
    return z;
  }

  std::pair<double, double> sampled(const Operator& op, double delta, std::uint64_t seed, std::size_t index) const {
    at::NoGradGuard no_grad;
    const Tensor c = change(op, draw(p_.samples, derive_seed(seed, "perturbation/random", index)), delta);
    return {c.mean().item<double>(), c.max().item<double>()};
  }

  double searched(const Operator& op, double delta, std::uint64_t seed, std::size_t index) const {
    Tensor z = draw(p_.starts, derive_seed(seed, "perturbation/search", index));
    {
      // Every other start is near w: peaks are narrow, and no random x comes close to them.
      at::NoGradGuard no_grad;
      for (std::int64_t i = 0; i < p_.starts; i += 2) {
        z[i][0].copy_(z[i][2] * (0.4 + 0.6 * static_cast<double>(i) / static_cast<double>(p_.starts)));
        z[i][1].copy_(z[i][2]);
      }
    }
    SearchOptions o;
    o.steps = p_.steps;
    o.seed = derive_seed(seed, "perturbation/refine", index);
    const auto admissible = [](const Tensor& v) {
      Tensor out = v.clone();
      out.select(1, 0).copy_(in_ball(v.select(1, 0)));
      out.select(1, 1).copy_(unit(v.select(1, 1)));
      out.select(1, 2).copy_(in_ball(v.select(1, 2)));
      return out;
    };
    return maximise([&](const Tensor& v) { return change(op, v, delta); }, z, admissible, o).value;
  }

  Params p_;
};

YATLAB_REGISTER(Study, Perturbation, "perturbation", "response change under input perturbation, against the bound");

}  // namespace
}  // namespace yatlab
