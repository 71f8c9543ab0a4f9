// The page in a real browser.
#include <nlohmann/json.hpp>

#include "browser.h"
#include "catch.h"
#include "chart_checks.h"
#include "core/report/report.h"
#include "core/verdict/format.h"
#include "fake_figures.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

bool browser_installed() {
  if (!Browser::program().empty()) return true;
  WARN("skipped: no chromium: the report page was not tried in a browser (apt-get install chromium)");
  return false;
}

void write_page(const FakeRun& run, const fs::path& folder) {
  run.write(folder);
  ReportOptions options;
  options.figures = false;
  write_report(folder, options);
}

constexpr const char* kRows = "document.querySelectorAll('#jobs-app tbody tr[data-dir]').length";
constexpr const char* kOverflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

std::string filtered(const std::string& text) {
  return "(() => { const f = document.getElementById('jobs-filter'); f.value = '" + text +
         "'; f.dispatchEvent(new Event('input')); return " + kRows + "; })()";
}

}  // namespace

TEST_CASE("the page works in a browser") {
  if (!browser_installed()) return;
  const TemporaryFolder scratch;
  write_page(mnist_run_with_artifacts(), scratch.path());
  const auto summary = Json::parse(read_file(scratch.path() / "summary.json"));
  Browser browser;
  browser.resize(1600, 1000);
  browser.open(scratch.path() / "report.html");

  // The tables' numbers: exactly, and as printed.
  const auto cells = browser.eval(
      "[...document.querySelectorAll('table.results td[data-metric]')].map(c => [c.dataset.arm, c.dataset.metric, "
      "c.dataset.mean, c.dataset.std, c.querySelector('.mean').textContent, c.dataset.n])");
  REQUIRE(cells.size() == 6);
  std::size_t compared = 0;
  for (const auto& cell : cells) {
    const auto& metrics = summary["arms"][cell[0].get<std::string>()]["metrics"];
    const std::string name = cell[1];
    if (!metrics.contains(name)) {
      CHECK(cell[2] == "");
      CHECK(cell[4] == "–");
      continue;
    }
    const auto& metric = metrics[name];
    CHECK(std::stod(cell[2].get<std::string>()) == metric["mean"].get<double>());
    CHECK(std::stod(cell[3].get<std::string>()) == metric["std"].get<double>());
    CHECK(std::stoul(cell[5].get<std::string>()) == metric["values"].size());
    std::string shown = cell[4];
    if (const auto minus = shown.find("\u2212"); minus == 0) shown = "-" + shown.substr(3);
    const double scale = name == "model/alpha" ? 1 : 100;
    CHECK(std::stod(shown) == Approx(metric["mean"].get<double>() * scale).margin(0.051));
    ++compared;
  }
  CHECK(compared == 5);
  const auto verdicts = browser.eval("[...document.querySelectorAll('table.results .why')].map(b => b.textContent)");
  CHECK(verdicts.size() == summary["paper"].size());

  // Reasons: shown on focus and on hovering, closed by Escape.
  browser.eval("document.querySelector('.why').focus()");
  CHECK(browser.eval("document.getElementById('tip').hidden") == false);
  const std::string why = browser.eval("document.getElementById('tip').textContent");
  CHECK(why.find(summary["paper"][0]["why"].get<std::string>()) != std::string::npos);
  browser.press("Escape");
  CHECK(browser.eval("document.getElementById('tip').hidden") == true);

  // Jobs: filter, sort, commands.
  CHECK(browser.eval(kRows) == 10);
  CHECK(browser.eval(filtered("yat")) == 5);
  CHECK(browser.eval(filtered("yat seed=3")) == 1);
  CHECK(browser.eval(filtered("seed=1")) == 2);
  CHECK(browser.eval(filtered("failed")) == 0);
  CHECK(browser.eval("document.getElementById('jobs-count').textContent") == "0 of 10 jobs");
  CHECK(browser.eval(filtered("")) == 10);
  const std::string by_accuracy =
      "[...document.querySelectorAll('#jobs-app thead button')].find(b => b.textContent === 'test accuracy').click()";
  const std::string accuracies =
      "[...document.querySelectorAll('#jobs-app td[data-metric=\"test/accuracy\"]')].map(c => Number(c.dataset.value))";
  browser.eval(by_accuracy);
  const auto ascending = browser.eval(accuracies).get<std::vector<double>>();
  CHECK(std::is_sorted(ascending.begin(), ascending.end()));
  browser.eval(by_accuracy);
  const auto descending = browser.eval(accuracies).get<std::vector<double>>();
  CHECK(std::is_sorted(descending.rbegin(), descending.rend()));
  CHECK(descending.front() == 0.9239);
  CHECK(browser.eval("document.querySelector('tr[data-dir=\"jobs/yat/seed=3\"] .copy').title") ==
        "./run.sh experiments/mnist_inversion.yaml '~arms.linear' 'seeds=[3]'");
  const std::string config =
      browser.eval("[...document.querySelectorAll('tr[data-dir=\"jobs/yat/seed=3\"] .links a')].map(a => a.href).join(' ')");
  CHECK(config.find("/jobs/yat/seed%3D3/metrics.jsonl") != std::string::npos);

  // Curves: metrics, seeds, logarithms.
  const std::string charts = "[...document.querySelectorAll('.chart')].map(c => c.dataset.metric + ' ' + c.dataset.drawn).join(', ')";
  browser.eval("document.getElementById('curves').scrollIntoView({behavior: 'instant'})");
  browser.settle();
  CHECK(browser.eval(charts) == "test/accuracy 2, train/loss 2");
  const auto set = [&](const std::string& field, const std::string& value) {
    browser.eval("(() => { const f = document.querySelector('#curves " + field + "'); f.value = '" + value +
                 "'; f.dispatchEvent(new Event('input')); f.dispatchEvent(new Event('change')); })()");
    browser.settle();
  };
  set("input[type=search]", "train");
  CHECK(browser.eval(charts) == "train/loss 2");
  const std::string picture = "document.querySelector('.chart canvas').toDataURL()";
  auto before = browser.eval(picture);
  for (const char* box : {"seeds", "logX", "logY"}) {
    browser.eval("document.querySelector('#curves input[name=" + std::string(box) + "]').click()");
    browser.settle();
    const auto after = browser.eval(picture);
    CHECK(after != before);
    before = after;
  }
  browser.eval("document.querySelector('.keys input[data-group=\"0\"]').click()");
  browser.settle();
  CHECK(browser.eval(charts) == "train/loss 1");
  browser.eval("document.querySelector('.keys input[data-group=\"0\"]').click()");

  // Dark and light.
  const std::string ground = "getComputedStyle(document.body).backgroundColor";
  browser.prefer("light");
  const auto light = browser.eval(ground);
  browser.prefer("dark");
  const auto dark = browser.eval(ground);
  CHECK(light != dark);
  browser.eval("document.getElementById('theme').click()");
  CHECK(browser.eval(ground) == light);
  browser.eval("document.getElementById('theme').click()");
  CHECK(browser.eval(ground) == dark);

  for (const int width : {360, 800, 1600}) {
    browser.resize(width, 800);
    CAPTURE(width);
    CHECK(browser.eval(kOverflow) == 0);
  }

  for (const auto& complaint : browser.complaints) FAIL_CHECK(complaint);
  for (const auto& request : browser.requests) FAIL_CHECK("asked for " + request);

  // A sweep, and a run without logged rows.
  const TemporaryFolder sweep;
  auto fake = sweep_run();
  for (auto& job : fake.jobs) {
    for (int step = 1; step <= 30; ++step)
      job.curve.push_back({{"step", step}, {"train/loss", 1.0 / step + 0.01 * static_cast<double>(job.seed)}});
  }
  write_page(fake, sweep.path());
  browser.open(sweep.path() / "report.html");
  CHECK(browser.eval(kRows) == 45);
  CHECK(browser.eval(filtered("epsilon=0.1")) == 9);
  CHECK(browser.eval(filtered("operator.epsilon=0.1 alpha=2 seed=0")) == 1);
  CHECK(browser.eval(filtered("diverged")) == 3);
  browser.eval("document.getElementById('curves').scrollIntoView({behavior: 'instant'})");
  browser.settle();
  CHECK(browser.eval("document.querySelector('.chart').dataset.drawn") == "15");
  browser.eval(
      "(() => { const s = document.querySelector('select[name=\"operator.epsilon\"]'); s.value = '0.1'; "
      "s.dispatchEvent(new Event('change')); })()");
  browser.settle();
  CHECK(browser.eval("document.querySelector('.chart').dataset.drawn") == "3");
  // Parallel coordinates: a line for each point leads to its jobs, with the mouse and with the keyboard.
  const std::string jobs_said = "document.getElementById('jobs-count').textContent";
  CHECK(browser.eval("document.querySelectorAll('.point').length") == 14);  // all jobs of the other one diverged
  browser.eval("document.querySelector('.point:last-of-type').dispatchEvent(new MouseEvent('click', {bubbles: true}))");
  const auto best = browser.eval(jobs_said).get<std::string>();
  CHECK(best.rfind("3 of 45 jobs: ", 0) == 0);
  browser.eval("document.querySelector('.point[tabindex=\"0\"]').focus()");
  browser.press("ArrowDown");
  browser.press("Enter");
  CHECK(browser.eval(jobs_said).get<std::string>().rfind("3 of 45 jobs: ", 0) == 0);
  CHECK(browser.eval(jobs_said) != best);
  CHECK(browser.eval("document.activeElement.getAttribute('aria-label')") == "Jobs");
  for (const int width : {360, 1600}) {
    browser.resize(width, 800);
    CHECK(browser.eval(kOverflow) == 0);
  }
  for (const auto& complaint : browser.complaints) FAIL_CHECK(complaint);
}

TEST_CASE("charts of a report show values, zoom, spikes and non-finite values") {
  if (!browser_installed()) return;
  const TemporaryFolder scratch;
  auto fake = mnist_run();
  add_curves(fake);
  write_page(fake, scratch.path());
  Browser browser;
  browser.resize(1200, 900);
  browser.open(scratch.path() / "report.html");
  check_chart(browser);
  for (const auto& complaint : browser.complaints) FAIL_CHECK(complaint);
}

TEST_CASE("numbers on the page are rounded as in tables and isolated points are drawn") {
  if (!browser_installed()) return;
  const TemporaryFolder scratch;
  FakeRun run;
  run.arms = {"a"};
  run.config = R"yaml(name: halves
title: Halves
arms: {a: []}
tables:
  tab:halves:
    columns:
      - {metric: test/accuracy, digits: 1}
      - {metric: m/number, digits: 0}
      - {metric: m/change, format: signed_percent, digits: 1}
      - {metric: m/small, format: scientific, digits: 1}
)yaml";
  // All are exact in binary, so that ties in rounding are exact.
  const double accuracies[] = {0.5625, 0.6875, 0.3125, 0.15625, 0.9375}, numbers[] = {0.5, 1.5, 2.5, -0.25, -3.5},
               changes[] = {0.03125, -0.03125, 0.0, 0.5625, -0.0001}, small[] = {1.25, 0.0009765625, 12345678, 0.1875, -2.5e-7};
  for (int seed = 0; seed < 5; ++seed) {
    FakeRun::Job job{
        "a",
        seed,
        Json::object(),
        {{"test/accuracy", accuracies[seed]}, {"m/number", numbers[seed]}, {"m/change", changes[seed]}, {"m/small", small[seed]}},
        "completed",
        {},
        {}};
    if (seed == 0) {
      for (int step = 0; step < 40; ++step)
        job.curve.push_back({{"step", step}, {"train/loss", step < 10 || step == 25 ? Json(1.0 + step) : Json("nan")}});
    }
    run.jobs.push_back(std::move(job));
  }
  write_page(run, scratch.path());
  Browser browser;
  browser.open(scratch.path() / "report.html");
  for (int seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    const auto cells = browser.eval("[...document.querySelectorAll('#jobs-app tr[data-dir=\"jobs/a/seed=" + std::to_string(seed) +
                                    "\"] td[data-metric]')].map(c => c.textContent)");
    REQUIRE(cells.size() == 4);
    CHECK(cells[0] == format_value(accuracies[seed], NumberFormat::kPercent, 1) + " %");
    CHECK(cells[1] == format_value(numbers[seed], NumberFormat::kNumber, 0));
    CHECK(cells[2] == format_value(changes[seed], NumberFormat::kSignedPercent, 1) + " %");
    CHECK(cells[3] == format_value(small[seed], NumberFormat::kScientific, 1));
  }
  // Steps 0 to 9 are a line, and step 25 stands alone as a dot: right of all else, and above it.
  browser.eval("document.getElementById('curves').scrollIntoView({behavior: 'instant'})");
  browser.settle();
  CHECK(browser.eval("(() => { const p = document.querySelector('.chart[data-metric=\"train/loss\"]').chart, s = p.scale, d = "
                     "p.base.getContext('2d').getImageData(s.left + s.column(25) - 1, s.y(26) - 1, 3, 3).data; return d[3] > 200; })()") ==
        true);
  for (const auto& complaint : browser.complaints) FAIL_CHECK(complaint);
}

TEST_CASE("a browser can decompress the page of a large run") {
  if (!browser_installed()) return;
  const TemporaryFolder scratch;
  FakeRun run;
  run.arms = {"a"};
  run.config = "name: many\ntitle: Many\narms: {a: []}\ntables: {tab:many: {columns: [test/loss]}}\n";
  run.swept = {"optimizer.lr"};
  for (int i = 0; i < 4000; ++i) {
    FakeRun::Job job{"a", 0, {{"optimizer.lr", i + 0.5}}, {{"test/loss", 1.0 / (i + 1)}}, "completed", {}, {}};
    job.error = std::string(400, 'x');
    run.jobs.push_back(std::move(job));
  }
  write_page(run, scratch.path());
  CHECK(read_file(scratch.path() / "report.html").find("{\"packed\":") != std::string::npos);
  Browser browser;
  browser.open(scratch.path() / "report.html");
  for (int tries = 0; tries < 50 && browser.eval(kRows) != 100; ++tries) browser.settle();
  CHECK(browser.eval(kRows) == 100);
  CHECK(browser.eval("document.getElementById('jobs-count').textContent") == "4000 jobs");
  for (const auto& complaint : browser.complaints) FAIL_CHECK(complaint);
}
