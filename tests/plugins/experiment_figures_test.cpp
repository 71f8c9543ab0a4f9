// The figures of every experiment, at smoke scale.
#include "catch.h"
#include "cli/support.h"
#include "core/figure/pgf.h"
#include "core/report/report_parts.h"
#include "report/drawn.h"

using namespace yatlab;
using namespace yatlab::testing;

TEST_CASE("figures of every experiment have labelled axes and legends off the data", "[slow]") {
  const Desk desk;
  std::size_t figures = 0, legends = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(YATLAB_SOURCE_DIR) / "experiments")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "paper.yaml" ||
        read_file(entry.path()).find("\nfigures:\n") == std::string::npos)
      continue;
    INFO(entry.path().string());
    const auto answer = desk.ask({"run", entry.path().string(), "scale=smoke", "data.offline=true", "results=smoke", "figures.format=svg"});
    INFO(answer.output.substr(answer.output.size() > 3000 ? answer.output.size() - 3000 : 0));
    REQUIRE(answer.status == 0);
    CHECK(answer.output.find("not reported") == std::string::npos);
    fs::path latest;
    for (const auto& folder : fs::directory_iterator(desk.path() / "smoke")) latest = folder.path() / "latest";
    const RunView run = RunView::load(latest);
    const auto config = ReportConfig::read(run.config);
    for (const auto& spec : config.figures) {
      for (const auto& figure : draw_figures(run, config, spec)) {
        INFO(figure.id);
        ++figures;
        const auto layout = layout_of(figure);
        for (std::size_t p = 0; p < figure.panels.size(); ++p) {
          const Panel& panel = figure.panels[p];
          legends += layout.panels[p].legend.has_value();
          CHECK_FALSE(legend_is_on_data(panel, layout.panels[p]));
          if (panel.surface) continue;
          if (panel.x.log && panel.x.ticks.empty())
            CHECK(layout.panels[p].x_ticks.size() >= 3);  // explicit ticks: one at each point that was run
          if (panel.y.log) CHECK(layout.panels[p].y_ticks.size() >= 3);
        }
        for (const auto& entry_of : layout.entries) {
          const double right = entry_of.x + kSample + kSampleGap + text_width(entry_of.line->label);
          CHECK(entry_of.x > 0);
          CHECK(right < layout.width);
        }
        CHECK(pgf_picture(figure).find("\\end{tikzpicture}") != std::string::npos);
      }
    }
    fs::remove_all(desk.path() / "smoke");
  }
  CHECK(figures > 25);
  CHECK(legends > 5);
}
