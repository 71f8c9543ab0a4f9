#include <fmt/format.h>

#include <algorithm>

#include "core/figure/latex_text.h"
#include "core/report/plot_tools.h"
#include "core/table/table.h"
#include "core/verdict/display_titles.h"
#include "core/verdict/statistics.h"

namespace yatlab {

/// A search's trials in the order of their proposal, one panel for each arm: each trial's value, the best so far, and
/// crosses at the top for trials without a value (pruned, diverged, failed).
class SearchHistoryPlot final : public Plot {
 public:
  struct Params {
    std::vector<std::string> arms;
    static void declare(Fields& f, Params& p) { f.field("arms", p.arms, "which arms; empty: all"); }
  };
  explicit SearchHistoryPlot(const Params& p) : p_(p) {}

  PlotNeeds needs() const override { return {{}, {}, {}, p_.arms}; }

  std::vector<Figure> draw(const RunView& run, const PlotRequest& request) const override {
    if (!run.search) throw plot_error(run, request, "the run is not a search", "use a sweeper that searches: sweeper=tpe");
    const auto& metric = run.search->metric;
    Figure figure;
    figure.id = request.id;
    figure.caption = request.caption;
    SeedsSeen seeds;
    NotFinite not_finite;
    for (const auto& arm : plot_arms(run, p_.arms)) {
      Panel panel;
      panel.title = plain_text(request.config->arm_label(arm));
      panel.x.label = "trial";
      panel.y.label = axis_title(*request.config, metric);
      panel.y.percent = is_percent(request.config->metric(metric).format);
      panel.y.robust = true;
      Line trials, best, without;
      trials.stroke = without.stroke = false;
      trials.markers = without.markers = trials.error_bars = true;
      trials.label = "trials";
      best.label = "best so far";
      best.dash = 1;
      without.at_top = true;
      without.marker = Marker::kCross;
      without.label = "without a value";
      double trial = 0;
      for (const auto& point : run.points_of(arm)) {
        ++trial;
        const auto sample = run.sample(arm, point, metric);
        not_finite.add(fmt::format("{}, trial {}", panel.title, trial), sample);
        // As in the search, a trial with a diverged, failed or pruned seed counts as one without a value.
        if (sample.values.empty() || sample.values.size() + sample.unfinished < run.jobs_of(arm, point).size()) {
          without.x.push_back(trial);
          continue;
        }
        seeds.add(sample.seeds);
        const double m = mean(sample.values), s = sample_std(sample.values).value_or(0);
        trials.x.push_back(trial);
        trials.y.push_back(m);
        trials.low.push_back(m - s);
        trials.high.push_back(m + s);
        const bool better = best.y.empty() || (run.search->higher ? m > best.y.back() : m < best.y.back());
        best.x.push_back(trial);
        best.y.push_back(better ? m : best.y.back());
      }
      if (trials.x.empty()) continue;
      panel.lines = {std::move(best), std::move(trials)};
      if (!without.x.empty()) panel.lines.push_back(std::move(without));
      panel.legend = Legend::kBelow;
      figure.panels.push_back(std::move(panel));
    }
    if (figure.panels.empty()) throw plot_error(run, request, "no trial has a value yet");
    figure.columns = figure.panels.size() > 1 ? 2 : 1;
    figure.width = figure.columns == 2 ? kDoubleColumn : kSingleColumn;
    figure.height = 2.4 * static_cast<double>(figure.rows());
    figure.notes.push_back(seeds.text("; bars: one standard deviation"));
    figure.notes.push_back(not_finite.text());
    figure.notes.push_back("The best of many is too good by what chance gave it: tables correct for that.");
    return {std::move(figure)};
  }

 private:
  Params p_;
};
YATLAB_REGISTER(Plot, SearchHistoryPlot, "search_history", "a search's trials one after the other, and the best so far");

}  // namespace yatlab
