// Tables in documents, like in a paper: set by pdflatex in one column and in two.

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "catch.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/figure/yat_letter.h"
#include "core/report/report.h"
#include "core/table/latex_grid.h"
#include "core/table/table.h"
#include "fake_figures.h"
#include "helpers.h"
#include "holds.h"

namespace yatlab::testing {
namespace {

struct NamedTable {
  std::string name, tex;
};

/// Made-up runs whose tables are hard to typeset. `arms` of `metrics` at `points`; an arm may diverge.
struct HardRun {
  std::size_t arms = 3, metrics = 3, points = 0;
  int seeds = 3;
  bool long_names = false, diverged = false, percent = true;
  std::vector<std::string> compared;
  std::string table;  ///< additional lines of the table
  std::string more;   ///< additional lines of the experiment
};

std::string arm_name(std::size_t a, bool long_names) {
  return long_names ? fmt::format("arm_{}_with_a_scale_that_is_learned", a) : fmt::format("arm{}", a);
}

FakeRun hard_run(const HardRun& h) {
  FakeRun run;
  run.experiment = "an_experiment_of_a_long_name_for_all_of_them";
  run.config = "name: x\ntitle: \"How ⵟ compares with 100 % of others_and more\"\narms:\n";
  for (std::size_t a = 0; a < h.arms; ++a) {
    run.arms.push_back(arm_name(a, h.long_names));
    run.config += "  " + run.arms.back() + ": []\n";
  }
  run.config += "labels:\n";
  for (std::size_t a = 0; a < h.arms; ++a) {
    run.config += fmt::format("  {}: \"{}\"\n", run.arms[a],
                              h.long_names ? fmt::format("ⵟ with a learned scale of its scores and ‖w‖ of_arm_number_{}, trained longer", a)
                                           : fmt::format("ⵟ {}", a));
  }
  std::vector<std::string> metrics;
  for (std::size_t m = 0; m < h.metrics; ++m) metrics.push_back(fmt::format("{}m{}", h.percent && m % 2 == 0 ? "accuracy/" : "", m));
  run.config += "metrics:\n";
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    run.config += fmt::format("  {}: {{title: \"measured quantity {}\", better: higher, format: {}}}\n", metrics[m], m,
                              metrics[m][0] == 'a' ? "percent" : "number");
  }
  run.config += "tables:\n  tab:hard:\n    columns: [" + join(metrics, ", ") + "]\n" + h.table;
  if (!h.compared.empty()) run.config += "    compare: {metrics: [" + join(h.compared, ", ") + "], baseline: " + run.arms[0] + "}\n";
  run.config += fmt::format("paper:\n  {}: {{{}: 0.5}}\n  tolerance: {{{}: 0.01}}\n", run.arms[0], metrics[0], metrics[0]) + h.more;
  if (h.points > 0) run.swept = {"optimizer.lr", "operator.epsilon"};
  Random random(7);
  for (std::size_t p = 0; p < std::max<std::size_t>(1, h.points); ++p) {
    for (std::size_t a = 0; a < h.arms; ++a) {
      for (int seed = 0; seed < h.seeds; ++seed) {
        FakeRun::Job job;
        job.arm = run.arms[a];
        job.seed = seed;
        if (h.points > 0)
          job.params = {{"optimizer.lr", std::pow(10, -static_cast<double>(p % 7))}, {"operator.epsilon", 0.5 + static_cast<double>(p)}};
        const bool lost = h.diverged && a == 1;
        job.state = lost ? "diverged" : "completed";
        for (const auto& metric : metrics) {
          if (!lost) job.metrics[metric] = metric[0] == 'a' ? 0.5 + 0.1 * random.uniform() : 1e3 * random.normal();
        }
        run.jobs.push_back(std::move(job));
      }
    }
  }
  return run;
}

std::vector<NamedTable> tables_of(const std::string& name, const FakeRun& fake) {
  const TemporaryFolder scratch;
  fake.write(scratch.path());
  const RunView run = RunView::load(scratch.path());
  const auto config = ReportConfig::read(run.config);
  std::vector<NamedTable> out;
  for (const auto& spec : config.tables) out.push_back({name + " " + spec.id, to_latex(build_table(run, config, spec))});
  return out;
}

std::vector<NamedTable> make_hard_tables() {
  std::vector<NamedTable> out;
  const auto add = [&](const std::string& name, const HardRun& h) {
    for (auto& table : tables_of(name, hard_run(h))) out.push_back(std::move(table));
  };
  add("plain", {});
  HardRun wide;
  wide.metrics = 24;
  add("very wide", wide);
  HardRun rather;
  rather.metrics = 8;
  rather.compared = {"accuracy/m0"};
  add("rather wide", rather);
  HardRun sweep;
  sweep.points = 50;
  add("very long", sweep);
  sweep.metrics = 16;
  sweep.diverged = true;
  sweep.points = 25;
  add("long and wide", sweep);
  HardRun many;
  many.arms = 8;
  many.compared = {"accuracy/m0", "m1", "accuracy/m2"};
  add("many comparisons", many);
  many.points = 6;
  add("very many comparisons", many);
  many.points = 0;
  many.long_names = many.diverged = true;
  add("many comparisons of long names", many);
  HardRun names;
  names.long_names = true;
  add("long names", names);
  names.metrics = 9;
  names.points = 16;
  add("long names, wide and long", names);
  HardRun single;
  single.seeds = 1;
  add("one seed", single);
  single.seeds = 0;
  add("no seeds", single);
  HardRun lost;
  lost.diverged = true;
  add("diverged", lost);
  HardRun column;
  column.metrics = 6;
  column.table = "    latex: {span: column}\n";
  add("six in a column", column);
  column.table = "    latex: {span: page}\n";
  add("six across the page", column);
  HardRun across;
  across.arms = 6;
  across.metrics = 1;
  across.points = 22;
  across.table = "    across: arms\n";
  add("arms across", across);
  across.long_names = across.diverged = true;
  add("arms of long names across", across);
  HardRun brief;
  brief.compared = {"accuracy/m0", "m1"};
  brief.more = "report: {captions: short, latex: {paper: none}}\n";
  add("without note and paper", brief);
  for (auto& table : tables_of("hostile", sweep_run())) out.push_back(std::move(table));
  for (auto& table : tables_of("mnist", mnist_run())) out.push_back(std::move(table));
  return out;
}

const std::vector<NamedTable>& hard_tables() {
  static const auto tables = make_hard_tables();
  return tables;
}

/// The tables in results/paper.
std::vector<NamedTable> committed_tables() {
  std::vector<NamedTable> out;
  const fs::path paper = fs::path(YATLAB_SOURCE_DIR) / "results/paper";
  for (const auto& entry : fs::recursive_directory_iterator(paper)) {
    const auto& path = entry.path();
    if (path.extension() == ".tex" && path.parent_path().filename() == "tables")
      out.push_back({fs::relative(path, paper).string(), read_file(path)});
  }
  std::sort(out.begin(), out.end(), [](const NamedTable& a, const NamedTable& b) { return a.name < b.name; });
  return out;
}

/// pdflatex's complaints about each table, all of them in one document.
std::vector<std::string> faults(std::vector<NamedTable> tables, const std::string& options, const std::string& before = {}) {
  std::vector<std::string> out;
  const TemporaryFolder scratch;
  for (std::size_t tries = 0; !tables.empty(); ++tries) {
    std::string document = "\\documentclass[" + options + "]{article}\n\\usepackage{booktabs,longtable}\n" + before + "\\begin{document}\n";
    for (std::size_t i = 0; i < tables.size(); ++i) {
      write_file_unsynced(scratch.path() / fmt::format("t{}.tex", i), tables[i].tex);
      document += fmt::format("\\typeout{{BEGIN{}}}\nBefore.\n\\input{{t{}}}\nAfter.\n\\clearpage\\typeout{{END{}}}\n", i, i, i);
    }
    write_file_unsynced(scratch.path() / "t.tex", document + "\\end{document}\n");
    const std::vector<std::string> command = {"pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"};
    auto result = run_process(command, scratch.path());
    if (result.status == 0) result = run_process(command, scratch.path());  // a longtable has its widths on the second run
    const std::string log = read_file(scratch.path() / "t.log");
    std::size_t stopped = tables.size();
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const auto begin = log.find(fmt::format("BEGIN{}\n", i)), end = log.find(fmt::format("END{}\n", i));
      if (begin == std::string::npos) break;
      const std::string part = log.substr(begin, end == std::string::npos ? end : end - begin);
      if (end == std::string::npos) {
        const auto error = part.find("\n! ");
        out.push_back(tables[i].name + " does not compile: " + (error == std::string::npos ? result.output : part.substr(error + 1, 200)));
        stopped = i;
        break;
      }
      static const std::regex overfull(R"(Overfull \\[hv]box \(([0-9.]+)pt too [a-z]+\)[^\n]*|Float too large for page by ([0-9.]+)pt)");
      for (std::sregex_iterator it(part.begin(), part.end(), overfull), none; it != none; ++it) {
        const std::string size = (*it)[1].matched ? (*it)[1].str() : (*it)[2].str();
        if (std::stod(size) > 5) out.push_back(tables[i].name + ": " + it->str());
      }
    }
    if (result.status == 0) return out;
    if (stopped == tables.size() || tries > 40) {
      out.push_back("pdflatex: " + result.output.substr(result.output.size() > 500 ? result.output.size() - 500 : 0));
      return out;
    }
    // The others are judged without it.
    out.erase(std::remove_if(out.begin(), out.end(), [](const std::string& f) { return holds(f, "too"); }), out.end());
    tables.erase(tables.begin() + static_cast<std::ptrdiff_t>(stopped));
  }
  return out;
}

std::string named(const std::vector<std::string>& faults) { return join(faults, "\n"); }

}  // namespace

TEST_CASE("every table compiles within the margins in one and two columns", "[slow][latex]") {
  auto tables = committed_tables();
  CHECK(tables.size() >= 20);
  tables.insert(tables.end(), hard_tables().begin(), hard_tables().end());
  CHECK(named(faults(tables, "")) == "");
  CHECK(named(faults(tables, "twocolumn")) == "");
}

TEST_CASE("tables fit wider columns with the same type even without notes", "[slow][latex]") {
  // In the styles of NeurIPS and CVPR; the document drops the notes.
  const auto& tables = hard_tables();
  CHECK(named(faults(tables, "", "\\setlength{\\textwidth}{397pt}\\setlength{\\textheight}{650pt}\n")) == "");
  CHECK(named(faults(tables, "twocolumn", "\\setlength{\\textwidth}{496pt}\\setlength{\\columnsep}{22pt}\\newcommand{\\yatnote}[1]{}\n")) ==
        "");
}

TEST_CASE("the checks of LaTeX tables report real faults", "[slow][latex]") {
  // A wide table, a high one, and one with an unknown macro; the valid one among them is not named.
  const std::string head = "\\begin{table}[htbp]\\begin{tabular}{l}\n", tail = "\\end{tabular}\\end{table}\n";
  std::string high;
  for (int i = 0; i < 70; ++i) high += "x \\\\\n";
  const auto all = faults(
      {{"wide", head + std::string(100, 'x') + tail}, {"high", head + high + tail}, {"wrong", "\\unknown"}, {"sound", head + "x" + tail}},
      "");
  REQUIRE(all.size() == 3);
  CHECK(holds(all[0], "wrong does not compile: ! Undefined control sequence"));
  CHECK(holds(all[1], "wide: Overfull \\hbox"));
  CHECK(holds(all[2], "high: Float too large for page"));
}

TEST_CASE("a table names its packages and defines the letter itself", "[slow][latex]") {
  auto tables = committed_tables();
  tables.insert(tables.end(), hard_tables().begin(), hard_tables().end());
  std::string letter = yat_latex();
  for (const auto& table : tables) {
    INFO(table.name);
    const bool longtable = holds(table.tex, "\\begin{longtable}");
    CHECK(holds(table.tex, longtable ? "\n% Needs \\usepackage{booktabs,longtable}" : "\n% Needs \\usepackage{booktabs};"));
    CHECK_FALSE(holds(table.tex, "ⵟ"));
    CHECK_FALSE(holds(table.tex, "Yat"));
    CHECK(holds(table.tex, letter));
  }
  // Five rules, and no letter of a font.
  const TemporaryFolder scratch;
  write_file_unsynced(scratch.path() / "t.tex", "\\documentclass{article}\n" + letter +
                                                    "\\begin{document}\\showboxbreadth=50\\showboxdepth=9\n"
                                                    "\\setbox0=\\hbox{\\yat{}}\\showbox0\\end{document}\n");
  run_process({"pdflatex", "-interaction=nonstopmode", "t.tex"}, scratch.path());
  const std::string log = read_file(scratch.path() / "t.log");
  const std::string box = log.substr(log.find("> \\box0="), 2000);
  std::size_t rules = 0;
  for (auto at = box.find("\\rule("); at != std::string::npos; at = box.find("\\rule(", at + 1)) ++rules;
  CHECK(rules == 5);
  CHECK_FALSE(holds(box, "\\OT1"));
}

TEST_CASE("a table is narrowed step by step until it fits") {
  LatexGrid grid;
  const auto make = [&](std::size_t columns, const std::string& head, const std::string& key) {
    grid = {};
    grid.align = "l" + std::string(columns, 'r');
    grid.head = {latex_cell("")};
    LatexRow row;
    row.cells = {latex_cell(key)};
    for (std::size_t i = 0; i < columns; ++i) {
      grid.head.push_back(latex_cell(head));
      row.cells.push_back(latex_cell("$78.31 \\pm 0.37$"));
    }
    grid.rows = {row};
    return fit_latex(grid, kLatexPage);
  };
  CHECK(make(3, "Acc.", "linear").size == 0);
  CHECK_FALSE(make(3, "Acc.", "linear").wrapped);
  const auto wrapped = make(4, "a head that is longer", "linear");
  CHECK(wrapped.size == 0);
  CHECK(wrapped.wrapped);
  CHECK(holds(latex_tabulars(grid, wrapped), "\\shortstack[r]{a head that\\\\is longer}"));
  const auto small = make(6, "Acc.", "linear");
  CHECK(small.size == 2);
  CHECK(latex_type(small) == "\\footnotesize\\setlength{\\tabcolsep}{4pt}\n");
  const auto keys = make(4, "Acc.", "an arm whose name takes more room than all of its numbers together and then some");
  CHECK(keys.size == 2);
  CHECK(keys.key_width > 0);
  CHECK(holds(latex_tabulars(grid, keys), "\\parbox[t]{"));
  const auto blocks = make(20, "Acc.", "linear");
  REQUIRE(blocks.blocks.size() >= 3);
  std::size_t shown = 0;
  for (const auto& block : blocks.blocks) {
    CHECK(block.front() == 0);  // each begins with the names
    shown += block.size() - 1;
  }
  CHECK(shown == 20);
  CHECK(fit_latex(grid, 100000).blocks.size() == 1);
}

TEST_CASE("widths of text are those of Computer Modern") {
  CHECK(latex_width("0123456789") == Approx(50));
  CHECK(latex_width("mW~") == Approx(8.33 + 10.28 + 3.4).epsilon(0.001));
  CHECK(latex_width("xyz") == Approx(5.28 + 5.28 + 4.44));
  CHECK(latex_width("$x^{10}$") == Approx(5.28 + 0.72 * 10 + 0.5));
  CHECK(latex_width("\\yat{} \\%") == Approx(7.1 + 3.33 + 8.4));
  const auto cell = latex_cell("one two$a b$ {three four} \\_ five");
  CHECK(cell.words == std::vector<std::string>{"one", "two$a b$", "{three four}", "\\_", "five"});
}

TEST_CASE("LaTeX options of tables affect only LaTeX") {
  auto fake = mnist_run();
  const auto tex = [&](const std::string& latex, const std::string& report = "") {
    auto changed = fake;
    const std::string where = "    compare: {metric: test/accuracy, baseline: linear}\n";
    changed.config.replace(changed.config.find(where), 0, latex.empty() ? "" : "    latex: " + latex + "\n");
    changed.config += report;
    return tables_of("", changed).at(0).tex;
  };
  CHECK(holds(tex(""), "\\begin{table}[htbp]"));
  CHECK(holds(tex("{span: page}"), "\\begin{table*}[htbp]"));
  CHECK(holds(tex("", "report: {latex: {span: page}}\n"), "\\begin{table*}[htbp]"));
  CHECK(holds(tex("{span: column}", "report: {latex: {span: page}}\n"), "\\begin{table}[htbp]"));
  const auto two = tex("{columns: [model/alpha, test/accuracy]}");
  CHECK(holds(two, " & $\\alpha$ & Acc. (\\%) \\\\"));
  CHECK_FALSE(holds(two, "Delta"));
  CHECK(holds(tex(""), "\\quad{}verdict"));
  const auto numbers = tex("{paper: numbers}");
  CHECK_FALSE(holds(numbers, "\\quad{}verdict"));
  CHECK(holds(numbers, "\\quad{}paper"));
  CHECK_FALSE(holds(tex("{paper: none}"), "\\quad{}paper"));
  CHECK(holds(error_of([&] { tex("{columns: [test/acuracy]}"); }), "'tables.tab:mnist_results.latex.columns' refers to an unknown column"));
  CHECK(holds(error_of([&] { tex("{columns: [test/acuracy]}"); }), "did you mean 'test/accuracy'?"));
  CHECK(holds(error_of([&] { tex("{span: both}"); }), "span"));
  CHECK(holds(error_of([&] { tex("", "report: {latex: {columns: [a]}}\n"); }), "'report.latex' cannot set 'columns'"));
}

}  // namespace yatlab::testing
