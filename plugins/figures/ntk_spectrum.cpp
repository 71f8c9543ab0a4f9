#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/plot_tools.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

/// An integer with superscript digits: gnuplot shows labels as plain text.
std::string raised(std::int64_t value) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char c : std::to_string(value)) out += c == '-' ? "⁻" : digits[c - '0'];
  return out;
}

}  // namespace

/// Eigenvalues of the arms' tangent kernels against their rank, both logarithmic: geometric mean over seeds with the
/// range as a band, fitted power laws, and the rates that the paper claims (fig:ntk_calibration a).
class NtkSpectrumPlot final : public Plot {
 public:
  struct Params {
    std::vector<std::string> arms;
    bool fits = true, claims = true;
    double claim = 2, other_claim = 1;
    double floor = 1e-10;
    static void declare(Fields& f, Params& p) {
      f.field("arms", p.arms, "which arms; empty: all");
      f.field("fits", p.fits, "draw the fitted power laws");
      f.field("claims", p.claims, "draw the paper's rates k^(-claim/d) and k^(-other_claim/d)");
      f.field("claim", p.claim, "the paper's rate for the product, times d");
      f.field("other_claim", p.other_claim, "the paper's rate for ReLU, times d");
      f.field("floor", p.floor, "smallest share of the trace to draw").positive();
    }
  };
  explicit NtkSpectrumPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {"ntk_spectrum"}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    Panel panel;
    panel.x.label = "rank k";
    panel.y.label = "eigenvalue (share of the trace)";
    panel.x.log = panel.y.log = true;
    panel.y.min = p_.floor;
    panel.y.max = 1;
    panel.x.min = 1;
    const auto decades = static_cast<std::int64_t>(std::ceil(std::log10(p_.floor) - 1e-9));
    for (std::int64_t e = 0; e >= decades; e -= decades < -6 ? 2 : 1) panel.y.ticks.emplace_back(std::pow(10, e), "10" + raised(e));
    double dim = 0, points = 0;
    std::string domain;
    int color = 0;
    std::vector<Line> fitted;
    SeedsSeen seeds;
    for (const auto& arm : plot_arms(run, p_.arms)) {
      const int mine = color++;
      const auto spectra = spectra_of(run, request, arm, dim, domain);
      if (spectra.values.empty()) continue;
      for (const auto& values : spectra.values) points = std::max(points, static_cast<double>(values.size()));
      seeds.add(spectra.seeds);
      Line line = spectrum_line(spectra);
      line.color = mine;
      line.label = fmt::format("{}: −{:.2f}", request.config->arm_label(arm), mean(spectra.exponents));
      if (p_.fits) {
        fitted.push_back(fitted_line(spectra));
        fitted.back().color = mine;
      }
      panel.lines.push_back(std::move(line));
    }
    if (panel.lines.empty()) throw plot_error(run, request, "no job has an artifact 'ntk_spectrum'", "add studies: [ntk_spectrum]");
    panel.lines.insert(panel.lines.end(), fitted.begin(), fitted.end());
    panel.x.max = points;
    if (p_.claims) add_claims(panel, dim, points);
    panel.title = fmt::format("{} in R{}, {} points", domain == "cube" ? "cube" : "unit " + domain, raised(std::llround(dim)), points);
    panel.legend = Legend::kBelow;

    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    figure.notes = {seeds.text(", geometric; bands: lowest to highest")};
    figure.width = kSingleColumn;
    figure.height = 2.4 + 0.16 * static_cast<double>((panel.lines.size() + 1) / 2);
    figure.panels.push_back(std::move(panel));
    return {std::move(figure)};
  }

 private:
  /// An arm's spectra, one for each job, with the results of their fits.
  struct Spectra {
    std::vector<std::vector<double>> values;
    std::vector<std::int64_t> seeds;
    std::vector<double> exponents, scales;  ///< of fitted power laws; scales as logarithms
    double first = 0, last = 0;             ///< range of ranks in the fits
    double rounding = 0;                    ///< share of the largest eigenvalue below which values are rounding noise
  };

  /// Sets the dimension and the domain, which all spectra in the figure share.
  static Spectra spectra_of(const RunView& run, const PlotRequest& request, const std::string& arm, double& dim, std::string& domain) {
    Spectra out;
    for (const auto& point : plot_points(run, Node())) {
      for (const JobView* job : run.jobs_of(arm, point)) {
        const auto artifact = run.artifact(*job, "ntk_spectrum");
        if (!artifact) continue;
        const auto& fit = artifact->at("fit");
        const double d = artifact->at("dim").get<double>();
        const auto here = artifact->at("domain").get<std::string>();
        if (!domain.empty() && (d != dim || here != domain)) {
          throw plot_error(run, request, "its spectra have different domains", "choose arms with the same domain");
        }
        dim = d;
        domain = here;
        out.seeds.push_back(job->seed);
        out.values.push_back(json_numbers(artifact->at("eigenvalues")));
        out.exponents.push_back(fit.at("exponent").get<double>());
        out.scales.push_back(std::log(fit.at("scale").get<double>()));
        out.first = fit.at("first").get<double>();
        out.last = std::max(out.last, fit.at("last").get<double>());
        out.rounding = artifact->at("floor").get<double>();
      }
    }
    return out;
  }

  /// Geometric means and the range over seeds, down to rounding noise.
  Line spectrum_line(const Spectra& spectra) const {
    Line out;
    const auto& first = spectra.values[0];
    for (std::size_t k = 0; k < first.size(); ++k) {
      double logs = 0, low = 1, high = 0;
      for (const auto& s : spectra.values) {
        logs += std::log(std::max(s[k], 1e-300)) / static_cast<double>(spectra.values.size());
        low = std::min(low, s[k]);
        high = std::max(high, s[k]);
      }
      if (low < std::max(p_.floor, spectra.rounding * first[0])) break;
      out.x.push_back(static_cast<double>(k + 1));
      out.y.push_back(std::exp(logs));
      out.low.push_back(low);
      out.high.push_back(high);
    }
    return out;
  }

  /// The mean power law, within the panel.
  Line fitted_line(const Spectra& spectra) const {
    Line out;
    out.width = 0.5;
    const double scale = std::exp(mean(spectra.scales)), exponent = mean(spectra.exponents);
    for (const double k : {spectra.first, spectra.last}) {
      const double value = scale * std::pow(k, -exponent);
      const double clipped = std::clamp(value, p_.floor, 1.0);
      out.x.push_back(std::pow(clipped / scale, -1 / exponent));
      out.y.push_back(clipped);
    }
    return out;
  }

  /// The paper's rates start above the spectra, to be distinguishable.
  void add_claims(Panel& panel, double dim, double points) const {
    const double start = 0.8;
    int color = 6;  // black, solid
    for (const double claim : {p_.claim, p_.other_claim}) {
      Line line;
      line.color = color;
      color += 7;  // black again, dashed
      line.width = 0.9;
      line.label = fmt::format("claimed: −{:g}/{:g}", claim, dim);
      line.x = {1, points};
      line.y = {start, start * std::pow(points, -claim / dim)};
      panel.lines.push_back(std::move(line));
    }
  }

  Params p_;
};
YATLAB_REGISTER(Plot, NtkSpectrumPlot, "ntk_spectrum", "eigenvalues of tangent kernels, with fitted and claimed rates");

}  // namespace yatlab
