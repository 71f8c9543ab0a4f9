// Figures that use the document's font.
#include "core/figure/pgf.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "catch.h"
#include "core/base/process.h"
#include "core/figure/gnuplot.h"
#include "core/figure/layout.h"
#include "core/report/report_parts.h"
#include "fake_figures.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

/// Every element of a figure, with text that TeX would misinterpret.
Figure everything() {
  Figure figure;
  figure.id = "fig:all_of it%#";
  figure.columns = 2;
  figure.width = kDoubleColumn;
  figure.height = 6;
  Panel lines;
  lines.title = "100 % of {a_b} & \\input{/etc/passwd} ^ # ~ $5";
  lines.x.label = "learning rate";
  lines.y.label = "ⵟ(w, x), ‖w‖² ≤ ε";
  lines.x.log = lines.y.log = true;
  lines.legend = Legend::kTopRight;
  for (int i = 0; i < 8; ++i) {
    Line line;
    line.label = i < 7 ? "arm_" + std::to_string(i) : "";
    line.color = i;
    line.markers = true;
    line.hollow = i % 2;
    line.error_bars = i == 3;
    line.dash = i % 4;
    line.marker = i == 5 ? Marker::kStar : i == 6 ? Marker::kDot : Marker::kByColor;
    for (int k = 0; k < 20; ++k) {
      line.x.push_back(std::pow(10, -6 + k / 3.0));
      line.y.push_back(k == 7 ? kNaN : std::pow(10, i / 3.0 - k / 8.0));
      line.low.push_back(line.y.back() / 2);
      line.high.push_back(k == 12 ? INFINITY : 2 * line.y.back());
    }
    lines.lines.push_back(line);
  }
  lines.texts.push_back({"ⵟ", 1e-3, 1, Annotation::Align::kLeft, 30, "#d55e00", true});
  lines.texts.push_back({"2–3", 1e-4, 1});
  lines.texts.back().backed = true;
  Panel bars;
  for (int i = 0; i < 4; ++i) bars.bars.push_back({"b", i * 0.3 - 0.2, i * 0.25 - 0.3, i * 0.35, i});
  bars.x.ticks = {{0, "a_0"}, {1, "50 %"}, {2, "ⵟ"}, {3, "漢"}};
  bars.x.rotate_ticks = true;
  bars.y.percent = true;
  Panel cells, picture, map, well;
  for (Panel* panel : {&cells, &picture, &map}) {
    Heat heat;
    heat.rows = panel == &cells ? 5 : 30;
    heat.columns = panel == &cells ? 6 : 40;
    for (std::size_t i = 0; i < heat.rows * heat.columns; ++i) {
      heat.values.push_back(i == 4 ? kNaN : panel == &map ? static_cast<double>(i % 9) : std::sin(0.2 * static_cast<double>(i)));
      if (panel == &cells) heat.text.push_back(i == 3 ? "1 %\n±2" : "x");
    }
    heat.marked = {{1, 2}};
    heat.frame = true;
    if (panel == &picture) heat.levels = {0.3};
    panel->heats.push_back(heat);
    panel->colors.min = -1;
    panel->colors.max = 1;
    panel->colors.map = panel == &map ? ColorMap::kCategories : panel == &cells ? ColorMap::kSequential : ColorMap::kDiverging;
    panel->colors.bar = panel != &map;
    panel->colors.below = panel == &picture;
    panel->colors.label = "weight_%";
    panel->equal_aspect = true;
    panel->arrows.push_back({2, 2, 1, 1, "#ffffff"});
  }
  Surface surface;
  surface.grid = picture.heats[0];
  well.surface = surface;
  well.colors = picture.colors;
  well.x.label = "x₁";
  figure.panels = {lines, bars, cells, picture, map, well};
  return figure;
}

bool compiles(const std::string& engine, const std::vector<std::string>& pictures, const std::string& preamble) {
  // pdfTeX is always there: run.sh installs it for tests.
  if (engine == "xelatex" && std::system("command -v xelatex > /dev/null 2>&1") != 0) {
    WARN("skipped: xelatex is not installed (apt-get install texlive-xetex)");
    return true;
  }
  const TemporaryFolder scratch;
  std::string document = "\\documentclass{article}\n" + preamble + "\\begin{document}\n";
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::string name = "p" + std::to_string(i) + ".pgf";
    write_file_atomic(scratch.path() / name, pictures[i]);
    document += "\\begin{figure}\\input{" + name + "}\\caption{x}\\end{figure}\n\\resizebox{3in}{!}{\\input{" + name + "}}\n";
  }
  write_file_atomic(scratch.path() / "t.tex", document + "\\end{document}\n");
  const auto result = run_process({engine, "-halt-on-error", "-interaction=nonstopmode", "t.tex"}, scratch.path());
  if (result.status != 0) WARN(result.output.substr(result.output.size() > 2000 ? result.output.size() - 2000 : 0));
  return result.status == 0;
}

}  // namespace

TEST_CASE("a pgf picture is complete and uses the document's font") {
  const std::string pgf = pgf_picture(everything());
  CHECK(pgf == pgf_picture(everything()));
  int depth = 0;
  for (std::size_t i = 0; i < pgf.size(); ++i) {
    if (pgf[i] == '\\') {
      ++i;
      continue;
    }
    depth += pgf[i] == '{' ? 1 : pgf[i] == '}' ? -1 : 0;
    REQUIRE(depth >= 0);
  }
  CHECK(depth == 0);
  CHECK(pgf.find("\\begin{tikzpicture}") != std::string::npos);
  CHECK(pgf.find("DejaVu") == std::string::npos);  // no embedded font
  CHECK(pgf.find("\\includegraphics") == std::string::npos);
  CHECK(pgf.find("nan") == std::string::npos);
  CHECK(pgf.find("inf") == std::string::npos);
  CHECK(pgf.find("{\\strut 100 \\% of \\{a\\_b\\} \\& \\textbackslash{}input\\{/etc/passwd\\}") != std::string::npos);
  CHECK(pgf.find("{\\strut \\yat{}(w, x), $\\|$w$\\|$$^{2}$ $\\leq$ $\\varepsilon$}") != std::string::npos);
  CHECK(pgf.find("{\\strut 10$^{-6}$}") != std::string::npos);
  const auto ground = pgf.find(",fill=white,fill opacity=.8,text opacity=1");  // behind one text
  REQUIRE(ground != std::string::npos);
  CHECK(pgf.substr(ground, pgf.find('\n', ground) - ground).find("{\\strut 2--3}") != std::string::npos);
  CHECK(pgf.find("fill=white", ground + 2) == std::string::npos);
  CHECK(pgf.find("BI /W 40 /H 30 /BPC 8 /CS [/Indexed /DeviceRGB 255 <FFFFFF") != std::string::npos);
  // A blank cell is the page's white; values go from the map's first colour to its last.
  const auto image = pgf.find(" ID\n");
  REQUIRE(image != std::string::npos);
  CHECK(pgf.substr(image + 4 + 8, 2) == "00");
  for (unsigned char c : pgf) CHECK((c == '\n' || (c >= 0x20 && c < 0x7F)));
  // Without the letter its macro is not defined either.
  Figure plain;
  plain.id = "f";
  plain.panels.emplace_back();
  CHECK(pgf_picture(plain).find("\\yat") == std::string::npos);
}

TEST_CASE("pgf and gnuplot share one layout") {
  Figure figure;
  figure.id = "f";
  Panel panel;
  Line line;
  line.x = {0, 1};
  line.y = {0, 2};
  line.rgb = "#123456";
  panel.x.min = panel.y.min = 0;
  panel.x.max = 1;
  panel.y.max = 2;
  panel.lines.push_back(line);
  figure.panels.push_back(panel);
  const auto box = layout_of(figure).panels[0].box;
  const auto in = [](double v) {
    std::string text = fmt::format("{:.4f}", v);
    text.erase(text.find_last_not_of('0') + 1);
    return text;
  };
  CHECK(pgf_picture(figure).find("\\draw[yat123456,line width=0.88pt] (" + in(box.left) + "," + in(box.bottom) + ") -- (" + in(box.right) +
                                 "," + in(box.top) + ");") != std::string::npos);
}

TEST_CASE("figures are written as pgf beside other formats") {
  const TemporaryFolder scratch;
  Figure figure;
  figure.id = "f";
  figure.panels.emplace_back();
  const auto files = render_figure(figure, scratch.path(), {"pgf"});
  REQUIRE(files.size() == 3);
  CHECK(files.back().filename() == "f.pgf");
  CHECK(read_file(files.back()) == pgf_picture(figure));
  auto fake = mnist_run_with_artifacts();
  fake.config.replace(fake.config.find("figures:\n"), 9, "figures:\n  format: [pgf, png]\n");
  fake.write(scratch.path() / "run");
  write_report(scratch.path() / "run");
  for (const char* format : {"pgf", "png", "svg"})
    CHECK(fs::exists(scratch.path() / "run/figures" / (std::string("fig_mnist_prototypes.") + format)));
  CHECK_FALSE(fs::exists(scratch.path() / "run/figures/fig_mnist_prototypes.pdf"));
  CHECK(read_file(scratch.path() / "run/report.html").find("fig_mnist_prototypes.pgf") != std::string::npos);
  ReportOptions options;
  options.formats = {"pdf"};  // the command line takes precedence
  fs::remove_all(scratch.path() / "run/figures");
  write_report(scratch.path() / "run", options);
  CHECK(fs::exists(scratch.path() / "run/figures/fig_mnist_prototypes.pdf"));
  CHECK_FALSE(fs::exists(scratch.path() / "run/figures/fig_mnist_prototypes.pgf"));
}

TEST_CASE("pgf pictures compile", "[slow][latex]") {
  std::vector<std::string> pictures = {pgf_picture(everything())};
  const TemporaryFolder scratch;
  for (const auto& fake : {mnist_run_with_artifacts(), sweep_run()}) {
    const auto folder = scratch.path() / fake.experiment;
    fake.write(folder);
    const RunView run = RunView::load(folder);
    const auto config = ReportConfig::read(run.config);
    for (const auto& spec : config.figures) {
      for (const auto& figure : draw_figures(run, config, spec)) pictures.push_back(pgf_picture(figure));
    }
  }
  CHECK(pictures.size() == 8);
  CHECK(compiles("pdflatex", pictures, "\\renewcommand{\\familydefault}{\\sfdefault}\\usepackage{pgfplots}\n"));
  CHECK(compiles("pdflatex", pictures, "\\usepackage{tikz}\n"));
  CHECK(compiles("xelatex", pictures, "\\usepackage{tikz}\n"));
}
