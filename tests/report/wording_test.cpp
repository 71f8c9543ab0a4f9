// Names of results, and the texts about them.

#include "catch.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/figure/gnuplot.h"
#include "core/registry/registry.h"
#include "core/report/report.h"
#include "core/report/report_parts.h"
#include "core/verdict/display_titles.h"
#include "fake_figures.h"
#include "helpers.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

void declare_operator() {
  static const bool once = [] {
    Component component;
    component.kind = "wording_kernel";
    component.name = "made";
    Field length, mixture, plain;
    length.name = "length";
    length.doc = "ℓ: the distance that counts as near";
    mixture.name = "mixture";
    mixture.doc = "one: of several";  // no symbol
    plain.name = "warm_start";
    plain.doc = "begins where it stopped";
    component.schema.fields = {length, mixture, plain};
    component_table("wording_kernel").add(component);
    return true;
  }();
  (void)once;
}

/// Without tags, styles and scripts.
std::string visible(const std::string& html) {
  std::string out;
  for (std::size_t i = 0; i < html.size();) {
    if (html[i] != '<') {
      out += html[i++];
      continue;
    }
    for (const std::string skipped : {"style", "script>"}) {
      if (html.compare(i + 1, skipped.size(), skipped) == 0) i = html.find("</", i);
    }
    i = html.find('>', i) + 1;
  }
  return out;
}

/// The text about a paper; "" for none.
std::string paper_words(const std::string& text) {
  const std::string small = lower(text);
  for (const char* word : {"paper", "verdict", "reproduc"}) {
    const auto at = small.find(word);
    if (at != std::string::npos) return text.substr(at < 60 ? 0 : at - 60, 140);
  }
  return {};
}

/// A user's own study: no numbers of any paper.
FakeRun own_study() {
  FakeRun run = mnist_run_with_artifacts();
  run.config = R"yaml(name: own_study
title: "My kernel"
arms:
  linear: [operator=dot]
  yat: [operator=yat]
tables:
  tab:mine:
    columns: [test/accuracy, model/alpha]
    compare: {metric: test/accuracy, baseline: linear}
figures:
  fig:curves: {plot: learning_curves, metrics: [train/loss], caption: "My curves."}
)yaml";
  run.experiment = "own_study";
  return run;
}

}  // namespace

TEST_CASE("parameters are called by their titles") {
  declare_operator();
  CHECK(parameter_title("operator.epsilon") == "ε");
  CHECK(parameter_title("architecture.alpha") == "α");
  CHECK(parameter_title("optimizer.lr") == "learning rate");
  CHECK(parameter_title("trainer.batch_size") == "batch size");
  CHECK(parameter_title("dataset") == "data set");
  CHECK(parameter_title("+size") == "size");
  CHECK(parameter_title("wording_kernel.length") == "ℓ");
  CHECK(parameter_title("wording_kernel.mixture") == "mixture");
  CHECK(parameter_title("wording_kernel.warm_start") == "warm start");
  CHECK(parameter_title("wording_kernel.length", {{"wording_kernel.length", "range"}}) == "range");  // the experiment takes precedence
  CHECK(parameter_titles({"operator.epsilon", "optimizer.epsilon", "optimizer.lr"}) ==
        std::vector<std::string>{"operator.epsilon", "optimizer.epsilon", "learning rate"});
  CHECK(point_title({{"operator.epsilon", Node(1e-5)}, {"optimizer.lr", Node(0.1)}}) == "ε = 1e-5, learning rate 0.1");
  CHECK(point_title({}).empty());
  CHECK(readable_metric("train/loss") == "training loss");
  CHECK(readable_metric("prototypes/norm_change") == "prototypes/norm change");
}

TEST_CASE("titles are used for readers and keys in machine-readable files") {
  auto fake = sweep_run();
  fake.config += "parameters: {architecture.alpha: 'exponent $\\alpha$'}\n";
  const TemporaryFolder scratch;
  fake.write(scratch.path());
  const RunView run = RunView::load(scratch.path());
  const auto config = ReportConfig::read(run.config);
  for (const auto& spec : config.figures) {
    for (const auto& figure : draw_figures(run, config, spec)) {
      const std::string script = gnuplot_script(figure, "f");
      INFO(spec.id);
      CHECK(script.find("'ε'") != std::string::npos);
      CHECK(script.find("exponent α") != std::string::npos);
      CHECK(script.find("'epsilon'") == std::string::npos);
    }
  }
  write_report(scratch.path(), without_figures());
  const std::string tex = read_file(scratch.path() / "tables/tab_epsilon_alpha.tex"),
                    md = read_file(scratch.path() / "tables/tab_epsilon_alpha.md");
  CHECK(tex.find("\n$\\varepsilon$ & ") != std::string::npos);
  CHECK(tex.find("exponent") != std::string::npos);
  CHECK(md.find("| ε | exponent α |") != std::string::npos);
  CHECK(read_file(scratch.path() / "tables/tab_epsilon_alpha.csv").find("operator.epsilon,architecture.alpha") != std::string::npos);
  const std::string page = read_file(scratch.path() / "report.html");
  CHECK(page.find("<th scope=\"col\">ε</th><th scope=\"col\">exponent α</th>") != std::string::npos);
  CHECK(page.find("\"title\":\"\\u03b5\"") != std::string::npos);
}

TEST_CASE("a parameter's title must be text") {
  auto fake = sweep_run();
  fake.config += "parameters: {operator.epsilon: [1]}\n";
  const TemporaryFolder scratch;
  fake.write(scratch.path());
  CHECK(error_of([&] {
          ReportConfig::read(RunView::load(scratch.path()).config);
        }).find("'parameters.operator.epsilon' must be a string, found [1]") != std::string::npos);
}

TEST_CASE("captions describe what is shown and notes can be left out") {
  auto fake = own_study();
  const TemporaryFolder scratch;
  const auto texts = [&](const std::string& name, const std::string& more) {
    auto run = fake;
    run.config += more;
    run.write(scratch.path() / name);
    ReportOptions options;
    options.formats = {"svg"};
    write_report(scratch.path() / name, options);
    return std::make_pair(read_file(scratch.path() / name / "tables/tab_mine.tex"),
                          read_file(scratch.path() / name / "figures/fig_curves.txt"));
  };
  const auto full = texts("full", "");
  CHECK(full.first.find("\\caption{My kernel.}") != std::string::npos);
  CHECK(full.first.find("\\yatnote{Mean $\\pm$ standard deviation over n = 5 seeds.") != std::string::npos);
  CHECK(full.first.find("\\providecommand{\\yatnote}[1]") < full.first.find("\\begin{table}"));
  CHECK(full.second == "My curves.\n\nMeans over n = 5 seeds (0 to 4); bands: one standard deviation.\n");
  const auto brief = texts("brief", "report: {captions: short}\n");
  CHECK(brief.first.find("yatnote") == std::string::npos);
  CHECK(brief.first.find("CI") == std::string::npos);
  CHECK(brief.first.find("\\caption{My kernel.}") != std::string::npos);
  CHECK(brief.second == "My curves.\n");
  // The page still shows it.
  CHECK(read_file(scratch.path() / "brief/report.html").find("Means over n = 5 seeds") != std::string::npos);
  CHECK(error_of([&] { texts("wrong", "report: {captions: shrt}\n"); }).find("short") != std::string::npos);
  CHECK(error_of([&] { texts("wrong", "report: {caption: short}\n"); }).find("captions") != std::string::npos);
  for (const auto& tex : {full.first, brief.first, "\\newcommand{\\yatnote}[1]{}\n" + full.first}) {
    write_file_atomic(scratch.path() / "t.tex",
                      "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n" + tex + "\\end{document}\n");
    const auto result = run_process({"pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"}, scratch.path());
    INFO(result.output);
    CHECK(result.status == 0);
  }
}

TEST_CASE("a study without a paper mentions no paper") {
  for (const bool altered : {false, true}) {
    auto fake = own_study();
    if (altered) {  // otherwise marked as not comparable
      fake.scale = "smoke";
      fake.protocol_overrides = {"trainer.epochs=2"};
      fake.dataset["substituted_for"] = "mnist";
      fake.dataset["name"] = "embedded_digits";
    }
    const TemporaryFolder scratch;
    fake.write(scratch.path());
    ReportOptions options;
    options.formats = {"svg"};
    const auto report = write_report(scratch.path(), options);
    CHECK(paper_words(report.text) == "");
    CHECK(report.text.find(altered ? "Scale 'smoke'." : "Data: mnist.") != std::string::npos);
    for (const char* file : {"tables/tab_mine.tex", "tables/tab_mine.md", "figures/fig_curves.txt"}) {
      INFO(file);
      CHECK(paper_words(read_file(scratch.path() / file)) == "");
    }
    CHECK(paper_words(visible(read_file(scratch.path() / "report.html"))) == "");
  }
  // A run with the paper's numbers still mentions it.
  const TemporaryFolder scratch;
  mnist_run().write(scratch.path());
  CHECK(paper_words(write_report(scratch.path(), without_figures()).text) != "");
}

TEST_CASE("figures.format is not a figure") {
  const auto read = [](const std::string& format) {
    auto fake = own_study();
    fake.config += "  format: " + format + "\n";
    const TemporaryFolder scratch;
    fake.write(scratch.path());
    return ReportConfig::read(RunView::load(scratch.path()).config);
  };
  CHECK(read("pgf").formats == std::vector<std::string>{"pgf"});
  CHECK(read("[pdf, pgf]").formats == std::vector<std::string>{"pdf", "pgf"});
  CHECK(read("pgf").figures.size() == 1);
  CHECK(error_of([&] { read("pgff"); }).find("did you mean 'pgf'?") != std::string::npos);
  CHECK(error_of([&] { read("[]"); }).find("has no format") != std::string::npos);
  CHECK(error_of([&] { read("[1]"); }).find("'figures.format' cannot be 1") != std::string::npos);
  CHECK_FALSE(read("pgf").column_figures);
  CHECK(read("pgf\n  width: column").column_figures);
  CHECK(read("pgf\n  width: column").figures.size() == 1);
  CHECK(error_of([&] { read("pgf\n  width: colum"); }).find("did you mean 'column'?") != std::string::npos);
}
