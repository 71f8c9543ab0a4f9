// `describe`: components, kinds, keys, functions, and the page generated from them.

#include <fstream>
#include <regex>

#include "catch.h"
#include "cli/support.h"
#include "core/config/yaml.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;

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
  for (const auto& entry : fs::directory_iterator(fs::path(YATLAB_SOURCE_DIR) / "experiments")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "paper.yaml") continue;
    INFO(entry.path().string());
    ++files;
    const auto experiment = load_yaml(entry.path());
    for (const auto& [key, value] : experiment.as_map()) {
      INFO(key);
      CHECK(schema["properties"].contains(key));
    }
    for (const auto& [id, drawn] : experiment.has("tables") ? experiment.at("tables").as_map() : Node::Map{}) {
      for (const auto& [key, value] : drawn.as_map()) {
        INFO(id << "." << key);
        CHECK(table.contains(key));
      }
    }
  }
  CHECK(files > 20);
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
