#include <fmt/format.h>

#include <map>
#include <string>

#include "core/base/error.h"
#include "core/ops/normalizer.h"
#include "plugins/formula/expressions/score_formula.h"

namespace yatlab {
namespace {

/// A normalizer from a formula (plugins/formula/expressions/score_formula.h).
class FormulaNormalizer final : public Normalizer {
 public:
  struct Params {
    std::string f = "exp(s) / sum(exp(s))";
    Node parameters = Node::map();
    static void declare(Fields& f, Params& p) {
      f.field("f", p.f,
              "the weight of a score s, as a formula of s and parameters; + - * / ^, abs, exp, log, log10, max, min, relu, sigmoid, "
              "sqrt, tanh, where(condition, a, b); sum, mean, max and min of one value run over all competing scores");
      f.map("parameters", p.parameters, "name -> number; may also be set next to f, as normalizer.n=2").rest();
    }
  };
  explicit FormulaNormalizer(const Params& p) : formula_(p.f, Origin{"normalizer.f", 0, 0, {}}, numbers(p.parameters)) {}

  Tensor normalize(const Tensor& scores, std::int64_t dim, const Tensor& mask) const override {
    return formula_.normalize(scores, dim, mask);
  }
  Tensor log_normalize(const Tensor& scores, std::int64_t dim, const Tensor& mask) const override {
    return formula_.log_normalize(scores, dim, mask);
  }
  Tensor log_complement(const Tensor& scores, std::int64_t dim, const Tensor& mask) const override {
    const Tensor own = formula_.log_complement(scores, dim, mask);
    return own.defined() ? own : Normalizer::log_complement(scores, dim, mask);
  }
  Tensor log_weight(const Tensor& scores) const override { return formula_.log_weight(scores); }
  double log_offset() const override { return formula_.log_offset(); }
  bool needs_non_negative() const override { return formula_.needs_non_negative(); }
  bool competitive() const override { return formula_.competitive(); }

 private:
  static std::map<std::string, double> numbers(const Node& given) {
    std::map<std::string, double> out;
    for (const auto& [name, node] : given.as_map()) {
      if (!node.is_number()) {
        throw config_error(fmt::format("'normalizer.{}' must be a number, found {}", name, node.to_flow()), node.origin().describe(),
                           "it is a parameter of the formula; parameters of a normalizer are not learned");
      }
      out[name] = node.as_double();
    }
    return out;
  }

  ScoreFormula formula_;
};

YATLAB_REGISTER(Normalizer, FormulaNormalizer, "formula", "a normalizer written as a formula of scores");

}  // namespace
}  // namespace yatlab
