#include "core/table/table.h"
#include "core/base/print.h"
#include "core/base/process.h"

#include <cctype>
#include <cstdlib>
#include <set>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/figure/gnuplot.h"
#include "core/figure/latex_text.h"
#include "fake_figures.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

Table table_of(const FakeRun& fake, std::size_t index = 0) {
  TemporaryFolder scratch;
  fake.write(scratch.path());
  const RunView run = RunView::load(scratch.path());
  const auto config = ReportConfig::read(run.config);
  return build_table(run, config, config.tables.at(index));
}

// A strict reader of RFC 4180.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::size_t i = 0;
  while (i < text.size()) {
    std::string field;
    if (text[i] == '"') {
      ++i;
      for (;;) {
        REQUIRE(i < text.size());
        if (text[i] != '"') {
          field += text[i++];
        } else if (i + 1 < text.size() && text[i + 1] == '"') {
          field += '"';
          i += 2;
        } else {
          ++i;
          break;
        }
      }
    } else {
      while (i < text.size() && text[i] != ',' && text[i] != '\r') {
        REQUIRE(text[i] != '"');
        REQUIRE(text[i] != '\n');
        field += text[i++];
      }
    }
    row.push_back(field);
    REQUIRE(i < text.size());
    if (text[i] == ',') {
      ++i;
      continue;
    }
    REQUIRE(text.substr(i, 2) == "\r\n");
    i += 2;
    rows.push_back(row);
    row.clear();
  }
  return rows;
}

// Input that plain pdflatex refuses: unbalanced braces or dollars, bare specials, characters missing from its fonts.
void check_latex(const std::string& tex) {
  int depth = 0;
  bool math = false, comment = false;
  for (std::size_t i = 0; i < tex.size(); ++i) {
    const char c = tex[i];
    if (comment) {
      comment = c != '\n';
      continue;
    }
    if (c == '\\') {
      ++i;
      continue;
    }
    if (c == '%') {
      comment = true;
      // A comment in mid-line would be unescaped text.
      CHECK((i == 0 || tex[i - 1] == '\n'));
    }
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == '$') math = !math;
    CHECK(depth >= 0);
    const bool math_only = c == '_' || c == '^';
    if (math_only && !math) {
      const auto label = tex.rfind("\\label{", i);
      CHECK((label != std::string::npos && tex.find('}', label) > i));
    }
    if (c == '#')
      CHECK(
          (i > 0 && (tex[i - 1] == '[' || tex.compare(i - 1, 3, " #1") == 0 || tex.compare(i, 2, "#1") == 0)));  // of a macro's definition
    const auto u = static_cast<unsigned char>(c);
    CHECK((u < 0x80 || u == 0xC3 || u == 0xC4 || u == 0xC5 || (u & 0xC0) == 0x80));
  }
  CHECK(depth == 0);
  CHECK_FALSE(math);
}

}  // namespace

TEST_CASE("the MNIST table is written as terminal text") {
  CHECK(to_text(table_of(mnist_run())) ==
        "MNIST results (10-neuron classifier)\n"
        "           Acc.                        Δ‖w‖                         α\n"
        "  linear   91.84 ± 0.07 %              +13.1 ± 0.3 %                   –\n"
        "    paper  92.08 %  −0.24  reproduced  +13.8 %  −0.7  reproduced\n"
        "  yat      92.30 ± 0.07 % *             +0.1 ± 1.7 %                2.69 ± 0.11\n"
        "    paper  92.38 %  −0.08  reproduced   −4.5 %  +4.6  inconclusive  2.68  +0.01  consistent\n"
        "  yat − linear, Acc.: +0.46 points, 95 % CI [0.43, 0.49], p < 0.001 (paired over 5 seeds)\n"
        "  Mean ± standard deviation over n = 5 seeds. Under each value: the paper's, ours minus the paper's,\n"
        "    and the verdict. * better than every other arm, seed by seed (paired t-test, p < 0.05 after\n"
        "    Holm's adjustment for the table). Data: mnist. Run mnist_inversion/2026-11-21_14-02-11-3fa9c1.\n");
}

TEST_CASE("the paper's spread is shown beside its mean in every format") {
  auto run = mnist_run();
  const std::string one = "linear: {test/accuracy: 0.9208,";
  run.config.replace(run.config.find(one), one.size(), "linear: {test/accuracy: {mean: 0.9208, std: 0.0010, n: 3},");
  const auto table = table_of(run);
  CHECK(to_text(table).find("    paper  92.08 ± 0.10 %  −0.24  reproduced") != std::string::npos);
  CHECK(to_latex(table).find("{$92.08 \\pm 0.10$\\\\($-0.24$)}") != std::string::npos);
  check_latex(to_latex(table));
  CHECK(to_markdown(table).find("92.08 ± 0.10 %") != std::string::npos);
  const auto csv = to_csv(table);
  CHECK(csv.substr(0, csv.find('\r')).find(",run,paper_std,paper_n") != std::string::npos);
  CHECK(csv.find(",0.001,3\r\n") != std::string::npos);
  CHECK(to_csv(table_of(mnist_run())).find("paper_std") == std::string::npos);
}

TEST_CASE("the MNIST table is written as LaTeX") {
  const std::string tex = to_latex(table_of(mnist_run()));
  check_latex(tex);
  const auto body = tex.substr(tex.find("\\begin{tabular}"));
  CHECK(
      body ==
      "\\begin{tabular}{@{}lrrr@{}}\n"
      "\\toprule\n"
      " & Acc. (\\%) & $\\Delta\\|w\\|$ (\\%) & $\\alpha$ \\\\\n"
      "\\midrule\n"
      "linear & $91.84 \\pm 0.07$ & $+13.1 \\pm 0.3$ & -- \\\\\n"
      "\\quad{}paper & \\shortstack[r]{$92.08$\\\\($-0.24$)} & \\shortstack[r]{$+13.8$\\\\($-0.7$)} &  \\\\\n"
      "\\quad{}verdict & reproduced & reproduced &  \\\\\n"
      "\\addlinespace\n"
      "yat & {\\boldmath\\bfseries $92.30 \\pm 0.07$} & $+0.1 \\pm 1.7$ & $2.69 \\pm 0.11$ \\\\\n"
      "\\quad{}paper & \\shortstack[r]{$92.38$\\\\($-0.08$)} & \\shortstack[r]{$-4.5$\\\\($+4.6$)} & "
      "\\shortstack[r]{$2.68$\\\\($+0.01$)} \\\\\n"
      "\\quad{}verdict & reproduced & inconclusive & consistent \\\\\n"
      "\\bottomrule\n"
      "\\end{tabular}\n"
      "\\yatnote{Mean $\\pm$ standard deviation over n = 5 seeds. Under each value: the paper's, ours minus the paper's, and the verdict. "
      "Bold: better than every other arm, seed by seed (paired t-test, p \\textless{} 0.05 after Holm's adjustment for the table). Data: "
      "mnist. "
      "Run mnist\\_\\allowbreak{}inversion/\\allowbreak{}2026-11-21\\_\\allowbreak{}14-02-11-3fa9c1. yat $-$ linear, Acc.: +0.46 points, "
      "95 \\% CI [0.43, 0.49], p \\textless{} 0.001 (paired over 5 seeds).}\n"
      "\\end{table}\n");
  CHECK(tex.find("\\caption{MNIST results (10-neuron classifier).}\n") != std::string::npos);
  CHECK(tex.find("\\label{tab:mnist_results}") != std::string::npos);
}

TEST_CASE("the MNIST table is written as Markdown") {
  const std::string md = to_markdown(table_of(mnist_run()));
  CHECK(md.find("|  | Acc. | Δ‖w‖ | α |\n"
                "| :-- | --: | --: | --: |\n"
                "| linear | 91.84 ± 0.07 % | +13.1 ± 0.3 % | – |\n"
                "| *paper* | 92.08 % (−0.24) reproduced | +13.8 % (−0.7) reproduced |  |\n"
                "| yat | **92.30 ± 0.07 %** | +0.1 ± 1.7 % | 2.69 ± 0.11 |\n"
                "| *paper* | 92.38 % (−0.08) reproduced | −4.5 % (+4.6) inconclusive | 2.68 (+0.01) consistent |\n") != std::string::npos);
}

TEST_CASE("CSV keeps full precision and reads back") {
  auto fake = mnist_run();
  fake.jobs[0].metrics["test/accuracy"] = 0.1 + 0.2;  // needs 17 digits
  const Table table = table_of(fake);
  const auto rows = parse_csv(to_csv(table));
  REQUIRE(rows.size() == 1 + 2 * 3);
  CHECK(join(rows[0], " ") ==
        "table arm metric n mean std ci95_low ci95_high paper difference tolerance verdict why best seeds values jobs "
        "run");
  for (const auto& row : rows) CHECK(row.size() == rows[0].size());
  const TableCell& cell = table.rows[0].cells[0];
  CHECK(rows[1][0] == "tab:mnist_results");
  CHECK(std::stod(rows[1][4]) == cell.mean);
  CHECK(std::stod(rows[1][5]) == *cell.std);
  CHECK(std::stod(rows[1][6]) == cell.ci95->low);
  CHECK(rows[1][14] == "0;1;2;3;4");
  CHECK(std::stod(split(rows[1][15], ';')[0]) == 0.1 + 0.2);
  CHECK(split(rows[1][16], ';')[4] == "jobs/linear/seed=4");
  CHECK(rows[3][4].empty());  // the linear arm has no alpha
  const auto plain = parse_csv(to_csv(table_of(mnist_run())));
  CHECK(plain[1][13].empty());
  CHECK(plain[4][13] == "yes");
}

TEST_CASE("results on substitutes, smaller scales or changed protocols are not compared") {
  auto fake = mnist_run();
  fake.dataset = {{"name", "mnist_strokes"}, {"sha256", nullptr}, {"tier", "embedded"}, {"substituted_for", "mnist"}};
  fake.scale = "smoke";
  fake.protocol_overrides = {"trainer.epochs=1"};
  const Table table = table_of(fake);
  const auto& cell = table.rows[0].cells[0];
  REQUIRE(cell.paper);
  CHECK(cell.paper->judgement.verdict == Verdict::kNotComparable);
  CHECK(cell.paper->judgement.why ==
        "substitute data: mnist_strokes is used instead of mnist; run at scale 'smoke'; protocol changed by trainer.epochs=1");
  const std::string text = to_text(table);
  CHECK(text.find("SUBSTITUTE DATA: mnist_strokes is used instead of mnist;") != std::string::npos);
  CHECK(text.find("not comparable") != std::string::npos);
  // A difference of numbers that cannot be compared says nothing.
  CHECK(holds(to_markdown(table), "92.08 % not comparable"));
  CHECK_FALSE(holds(to_markdown(table), "-0.24"));
  CHECK_FALSE(holds(text, "−0.24"));
  const std::string tex = to_latex(table);
  CHECK(tex.find("SUBSTITUTE DATA") != std::string::npos);
  CHECK(tex.find("Scale 'smoke': not comparable") != std::string::npos);
  check_latex(tex);
}

TEST_CASE("a changed protocol is reported only for the rows that it changed") {
  const auto notes_of = [](const Table& table) {
    std::string out;
    for (const auto& note : table.notes) out += note.rfind("Protocol", 0) == 0 ? note : "";
    return out;
  };
  auto fake = mnist_run();
  fake.protocol_overrides = {"arms.yat=[operator=cosine]"};
  for (auto& job : fake.jobs) {
    if (job.arm == "yat") job.changed_by = fake.protocol_overrides;
  }
  auto table = table_of(fake);
  CHECK(table.rows[0].cells[0].paper->judgement.verdict != Verdict::kNotComparable);
  CHECK(table.rows[1].cells[0].paper->judgement.why == "protocol changed by arms.yat=[operator=cosine]");
  CHECK(notes_of(table) == "Protocol of yat changed by arms.yat=[operator=cosine]: not comparable with the paper.");
  // All rows, changed by different overrides.
  fake.protocol_overrides = {"trainer.epochs=1", "operator.epsilon=1.0"};
  for (auto& job : fake.jobs) job.changed_by = job.arm == "yat" ? fake.protocol_overrides : std::vector<std::string>{"trainer.epochs=1"};
  CHECK(notes_of(table_of(fake)) ==
        "Protocol of linear changed by trainer.epochs=1: not comparable with the paper."
        "Protocol of yat changed by trainer.epochs=1 operator.epsilon=1.0: not comparable with the paper.");
  // A sweep in which one point is the file's.
  auto sweep = sweep_run();
  sweep.protocol_overrides = {"operator.epsilon=1e-5,1e-3"};
  std::size_t changed = 0;
  for (auto& job : sweep.jobs) {
    if (job.params["operator.epsilon"] != sweep.jobs.front().params["operator.epsilon"]) {
      job.changed_by = sweep.protocol_overrides;
      ++changed;
    }
  }
  REQUIRE(changed > 0);
  CHECK(notes_of(table_of(sweep)) == "Protocol in 12 of 15 rows changed by operator.epsilon=1e-5,1e-3: not comparable with the paper.");
}

TEST_CASE("a paper's row may name another data set") {
  auto fake = mnist_run();
  fake.config += "  dataset: fashion_mnist\n";
  const auto table = table_of(fake);
  CHECK(table.rows[0].cells[0].paper->judgement.why == "measured on mnist, the paper's number is for fashion_mnist");
}

TEST_CASE("unfinished, failed and diverged seeds are counted and rows state their n") {
  auto fake = mnist_run();
  fake.jobs[0].state = "diverged";
  fake.jobs[1].state = "failed";
  fake.jobs[2].state = "planned";
  const Table table = table_of(fake);
  std::string text = to_text(table);
  CHECK(text.find("  linear   2  91.84 ± 0.08 %") != std::string::npos);
  CHECK(text.find("inconclusive") != std::string::npos);
  CHECK(table.rows[0].cells[0].paper->judgement.why == "2 seeds, a verdict needs 3; 1 seed diverged, 2 seeds without a result");
  CHECK_FALSE(table.rows[1].cells[0].bold);  // two pairs are too few
  for (auto at = text.find("\n    "); at != std::string::npos; at = text.find("\n    ")) text.replace(at, 5, " ");
  CHECK(text.find("linear: 1 of 5 seeds diverged.") != std::string::npos);
  CHECK(text.find("1 of 5 seeds failed.") != std::string::npos);
  CHECK(text.find("1 of 5 seeds not finished.") != std::string::npos);
  CHECK(text.find("(paired over 2 seeds)") != std::string::npos);
}

TEST_CASE("shares of seeds carry Wilson's interval") {
  auto fake = mnist_run();
  for (auto& job : fake.jobs) job.metrics["target/reached"] = job.arm == "yat" || job.seed == 0 ? 1 : 0;
  fake.config.replace(fake.config.find("columns:\n"), 9, "columns:\n      - target/reached\n");
  const Table table = table_of(fake);
  // 1 of 5: [0.0362, 0.6245]; 5 of 5: [0.5655, 1].
  CHECK(table.rows[0].cells[0].ci95->low == Approx(0.0362).margin(5e-5));
  CHECK(table.rows[1].cells[0].ci95->low == Approx(0.5655).margin(5e-5));
  const std::string text = to_text(table);
  CHECK(text.find("  linear    20 % [4, 62]") != std::string::npos);
  CHECK(text.find("  yat      100 % [57, 100]") != std::string::npos);
  CHECK(to_markdown(table).find("| 20 % \\[4, 62\\] |") != std::string::npos);
  CHECK(to_latex(table).find("$20$ $[4, 62]$") != std::string::npos);
}

TEST_CASE("deterministic values show no spread, long closed forms are rounded") {
  auto fake = mnist_run();
  for (auto& job : fake.jobs) job.metrics["model/alpha"] = 1.0 / 3;
  fake.config.replace(fake.config.find("metrics:\n"), 9, "metrics:\n  model/alpha: {deterministic: true}\n");
  fake.config.replace(fake.config.find("model/alpha: 2.68"), 17, "model/alpha: 0.3333333333333333");
  const std::string text = to_text(table_of(fake));
  CHECK(text.find("0.3333\n    paper  92.38 %") != std::string::npos);
  CHECK(text.find("0.3333  0.0000  reproduced") != std::string::npos);
}

TEST_CASE("arms without spread are compared without a test") {
  auto fake = mnist_run();
  for (auto& job : fake.jobs) job.metrics["test/accuracy"] = job.arm == "yat" ? 0.95 : 0.90;
  auto line = table_of(fake).comparisons[0];
  CHECK(line.test.difference == Approx(0.05));
  TextStyle wide;
  wide.width = 400;
  std::string text = to_text(table_of(fake), wide);
  INFO(text);
  CHECK(text.find("+5.00 points (the same for each of 5 seeds)") != std::string::npos);
  CHECK(text.find("95 % CI [") == std::string::npos);
  // With some failures it is tested.
  fake.jobs[5].metrics["test/accuracy"] = 0.951;
  text = to_text(table_of(fake), wide);
  CHECK(text.find("the same for each") == std::string::npos);
  CHECK(text.find("95 % CI [") != std::string::npos);
}

TEST_CASE("bold asks for a significant lead over every other arm") {
  auto fake = mnist_run();
  fake.jobs[5].metrics["test/accuracy"] = 0.90;  // one bad seed of yat
  const Table table = table_of(fake);
  for (const auto& row : table.rows) CHECK_FALSE(row.cells[0].bold);
  // Lower is better for a loss.
  auto loss = mnist_run();
  loss.config.replace(loss.config.find("test/accuracy: {title"), 13, "zzz/nothing");
  loss.config.replace(loss.config.find("metrics:\n"), 9, "metrics:\n  test/accuracy: {better: lower}\n");
  const Table lower = table_of(loss);
  CHECK(lower.rows[0].cells[0].bold);
  CHECK_FALSE(lower.rows[1].cells[0].bold);
}

TEST_CASE("bold is decided by the closest rival in any order of rows") {
  // c leads: clearly over a, for each seed, and over b only by chance.
  const double a[] = {0.80, 0.81, 0.79, 0.80, 0.81}, b[] = {0.95, 0.86, 0.94, 0.85, 0.93}, c[] = {0.91, 0.92, 0.90, 0.91, 0.92};
  std::vector<std::string> order = {"a", "b", "c"};
  do {
    FakeRun fake;
    fake.arms = order;
    fake.config = "name: three\ntitle: Three\narms: {a: [], b: [], c: []}\ntables: {tab:three: {columns: [test/accuracy]}}\n";
    for (const auto& arm : order) {
      for (int seed = 0; seed < 5; ++seed) {
        FakeRun::Job job;
        job.arm = arm;
        job.seed = seed;
        job.metrics = {{"test/accuracy", (arm == "a" ? a : arm == "b" ? b : c)[seed]}};
        fake.jobs.push_back(job);
      }
    }
    INFO(join(order, " "));
    for (const auto& row : table_of(fake).rows) CHECK_FALSE(row.cells[0].bold);
    // b falls back: now c differs from both.
    for (auto& job : fake.jobs) {
      if (job.arm == "b") job.metrics["test/accuracy"] = job.metrics["test/accuracy"].get<double>() - 0.2;
    }
    for (const auto& row : table_of(fake).rows) CHECK(row.cells[0].bold == (row.arm == "c"));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("a sweep's table has columns for its parameters") {
  const Table table = table_of(sweep_run());
  CHECK(table.rows.size() == 15);
  CHECK_FALSE(table.show_arm);
  const std::string text = to_text(table);
  CHECK(text.find("  ε        α    n  test accuracy") != std::string::npos);
  CAPTURE(text);
  CHECK(text.find("  1e-5     2    0  diverged                      diverged") != std::string::npos);
  CHECK(text.find("n = 3 seeds") != std::string::npos);
  const auto rows = parse_csv(to_csv(table));
  CHECK(rows[0][2] == "operator.epsilon");
  CHECK(std::stod(rows[1][2]) == 1e-5);
  check_latex(to_latex(table));
}

namespace {
/// Two arms at two rates: b's lower mean at 0.1 comes from two seeds, as the third diverged.
FakeRun rates_run() {
  FakeRun run;
  run.arms = {"a", "b"};
  run.swept = {"optimizer.lr"};
  run.config = R"yaml(name: rates
title: Rates
arms: {a: [], b: []}
metrics:
  test/loss: {better: lower}
  run/diverged: {share: true, format: percent, better: lower}
tables:
  tab:rates:
    rows: best
    columns: [test/loss, run/diverged]
    compare: {metric: test/loss, baseline: a}
)yaml";
  const auto add = [&](const char* arm, double lr, const std::vector<double>& losses) {
    for (std::size_t s = 0; s < losses.size(); ++s) {
      FakeRun::Job job;
      job.arm = arm;
      job.seed = static_cast<int>(s);
      job.params = {{"optimizer.lr", lr}};
      job.metrics = {{"test/loss", losses[s]}};
      job.state = std::isnan(losses[s]) ? "diverged" : "completed";
      if (std::isnan(losses[s])) job.metrics = Json::object();
      job.performance = {{"diverged", std::isnan(losses[s]) ? 1 : 0}};
      run.jobs.push_back(job);
    }
  };
  add("a", 0.01, {2.0, 2.1, 2.2});
  add("a", 0.1, {1.5, 1.6, 1.7});
  add("b", 0.01, {1.4, 1.3, 1.5});
  add("b", 0.1, {1.0, 1.1, std::nan("")});
  return run;
}
}  // namespace

TEST_CASE("each arm of a sweep at its best point") {
  const auto fake = rates_run();
  const Table table = table_of(fake);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].point[0].second.as_double() == 0.1);
  CHECK(table.rows[1].point[0].second.as_double() == 0.01);  // where all seeds have a value
  CHECK(table.rows[1].cells[0].mean == Approx(1.4));
  CHECK(table.rows[1].cells[0].bold == false);  // its lead over a varies in sign between seeds
  REQUIRE(table.comparisons.size() == 1);
  CHECK(table.comparisons[0].test.difference == Approx(-0.2));
  CHECK(table.comparisons[0].test.n == 3);
  CHECK(to_text(table).find("  b (learning rate 0.01) − a (learning rate 0.1), ") != std::string::npos);
}

TEST_CASE("a paper's statement about two arms is judged by its direction") {
  auto fake = rates_run();
  const auto verdict = [&](const std::string& said) {
    auto run = fake;
    run.config.replace(run.config.find("baseline: a}"), 12, "baseline: a, paper: {b: {test/loss: " + said + "}}}");
    const Table table = table_of(run);
    REQUIRE(table.comparisons.size() == 1);
    CHECK(to_text(table).find("the paper says " + said) != std::string::npos);
    return table.comparisons[0].verdict;
  };
  // Differences -0.1, -0.3, -0.2: their interval ends below 0... by a hair not: -0.2 ± 0.248.
  CHECK(verdict("lower") == "direction not decided");
  for (auto& job : fake.jobs) {
    if (job.arm == "b" && job.state == "completed") job.metrics["test/loss"] = job.metrics["test/loss"].get<double>() - 0.5;
  }
  CHECK(verdict("lower") == "same direction");
  CHECK(verdict("higher") == "opposite direction");
  CHECK(table_of(fake).comparisons[0].verdict.empty());
}

TEST_CASE("comparisons of a table are a family and use Holm's p") {
  auto fake = rates_run();
  // Both metrics differ with p between 0.025 and 0.05: alone each would decide.
  fake.config.replace(fake.config.find("columns: [test/loss, run/diverged]"), 34, "columns: [test/loss, test/error]");
  fake.config.replace(fake.config.find("metric: test/loss, baseline: a}"), 31,
                      "metrics: [test/loss, test/error], baseline: a, paper: {b: {test/loss: lower, test/error: lower}}}");
  const double leads[] = {0.6, 0.75, 0.9};
  for (auto& job : fake.jobs) {
    if (job.arm == "b" && job.params["optimizer.lr"] == 0.01) {
      job.metrics["test/loss"] = 1.5 + 0.1 * job.seed - leads[job.seed];
      job.metrics["test/error"] = 1.5 + 0.1 * job.seed - leads[job.seed] / 2;
    } else if (job.state == "completed") {
      job.metrics["test/error"] = 1.5 + 0.1 * job.seed;
    }
  }
  Table table = table_of(fake);
  REQUIRE(table.comparisons.size() == 2);
  const auto& line = table.comparisons[0];
  CHECK(*line.test.p < 0.025);  // differences 0.6, 0.75, 0.9: t = 8.66
  CHECK(*line.p_adjusted == Approx(2 * *line.test.p));
  CHECK(line.verdict == "same direction");
  CHECK(to_text(table).find("Holm p") != std::string::npos);
  for (auto& job : fake.jobs) {
    if (job.arm == "b" && job.params["optimizer.lr"] == 0.01) {
      const double noise = job.seed == 1 ? 0.45 : 0;  // 0.6, 1.2, 0.9: t = 5.2, p = 0.035
      job.metrics["test/loss"] = job.metrics["test/loss"].get<double>() - noise;
      job.metrics["test/error"] = job.metrics["test/error"].get<double>() - noise / 2;
    }
  }
  table = table_of(fake);
  CHECK(*table.comparisons[0].test.p < 0.05);
  CHECK(*table.comparisons[0].test.p > 0.025);
  CHECK(table.comparisons[0].verdict == "direction not decided");
  for (const auto& row : table.rows) {
    for (const auto& cell : row.cells) CHECK_FALSE(cell.bold);
  }
}

TEST_CASE("an unmet condition keeps a comparison from being decided") {
  auto fake = rates_run();
  for (auto& job : fake.jobs) {
    if (job.arm == "b" && job.state == "completed") job.metrics["test/loss"] = job.metrics["test/loss"].get<double>() - 0.5;
    job.metrics["ngrams/passed"] = job.arm == "b" && job.seed == 1 ? 2 : 3;
  }
  const auto line = [&](const std::string& requires_text) {
    auto run = fake;
    run.config.replace(run.config.find("baseline: a}"), 12,
                       "baseline: a, paper: {b: {test/loss: lower}}, requires: {" + requires_text + "}}");
    return table_of(run).comparisons[0];
  };
  CHECK(line("ngrams/passed: {at_least: 2}").verdict == "same direction");
  auto found = line("ngrams/passed: {at_least: 3, else: undertrained, because: 'is below the {next}-gram'}");
  CHECK(found.verdict == "undertrained");
  CHECK(found.why == "b is below the 3-gram");
  found = line("ngrams/passed: {at_least: 3}");
  CHECK(found.verdict == "direction not decided");
  CHECK(found.why == "ngrams/passed of b is 2, not at least 3");
  found = line("ngrams/nowhere: {at_least: 3, else: undertrained}");
  CHECK(found.verdict == "direction not decided");
  CHECK(found.why == "ngrams/nowhere of b was not measured");
  CHECK_THROWS_WITH(line("ngrams/passed: {else: undertrained}"), Catch::Matchers::ContainsSubstring("has no condition"));
  // The same holds for the paper's numbers of a metric.
  auto run = fake;
  run.config.replace(run.config.find("test/loss: {better: lower}"), 26,
                     "test/loss: {better: lower, requires: {ngrams/passed: {at_least: 3, else: undertrained}}}");
  run.config += "paper: {b: {test/loss: 4}, tolerance: {test/loss: 1}}\n";
  const auto table = table_of(run);
  REQUIRE(table.rows[1].cells[0].paper);
  CHECK(table.rows[1].cells[0].paper->judgement.verdict == Verdict::kUndertrained);
}

TEST_CASE("divergence is judged by diverged seeds rather than losses") {
  const auto line = [](std::size_t seeds, std::size_t diverged) {
    auto fake = rates_run();
    fake.jobs.clear();
    fake.swept.clear();
    for (const char* arm : {"a", "b"}) {
      for (std::size_t s = 0; s < seeds; ++s) {
        FakeRun::Job job;
        job.arm = arm;
        job.seed = static_cast<int>(s);
        job.state = arm[0] == 'b' && s < diverged ? "diverged" : "completed";
        if (job.state == "completed") job.metrics = {{"test/loss", arm[0] == 'b' ? 2.035 : 2.0}};
        fake.jobs.push_back(job);
      }
    }
    fake.config.replace(fake.config.find("rows: best"), 10, "rows: arms");
    fake.config.replace(fake.config.find("baseline: a}"), 12, "baseline: a, paper: {b: {test/loss: diverges}}}");
    const auto table = table_of(fake);
    REQUIRE(table.comparisons.size() == 1);
    TextStyle wide;
    wide.width = 400;
    CHECK(to_text(table, wide).find("the paper says it diverges") != std::string::npos);
    return table.comparisons[0];
  };
  // A loss that is higher by 0.035 on every seed is not a divergence.
  CHECK(line(3, 0).verdict == "does not diverge");
  CHECK(line(3, 0).why == "0 of 3 seeds diverged");
  CHECK(line(2, 0).verdict == "divergence not decided");
  CHECK(line(3, 3).verdict == "divergence not decided");
  CHECK(line(5, 5).verdict == "diverges");
  CHECK(line(5, 4).verdict == "divergence not decided");
}

TEST_CASE("a range of the paper is compared with the relative change") {
  auto fake = rates_run();
  fake.config.replace(fake.config.find("baseline: a}"), 12, "baseline: a, paper: {b: {test/loss: {low: -0.25, high: -0.15}}}}");
  for (auto& job : fake.jobs) {
    if (job.state == "completed") job.metrics["test/loss"] = job.arm == "b" ? 1.8 : 2.0;
  }
  auto line = table_of(fake).comparisons[0];
  CHECK(line.change->difference == Approx(-0.1));
  CHECK(line.verdict == "differs");
  fake.config.replace(fake.config.find("test/loss: {better: lower}"), 26, "test/loss: {better: lower, deterministic: true}");
  line = table_of(fake).comparisons[0];
  CHECK(line.why == "−10.00 % is 5.00 points above −25 to −15 %, tolerance 0 points; deterministic");
  TextStyle wide;
  wide.width = 400;
  const auto text = to_text(table_of(fake), wide);
  CHECK(text.find(" p = ") == std::string::npos);
  CHECK(text.find("paired over") == std::string::npos);
  CHECK(text.find("* better than every other arm. ") != std::string::npos);  // a fact, not a test
  CHECK(text.find("the paper says −25 to −15 %: differs") != std::string::npos);
}

TEST_CASE("divergence is reported for the seed that diverged") {
  auto fake = rates_run();
  fake.config.replace(fake.config.find("    rows: best\n"), 15, "");
  const Table table = table_of(fake);
  REQUIRE(table.rows.size() == 4);
  const auto& row = table.rows[3];  // b at 0.1
  CHECK(row.cells[0].sample.diverged == 1);
  CHECK(row.cells[0].sample.values.size() == 2);
  CHECK(row.cells[1].sample.diverged == 0);
  CHECK(row.cells[1].mean == Approx(1.0 / 3));
  CHECK(table.rows[1].cells[1].mean == 0);
}

TEST_CASE("wide tables break into blocks that repeat the keys") {
  TextStyle narrow;
  narrow.width = 60;
  const std::string text = to_text(table_of(mnist_run()), narrow);
  for (const auto& line : split(text, '\n')) CHECK(display_width(line) <= 60);
  std::size_t linear = 0;
  for (auto at = text.find("  linear "); at != std::string::npos; at = text.find("  linear ", at + 1)) ++linear;
  CHECK(linear == 3);
}

TEST_CASE("many comparisons are folded, and cut in a terminal") {
  auto table = table_of(mnist_run());
  table.id = "tab:long";
  const auto lines = [&](std::size_t n) { table.comparisons.assign(n, table.comparisons.at(0)); };
  lines(12);
  CHECK_FALSE(holds(to_markdown(table), "<details>"));
  lines(30);
  const auto page = to_markdown(table), text = to_text(table);
  CHECK(holds(page, "<summary>30 paired comparisons</summary>\n\n- yat"));
  CHECK(holds(page, "\n\n</details>\n\n"));
  CHECK(holds(text, "  and 6 more comparisons: tables/tab_long.md\n"));
}

TEST_CASE("line breaks in comparisons never split intervals or signed numbers") {
  Table table = table_of(mnist_run());
  REQUIRE_FALSE(table.comparisons.empty());
  table.notes.clear();
  for (int width = 50; width < 110; ++width) {
    TextStyle style;
    style.width = width;
    for (const auto& line : split(to_text(table, style), '\n')) {
      INFO(line);
      CHECK(std::count(line.begin(), line.end(), '[') == std::count(line.begin(), line.end(), ']'));
      const auto text = trim(line);
      for (const char* sign : {"=", "<", "%"}) CHECK((text.empty() || text.rfind(sign, 0) != 0));
      for (const char* sign : {"=", "<"}) CHECK((text.empty() || text.back() != *sign));
    }
  }
}

TEST_CASE("colours change nothing but colour") {
  TextStyle colour;
  colour.colour = true;
  const Table table = table_of(mnist_run());
  std::string text = for_terminal(to_text(table, colour));
  CHECK(text.find("\x1b[32mreproduced\x1b[0m") != std::string::npos);
  for (auto at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b')) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  CHECK(text == to_text(table));
}

TEST_CASE("LaTeX text escapes everything except valid math") {
  CHECK(latex_text("50 % of a_b & c#d") == "50 \\% of a\\_b \\& c\\#d");
  CHECK(latex_text("{x}^2~\\y") == "\\{x\\}\\textasciicircum{}2\\textasciitilde{}\\textbackslash{}y");
  CHECK(latex_text("ⵟ with ε ≤ 1") == "\\yat{} with $\\varepsilon$ $\\leq$ 1");
  CHECK(latex_text("$\\Delta\\|w\\|$ of ε") == "$\\Delta\\|w\\|$ of $\\varepsilon$");
  CHECK(latex_text("$ε_1$") == "$\\varepsilon _1$");
  CHECK(latex_text("costs 5$") == "costs 5\\$");
  CHECK(latex_text("$\\frac{\\hat{w}}{\\sqrt{2}}\\,\\mathbf{x}$") == "$\\frac{\\hat{w}}{\\sqrt{2}}\\,\\mathbf{x}$");
  // Text that is not a formula is shown literally and has no effect.
  for (const char* hostile :
       {"$\\write18{rm -rf /}$", "$\\input{/etc/passwd}$", "$x\\immediate\\openout1=a$", "$^^5cinput{a}$", "$\\csname input\\endcsname a$",
        "$\\catcode`\\|=0$", "$a\\@@input b$", "$\\def\\x{\\x}\\x$", "$\\includegraphics{/etc/passwd}$", "$\\verb|a|$"}) {
    INFO(hostile);
    const auto latex = latex_text(hostile);
    CHECK(latex.substr(0, 2) == "\\$");
    for (std::size_t at = latex.find('\\'); at != std::string::npos; at = latex.find('\\', at + 2)) {
      const auto rest = latex.substr(at + 1);
      const bool harmless = rest.rfind("textbackslash{}", 0) == 0 || rest.rfind("textasciicircum{}", 0) == 0 ||
                            rest.rfind("textasciitilde{}", 0) == 0 || rest.rfind("textbar{}", 0) == 0 ||
                            std::string("$&%#_{}").find(rest[0]) != std::string::npos;
      CHECK(harmless);
    }
  }
  // A dollar after a backslash outside math still counts; dropped characters join nothing; a superscript after '^' stays one.
  CHECK(latex_text("\\$\\input{x}$ $") == "\\textbackslash{}\\$\\textbackslash{}input\\{x\\}\\$ \\$");
  CHECK(latex_text("\\$a$") == "\\textbackslash{}$a$");
  CHECK(latex_text("$^\x01^5cinput{x}$") == "$^ ^5cinput{x}$");
  CHECK(latex_text("$x^²$") == "$x^{^{2}}$");
  CHECK(latex_text("$\\frac{1}{2$") == "\\$\\textbackslash{}frac\\{1\\}\\{2\\$");
  CHECK(latex_text("é漢") == "é\\texttt{U+6F22}");
  // Accents follow their letter in the input and are set above it.
  CHECK(latex_text("one-vs-all, q\u0302") == "one-vs-all, \\^{q}");
  CHECK(latex_text("ε\u0302 and $x\u0302^2$") == "${\\hat{\\varepsilon}}$ and ${\\hat{x}}^2$");
  CHECK(latex_text("x\u0302\u0323") == "${\\mbox{\\d{$\\mbox{\\^{x}}$}}}$");
  CHECK(latex_text("\u0302x") == "\\^{}x");
  CHECK(latex_text("$\\alpha\u0302 x^\u0302$") == "$\\alpha{\\hat{}} x^{\\hat{}}$");
  CHECK(plain_text("$\\Delta\\|w\\|$") == "Δ‖w‖");
  CHECK(plain_text("$\\mathbf{w}^{-2}$ at $\\varepsilon = 10^{-5}$") == "w⁻² at ε = 10⁻⁵");
  CHECK(plain_text("5$ and no math") == "5$ and no math");
  CHECK(markdown_text("a|b_c*") == "a\\|b\\_c\\*");
}

TEST_CASE("random user text always gives valid LaTeX") {
  static const std::vector<std::string> kParts = {
      "$",      "$",    "$",     "\\",   "\\",    "^", "^",  "_", "{",  "}",  "%",      "#",      "&",    "~", "input", "write18",
      "csname", "frac", "alpha", "text", "left",  "x", "5c", " ", "\n", "\r", "\x01",   "\x7f",   "\xff", "²", "₁",     "ε",
      "ⵟ",      "…",    "é",     "漢",   "begin", "E", "`",  "'", "\"", "|",  "\u0302", "\u0323", "✓",    "𝔼"};
  static const std::set<std::string> kAllowed = {"frac",
                                                 "alpha",
                                                 "text",
                                                 "left",
                                                 "textbackslash",
                                                 "textasciicircum",
                                                 "textasciitilde",
                                                 "textless",
                                                 "textgreater",
                                                 "textbar",
                                                 "textquotedblright",
                                                 "yat",
                                                 "mbox",
                                                 "varepsilon",
                                                 "dots",
                                                 "texttt",
                                                 "usefont",
                                                 "char",
                                                 "hat",
                                                 "d",
                                                 "mathbf"};
  std::uint64_t random = 88172645463325252u;
  const auto next = [&](std::size_t below) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return static_cast<std::size_t>(random % below);
  };
  for (int i = 0; i < 20'000; ++i) {
    std::string typed;
    for (std::size_t k = next(12) + 1; k > 0; --k) typed += kParts[next(kParts.size())];
    INFO(typed);
    const auto latex = latex_text(typed);
    INFO(latex);
    REQUIRE(latex.find("^^") == std::string::npos);
    int braces = 0, dollars = 0;
    for (std::size_t at = 0; at < latex.size(); ++at) {
      const char c = latex[at];
      REQUIRE(static_cast<unsigned char>(c) >= ' ');
      if (c == '\\') {
        std::size_t end = at + 1;
        while (end < latex.size() && std::isalpha(static_cast<unsigned char>(latex[end]))) ++end;
        REQUIRE(end < latex.size());
        if (end > at + 1) {
          REQUIRE(kAllowed.count(latex.substr(at + 1, end - at - 1)) == 1);
          at = end - 1;
        } else {
          ++at;  // a single character
        }
        continue;
      }
      REQUIRE(std::string_view("%#&").find(c) == std::string_view::npos);
      if (c == '$') ++dollars;
      if (c == '{') ++braces;
      if (c == '}') --braces;
      REQUIRE(braces >= 0);
    }
    REQUIRE(braces == 0);
    REQUIRE(dollars % 2 == 0);
  }
}

TEST_CASE("names of tables and figures must be file names below the run") {
  const auto error = [](const std::string& lines) -> std::string {
    try {
      ReportConfig::read(parse_yaml("name: x\narms: {a: []}\n" + lines, "x.yaml"), true);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  for (const std::string id : {"../x", "-rf", ".x", "\\x01", "\\r"}) {
    INFO(id);
    CHECK(holds(error("tables: {\"" + id + "\": {columns: [m]}}\n"), "cannot name a table"));
    CHECK(holds(error("figures: {\"" + id + "\": {plot: metric_curves}}\n"), "cannot name a figure"));
  }
  CHECK(holds(error("tables: {" + std::string(300, 'x') + ": {columns: [m]}}\n"), "it has 300 bytes; the limit is 120"));
  CHECK(holds(error("tables: {'tab:a': {columns: [m]}, tab_a: {columns: [m]}}\n"),
              "the tables 'tab:a' and 'tab_a' would be written to the same file, 'tab_a'"));
  CHECK(error("tables: {'tab:a/b': {columns: [m]}}\n") == "no error");
}

TEST_CASE("names with special characters compile", "[slow][latex]") {
  auto fake = mnist_run();
  fake.config.replace(fake.config.find("header: Acc."), 12, R"(header: "100 % of {a_b} & $c ^ \\ # ~ é ⵟ漢")");
  fake.run_id = "x_y%z#1";
  const std::string tex = to_latex(table_of(fake));
  check_latex(tex);
  const std::string sweep = to_latex(table_of(sweep_run()));
  TemporaryFolder scratch;
  write_file_atomic(scratch.path() / "t.tex",
                    "\\documentclass{article}\\usepackage{booktabs,longtable}\\begin{document}\n" + tex + sweep + "\\end{document}\n");
  const auto result = run_process({"pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"}, scratch.path());
  INFO(result.output);
  CHECK(result.status == 0);
}
