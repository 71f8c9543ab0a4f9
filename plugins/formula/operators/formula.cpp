#include "plugins/formula/expressions/formula.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/ops/pairwise.h"
#include "core/ops/score_range.h"
#include "core/ops/stacked_operator.h"

namespace yatlab {
namespace {

/// A kernel from a formula (plugins/formula/expressions/formula.h), with parameters that are fixed or learned. The bias is added.
class FormulaOperator final : public RangedOperator, public StackedOperator {
 public:
  struct Params {
    std::string f = "dot^2 / (dist2 + 1e-5)";
    Node parameters = Node::map();
    static void declare(Fields& f, Params& p) {
      f.field("f", p.f,
              "the score of x and w, as a formula of dot = x.w, dist2 = |x-w|^2, dist, cos, xx = |x|^2, ww = |w|^2, d (coordinates), "
              "n (rows of w) and parameters; + - * / ^, abs, exp, log, log10, max, min, relu, sigmoid, sqrt, tanh, where(condition, "
              "a, b); sum, mean, max and min of one value run over the coordinates of x and w: sum(abs(x - w))");
      f.map("parameters", p.parameters,
            "name -> number, or {start: number, positive: true} for a learned one (positive: through a softplus); may also be set "
            "next to f, as operator.eps=0.1")
          .rest();
    }
  };

  explicit FormulaOperator(const Params& p) : parameters_(read(p.parameters)), formula_(p.f, Origin{"operator.f", 0, 0, {}}, ranges()) {
    std::map<std::string, double> start;
    for (const auto& [name, parameter] : parameters_) start[name] = parameter.start;
    symmetric_ = formula_.symmetric(start);
    even_ = formula_.even(start);
  }

  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {
    check_pairwise(x, w, bias, "formula");
    std::map<std::string, Tensor> values;
    for (const auto& [name, parameter] : parameters_) values[name] = parameter.value();
    return add_bias(formula_.evaluate(x, w, values), bias, x.scalar_type());
  }

  Tensor stacked_scores(const Tensor& x, const Tensor& w, const Tensor& bias, const Tensor& scale) const override {
    const auto each = w.size(0) / x.size(0);
    const Tensor seen = x.size(0) == 1 || each == 1 ? x : x.repeat_interleave(each, 0);
    const auto of_members = [](const Tensor& t) { return t.dim() == 0 ? t : t.view({-1, 1, 1}); };
    std::map<std::string, Tensor> values;
    for (const auto& [name, parameter] : parameters_) values[name] = of_members(parameter.value());
    Tensor y = formula_.evaluate(seen, w, values);
    if (bias.defined()) y = y + bias.unsqueeze(1).to(y.scalar_type());
    if (scale.defined()) y = y * of_members(scale).to(y.scalar_type());
    return y.to(x.scalar_type());
  }

  OperatorTraits traits() const override {
    OperatorTraits t;
    t.symmetric = symmetric_;
    t.non_negative = formula_.range().low >= 0;
    t.bounded = formula_.range().bounded();
    t.even = even_;
    return t;
  }

  std::optional<ScoreRange> score_range() const override {
    const auto range = formula_.range();
    return range.bounded() ? std::optional<ScoreRange>({range.low, range.high}) : std::nullopt;
  }

  std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const override {
    return formula_.operations(batch * units, dim) + 2 * (batch + units) * dim;
  }

  std::vector<std::pair<std::string, Tensor>> parameters() const override {
    std::vector<std::pair<std::string, Tensor>> out;
    for (const auto& [name, parameter] : parameters_) {
      if (parameter.learned) out.emplace_back((parameter.positive ? "free_" : "") + name, parameter.free);
    }
    return out;
  }

  std::vector<std::pair<std::string, double>> observables() const override {
    std::vector<std::pair<std::string, double>> out;
    for (const auto& [name, parameter] : parameters_) {
      if (parameter.learned) out.emplace_back(name, parameter.value().detach().item<double>());
    }
    return out;
  }

 private:
  struct Parameter {
    double start = 0;
    bool positive = false, learned = false;
    Tensor free;  ///< what is learned; of a fixed one its value
    Tensor value() const { return learned && positive ? at::softplus(free) : free; }
    static void declare(Fields& f, Parameter& p) {
      f.field("start", p.start, "initial value").required();
      f.field("positive", p.positive, "keep it above 0, as the softplus of a free parameter");
    }
  };

  static std::map<std::string, Parameter> read(const Node& given) {
    std::map<std::string, Parameter> out;
    for (const auto& [name, node] : given.as_map()) {
      Parameter& parameter = out[name];
      const std::string path = "operator." + name;
      if (node.is_number()) {
        parameter.start = node.as_double();
        parameter.free = at::scalar_tensor(parameter.start, at::kDouble);
        continue;
      }
      if (!node.is_map()) {
        throw config_error(fmt::format("'{}' must be a number or a map, found {}", path, node.to_flow()), node.origin().describe(), {},
                           fmt::format("write {{{}: 1}}, or {{{}: {{start: 1, positive: true}}}} for a learned one", name, name));
      }
      parameter = read_checked<Parameter>(node, path);
      parameter.learned = true;
      if (parameter.positive && !(parameter.start > 0)) {
        throw config_error(fmt::format("'{}' cannot start at {:g}", path, parameter.start), node.origin().describe(), "it must be positive",
                           "start above 0");
      }
      // softplus(free) = start; of large ones that is start to rounding.
      const bool soft = parameter.positive && parameter.start < 30;
      parameter.free = at::scalar_tensor(soft ? std::log(std::expm1(parameter.start)) : parameter.start, at::kFloat);
      parameter.free.set_requires_grad(true);
    }
    return out;
  }

  std::map<std::string, ValueRange> ranges() const {
    constexpr double most = std::numeric_limits<double>::infinity();
    std::map<std::string, ValueRange> out;
    for (const auto& [name, parameter] : parameters_) {
      ValueRange& range = out[name];
      range = {parameter.start, parameter.start};
      if (parameter.learned) range = {parameter.positive ? std::numeric_limits<double>::min() : -most, most};
    }
    return out;
  }

  std::map<std::string, Parameter> parameters_;
  Formula formula_;
  bool symmetric_ = false, even_ = false;
};

YATLAB_REGISTER(Operator, FormulaOperator, "formula", "a kernel written as a formula of x.w, |x-w|^2, |x|^2, |w|^2 and coordinates");

}  // namespace
}  // namespace yatlab
