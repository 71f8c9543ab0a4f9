#include "core/report/html.h"

#include <zlib.h>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "core/report/html_parts.h"
#include "core/report/report.h"
#include "core/report/summary.h"
#include "fake_figures.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

std::string page_of(const fs::path& run) {
  write_report(run, without_figures());
  return read_file(run / "report.html");
}

// The page's JSON block.
Json data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const auto first = page.find(open) + open.size();
  return Json::parse(page.substr(first, page.find("</script>", first) - first));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// Values of an attribute in page order.
std::vector<std::string> attributes(const std::string& page, const std::string& name) {
  std::vector<std::string> out;
  const std::string open = " " + name + "=\"";
  for (auto at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    out.push_back(page.substr(at, page.find('"', at) - at));
  }
  return out;
}

}  // namespace

TEST_CASE("page text is escaped and invalid bytes are replaced") {
  CHECK(html::text("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
  CHECK(html::text("ⵟ ‖w‖ 𝛼") == "ⵟ ‖w‖ 𝛼");
  CHECK(html::text("a\xff\x62\xc0\x80\xed\xa0\x80") ==
        "a\xEF\xBF\xBD"
        "b"
        "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(html::text("\xe2\x82") == "\xEF\xBF\xBD\xEF\xBF\xBD");  // truncated
  CHECK(html::text(std::string("a\0b\x1b", 4)) ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD");
  CHECK(html::link("jobs/a b/seed=0,x={y}#?\"") == "jobs/a%20b/seed=0,x=%7By%7D%23%3F%22");
  CHECK(html::identifier("tab:mnist/a b") == "tab-mnist-a-b");
  CHECK(html::number(0.1) == "0.1");
  CHECK(html::number(1.0 / 3) == "0.3333333333333333");
  CHECK(html::number(std::nan("")).empty());
}

TEST_CASE("JSON in a page cannot end its script element") {
  const Json json = {{"a", "</script><!-- <b>"}, {"n", std::nan("")}, {"bad", "\xff"}, {"line", "\xe2\x80\xa8"}};
  const auto text = html::script_json(json);
  CHECK(text.find('<') == std::string::npos);
  CHECK(text == R"({"a":"\u003c/script>\u003c!-- \u003cb>","n":null,"bad":"\ufffd","line":"\u2028"})");
  CHECK(Json::parse(text)["a"] == "</script><!-- <b>");
}

TEST_CASE("every run has a self-contained and reproducible page") {
  const TemporaryFolder scratch;
  auto fake = mnist_run_with_artifacts();
  fake.write(scratch.path());
  FakeRun::put(scratch.path() / "environment.json",
               R"({"command": "yatlab run experiments/mine.yaml", "git": {"revision": "abc", "dirty": true}})");
  const auto report = write_report(scratch.path(), without_figures());
  CHECK(std::count(report.files.begin(), report.files.end(), scratch.path() / "report.html") == 1);
  const auto page = read_file(scratch.path() / "report.html");
  CHECK(page == page_of(scratch.path()));
  CHECK(page.rfind("<!doctype html>", 0) == 0);
  CHECK(holds(page, "<title>MNIST results (10-neuron classifier)</title>"));
  CHECK(holds(page, "default-src &#39;none&#39;") == false);
  CHECK(holds(page, "default-src 'none'"));
  CHECK_FALSE(holds(page, "{{"));
  // Nothing is fetched: addresses are data:, or relative links.
  for (const auto& address : attributes(page, "src")) CHECK(address.rfind("data:", 0) == 0);
  for (const auto& address : attributes(page, "href")) CHECK_FALSE(holds(address, "//"));
  CHECK_FALSE(holds(page, "@import"));
  CHECK_FALSE(holds(page, "url(http"));
  CHECK_FALSE(holds(page, scratch.path().string()));
  for (const char* section : {"arms", "results", "curves", "protocol", "jobs", "made"}) {
    CHECK(count(page, "<section id=\"" + std::string(section) + "\"") == 1);
    CHECK(count(page, "<a href=\"#" + std::string(section) + "\"") == 1);
  }
  CHECK_FALSE(holds(page, "<section id=\"statements\""));
  CHECK(holds(page, "<code>abc</code>, with uncommitted changes"));
  // Ids are unique, and every described-by refers to an existing one.
  auto ids = attributes(page, "id");
  std::sort(ids.begin(), ids.end());
  CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
  for (const auto& id : attributes(page, "aria-describedby")) CHECK(std::binary_search(ids.begin(), ids.end(), id));
  CHECK(data_of(page)["jobs"]["command"] == "./run.sh experiments/mine.yaml");
  CHECK(data_of(page)["jobs"]["rows"][7]["command"] == " '~arms.linear' 'seeds=[2]'");
}

TEST_CASE("the verdicts come first, and the numbers are those of summary.json") {
  const TemporaryFolder scratch;
  auto fake = mnist_run();
  fake.config.replace(fake.config.find("model/alpha: 2.68"), 17, "model/alpha: 7.25");
  fake.write(scratch.path());
  const auto page = page_of(scratch.path());
  const auto summary = Json::parse(read_file(scratch.path() / "summary.json"));
  CHECK(holds(page, "Of the paper’s 5 numbers here, 3 are reproduced, 1 differs, 1 is inconclusive."));
  CHECK(page.find("id=\"verdict\"") < page.find("<section"));
  CHECK(holds(page, "<b>yat, α</b>: 2.69 ± 0.11 against the paper’s 7.25."));
  // Exceptions are shown with their reasons.
  for (const auto& number : summary["paper"]) {
    CHECK(holds(page, html::text(number["why"].get<std::string>())));
    CHECK(holds(page, html::verdict_class(number["verdict"].get<std::string>())));
  }
  // Cells, row by row.
  const auto means = attributes(page, "data-mean"), arms = attributes(page, "data-arm");
  std::size_t i = 0;
  for (const char* arm : {"linear", "yat"}) {
    for (const char* metric : {"test/accuracy", "prototypes/norm_change", "model/alpha"}) {
      REQUIRE(i < means.size());
      CHECK(arms[i] == arm);
      const auto& metrics = summary["arms"][arm]["metrics"];
      if (metrics.contains(metric)) {
        CHECK(std::stod(means[i]) == metrics[metric]["mean"].get<double>());
      } else {
        CHECK(means[i].empty());
      }
      ++i;
    }
  }
  CHECK(i == means.size());
  CHECK(std::stod(attributes(page, "data-difference").at(0)) == summary["comparisons"][0]["difference"].get<double>());
}

TEST_CASE("user text on a page cannot become markup") {
  const TemporaryFolder scratch;
  auto fake = mnist_run();
  const std::string evil = "</script></title><script>alert(1)</script>{{data}}";
  const auto at = fake.config.find("MNIST results");
  fake.config.replace(at, 13, evil);
  fake.jobs[0].arm = "linear";
  fake.jobs[0].metrics["test/<img src=x onerror=alert(1)>"] = 1;
  fake.jobs[0].curve = {{{"step", 1}, {"<b>&", 2}}, {{"step", 2}, {"<b>&", nullptr}}};
  fake.dataset["substituted_for"] = "<i>mnist";
  fake.write(scratch.path());
  FakeRun::put(scratch.path() / "jobs/yat/seed=0/status.json", R"({"state":"failed","error":"</script><b>"})");
  fs::remove(scratch.path() / "jobs/yat/seed=0/summary.json");
  const auto page = page_of(scratch.path());
  CHECK_FALSE(holds(page, "alert(1)</script>"));
  CHECK_FALSE(holds(page, "<img src=x"));
  CHECK(count(page, "<script") == 2);
  CHECK(count(page, "</script>") == 2);
  CHECK(holds(page, "{{data}}"));  // as text: inserted text is not expanded again
  CHECK(holds(page, "Substitute data."));
  CHECK(holds(page, "&lt;i&gt;mnist"));
  CHECK(holds(page, "are not comparable"));
  CHECK(data_of(page)["jobs"]["rows"][5]["error"] == "</script><b>");
  CHECK(holds(page, "<b>1 job failed.</b>"));
}

TEST_CASE("a sweep's page counts points and gives commands for single jobs") {
  const TemporaryFolder scratch;
  auto fake = sweep_run();
  fake.write(scratch.path());
  const auto page = page_of(scratch.path());
  CHECK(holds(page, "A sweep: each of the paper’s numbers is compared with every point."));
  CHECK(holds(page, "of 15</td>"));
  CHECK(holds(page, "<b>3 jobs diverged.</b>"));
  const auto rows = data_of(page)["jobs"]["rows"];
  REQUIRE(rows.size() == 45);
  CHECK(rows[1]["command"] == " 'seeds=[1]' -m 'operator.epsilon=choice(1e-05)' 'architecture.alpha=choice(0.5)'");
  CHECK(rows[1]["params"].dump() == R"(["1e-5","0.5"])");
}

TEST_CASE("the page shows who set each value and how arms differ") {
  const TemporaryFolder scratch;
  auto fake = mnist_run();
  for (auto& job : fake.jobs)
    job.config = "operator: {name: " + job.arm + "}\noptimizer: {name: adam, lr: 0.01}\n" + (job.arm == "yat" ? "bias: true\n" : "");
  fake.config += "optimizer: {name: adam, lr: 0.01}\n";
  fake.write(scratch.path());
  CHECK_FALSE(holds(page_of(scratch.path()), "Every setting and its source"));  // a run from before sources were recorded
  const Json sources = {{"optimizer.lr", "command line (optimizer.lr=<0.01>)"}, {"optimizer.name", "experiments/x.yaml:3:5"}};
  FakeRun::put(scratch.path() / "sources.json", sources.dump());
  const auto page = page_of(scratch.path());
  CHECK(holds(page,
              "<code>optimizer.lr</code></th><td class=\"prose\">0.01</td><td class=\"prose\">command line "
              "(optimizer.lr=&lt;0.01&gt;)</td>"));
  CHECK(holds(page, "<code>operator.name</code></th><td>linear</td><td>yat</td>"));
  CHECK(holds(page, "<code>bias</code></th><td>–</td><td>true</td>"));
  const auto differing = page.substr(page.find("<table class=\"differing\""));
  CHECK_FALSE(holds(differing.substr(0, differing.find("</table>")), "optimizer"));
}

TEST_CASE("the page's command to repeat the run is the original one") {
  const auto jobs_of = [](const Json& environment) {
    const TemporaryFolder scratch;
    auto fake = sweep_run();
    fake.overrides = {"seeds=0,1", "operator.epsilon=1e-5,1e-3", "+arms.mine=['operator=cosine']", "title=It's"};
    fake.environment = environment;
    fake.write(scratch.path());
    return data_of(page_of(scratch.path()))["jobs"];
  };
  const std::string typed =
      "-m --config-dir 'my configs' 'my runs/s.yaml' seeds=0,1 operator.epsilon=1e-5,1e-3 \"+arms.mine=['operator=cosine']\" "
      "\"title=It's\"";
  const auto known = jobs_of({{"command", "yatlab run " + typed}});
  CHECK(known["whole"] == "./run.sh " + typed);
  // One job: its own overrides follow.
  CHECK(known["command"] == "./run.sh --config-dir 'my configs' 'my runs/s.yaml' \"+arms.mine=['operator=cosine']\" \"title=It's\"");
  // If the original command is unknown.
  for (const auto& environment : {Json(nullptr), Json{{"command", "yatlab repeat epsilon_alpha"}}}) {
    const auto unknown = jobs_of(environment);
    const auto file = "experiments/" + sweep_run().experiment + ".yaml";
    CHECK(unknown["whole"] ==
          "./run.sh " + file + " -m seeds=0,1 operator.epsilon=1e-5,1e-3 \"+arms.mine=['operator=cosine']\" \"title=It's\"");
  }
}

TEST_CASE("curves are means over seeds and thinned without losing extremes") {
  const TemporaryFolder scratch;
  FakeRun run;
  run.arms = {"a", "b"};
  run.config = "name: long\ntitle: long\narms: {a: [], b: []}\n";
  Random random(1);
  for (const auto& arm : run.arms) {
    for (int seed = 0; seed < 12; ++seed) {
      FakeRun::Job job{arm, seed, Json::object(), {{"test/loss", 1.0}}, "completed", {}, {}};
      for (int step = 0; step < 3000; ++step) {
        Json line = {{"step", step}, {"train/loss", step == 1500 ? 1000.0 : 1 + seed + 0.01 * random.normal()}};
        for (int m = 0; m < 6; ++m) line["m/" + std::to_string(m)] = random.normal();
        job.curve.push_back(line);
      }
      run.jobs.push_back(std::move(job));
    }
  }
  run.write(scratch.path());
  const auto page = page_of(scratch.path());
  CHECK(page.size() < 2'500'000);
  const auto curves = data_of(page)["curves"];
  CHECK(curves["thinned"] == true);
  CHECK(curves["seeds"] == 10);
  CHECK(curves["of_seeds"] == 12);
  REQUIRE(curves["metrics"].size() == 7);
  const auto& loss = curves["metrics"][6];
  CHECK(loss["name"] == "train/loss");
  REQUIRE(loss["series"].size() == 2);
  const auto& series = loss["series"][0];
  const auto x = series["x"].get<std::vector<double>>();
  CHECK(x.size() > 50);
  CHECK(x.size() <= 240);
  CHECK(x.front() == 0);
  CHECK(x.back() == 2999);
  CHECK(std::is_sorted(x.begin(), x.end()));
  const auto spike = std::find(x.begin(), x.end(), 1500);
  REQUIRE(spike != x.end());
  CHECK(series["m"][static_cast<std::size_t>(spike - x.begin())] == 1000);
  CHECK(series["n"] == 12);
  CHECK(series["seeds"].size() == 10);
  CHECK(series["m"][0].get<double>() == Approx(6.5).margin(0.1));  // 1 + mean of 0..11
  CHECK(series["lo"][0].get<double>() == Approx(1).margin(0.1));
  CHECK(series["hi"][0].get<double>() == Approx(12).margin(0.1));
}

TEST_CASE("bands keep extremes of seeds between kept steps and mark non-finite values") {
  const int rows = GENERATE(1000, 7000);  // longer logs are read twice
  const TemporaryFolder scratch;
  FakeRun run;
  run.arms = {"a"};
  run.config = "name: long\ntitle: long\narms: {a: []}\n";
  for (int seed = 0; seed < 2; ++seed) {
    FakeRun::Job job{"a", seed, Json::object(), {}, "completed", {}, {}};
    for (int step = 0; step < rows; ++step) {
      Json value = std::sin(step) + seed;
      if (step == 501) value = seed == 0 ? 50 : -50;  // the mean stays
      if (step == 777 && seed == 1) value = "inf";
      job.curve.push_back({{"step", step}, {"epoch", step / 100.0}, {"loss", value}});
    }
    run.jobs.push_back(std::move(job));
  }
  run.write(scratch.path());
  const auto curves = data_of(page_of(scratch.path()))["curves"];
  const auto& series = curves["metrics"][0]["series"][0];
  CHECK(series["x"].size() <= 240);
  CHECK(series["bad"] == Json({777}));
  double high = 0, low = 0;
  for (std::size_t i = 0; i < series["x"].size(); ++i) {
    if (series["hi"][i] == 50) high = series["x"][i];
    if (series["lo"][i] == -50) low = series["x"][i];
    CHECK(series["lo"][i].get<double>() <= series["m"][i].get<double>());
  }
  CHECK(high == low);
  CHECK((high >= 501 && high < 501 + rows / 50.0));
  const auto& at = curves["groups"][0]["at"];
  CHECK(at["step"].size() == at["epoch"].size());
  CHECK((at["step"].size() > 7 && at["step"].size() <= 17));
  CHECK(at["step"].back() == rows - 1);
  CHECK(at["epoch"].back().get<double>() == Approx((rows - 1) / 100.0));
  CHECK_FALSE(at.contains("tokens"));
}

TEST_CASE("page data of a large run are compressed without change") {
  Json large = {{"jobs", Json::array()}};
  for (int i = 0; i < 5000; ++i) large["jobs"].push_back({{"dir", "jobs/a/seed=" + std::to_string(i)}, {"command", "'<\u00e9>' \u2d5f"}});
  const auto plain = html::script_json(large), packed = html::page_data(large, 100'000);
  CHECK(html::page_data(large, plain.size()) == plain);
  CHECK(packed.size() < plain.size() / 5);
  CHECK_FALSE(holds(packed, "<"));
  // Decompressed as by a browser.
  std::string bytes;
  unsigned bits = 0, held = 0;
  for (const char c : Json::parse(packed)["packed"].get<std::string>()) {
    static const std::string kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (c == '=') break;
    held = held << 6 | static_cast<unsigned>(kLetters.find(c));
    if ((bits += 6) >= 8) bytes += static_cast<char>(held >> (bits -= 8) & 0xFF);
  }
  std::string unpacked(plain.size(), '\0');
  auto size = static_cast<uLongf>(unpacked.size());
  REQUIRE(::uncompress(reinterpret_cast<Bytef*>(unpacked.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                       static_cast<uLong>(bytes.size())) == Z_OK);
  CHECK(size == plain.size());
  CHECK(unpacked == plain);
}

TEST_CASE("non-finite values are gaps in curves and stopped seeds are counted") {
  const TemporaryFolder scratch;
  FakeRun run;
  run.arms = {"a"};
  run.config = "name: short\ntitle: short\narms: {a: []}\n";
  run.jobs = {{"a", 0, Json::object(), {}, "diverged", {{{"step", 0}, {"loss", 1.0}}, {{"step", 10}, {"loss", "nan"}}}, {}},
              {"a",
               1,
               Json::object(),
               {},
               "completed",
               {{{"step", 0}, {"loss", 3.0}}, {{"step", 10}, {"loss", 0.123456789}}, {{"step", 20}, {"loss", nullptr}}},
               {}}};
  run.write(scratch.path());
  const auto curves = data_of(page_of(scratch.path()))["curves"];
  CHECK(
      curves["metrics"][0]["series"].dump() ==
      R"([{"g":0,"x":[0,10,20],"m":[2,0.12346,null],"lo":[1,0.12346,null],"hi":[3,0.12346,null],"n":[2,1,0],"seeds":[[1,null,null],[3,0.12346,null]],"bad":[10,20],"left":"1 of 2 seeds from step 10, 0 from step 20"}])");
}

TEST_CASE("statements are on the page with every check") {
  const TemporaryFolder scratch;
  FakeRun run;
  run.experiment = "claims";
  run.config = "name: claims\ntitle: Statements\nclaims: all\n";
  run.arms = {"main"};
  run.swept = {"claim"};
  run.dataset = nullptr;
  CheckedClaim claim{"prop:bounded", "Bounded <activation>", "E ≤ ‖w‖⁴/ε", "ascent", "yat", {}};
  claim.evidence.at_most(Role::kCore, "max E / (‖w‖⁴/ε)", 2, 1, 1e-9, "d = 1..8");
  claim.evidence.equals(Role::kCorrected, "max E / (‖w‖⁴/ε + ‖w‖²)", 1, 1, 1e-9);
  claim.words.counterexample = "w = (1, 0), x = (2, 0)";
  claim.words.corrected = "E ≤ ‖w‖⁴/ε + ‖w‖²";
  run.jobs.push_back({"main", 0, {{"claim", claim.label}}, {{"checks", 2}}, "completed", {}, {{"claim", claim_to_json(claim)}}});
  run.write(scratch.path());
  const auto page = page_of(scratch.path());
  CHECK(holds(page, "<p class=\"lead\" id=\"claims-verdict\">1 numbered statement: 1 refuted.</p>"));
  CHECK(holds(page, "<details class=\"claim refuted\" id=\"claim-prop-bounded\" data-status=\"refuted\">"));
  CHECK(holds(page, "Bounded &lt;activation&gt;"));
  CHECK(holds(page, "<dt>By hand</dt><dd>w = (1, 0), x = (2, 0)</dd>"));
  CHECK(holds(page, "<dt>Right statement</dt><dd>E ≤ ‖w‖⁴/ε + ‖w‖²</dd>"));
  CHECK(count(page, "✗ fails") == 1);
  CHECK(count(page, "✓ passes") == 1);
  CHECK(data_of(page)["jobs"]["rows"][0]["command"] == " 'seeds=[0]' 'claims=[prop:bounded]'");
}

TEST_CASE("figures are embedded in the page") {
  const TemporaryFolder scratch;
  mnist_run_with_artifacts().write(scratch.path());
  ReportOptions options;
  options.formats = {"svg"};
  const auto report = write_report(scratch.path(), options);
  CHECK(report.problems.empty());
  const auto page = read_file(scratch.path() / "report.html");
  CHECK(count(page, "<img src=\"data:image/svg+xml;base64,PD94") == 5);  // "<?x"; similarity draws two
  CHECK(holds(page, "href=\"figures/fig_curves.csv\""));
  CHECK_FALSE(holds(page, "figures/fig_curves.pdf"));  // was not drawn
  // Without drawing again, existing figures are shown.
  CHECK(count(page_of(scratch.path()), "<img src=\"data:image/svg+xml;base64,PD94") == 5);
}

TEST_CASE("the paper page has a scorecard, statements, tables and valid links") {
  const TemporaryFolder scratch;
  const auto results = scratch.path() / "results", out = results / "paper";
  const auto fake = mnist_run();
  fake.write(results / "mnist_inversion" / fake.run_id);
  write_report(results / "mnist_inversion" / fake.run_id, without_figures());
  const auto report = write_paper_report(results, out, {{"mnist_inversion", {}}, {"never_run", {}}}, without_figures());
  CHECK(std::count(report.files.begin(), report.files.end(), out / "report.html") == 1);
  const auto page = read_file(out / "report.html");
  CHECK(holds(page, "5 measurements (5 numbers): 3 reproduced; 1 consistent; 1 inconclusive."));
  CHECK(count(page, "<tr data-id=") == 5);
  CHECK(holds(page, "No complete run at full scale yet."));
  for (const auto& address : attributes(page, "href")) {
    if (address[0] == '#')
      CHECK(holds(page, "id=\"" + address.substr(1) + "\""));
    else if (address != "data:,")
      CHECK(fs::exists(out / address));
  }
  write_paper_report(results, out, {{"mnist_inversion", {}}, {"never_run", {}}}, without_figures());
  CHECK(read_file(out / "report.html") == page);
}
