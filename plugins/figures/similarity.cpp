#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/report/plot_tools.h"

namespace yatlab {

/// How similar the prototypes of an arm are to each other, under each operator: one figure for each arm, one panel for each operator; or, if
/// operators are named, all arms in one figure. Averaged over seeds. One pair of classes is framed, and its rank among all pairs is printed, because
/// the paper singles out 7 and 9. Self-similarity is left blank: under the yat-product it is ||w||^4 / epsilon.
/// Reads artifact `prototype_similarity`: {"labels": [...], "matrices": {"yat": [[...]], ...}}.
class SimilarityPlot final : public Plot {
 public:
  struct Params {
    std::string artifact = "prototype_similarity";
    std::optional<std::int64_t> seed;
    std::vector<std::string> arms, operators;
    std::vector<std::string> pair = {"7", "9"};
    Node at = Node::map();
    static void declare(Fields& f, Params& p) {
      f.field("artifact", p.artifact, "name of the artifact that holds the matrices");
      f.field("seed", p.seed, "seed whose matrices are drawn, the lowest where it is missing; null: the mean over seeds").unlimited();
      f.field("arms", p.arms, "which arms; empty: all");
      f.field("operators", p.operators, "one panel each, all arms in one figure; empty: all in the artifact, one figure for each arm");
      f.field("pair", p.pair, "labels of two classes to frame; empty: none");
      f.map("at", p.at, "in a sweep: the point to show, as {parameter: value}; default: the first");
    }
  };
  explicit SimilarityPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {p_.artifact}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    const auto point = plot_points(run, p_.at).front();
    std::vector<Figure> out;
    SeedsSeen seeds;  // of the last figure
    for (const auto& arm : completed_arms(run, p_.arms)) {
      const Matrices matrices = read(run, request, arm, point);
      if (out.empty() || p_.operators.empty()) {
        out.emplace_back();
        seeds = {};
        out.back().id = out.size() == 1 ? request.id : request.id + "_" + arm;
        out.back().caption = request.caption;
      }
      Figure& figure = out.back();
      seeds.add(matrices.seeds);
      figure.notes = {seeds.text()};
      for (const auto& [name, values] : matrices.by_operator) {
        figure.panels.push_back(panel(request.config->arm_label(arm), name, matrices.labels, values));
      }
    }
    for (auto& figure : out) {
      figure.columns = figure.panels.size() > 1 ? 2 : 1;
      figure.width = figure.columns == 2 ? kDoubleColumn : kSingleColumn;
      figure.height = 3.5 * static_cast<double>(figure.rows());
    }
    return out;
  }

 private:
  struct Matrices {
    std::vector<std::int64_t> seeds;
    std::vector<std::string> labels;
    std::vector<std::pair<std::string, std::vector<double>>> by_operator;
  };

  Matrices read(const RunView& run, const PlotRequest& request, const std::string& arm, const Node::Map& point) const {
    Matrices out;
    auto& seeds = out.seeds;
    const JobView& first = plot_job(run, arm, point, p_.seed);
    for (const JobView* job : run.jobs_of(arm, point)) {
      if (job->state != JobState::kCompleted || (p_.seed && job != &first)) continue;
      const auto json = run.artifact(*job, p_.artifact);
      if (!json) continue;
      const auto bad = [&](const std::string& why) {
        return plot_error(run, request, fmt::format("artifact '{}' of {} {}", p_.artifact, job->directory, why));
      };
      if (!json->is_object() || !json->contains("labels") || !json->contains("matrices")) {
        throw bad("has no labels or matrices");
      }
      std::vector<std::string> labels;
      for (const auto& label : (*json)["labels"]) {
        labels.push_back(label.is_string() ? label.get<std::string>() : dump_json(label));
      }
      if (seeds.empty()) out.labels = labels;
      std::vector<std::pair<std::string, std::vector<double>>> found;
      for (const auto& [name, matrix] : (*json)["matrices"].items()) {
        const bool wanted = p_.operators.empty() || std::find(p_.operators.begin(), p_.operators.end(), name) != p_.operators.end();
        if (!wanted) continue;
        found.emplace_back(name, json_numbers(matrix));
        if (found.back().second.size() != labels.size() * labels.size()) {
          throw bad(fmt::format("has a matrix '{}' that is not {} x {}", name, labels.size(), labels.size()));
        }
      }
      if (seeds.empty()) {
        out.by_operator = std::move(found);
      } else {
        if (found.size() != out.by_operator.size() || labels != out.labels)
          throw bad("has different labels or matrices than those of other seeds");
        for (std::size_t m = 0; m < found.size(); ++m) {
          for (std::size_t i = 0; i < found[m].second.size(); ++i) out.by_operator[m].second[i] += found[m].second[i];
        }
      }
      seeds.push_back(job->seed);
    }
    if (seeds.empty() || out.by_operator.empty()) {
      throw plot_error(run, request, fmt::format("no completed job of arm '{}' has artifact '{}'", arm, p_.artifact),
                       "add the analysis that writes it to the experiment's analyses");
    }
    for (auto& entry : out.by_operator) {
      for (double& v : entry.second) v /= static_cast<double>(seeds.size());
    }
    return out;
  }

  Panel panel(const std::string& arm, const std::string& op, const std::vector<std::string>& labels, std::vector<double> values) const {
    const std::size_t n = labels.size();
    std::vector<double> off;
    for (std::size_t i = 0; i < n; ++i) {
      values[i * n + i] = kNaN;
      for (std::size_t j = 0; j < n; ++j) {
        if (i != j) off.push_back(values[i * n + j]);
      }
    }
    const auto [low, high] = finite_limits(off);
    // Two digits per cell; the power of ten goes into the title.
    const double largest = std::max(std::abs(low), std::abs(high));
    const int exponent = largest > 0 ? static_cast<int>(std::floor(std::log10(largest))) - 1 : 0;
    const double scale = std::pow(10, -exponent);
    Panel out;
    out.equal_aspect = true;
    out.grid = false;
    out.x.visible = out.y.visible = false;
    out.title = fmt::format("{} prototypes under {}{}", arm, title(op), exponent == 0 ? "" : " (unit " + power(exponent) + ")");
    const bool both_signs = low < 0 && high > 0;
    out.colors.map = both_signs ? ColorMap::kDiverging : ColorMap::kSequential;
    out.colors.min = both_signs ? -largest * scale : low * scale;
    out.colors.max = both_signs ? largest * scale : high * scale;
    out.colors.bar = false;  // each cell prints its value
    Heat heat;
    heat.rows = heat.columns = n;
    for (double v : values) {
      heat.values.push_back(v * scale);
      std::string text = std::isfinite(v) ? fmt::format("{:.0f}", v * scale) : "";
      if (text == "-0") text = "0";
      if (!text.empty() && text[0] == '-') text = "−" + text.substr(1);
      heat.text.push_back(std::move(text));
    }
    for (std::size_t i = 0; i < n; ++i) {
      out.x.ticks.emplace_back(static_cast<double>(i), labels[i]);
      out.y.ticks.emplace_back(static_cast<double>(n - 1 - i), labels[i]);
    }
    if (p_.pair.size() == 2) {
      const auto at = [&](const std::string& label) {
        return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
      };
      const std::size_t a = at(p_.pair[0]), b = at(p_.pair[1]);
      if (a < n && b < n && a != b) {
        heat.marked = {{a, b}, {b, a}};
        std::size_t rank = 1;
        const auto both = [&](std::size_t i, std::size_t j) { return values[i * n + j] + values[j * n + i]; };
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = i + 1; j < n; ++j) rank += both(i, j) > both(a, b);
        }
        out.x.label = fmt::format("{}–{}: rank {} of {} pairs", p_.pair[0], p_.pair[1], rank, n * (n - 1) / 2);
      }
    }
    out.heats.push_back(std::move(heat));
    return out;
  }

  static std::string title(const std::string& op) {
    return op == "dot"         ? "the inner product"
           : op == "euclidean" ? "minus the squared distance"
           : op == "cosine"    ? "the cosine"
           : op == "yat"       ? "ⵟ"
                               : op;
  }

  // 10³, 10⁻⁴
  static std::string power(int exponent) {
    static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (exponent == 1) return "10";
    std::string out = exponent < 0 ? "10⁻" : "10";
    for (char c : std::to_string(std::abs(exponent))) out += kDigits[c - '0'];
    return out;
  }

  Params p_;
};
YATLAB_REGISTER(Plot, SimilarityPlot, "similarity", "prototype similarity matrices under each operator");

}  // namespace yatlab
