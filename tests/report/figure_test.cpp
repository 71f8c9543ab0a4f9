#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <regex>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/figure/gnuplot.h"
#include "core/figure/ticks.h"
#include "core/report/plot_tools.h"
#include "core/report/report_parts.h"
#include "fake_figures.h"
#include "helpers.h"
#include "written_run.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

std::vector<std::string> labels(const std::vector<std::pair<double, std::string>>& ticks) {
  std::vector<std::string> out;
  for (const auto& tick : ticks) out.push_back(tick.second);
  return out;
}

struct Loaded : WrittenRun {
  using WrittenRun::WrittenRun;
  std::vector<Figure> draw(const std::string& yaml_id) const {
    for (const auto& spec : config.figures) {
      if (spec.id == yaml_id) return draw_figures(run, config, spec);
    }
    FAIL("no figure " << yaml_id);
    return {};
  }
};

}  // namespace

TEST_CASE("ticks are round and inside the range") {
  CHECK(labels(linear_ticks(0, 1, 6)) == std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels(linear_ticks(-0.5, 0.5, 3)) == std::vector<std::string>{"−0.5", "0.0", "0.5"});
  CHECK(labels(linear_ticks(0.917, 0.924, 4, true)) == std::vector<std::string>{"91.8 %", "92.0 %", "92.2 %", "92.4 %"});
  CHECK(labels(log_ticks(1e-5, 10, 4)) == std::vector<std::string>{"10^{−5}", "10^{−3}", "10^{−1}", "10"});
  CHECK(labels(log_ticks(0.01, 100, 5)) == std::vector<std::string>{"0.01", "0.1", "1", "10", "100"});
  CHECK(labels(log_ticks(1e-3, 0.2, 5, true)) == std::vector<std::string>{"0.1 %", "1 %", "10 %"});
  CHECK(labels(log_ticks(2, 9, 5)) == std::vector<std::string>{"2", "4", "8"});
  CHECK(linear_ticks(1, 1, 5).empty());
  CHECK(log_ticks(0, 1, 5).empty());
  for (int most = 2; most < 9; ++most) CHECK(linear_ticks(-3.7, 11.2, most).size() <= static_cast<std::size_t>(most));
}

TEST_CASE("colour limits, maps and text contrast are right") {
  const auto limits = robust_symmetric_limits({-1, 0.5, 2, 100}, 0.5);
  CHECK(limits.first == -1.5);
  CHECK(limits.second == 1.5);
  CHECK(robust_symmetric_limits({0, 0}).second == 1);
  CHECK(robust_symmetric_limits({0, 0, 0, 0, 5}, 0.5).second == 5);
  CHECK(finite_limits({NAN, 2, 3, INFINITY}) == std::make_pair(2.0, 3.0));
  CHECK(finite_limits({2}).first < 2);
  CHECK(color_at(ColorMap::kDiverging, 0.5) == std::array<int, 3>{255, 255, 255});
  CHECK(color_at(ColorMap::kSequential, -3) == color_at(ColorMap::kSequential, 0));
  CHECK(color_at(ColorMap::kSequential, 0.1) == std::array<int, 3>{67, 35, 110});
  CHECK(text_color_on({ColorMap::kSequential, 0, 1, true, "", false}, 0) == "#ffffff");
  CHECK(text_color_on({ColorMap::kSequential, 0, 1, true, "", false}, 1) == "#000000");
  CHECK(palette_color(0) == "#0072b2");
  CHECK(palette_color(7) == palette_color(0));
}

TEST_CASE("user text is quoted for gnuplot") {
  CHECK(gnuplot_quote("a_b") == "'a\\_b'");
  CHECK(gnuplot_quote("it's") == "'it''s'");
  CHECK(gnuplot_quote("x\ny") == "'x y'");
  Figure figure;
  figure.id = "fig:ev'il`touch pwned`|$(touch pwned)";
  Panel panel;
  panel.title = "`touch pwned` \"x\" '; system('touch pwned') # @m {/:Bold";
  panel.x.label = panel.y.label = panel.title;
  panel.x.ticks = {{0, panel.title}, {1, "100 %s"}};
  panel.texts.push_back({panel.title, 0.5, 0.5});
  Line line;
  line.label = panel.title;
  line.x = {0, 1};
  line.y = {0, NAN};
  panel.lines.push_back(line);
  panel.legend = Legend::kTopLeft;
  figure.panels.push_back(panel);
  const TemporaryFolder scratch;
  const auto files = render_figure(figure, scratch.path() / "out", {"svg"});
  REQUIRE(files.size() == 3);
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path())) {
    CHECK(entry.path().filename() != "pwned");
    count += entry.is_regular_file();
  }
  CHECK(count == 3);
  const std::string svg = read_file(files[2]);
  CHECK(svg.find("`touch pwned`") != std::string::npos);
  CHECK(svg.find("100 %s") != std::string::npos);
}

TEST_CASE("an SVG's legend has the dashes of its curves") {
  Figure figure;
  figure.id = "dashes";
  Panel panel;
  for (const int dash : {1, 2, 3, 1, 2}) {
    Line line;
    line.label = "line " + std::to_string(panel.lines.size());
    line.rgb = "#123456";
    line.dash = dash;
    if (panel.lines.empty()) line.x = line.y = {0, 1};
    panel.lines.push_back(line);
  }
  panel.legend = Legend::kTopLeft;
  figure.panels.push_back(panel);
  const TemporaryFolder scratch;
  const auto svg = read_file(render_figure(figure, scratch.path(), {"svg"}).back());
  const std::regex path("<path stroke='rgb\\( 18,  52,  86\\)'( stroke-dasharray='([0-9.,]*)')?[^>]*>");
  std::vector<std::string> dashes;
  for (std::sregex_iterator it(svg.begin(), svg.end(), path), end; it != end; ++it) dashes.push_back((*it)[2]);
  INFO(svg);
  REQUIRE(dashes.size() == 6);  // the curve, then its and the others' samples
  CHECK(dashes[1].empty());
  CHECK_FALSE(dashes[2].empty());
  CHECK_FALSE(dashes[3].empty());
  CHECK(dashes[2] != dashes[3]);
  CHECK(dashes[4].empty());
  CHECK(dashes[5] == dashes[2]);
}

TEST_CASE("curves are faint behind text with a background") {
  Figure figure;
  figure.id = "backed";
  Panel panel;
  Line band;
  band.x = {0, 1};
  band.y = {0.5, 0.5};
  band.low = {0, 0};
  band.high = {1, 1};
  panel.lines.push_back(band);
  panel.texts.push_back({"2.14–32.8", 0.5, 0.5});
  figure.panels.push_back(panel);
  const TemporaryFolder scratch;
  // Counts the pixels of each colour.
  const auto drawn = [&](const std::string& folder) {
    const auto bytes = read_file(render_figure(figure, scratch.path() / folder, {"png"}).back());
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()));
    image.format = PNG_FORMAT_RGB;
    std::vector<std::array<unsigned char, 3>> pixels(std::size_t{image.width} * image.height);
    REQUIRE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr));
    std::map<std::array<unsigned char, 3>, int> out;
    for (const auto& pixel : pixels) ++out[pixel];
    return out;
  };
  const auto bare = drawn("bare");
  figure.panels[0].texts[0].backed = true;
  const auto backed = drawn("backed");
  // The band's colour is the picture's most frequent one after the paper's; most pixels that lose it become a mixture of the two.
  const auto band_color = std::max_element(bare.begin(), bare.end(), [](const auto& a, const auto& b) {
    const std::array<unsigned char, 3> paper{255, 255, 255};
    return (a.first == paper ? 0 : a.second) < (b.first == paper ? 0 : b.second);
  });
  const int lost = band_color->second - backed.at(band_color->first);
  CHECK(lost > 300);
  int gained = 0;
  for (const auto& [color, count] : backed) {
    if (color != band_color->first && color[0] > band_color->first[0] && color[0] < 255 && bare.count(color) == 0)
      gained = std::max(gained, count);
  }
  INFO("lost " << lost << ", gained " << gained);
  CHECK(gained > lost / 3);
  CHECK(gained <= lost);
}

TEST_CASE("rendering a figure is reproducible with the right size and font sizes") {
  const Loaded loaded(mnist_run_with_artifacts());
  const auto figure = loaded.draw("fig:mnist_prototypes").at(0);
  const TemporaryFolder scratch;
  const auto first = render_figure(figure, scratch.path() / "a");
  const auto second = render_figure(figure, scratch.path() / "b");
  REQUIRE(first.size() == 6);  // gp, csv, svg, pdf, png, and a text of its notes
  CHECK(figure.note() == "One seed (0).");
  for (std::size_t i = 0; i < first.size(); ++i) {
    INFO(first[i].string());
    CHECK(first[i].filename() == second[i].filename());
    const std::string bytes = read_file(first[i]);
    const bool dated = first[i].extension() == ".pdf" && bytes.find("/CreationDate") == std::string::npos;  // packed, by cairo from 1.18 on
    if (!dated) CHECK(bytes == read_file(second[i]));
  }
  const auto content = [&](const char* kind) {
    return read_file(*std::find_if(first.begin(), first.end(), [&](const fs::path& file) { return file.extension() == kind; }));
  };
  CHECK(content(".txt").find("One seed (0).") != std::string::npos);
  const std::string svg = content(".svg"), pdf = content(".pdf"), png = content(".png");
  CHECK(svg.find("width=\"486pt\"") != std::string::npos);  // 6.75 inches
  const std::regex size("font-size=\"([0-9.]+)\"");
  std::size_t texts = 0;
  for (std::sregex_iterator it(svg.begin(), svg.end(), size), end; it != end; ++it, ++texts) {
    CHECK(std::stod((*it)[1]) >= kFontSize);
  }
  CHECK(texts >= 12);  // ten classes, two arms
  CHECK(pdf.substr(0, 5) == "%PDF-");
  if (const auto date = pdf.find("/CreationDate"); date != std::string::npos) CHECK(pdf.compare(date + 14, 18, "(D:20000101000000Z") == 0);
  const auto big_endian = [&](std::size_t at) {
    unsigned v = 0;
    for (std::size_t i = 0; i < 4; ++i) v = v << 8 | static_cast<unsigned char>(png[at + i]);
    return v;
  };
  CHECK(png.substr(1, 3) == "PNG");
  CHECK(big_endian(16) == 1296);  // 6.75 inches at 192 dots
  // The script alone suffices to draw the figure again.
  const auto again = run_process({"gnuplot", "-d", "-c", first[0].filename().string(), "png"}, scratch.path() / "a");
  CHECK(again.status == 0);
  CHECK(content(".png") == png);
}

TEST_CASE("prototypes share a colour scale over arms") {
  const Loaded loaded(mnist_run_with_artifacts());
  const auto figure = loaded.draw("fig:mnist_prototypes").at(0);
  REQUIRE(figure.panels.size() == 1);
  const Panel& panel = figure.panels[0];
  CHECK(panel.heats.size() == 20);
  CHECK(panel.colors.min == -panel.colors.max);
  CHECK(panel.colors.map == ColorMap::kDiverging);
  CHECK(labels(panel.y.ticks) == std::vector<std::string>{"linear", "yat"});
  CHECK(panel.heats[0].y0 > panel.heats[10].y0);  // the first arm is on top
  // Row 0 of the artifact is on top: the top bar of the 7 (y = 5) is in row 5.
  const auto& seven = panel.heats[17];
  CHECK(seven.values[5 * 28 + 14] > seven.values[23 * 28 + 14]);
  const std::string csv = figure_csv(figure);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 20 * 784 + 10);
}

TEST_CASE("similarity figures frame the pair and rank it") {
  auto fake = mnist_run_with_artifacts();
  const Loaded loaded(fake);
  const auto figures = loaded.draw("fig:similarity");
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].id == "fig:similarity");
  CHECK(figures[1].id == "fig:similarity_yat");
  REQUIRE(figures[1].panels.size() == 4);
  const Panel& cosine = figures[1].panels[0];
  CHECK(cosine.title == "yat prototypes under the cosine (unit 10⁻²)");
  // The rank computed by hand, from the artifacts of all seeds.
  std::vector<double> sum(100);
  for (const auto& job : fake.jobs) {
    if (job.arm != "yat") continue;
    const auto values = json_numbers(nlohmann::json::parse(job.artifacts.at("prototype_similarity")["matrices"]["cosine"].dump()));
    for (std::size_t i = 0; i < 100; ++i) sum[i] += values[i];
  }
  int rank = 1;
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < i; ++j) rank += sum[i * 10 + j] > sum[7 * 10 + 9] + 1e-12;
  }
  CHECK(cosine.x.label == "7–9: rank " + std::to_string(rank) + " of 45 pairs");
  CHECK(figures[1].note() == "Means over n = 5 seeds (0 to 4).");
  CHECK(cosine.heats[0].marked == std::vector<std::pair<std::size_t, std::size_t>>{{7, 9}, {9, 7}});
  CHECK(cosine.heats[0].text[0].empty());
  CHECK(std::isnan(cosine.heats[0].values[11]));
  CHECK(cosine.heats[0].text[1] == std::to_string(std::lround(sum[1] / 5 * 100)));
}

TEST_CASE("a similarity figure of named operators holds all arms") {
  auto fake = mnist_run_with_artifacts();
  const auto at = fake.config.find("plot: similarity");
  REQUIRE(at != std::string::npos);
  fake.config.insert(at + 16, ", operators: [yat, dot]");
  for (auto& job : fake.jobs) {
    if (job.arm == "yat" && job.seed == 0) job.state = "failed";
  }
  const auto figures = Loaded(fake).draw("fig:similarity");
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].note().find("4 to 5 seeds") != std::string::npos);  // of both arms
  std::vector<std::string> titles;
  for (const auto& panel : figures[0].panels) titles.push_back(panel.title.substr(0, panel.title.find(" (unit")));
  CHECK(titles == std::vector<std::string>{"linear prototypes under the inner product", "linear prototypes under ⵟ",
                                           "yat prototypes under the inner product", "yat prototypes under ⵟ"});
}

TEST_CASE("the training loss is drawn in the middle of the steps that it is a mean of") {
  auto fake = mnist_run();
  fake.config.replace(fake.config.find("{plot: prototypes, seed: 0}"), 27, "{plot: learning_curves, metrics: [train/loss, m]}");
  for (auto& job : fake.jobs) {
    for (int step : {0, 100, 200, 300}) {
      job.curve.push_back({{"step", step}, {"epoch", 0}, {"m", 1.0}});
      if (step > 0) job.curve.back()["train/loss"] = 400 - step;
    }
  }
  const auto figure = Loaded(fake).draw("fig:mnist_prototypes").at(0);
  REQUIRE(figure.panels.size() == 2);
  CHECK(figure.panels[0].lines.at(0).x == std::vector<double>{50, 150, 250});
  CHECK(figure.panels[0].lines.at(0).y == std::vector<double>{300, 200, 100});
  CHECK(figure.panels[1].lines.at(0).x == std::vector<double>{0, 100, 200, 300});
}

TEST_CASE("learning curves are averaged over seeds") {
  auto fake = mnist_run();
  fake.config.replace(fake.config.find("{plot: prototypes, seed: 0}"), 27, "{plot: learning_curves, metrics: [m]}");
  for (auto& job : fake.jobs) {
    for (int step : {1, 2}) {
      job.curve.push_back({{"step", step}, {"epoch", 0}, {"m", step * 10 + job.seed}});
    }
  }
  fake.jobs[0].curve.push_back({{"step", 3}, {"epoch", 0}, {"m", "nan"}});  // diverging: no point
  const Loaded loaded(fake);
  const auto figure = loaded.draw("fig:mnist_prototypes").at(0);
  REQUIRE(figure.panels.at(0).lines.size() == 2);
  const Line& line = figure.panels[0].lines[0];
  CHECK(line.label == "linear");
  CHECK(line.x == std::vector<double>{1, 2});
  CHECK(line.y == std::vector<double>{12, 22});
  CHECK(line.high[0] - line.y[0] == Approx(std::sqrt(2.5)));
}

TEST_CASE("learning curves of several points have one panel per point") {
  auto fake = sweep_run();
  const auto at = fake.config.find("figures:");
  REQUIRE(at != std::string::npos);
  fake.config.insert(at + 8, "\n  fig:curves: {plot: learning_curves, metrics: [m]}");
  for (auto& job : fake.jobs) job.curve.push_back({{"step", 1}, {"epoch", 0}, {"m", 1.0}});
  const Loaded loaded(fake);
  const auto figure = loaded.draw("fig:curves").at(0);
  const auto points = loaded.run.points().size();
  REQUIRE(points > 8);
  CHECK(figure.panels.size() == points);
  for (const auto& panel : figure.panels) {
    CHECK(panel.title.find("ε = ") == 0);
    REQUIRE(panel.lines.size() == fake.arms.size());
    CHECK(panel.lines[0].color == 0);
    CHECK(panel.lines[0].label.find(',') == std::string::npos);
  }
}

TEST_CASE("learning curves of a large search show each arm's best point") {
  auto fake = sweep_run();
  fake.search = {{"method", "random"}, {"metric", "test/accuracy"}, {"better", "higher"}, {"trials", 15}};
  fake.config.insert(fake.config.find("figures:") + 8, "\n  fig:curves: {plot: learning_curves, metrics: [m]}");
  for (auto& job : fake.jobs) job.curve.push_back({{"step", 1}, {"epoch", 0}, {"m", 1.0}});
  const Loaded loaded(fake);
  REQUIRE(loaded.run.points().size() > 8);
  const auto figure = loaded.draw("fig:curves").at(0);
  REQUIRE(figure.panels.size() == 1);
  CHECK(figure.panels[0].lines.size() == fake.arms.size());
  CHECK(figure.note().find("Each arm at its best of 15 points") != std::string::npos);
}

TEST_CASE("learning curves of text run over tokens, and epochs have fractions") {
  auto fake = mnist_run();
  for (auto& job : fake.jobs) {
    job.curve.push_back({{"step", 0}, {"epoch", 0}, {"m", 9}});  // an older run's row, without tokens
    for (int step : {1, 2}) job.curve.push_back({{"step", step}, {"epoch", step / 8.0}, {"tokens", step * 256}, {"m", step}});
  }
  const auto x_of = [&](const std::string& axis) {
    auto with_axis = fake;
    with_axis.config.replace(with_axis.config.find("{plot: prototypes, seed: 0}"), 27,
                             "{plot: learning_curves, metrics: [m], x: " + axis + "}");
    const auto figure = Loaded(with_axis).draw("fig:mnist_prototypes").at(0);
    CHECK(figure.panels.at(0).x.label == axis);
    return figure.panels.at(0).lines.at(0).x;
  };
  CHECK(x_of("tokens") == std::vector<double>{256, 512});
  CHECK(x_of("epoch") == std::vector<double>{0, 0.125, 0.25});
}

TEST_CASE("sweeps are drawn as heat map and lines") {
  const Loaded loaded(sweep_run());
  const auto heat = loaded.draw("fig:epsilon_alpha").at(0);
  REQUIRE(heat.panels.size() == 3);
  const Heat& cells = heat.panels[0].heats[0];
  CHECK(cells.columns == 5);
  CHECK(cells.rows == 3);
  CHECK_FALSE(heat.panels[0].colors.bar);  // the cells print their values
  CHECK(cells.text[0] == "div.");          // epsilon 1e-5, alpha 2: top left
  const auto sample = loaded.run.sample("yat", {{"operator.epsilon", 10.0}, {"architecture.alpha", 0.5}}, "test/accuracy");
  CHECK(cells.values[14] == Approx((sample.values[0] + sample.values[1] + sample.values[2]) / 3));
  CHECK(heat.note() == "Means over n = 3 seeds (0 to 2); ±: one standard deviation.");
  const auto lines = loaded.draw("fig:epsilon").at(0);
  REQUIRE(lines.panels[0].lines.size() == 5);  // three, the cross of the diverged point, and its sample for the legend
  CHECK(lines.panels[0].x.log);
  CHECK(lines.panels[0].lines[2].label == "α = 2");
  CHECK(lines.panels[0].lines[2].x.front() == 1e-3);  // the diverged point is left out
  CHECK(lines.note().find("Diverged: α = 2 at ε = 1e-5 (3 of 3).") != std::string::npos);
}

TEST_CASE("heat maps share a colour scale only within a metric") {
  FakeRun fake = sweep_run();
  fake.arms = {"yat", "dot"};
  fake.config.replace(fake.config.find("arms: {yat: [operator=yat]}"), 27, "arms: {yat: [operator=yat], dot: [operator=dot]}");
  auto other = fake.jobs;
  for (auto& job : other) {
    job.arm = "dot";
    for (auto& [name, value] : job.metrics.items()) value = value.get<double>() / 2;
  }
  fake.jobs.insert(fake.jobs.end(), other.begin(), other.end());
  const auto panels = Loaded(fake).draw("fig:epsilon_alpha").at(0).panels;
  REQUIRE(panels.size() == 6);
  for (const std::size_t i : {0, 2, 4}) {
    std::vector<double> both = panels[i].heats[0].values;
    both.insert(both.end(), panels[i + 1].heats[0].values.begin(), panels[i + 1].heats[0].values.end());
    const auto [least, most] = finite_limits(both);
    for (const auto& panel : {panels[i], panels[i + 1]}) {
      INFO(panel.title);
      CHECK(panel.colors.min == least);
      CHECK(panel.colors.max == most);
      CHECK(panel.colors.percent == panels[i].colors.percent);
    }
  }
  CHECK(panels[0].colors.max != panels[4].colors.max);
}

TEST_CASE("figures of one seed use the first available seed if theirs is missing") {
  auto fake = mnist_run_with_artifacts();
  fake.config.replace(fake.config.find("fig:similarity: {"), 17, "fig:similarity: {seed: 0, ");
  for (auto& job : fake.jobs) job.seed += 10;
  CHECK(Loaded(fake).draw("fig:mnist_prototypes").at(0).note() == "One seed (10).");
  for (const auto& figure : Loaded(fake).draw("fig:similarity")) CHECK(figure.note() == "One seed (10).");
  // Seed 10 of one arm has diverged.
  fake.jobs[0].state = "diverged";
  CHECK(Loaded(fake).draw("fig:mnist_prototypes").at(0).note() == "One seed each (10, 11).");
  CHECK(Loaded(fake).draw("fig:similarity").at(0).note() == "One seed (11).");
  // The requested seed is used if it exists.
  fake.config.replace(fake.config.find("plot: prototypes, seed: 0"), 25, "plot: prototypes, seed: 12");
  CHECK(Loaded(fake).draw("fig:mnist_prototypes").at(0).note() == "One seed (12).");
}

TEST_CASE("an arm without completed seeds does not prevent a figure") {
  auto fake = mnist_run_with_artifacts();
  for (auto& job : fake.jobs) {
    if (job.arm == "linear") job.state = "diverged";
  }
  const auto figure = Loaded(fake).draw("fig:mnist_prototypes").at(0);
  CHECK(figure.panels.at(0).heats.size() == 10);
  CHECK(figure.note() == "One seed (0). Without linear: no seed of it completed.");
  CHECK(Loaded(fake).draw("fig:similarity").size() == 1);
  for (auto& job : fake.jobs) job.state = "failed";
  CHECK(error_of([&] { Loaded(fake).draw("fig:mnist_prototypes"); }).find("none of the arms to plot has a completed job") == 0);
}

TEST_CASE("plots report missing data") {
  auto fake = mnist_run();
  const Loaded bare(fake);
  CHECK(error_of([&] { bare.draw("fig:mnist_prototypes"); }) ==
        "cannot draw figure 'fig:mnist_prototypes'\n  at: " + bare.scratch.path().string() +
            "\n  why: jobs/linear/seed=0 has no artifact 'prototypes'\n  try: add the analysis that writes it to the "
            "experiment's analyses");
  for (auto& job : fake.jobs) job.artifacts["prototypes"] = {{"shape", {10, 28, 28}}, {"data", {1, 2, 3}}};
  CHECK(error_of([&] { Loaded(fake).draw("fig:mnist_prototypes"); }).find("is not a stack of images") != std::string::npos);
  auto sweep = sweep_run();
  sweep.config.replace(sweep.config.find("x: operator.epsilon, y"), 22, "x: trainer.epochs, y");
  CHECK(error_of([&] { Loaded(sweep).draw("fig:epsilon_alpha"); }).find("'trainer.epochs' was not swept") != std::string::npos);
}

TEST_CASE("missing and failing programs are reported") {
  const TemporaryFolder scratch;
  CHECK_THROWS_AS(run_process({"no-such-program-anywhere"}, scratch.path()), Error);
  CHECK(run_process({"false"}, scratch.path()).status == 1);
  CHECK(run_process({"echo", "$HOME `id`"}, scratch.path()).output == "$HOME `id`\n");
  // Without gnuplot the error says what to install.
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", scratch.path().c_str(), 1);
  Figure figure;
  figure.id = "f";
  figure.panels.emplace_back();
  const std::string error = error_of([&] { render_figure(figure, scratch.path()); });
  ::setenv("PATH", path.c_str(), 1);
  CHECK(error ==
        "cannot draw figure 'f'\n  why: gnuplot cannot be started: No such file or directory\n  try: apt-get install "
        "gnuplot-nox fonts-dejavu-core");
}
