// `describe`: components, kinds, keys, functions, and the page generated from them.

#include <fstream>
#include <regex>

#include "catch.h"
#include "cli/json_schema.h"
#include "cli/support.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/yaml.h"
#include "core/experiment/paper_file.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::fits;
using testing::holds;

nlohmann::json json_of(const Node& node) { return nlohmann::json::parse(dump_json(to_json(node))); }

}  // namespace

TEST_CASE("docs/configuration.md agrees with the program", "[cli][docs]") {
  const Desk desk;
  const std::string page = read_file(fs::path(YATLAB_SOURCE_DIR) / "docs/configuration.md");
  const fs::path copy = desk.path() / "page.md";
  const auto rewritten = [&](const std::string& text) {
    std::ofstream(copy) << text;
    const auto answer = desk.ask({"describe", "--into", "page.md"});
    INFO(answer.output);
    CHECK(answer.status == 0);
    return read_file(copy);
  };
  INFO("to update it: ./run.sh describe --into docs/configuration.md");
  CHECK(rewritten(page) == page);

  // Replaces the contents of the marked part, and nothing else.
  std::string stale = page;
  const std::string line = "passes over the training split";
  REQUIRE(stale.find(line) != std::string::npos);
  stale.replace(stale.find(line), line.size(), "old");
  CHECK(rewritten(stale) == page);
  CHECK(rewritten("own text\n<!-- describe plugins -->\nold\n<!-- end -->\nmore") ==
        "own text\n<!-- describe plugins -->\n| key | default | type | meaning |\n|---|---|---|---|\n"
        "| `plugins.path` | `[]` | list of strings | plugin libraries (.so), or folders of them |\n<!-- end -->\nmore");

  const auto refused = [&](const std::string& text) {
    std::ofstream(copy) << text;
    const auto answer = desk.ask({"describe", "--into", "page.md"});
    CHECK(answer.status == 2);
    CHECK(read_file(copy) == text);
    return answer.output;
  };
  CHECK(refused("\n<!-- describe trainr -->\n<!-- end -->") ==
        "error: there is no topic 'trainr'\n  at: page.md:2\n  try: did you mean 'trainer'?\n");
  CHECK(holds(refused("<!-- describe trainer -->\n"), "is not closed"));
  CHECK(holds(refused("nothing here\n"), "has no part of the reference"));
}

TEST_CASE("docs/papers.md agrees with the program", "[cli][docs][papers]") {
  const Desk desk;
  const std::string page = read_file(fs::path(YATLAB_SOURCE_DIR) / "docs/papers.md");
  std::ofstream(desk.path() / "page.md") << page;
  REQUIRE(desk.ask({"describe", "--into", "page.md"}).status == 0);
  INFO("to update it: ./run.sh describe --into docs/papers.md");
  CHECK(read_file(desk.path() / "page.md") == page);
}

TEST_CASE("describe --schema writes a JSON Schema that fits the experiments", "[cli][schema]") {
  const Desk desk;
  const auto answer = desk.ask({"describe", "--schema"});
  REQUIRE(answer.status == 0);
  const auto schema = nlohmann::json::parse(answer.output);
  CHECK(schema["required"] == nlohmann::json{"name"});
  const auto& epochs = schema["properties"]["trainer"]["anyOf"][0]["properties"]["epochs"];
  CHECK(epochs["anyOf"][0] == nlohmann::json{{"type", "integer"}, {"exclusiveMinimum", 0.0}});
  CHECK(epochs["anyOf"][1]["pattern"] == "\\$\\{");
  CHECK(epochs["default"] == 5);
  const auto& table = schema["properties"]["tables"]["anyOf"][0]["additionalProperties"]["properties"];
  CHECK(table["rows"]["anyOf"][0]["enum"] == nlohmann::json{"arms", "points", "best"});
  CHECK(table["columns"]["anyOf"][0]["items"]["anyOf"][1]["required"] == nlohmann::json{"metric"});
  CHECK(table["compare"]["anyOf"][0]["properties"].contains("baseline"));
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(YATLAB_SOURCE_DIR) / "experiments")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "paper.yaml") continue;
    INFO(entry.path().string());
    ++files;
    CHECK(fits(json_of(load_yaml(entry.path())), schema));
  }
  CHECK(files > 20);
}

TEST_CASE("the published schemas are the program's", "[cli][docs][schema]") {
  const Desk desk;
  for (const std::string name : {"experiment", "paper"}) {
    INFO("to update it: ./run.sh describe " + name + " --schema > docs/schemas/" + name + ".schema.json");
    CHECK(read_file(fs::path(YATLAB_SOURCE_DIR) / "docs/schemas" / (name + ".schema.json")) ==
          desk.ask({"describe", name, "--schema"}).output);
  }
}

TEST_CASE("the schema of experiments refuses what the program refuses", "[cli][schema]") {
  const Desk desk;
  const auto schema = nlohmann::json::parse(desk.ask({"describe", "experiment", "--schema"}).output);
  const auto good = [&](const std::string& text) { return fits(json_of(parse_yaml("{name: x, " + text + "}", "x.yaml")), schema); };
  CHECK(good("seeds: [0, 1]"));
  CHECK(good("seeds: 3"));
  CHECK(good("seeds: 'range(0, 5)'"));
  CHECK_FALSE(good("seeds: -1"));
  CHECK_FALSE(good("seeds: [0, -1]"));
  CHECK_FALSE(good("sead: 3"));
  CHECK(good("defaults: [_self_]"));
  const auto cell = [&](const std::string& text) {
    const bool top = good("paper: {yat: {test/accuracy: " + text + "}, tolerance: {test/accuracy: 0.1}}");
    CHECK(top == good("tables: {t: {columns: [a], paper: {yat: {test/accuracy: " + text + "}}}}"));
    return top;
  };
  CHECK(cell("0.84"));
  CHECK(cell("{low: 0.8, high: 0.9}"));
  CHECK(cell("{mean: 0.84, std: 0.01, n: 3}"));
  CHECK(cell("{mean: 0.84, std: 0.01, n: 3, where: p. 5}"));
  CHECK(cell("{values: [0.8, 0.9], seeds: [0, 1], where: p. 5}"));
  CHECK(cell("{values: [0.8, 0.9]}"));
  for (const char* wrong : {"fine", "true", "{mean: 0.84}", "{mean: fine, std: 0.01, n: 3}", "{mean: 0.84, std: 0.01, n: 0}",
                            "{mean: 0.84, std: -0.01, n: 3}", "{mean: 0.84, std: 0.01, n: 3, meen: 1}", "{values: [0.8]}", "{low: 0.8}",
                            "{mean: 0.84, std: 0.01, n: 3, values: [0.8, 0.9]}", "{values: [a, b]}"}) {
    INFO(wrong);
    CHECK_FALSE(cell(wrong));
  }
  CHECK(good("paper: {dataset: mnist, fitted: {text: best of 3}, itself: [{says: a, equal: [1, 2]}], at: {dataset: mnist}}"));
  CHECK_FALSE(good("paper: {tolerance: {test/accuracy: -1}}"));
  CHECK_FALSE(good("paper: {fitted: {txt: best of 3}}"));
  CHECK_FALSE(good("paper: {itself: [{equal: [1, 2]}]}"));
  const auto says = [&](const std::string& text) {
    return good("tables: {t: {columns: [a], compare: {metric: a, baseline: b, paper: {yat: {a: " + text + "}}}}}");
  };
  CHECK(says("lower"));
  CHECK(says("{low: 0.1, high: 0.2}"));
  CHECK(says("0.1"));
  CHECK_FALSE(says("smaller"));
  CHECK_FALSE(says("{low: 0.1}"));
}

TEST_CASE("describe paper --schema fits the papers, and refuses other keys", "[cli][schema][papers]") {
  const Desk desk;
  const auto answer = desk.ask({"describe", "paper", "--schema"});
  REQUIRE(answer.status == 0);
  const auto schema = nlohmann::json::parse(answer.output);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(YATLAB_SOURCE_DIR) / "experiments")) {
    if (entry.path().filename() != "paper.yaml") continue;
    INFO(entry.path().string());
    ++files;
    CHECK(fits(json_of(load_yaml(entry.path())), schema));
    CHECK_NOTHROW(check_paper_file(load_yaml(entry.path())));
  }
  CHECK(files >= 3);
  const std::string row = "{kind: direction, experiment: x, metric: m, arm: a, baseline: b, says: higher}";
  const auto paper = [](const std::string& claim_row, const std::string& more = "") {
    return "{" + more + "claims: [{id: a, says: b, where: c, data: paper, rows: [" + claim_row + "]}]}";
  };
  // Both say the same of each.
  const std::pair<std::string, bool> kCases[] = {
      {paper(row), true},
      {paper(row, "link: x, reproducibility: {easy: much}, after: [{head: a, text: b}], itself: [{says: a, equal: [1, 2]}], "), true},
      {paper(row, "lnk: x, "), false},
      {paper(row, "reproducibility: {eazy: much}, "), false},
      {paper(row, "after: [{head: a}], "), false},
      {paper(row, "itself: [{say: a, equal: [1, 2]}], "), false},
      {paper("{kind: directon, experiment: x}"), false},
      {paper("{kind: direction, metrc: m}"), false},
      {paper("{kind: direction, says: more}"), false},
      {paper("{kind: no_worse, margin: much}"), false},
      {paper("{kind: within, range: 3}"), false},
      {paper("{experiment: x}"), false},
      {"{claims: [{id: a, says: b, where: c, data: proxy, rows: []}]}", false},
      {"{claims: [{id: a, says: b, where: c, data: paper}]}", false},
      {"{claims: {a: b}}", false},
      {"{title: a}", false}};
  for (const auto& [text, good] : kCases) {
    INFO(text);
    const auto node = parse_yaml(text, "paper.yaml");
    CHECK(fits(json_of(node), schema) == good);
    if (good) {
      CHECK_NOTHROW(check_paper_file(node));
    } else {
      CHECK_THROWS_AS(check_paper_file(node), Error);
    }
  }
  try {
    check_paper_file(parse_yaml(paper("{kind: direction, metrc: m}"), "paper.yaml"));
  } catch (const Error& e) {
    CHECK(holds(e.what(), "unknown key 'claims.0.rows.0.metrc'"));
    CHECK(holds(e.what(), "did you mean 'metric'?"));
  }
  CHECK(desk.ask({"describe", "papers", "--schema"}).status == 2);
}

TEST_CASE("describe explains kinds, keys, functions and resolvers", "[cli]") {
  const Desk desk;
  struct Case {
    std::vector<std::string> words;
    std::vector<const char*> says;
  };
  static const std::vector<Case> kCases = {
      {{"experiment"},
       {"  trainer   (map)\n      the training loop: `describe trainer`", "  name = required   (string)",
        "  optimizer = adam   (optimizer)"}},
      {{"trainer"},
       {"trainer  the training loop\n", "  trainer.epochs = 5   (integer > 0)\n      passes over the training split\n",
        "  trainer.early_stopping.patience = 3"}},
      {{"trainer.early_stopping"}, {"  trainer.early_stopping.patience = 3   (integer > 0)\n"}},
      {{"seeds"}, {"seeds  a key of an experiment\n  seeds = 'range(0, 5)'"}},
      {{"metrics", "tables"},
       {"metrics.NAME", "  better = none   (one of higher, lower, none)", "tables.ID", "  rows = arms   (one of arms, points, best)"}},
      {{"functions"}, {"  range(stop), range(start, stop) or range(start, stop, step)\n      a sweep from start to stop", "  zip("}},
      {{"resolvers"}, {"  ${oc.env:VARIABLE} or ${oc.env:VARIABLE,default}\n"}},
      {{"operator"}, {"operator  ", "  operator = null   (operator or null)\n", "choices:\n", "  yat", "yatlab describe operator/"}},
      {{"operators"}, {"choices:\n", "  yat"}},
      {{"figures"}, {"figures = {format: [svg, pdf, png], width: text}", "figure  ", "  prototypes"}},
      {{"operator/yat"}, {"operator/yat  ", "  epsilon = "}},
  };
  for (const auto& c : kCases) {
    std::vector<std::string> command{"describe"};
    command.insert(command.end(), c.words.begin(), c.words.end());
    const auto answer = desk.ask(command);
    INFO(answer.output);
    CHECK(answer.status == 0);
    for (const char* part : c.says) {
      INFO(part);
      CHECK(holds(answer.output, part));
    }
  }
}

TEST_CASE("suggestions of describe work when typed", "[cli][errors]") {
  const Desk desk;
  const std::pair<const char*, const char*> kCases[] = {{"trainr", "trainer"},
                                                        {"operatr", "operator"},
                                                        {"yat", "operator/yat"},
                                                        {"ⵟ", "operator/yat"},
                                                        {"function", "functions"},
                                                        {"trainer.epoch", "trainer.epochs"},
                                                        {"nothing_like_it", "experiment"}};
  for (const auto& [word, meant] : kCases) {
    INFO(word);
    const auto answer = desk.ask({"describe", word});
    CHECK(answer.status == 2);
    std::smatch proposal;
    REQUIRE(std::regex_search(answer.output, proposal, std::regex("try: yatlab describe (.*)\n")));
    CHECK(proposal[1] == meant);
    CHECK(desk.ask({"describe", proposal[1]}).status == 0);
  }
}

}  // namespace yatlab
