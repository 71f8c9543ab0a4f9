#include "plugins/formula/commands/promoted_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/ops/operator.h"
#include "plugins/formula/expressions/formula.h"

namespace yatlab {
namespace {

using FormulaPart = Expression::Part;
constexpr double kAnySize = std::numeric_limits<double>::infinity();

/// A number as a C++ literal.
std::string literal(double value) {
  const auto text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

struct PromotedParameter {
  std::string name;
  double start = 0;
  bool learned = false, positive = false;
  ValueRange range;  ///< of a fixed parameter: its allowed range

  std::string member() const { return (positive ? "free_" : "learned_") + name + "_"; }
};

/// Writes a part of the formula as a C++ expression of tensors that is equivalent to plugins/formula/expressions/formula.cpp.
class CppExpressions {
 public:
  /// `options`: C++ code for the options of constant tensors.
  CppExpressions(std::map<std::string, std::string> names, std::string options) : names_(std::move(names)), options_(std::move(options)) {}

  std::string of(const FormulaPart& part) {
    const auto& what = part.what;
    if (what == "number") return fmt::format("at::full({{}}, {}, {})", literal(std::get<double>(part.value)), options_);
    if (what == "name") return names_.at(std::get<std::string>(part.value));
    if (what == "where") return fmt::format("at::where({}, {}, {})", truth(part.parts[0]), of(part.parts[1]), of(part.parts[2]));
    if (is_reduction(part)) return row(part);
    if (what == "pow") return power(part.parts[0], part.parts[1]);
    const auto a = of(part.parts[0]);
    if (what == "negative") return fmt::format("(-{})", a);
    if (what == "+" || what == "-" || what == "*" || what == "/") {
      const auto& other = part.parts[1];
      const bool plain = other.what == "number";
      return fmt::format("({} {} {})", a, what, plain ? literal(std::get<double>(other.value)) : of(other));
    }
    if (what == "sqrt") return fmt::format("away_from_zero({}, [](const Tensor& t) {{ return t.sqrt(); }})", a);
    if (what == "min" || what == "max" || what == "sum" || what == "mean") {
      std::string out = a;
      for (std::size_t i = 1; i < part.parts.size(); ++i) {
        const auto b = of(part.parts[i]);
        out = what == "min"   ? fmt::format("at::minimum({}, {})", out, b)
              : what == "max" ? fmt::format("at::maximum({}, {})", out, b)
                              : fmt::format("({} + {})", out, b);
      }
      return what == "mean" ? fmt::format("({} / {})", out, literal(static_cast<double>(part.parts.size()))) : out;
    }
    return fmt::format("{}.{}()", a, what);  // abs, exp, log, log10, tanh, sigmoid, relu
  }

  /// Statements that must precede the expressions returned by `of`.
  const std::vector<std::string>& before() const { return before_; }

 private:
  std::string truth(const FormulaPart& part) {
    const auto& what = part.what;
    if (what == "not") return fmt::format("{}.logical_not()", truth(part.parts[0]));
    if (what == "and" || what == "or") return fmt::format("{}.logical_{}({})", truth(part.parts[0]), what, truth(part.parts[1]));
    return fmt::format("({} {} {})", of(part.parts[0]), what, of(part.parts[1]));
  }

  std::string power(const FormulaPart& base, const FormulaPart& to) {
    const auto a = of(base);
    if (to.what != "number") {
      return fmt::format("away_from_zero({}, [&](const Tensor& t) {{ return at::pow(t, {}); }})", a, of(to));
    }
    const double p = std::get<double>(to.value);
    if (p == 2) return squared(a);
    if (p > 0 && !is_whole(p)) return fmt::format("away_from_zero({}, [](const Tensor& t) {{ return at::pow(t, {}); }})", a, literal(p));
    return fmt::format("at::pow({}, {})", a, literal(p));
  }

  std::string squared(const std::string& a) {
    if (a.find_first_of("(. ") == std::string::npos) return fmt::format("({} * {})", a, a);
    const auto name = fmt::format("base_{}", ++bases_);
    before_.push_back(fmt::format("const Tensor {} = {};", name, a));
    return fmt::format("({} * {})", name, name);
  }

  std::string row(const FormulaPart& part) {
    std::map<std::string, std::string> inner = names_;
    inner["x"] = "a", inner["w"] = "b";
    inner["d"] = "at::full({}, static_cast<double>(a.size(-1)), a.options())";
    inner["n"] = "at::full({}, static_cast<double>(w.size(-2)), a.options())";
    std::vector<std::string> used;
    for (const auto& [name, word] : names_) {
      if (name == "d" || name == "n" || !uses_name(part, name)) continue;
      inner[name] = fmt::format("given[{}]", used.size());
      used.push_back(word);
    }
    CppExpressions words(inner, "a.options()");
    const auto terms = words.of(part.parts[0]);
    const auto name = fmt::format("row_{}", ++rows_);
    const auto reduction = part.what == "sum" || part.what == "mean" ? part.what : "a" + part.what;  // amax, amin
    const bool units = uses_name(part, "n");
    std::string rule = fmt::format("const auto {} = [{}](const Tensor& a, const Tensor& b, const std::vector<Tensor>&{}) {{\n", name,
                                   units ? "w" : "", used.empty() ? "" : " given");
    for (const auto& statement : words.before()) rule += "      " + statement + "\n";
    rule += fmt::format("      return {}.expand({{a.size(0), b.size(1), a.size(-1)}}).{}(-1);\n    }};", terms, reduction);
    before_.push_back(rule);
    return fmt::format("over_coordinates({}, x.to(type), w.to(type), {{{}}})", name, join(used, ", "));
  }

  std::map<std::string, std::string> names_;
  std::string options_;
  std::vector<std::string> before_;
  int bases_ = 0, rows_ = 0;
};

/// The text without line breaks, for use in a comment.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; }, ' ');
  return text;
}

/// The keywords of C++17, [lex.key].
bool is_cpp_keyword(const std::string& name) {
  static const std::set<std::string> all = {
      "alignas",   "alignof",  "and",      "and_eq",    "asm",          "auto",          "bitand",
      "bitor",     "bool",     "break",    "case",      "catch",        "char",          "char16_t",
      "char32_t",  "class",    "compl",    "const",     "const_cast",   "constexpr",     "continue",
      "decltype",  "default",  "delete",   "do",        "double",       "dynamic_cast",  "else",
      "enum",      "explicit", "export",   "extern",    "false",        "float",         "for",
      "friend",    "goto",     "if",       "inline",    "int",          "long",          "mutable",
      "namespace", "new",      "noexcept", "not",       "not_eq",       "nullptr",       "operator",
      "or",        "or_eq",    "private",  "protected", "public",       "register",      "reinterpret_cast",
      "return",    "short",    "signed",   "sizeof",    "static",       "static_assert", "static_cast",
      "struct",    "switch",   "template", "this",      "thread_local", "throw",         "true",
      "try",       "typedef",  "typeid",   "typename",  "union",        "unsigned",      "using",
      "virtual",   "void",     "volatile", "wchar_t",   "while",        "xor",           "xor_eq"};
  return all.count(name) > 0;
}

std::vector<PromotedParameter> parameters_of(const Node& spec) {
  std::vector<PromotedParameter> out;
  for (const auto& [key, value] : spec.as_map()) {
    const auto add = [&out](const std::string& name, const Node& given) {
      PromotedParameter p;
      p.name = name;
      p.learned = given.is_map();
      const Node* start = p.learned ? given.find("start") : nullptr;
      p.start = start ? start->as_double() : given.as_double();
      const Node* positive = p.learned ? given.find("positive") : nullptr;
      p.positive = positive && positive->as_bool();
      out.push_back(p);
    };
    if (key == "name" || key == "f") continue;
    if (key != "parameters") {
      add(key, value);
      continue;
    }
    for (const auto& [name, given] : value.as_map()) add(name, given);
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });  // as the formula has them
  return out;
}

/// Makes fixed parameters settable, within the range in which the formula stays defined and keeps the known range of its values.
void widen_ranges(const std::string& text, std::vector<PromotedParameter>& parameters) {
  std::map<std::string, ValueRange> ranges;
  for (const auto& p : parameters) {
    ranges[p.name] = {p.start, p.start};
    if (p.learned) ranges[p.name] = {p.positive ? std::numeric_limits<double>::min() : -kAnySize, kAnySize};
  }
  const ValueRange known = Formula(text, {}, ranges).range();
  for (auto& p : parameters) {
    if (!p.learned) {
      const ValueRange given = ranges[p.name];
      std::vector<ValueRange> wider = {{-kAnySize, kAnySize}};
      if (p.start > 0) wider.push_back({std::numeric_limits<double>::min(), kAnySize});
      for (const auto& range : wider) {
        ranges[p.name] = range;
        try {
          const ValueRange now = Formula(text, {}, ranges).range();
          if ((now.low >= 0) == (known.low >= 0) && now.bounded() == known.bounded()) break;
        } catch (const Error&) {
        }
        ranges[p.name] = given;
      }
    }
    p.range = ranges[p.name];
  }
}

std::string declared(const PromotedParameter& p) {
  if (p.learned)
    return fmt::format("      f.field(\"{0}\", p.{0}, \"initial value of {0}, which is learned\"){1};\n", p.name,
                       p.positive ? ".positive()" : "");
  std::string bound;
  if (p.range.low == p.range.high) bound = fmt::format(".range({0}, {0})", literal(p.start));
  if (p.range.low > 0 && p.range.high == kAnySize) bound = ".positive()";
  return fmt::format("      f.field(\"{0}\", p.{0}, \"{0} of the formula\"){1};\n", p.name, bound);
}

const char* truth_word(bool value) { return value ? "true" : "false"; }

/// The statements that compute the scores.
std::string body_of(const Formula& formula, const std::vector<PromotedParameter>& parameters) {
  const auto uses = [&](const char* name) { return uses_name(formula.expression().root(), name); };
  std::map<std::string, std::string> words;
  for (const auto& p : parameters) words[p.name] = p.name;
  for (const char* name : {"dot", "dist2", "dist", "cos", "xx", "ww", "d", "n"}) words[name] = name;
  CppExpressions text(words, "options");
  const auto scores = text.of(formula.expression().root());
  std::string out;
  for (const auto& p : parameters) {
    if (!p.learned) {
      out += fmt::format("    const Tensor {0} = at::full({{}}, p_.{0}, options);\n", p.name);
    } else {
      out += fmt::format("    const Tensor {} = {}.to(options);\n", p.name,
                         p.positive ? fmt::format("at::softplus({})", p.member()) : p.member());
    }
  }
  if (uses("xx")) out += "    const Tensor xx = x.to(type).square().sum(-1).unsqueeze(-1);\n";
  if (uses("ww")) out += "    const Tensor ww = w.to(type).square().sum(-1).unsqueeze(-2);\n";
  if (uses("d")) out += "    const Tensor d = at::full({}, static_cast<double>(x.size(-1)), options);\n";
  if (uses("n")) out += "    const Tensor n = at::full({}, static_cast<double>(w.size(-2)), options);\n";
  if (uses("cos")) out += "    const Tensor cos = inner_products(unit_rows(x, 1e-8), unit_rows(w, 1e-8)).to(type);\n";
  const bool distance = uses("dist2") || uses("dist");
  if (distance && uses("dot")) {
    out +=
        "    const Tensor products = inner_products(x, w);\n"
        "    Tensor dist2 = squared_distances(x, w, products, 0);\n"
        "    if (!dist2.defined()) dist2 = squared_distances(x, w);  // of rows beyond the type's squares\n"
        "    const Tensor dot = products.to(type);\n";
  } else if (distance) {
    out += "    const Tensor dist2 = squared_distances(x, w);\n";
  } else if (uses("dot")) {
    out += "    const Tensor dot = inner_products(x, w).to(type);\n";
  }
  if (uses("dist")) out += "    const Tensor dist = away_from_zero(dist2, [](const Tensor& t) { return t.sqrt(); });\n";
  for (const auto& statement : text.before()) out += "    " + statement + "\n";
  out += fmt::format("    const Tensor y = {};\n", scores);
  const auto has = [&](const char* word) { return out.find(word) != std::string::npos; };
  std::string head;
  if (has("(type)") || has("options)")) {
    head = "    const auto type = accumulation_type(at::promote_types(x.scalar_type(), w.scalar_type()));\n";
  }
  if (has("options)")) head += "    const auto options = x.options().dtype(type);\n";
  return head + out;
}

std::string learned_parts(const std::vector<PromotedParameter>& parameters) {
  std::string tensors, values;
  for (const auto& p : parameters) {
    if (!p.learned) continue;
    tensors += fmt::format("{}{{\"{}\", {}}}", tensors.empty() ? "" : ", ", (p.positive ? "free_" : "") + p.name, p.member());
    const auto value = p.positive ? fmt::format("at::softplus({})", p.member()) : p.member();
    values += fmt::format("{}{{\"{}\", {}.detach().item<double>()}}", values.empty() ? "" : ", ", p.name, value);
  }
  if (tensors.empty()) return {};
  return fmt::format(
      "  std::vector<std::pair<std::string, Tensor>> parameters() const override {{ return {{{}}}; }}\n"
      "  std::vector<std::pair<std::string, double>> observables() const override {{\n    return {{{}}};\n  }}\n\n",
      tensors, values);
}

std::string component_of(const std::string& text, const Formula& formula, const std::vector<PromotedParameter>& parameters) {
  std::string fields, declarations, members, made;
  for (const auto& p : parameters) {
    fields += fmt::format("    double {} = {};\n", p.name, literal(p.start));
    declarations += declared(p);
    if (!p.learned) continue;
    members +=
        fmt::format("  Tensor {};  // {}\n", p.member(), p.positive ? "what is learned: its softplus is the parameter" : "what is learned");
    const auto value = p.positive ? fmt::format("p.{0} < 30 ? std::log(std::expm1(p.{0})) : p.{0}", p.name) : "p." + p.name;
    made += fmt::format("    {} = at::scalar_tensor({}, at::kFloat).set_requires_grad(true);\n", p.member(), value);
  }
  std::map<std::string, double> start;
  for (const auto& p : parameters) start[p.name] = p.start;
  const auto per_pair = formula.operations(1, 0), per_coordinate = formula.operations(1, 1) - per_pair;
  std::string out =
      "#include <ATen/ATen.h>\n#include <ATen/ExpandUtils.h>\n\n#include <cmath>\n\n#include \"core/ops/coordinate_rows.h\"\n"
      "#include \"core/ops/formula_parts.h\"\n#include \"core/ops/pairwise.h\"\n#include \"core/ops/score_range.h\"\n\n"
      "namespace yatlab {\nnamespace {\n\n";
  const auto range = formula.range();
  out += fmt::format("/// {}\nclass @Class@ final : public {} {{\n public:\n", text, range.bounded() ? "RangedOperator" : "Operator");
  out += parameters.empty()
             ? ""
             : "  struct Params {\n" + fields + "    static void declare(Fields& f, Params& p) {\n" + declarations + "    }\n  };\n";
  if (!parameters.empty()) {
    out += made.empty() ? "  explicit @Class@(const Params& p) : p_(p) {}\n"
                        : "  explicit @Class@(const Params& p) : p_(p) {\n" + made + "  }\n";
    out += "\n";
  }
  out +=
      "  /// To be fused by hand: everything below the product of x and w is element-wise, and takes a pass over all scores for each sign. "
      "One loop over\n"
      "  /// the product does it in one (core/ops/yat_kernel.cpp), and a backward pass of its own (torch::autograd::Function, "
      "core/ops/yat.cpp) "
      "keeps x and\n"
      "  /// w in place of every step's result. The test beside it says whether values and gradients are still those of the formula.\n"
      "  Tensor scores(const Tensor& x, const Tensor& w, const Tensor& bias) const override {\n"
      "    check_pairwise(x, w, bias, \"@name@\");\n";
  out += body_of(formula, parameters);
  out +=
      "    auto shape = at::infer_size(x.sizes().slice(0, x.sizes().size() - 2), w.sizes().slice(0, w.sizes().size() - 2));\n"
      "    shape.insert(shape.end(), {x.size(-2), w.size(-2)});\n"
      "    return add_bias(y.expand(shape), bias, x.scalar_type());\n  }\n\n";
  out += "  OperatorTraits traits() const override {\n    OperatorTraits t;\n";
  out += fmt::format("    t.symmetric = {};\n    t.non_negative = {};\n    t.bounded = {};\n    t.even = {};\n    return t;\n  }}\n\n",
                     truth_word(formula.symmetric(start)), truth_word(range.low >= 0), truth_word(range.bounded()),
                     truth_word(formula.even(start)));
  if (range.bounded()) {
    out += fmt::format("  std::optional<ScoreRange> score_range() const override {{ return ScoreRange{{{}, {}}}; }}\n\n",
                       literal(range.low), literal(range.high));
  }
  out += fmt::format(
      "  std::int64_t flops(std::int64_t batch, std::int64_t units, std::int64_t dim) const override {{\n"
      "    return batch * units * ({} * dim + {}) + 2 * (batch + units) * dim;\n  }}\n\n",
      per_coordinate, per_pair);
  out += learned_parts(parameters);
  if (!parameters.empty()) out += " private:\n  Params p_;\n" + members;
  out += fmt::format("}};\n\nYATLAB_REGISTER(Operator, @Class@, \"@name@\", \"{}\");\n\n}}  // namespace\n}}  // namespace yatlab\n", text);
  return out;
}

std::string test_of(const Node& spec) {
  std::string out =
      R"cpp(#include <ATen/ATen.h>
#include <torch/autograd.h>

#include "catch.h"
#include "core/config/yaml.h"
#include "core/ops/score_range.h"
#include "ops/gradients.h"

            namespace yatlab {

            TEST_CASE("@name@: values and gradients are those of the formula that it was", "[operator][@name@]") {
              const auto formula = Registry<Operator>::create(parse_yaml(R"yaml(@spec@)yaml", "the formula"));
              const auto own = Registry<Operator>::create("@name@");
              at::manual_seed(1);
              for (const auto type : {at::kDouble, at::kFloat}) {
                const at::Tensor x = at::randn({7, 5}, type), w = at::randn({4, 5}, type), bias = at::randn({4}, type);
                const auto both = [&](const Operator& op) {
                  std::vector<at::Tensor> in = {x.clone().set_requires_grad(true), w.clone().set_requires_grad(true),
                                                bias.clone().set_requires_grad(true)};
                  for (const auto& [name, tensor] : op.parameters()) in.push_back(tensor);
                  const at::Tensor y = op.scores(in[0], in[1], in[2]);
                  auto out = torch::autograd::grad({(y * gradients::weights_like(y)).sum()}, in, {}, false, false, /*allow_unused=*/true);
                  out.push_back(y.detach());
                  return out;
                };
                const auto a = both(*own), b = both(*formula);
                REQUIRE(a.size() == b.size());
                for (std::size_t i = 0; i < a.size(); ++i) {
                  REQUIRE(a[i].defined() == b[i].defined());
                  if (a[i].defined()) CHECK(gradients::relative_error(a[i], b[i]) < (type == at::kDouble ? 1e-12 : 1e-5));
                }
              }
            }

            TEST_CASE("@name@: promises what the formula does", "[operator][@name@]") {
              const auto of_formula = Registry<Operator>::create(parse_yaml(R"yaml(@spec@)yaml", "the formula"));
              const auto promoted = Registry<Operator>::create("@name@");
              const auto formula = of_formula->traits(), own = promoted->traits();
              CHECK(own.symmetric == formula.symmetric);
              CHECK(own.non_negative == formula.non_negative);
              CHECK(own.bounded == formula.bounded);
              CHECK(own.even == formula.even);
              const auto range = score_range(*promoted), narrow = score_range(*of_formula);
              REQUIRE(range.has_value() == narrow.has_value());
              if (range) CHECK((range->low <= narrow->low && narrow->high <= range->high));
            }

            }  // namespace yatlab
      )cpp";
  for (auto at = out.find("@spec@"); at != std::string::npos; at = out.find("@spec@", at + 1)) out.replace(at, 6, spec.to_flow());
  return out;
}

}  // namespace

ScaffoldTexts promoted_operator(const Node& spec) {
  const auto name = spec.at("name").as_string();
  if (name != "formula") {
    throw config_error(fmt::format("operator '{}' is not a formula", name), {}, "only operator=formula is promoted to C++",
                       "it is already a component; the sources of built-in operators are in plugins/kernels/operators/");
  }
  Registry<Operator>::create(spec);  // throws the errors of an invalid formula
  const auto text = one_line(spec.at("f").as_string());
  auto parameters = parameters_of(spec);
  static const std::set<std::string> kTaken = {"y", "a", "b", "t", "given", "type", "options", "shape", "bias", "products", "name"};
  for (const auto& p : parameters) {
    if (is_cpp_keyword(p.name)) {
      throw config_error(fmt::format("a parameter called '{}' cannot be promoted", p.name), {}, "it is a C++ keyword",
                         "rename it in the formula");
    }
    const bool of_ours = p.name.rfind("base_", 0) == 0 || p.name.rfind("row_", 0) == 0;
    if (!of_ours && kTaken.count(p.name) == 0 && p.name.find_first_of(".@") == std::string::npos) continue;
    throw config_error(fmt::format("a parameter called '{}' cannot be promoted", p.name), {},
                       "the generated C++ code already uses this name", "rename it in the formula");
  }
  widen_ranges(text, parameters);
  std::map<std::string, ValueRange> ranges;
  for (const auto& p : parameters) ranges[p.name] = p.range;
  const Formula formula(text, Origin{"operator.f", 0, 0, {}}, ranges);
  ScaffoldTexts out;
  out.component = component_of(text, formula, parameters);
  out.config = fmt::format("# {}\nname: @name@\n", text);
  for (const auto& p : parameters) out.config += fmt::format("{}: {}\n", p.name, literal(p.start));
  out.test = test_of(spec);
  return out;
}

}  // namespace yatlab
