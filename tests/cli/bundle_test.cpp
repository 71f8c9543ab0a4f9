// `yatlab bundle`: what is in the archive, and that its script runs recorded jobs again with the real program.
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "core/base/hash.h"
#include "core/base/manifest.h"
#include "core/config/yaml.h"
#include "unpacked.h"

namespace yatlab::testing {
namespace {

using BundleJson = nlohmann::ordered_json;

void succeeds(const Desk& desk, const std::vector<std::string>& words) {
  const auto answer = desk.ask(words);
  INFO(answer.output);
  REQUIRE(answer.status == 0);
}

/// Bytes for percent-codes.
std::string decoded(const std::string& id) {
  std::string out;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (id[i] == '%') {
      out += static_cast<char>(std::stoi(id.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += id[i];
    }
  }
  return out;
}

/// The metadata list every file of the folder but themselves, with the right size and hash.
void check_metadata(const fs::path& folder) {
  const auto json = BundleJson::parse(read_file(folder / "ro-crate-metadata.json"));
  std::map<std::string, BundleJson> entities;
  for (const auto& entity : json.at("@graph")) entities[entity.at("@id").get<std::string>()] = entity;
  for (const char* key : {"name", "description", "datePublished", "license"}) CHECK(entities.at("./").contains(key));
  std::set<std::string> listed;
  for (const auto& part : entities.at("./").at("hasPart")) {
    const auto id = part.at("@id").get<std::string>();
    const auto name = decoded(id);
    INFO(name);
    listed.insert(name);
    REQUIRE(fs::exists(folder / name));
    CHECK(entities.at(id).at("sha256") == sha256_file(folder / name));
    CHECK(entities.at(id).at("contentSize") == std::to_string(fs::file_size(folder / name)));
    CHECK_FALSE(entities.at(id).at("encodingFormat").get<std::string>().empty());
  }
  for (const auto& name : files_below(folder)) {
    INFO(name);
    CHECK(listed.count(name) == (name == "ro-crate-metadata.json" ? 0 : 1));
  }
}

}  // namespace

TEST_CASE("a run's bundle is whole, always the same, and its script gives the same numbers", "[cli][bundle]") {
  const Desk desk(kTinyExperiment);
  // Not what the file says: the run's own config is bundled.
  succeeds(desk, {"tiny.yaml", "seeds=[0,1]", "trainer.batch_size=10", "--quiet"});
  succeeds(desk, {"bundle", "tiny", "--out", "a b.zip"});
  const auto zip = read_file(desk.path() / "a b.zip");
  const auto again = desk.ask_shell("sleep 1; TZ=Asia/Tokyo yatlab bundle results/tiny/latest --out again.zip");
  INFO(again.output);
  CHECK(again.status == 0);
  CHECK(zip == read_file(desk.path() / "again.zip"));
  const auto folder = desk.path() / "it's unpacked";
  unpack(desk.path() / "a b.zip", folder);
  for (const char* name : {"reproduce.sh", "README.md", "LICENSE", "CITATION.cff", "environment.json", "data.json", "experiments/tiny.yaml",
                           "results/tiny/summary.json", "results/tiny/config.yaml", "results/tiny/plan.json", "results/tiny/report.html",
                           "results/tiny/jobs/yat/seed=1/summary.json", "results/tiny/jobs/yat/seed=1/manifest.json",
                           "results/tiny/jobs/yat/seed=1/metrics.jsonl"}) {
    INFO(name);
    CHECK(fs::exists(folder / name));
  }
  for (const auto& name : files_below(folder)) CHECK_FALSE(holds(name, "checkpoints"));
  check_metadata(folder);
  const auto environment = BundleJson::parse(read_file(folder / "environment.json"));
  CHECK(environment["runs"][0]["environment"].contains("libtorch"));
  CHECK(environment["program"].contains("version"));
  // Nothing names the machine.
  CHECK_FALSE(environment["runs"][0]["environment"].contains("host"));
  const auto of_run = BundleJson::parse(read_file(folder / "results/tiny/environment.json"));
  CHECK(of_run.contains("cpu"));
  CHECK_FALSE(of_run.contains("host"));
  CHECK(holds(read_file(folder / "README.md"), "RO-Crate 1.2"));
  CHECK(BundleJson::parse(read_file(folder / "data.json"))["data"][0]["name"] == "synthetic_digits");

  const std::string reproduce = "cd \"it's unpacked\" && YATLAB=yatlab bash reproduce.sh";
  const auto same = desk.ask_shell(reproduce);
  INFO(same.output);
  CHECK(same.status == 0);
  CHECK(holds(same.output, "tiny: 1 of 4 recorded jobs; "));
  CHECK(holds(same.output, "\nsame: experiments/tiny.yaml\n"));
  CHECK_FALSE(fs::exists(folder / "repeated"));
  const auto all = desk.ask_shell(reproduce + " --all");
  INFO(all.output);
  CHECK(all.status == 0);
  CHECK(holds(all.output, "tiny: 4 of 4 recorded jobs; "));

  // Far within what seeds explain, and yet another number.
  const auto path = folder / "results/tiny/summary.json";
  auto summary = BundleJson::parse(read_file(path));
  for (const char* arm : {"linear", "yat"}) {
    auto& value = summary["arms"][arm]["metrics"]["test/loss"]["values"][0];
    value = value.get<double>() * 1.0001;
  }
  std::ofstream(path) << summary.dump(2);
  const auto different = desk.ask_shell(reproduce);
  INFO(different.output);
  CHECK(different.status == 1);
  CHECK(holds(different.output, "test/loss: recorded "));
  CHECK(holds(different.output, "\ndifferent: experiments/tiny.yaml\n"));
}

TEST_CASE("a bundle has checkpoints only if asked, and a smaller scale is repeated at that scale", "[cli][bundle]") {
  const Desk desk(kTinyExperiment + "scales: {half: [trainer.epochs=2], paper: []}\n");
  succeeds(desk, {"tiny.yaml", "scale=half", "--quiet"});
  succeeds(desk, {"bundle", "tiny", "--with-checkpoints"});
  fs::path zip;
  for (const auto& entry : fs::directory_iterator(desk.path())) {
    if (entry.path().extension() == ".zip") zip = entry.path();
  }
  CHECK(holds(zip.filename().string(), "tiny-20"));
  const auto folder = desk.path() / "unpacked";
  unpack(zip, folder);
  std::size_t checkpoints = 0;
  for (const auto& name : files_below(folder)) checkpoints += holds(name, "/checkpoints/");
  CHECK(checkpoints >= 2);
  check_metadata(folder);
  const auto same = desk.ask_shell("cd unpacked && YATLAB=yatlab bash reproduce.sh");
  INFO(same.output);
  CHECK(same.status == 0);
}

TEST_CASE("a paper's bundle is a project of its own: it can be verified and reproduced", "[cli][bundle][papers]") {
  const Desk desk;
  succeeds(desk, {"plugin", "new", "paper", "mine"});
  const auto paper = desk.path() / "experiments/mine/paper.yaml";
  const auto text = read_file(paper);
  std::ofstream(paper) << std::regex_replace(text, std::regex("authors: \\[\\]"), "authors: [Ada Lovelace, Emmy Noether]");
  succeeds(desk, {"mine_table1", "--quiet", "latest=true"});
  succeeds(desk, {"report", "mine", "--no-figures"});
  fs::create_directories(desk.path() / "experiments/other");
  std::ofstream(desk.path() / "experiments/other/paper.yaml") << "title: Other\nclaims: []\n";
  succeeds(desk, {"bundle", "mine"});
  const auto folder = desk.path() / "unpacked";
  unpack(desk.path() / "mine.zip", folder);
  for (const char* name : {"experiments/mine/paper.yaml", "experiments/mine/mine_table1.yaml", "configs/dataset/synthetic_digits.yaml",
                           "results/mine/VERDICT.md", "results/mine/SCORECARD.md", "docs/results.md", "results/mine/REPRODUCIBILITY.md",
                           "results/mine/mine_table1/summary.json", "results/mine/mine_table1/tables/tab_mine_table1.md"}) {
    INFO(name);
    CHECK(fs::exists(folder / name));
  }
  CHECK_FALSE(fs::exists(folder / "experiments/other"));
  std::size_t jobs = 0;
  for (const auto& name : files_below(folder))
    jobs += holds(name, "results/mine_table1/20") && holds(name, "/summary.json") && holds(name, "/jobs/");
  CHECK(jobs == 10);
  check_metadata(folder);
  const auto metadata = read_file(folder / "ro-crate-metadata.json");
  CHECK(holds(metadata, "\"ScholarlyArticle\""));
  CHECK(holds(metadata, "https://arxiv.org/abs/0000.00000"));
  const auto citation = load_yaml(folder / "CITATION.cff");
  CHECK(citation.at("references").as_list().size() == 2);
  CHECK(citation.at("references").as_list()[0].at("title").as_string() == "The paper's title");
  CHECK(citation.at("references").as_list()[0].at("authors").as_list()[1].at("family-names").as_string() == "Noether");
  CHECK(holds(metadata, "\"Emmy Noether\""));
  CHECK(citation.at("references").as_list()[0].at("url").as_string() == "https://arxiv.org/abs/0000.00000");
  const auto data = read_file(folder / "data.json");
  std::ofstream(folder / "data.json") << std::regex_replace(data, std::regex("\"sha256\": \"...."), "\"sha256\": \"0000");
  const auto other_data = desk.ask_in(folder, {"verify", "mine"});
  CHECK(other_data.status == 1);
  CHECK(holds(other_data.output, "FAILS  bundle: data.json\n       it lacks 'synthetic_digits' with sha256 "));
  std::ofstream(folder / "data.json") << data;
  const auto verified = desk.ask_in(folder, {"verify", "mine"});
  INFO(verified.output);
  CHECK(verified.status == 0);
  CHECK(holds(verified.output, "mine: results/mine\n"));
  const auto same = desk.ask_shell("cd unpacked && YATLAB=yatlab bash reproduce.sh");
  INFO(same.output);
  CHECK(same.status == 0);
  CHECK(holds(same.output, "same: experiments/mine/mine_table1.yaml\n"));
}

TEST_CASE("a bundle of a program with changes warns that others cannot get it", "[cli][bundle]") {
  const Desk desk(kTinyExperiment);
  succeeds(desk, {"tiny.yaml", "--quiet"});
  const auto path = desk.run() / "summary.json";
  auto summary = BundleJson::parse(read_file(path));
  const auto warned = [&](bool changed) {
    summary["made"] = {{"revision", "0123456789abcdef"}, {"changed", changed}};
    std::ofstream(path) << summary.dump(2);
    const auto answer = desk.ask_shell("yatlab bundle tiny --out a.zip 2>&1 >/dev/null");
    INFO(answer.output);
    CHECK(answer.status == 0);
    CHECK(fs::exists(desk.path() / "a.zip"));
    CHECK(holds(answer.output, "commit the changes and build, and run the experiment again") == changed);
    return holds(answer.output, "warning: others cannot get the program of this bundle: it is revision 0123456789 with changes\n");
  };
  CHECK(warned(true));
  CHECK_FALSE(warned(false));
}

TEST_CASE("data that only an analysis reads are recorded, bundled and checked", "[cli][bundle]") {
  const Desk desk(kTinyExperiment +
                  "analyses: [{name: out_of_distribution, dataset: {name: synthetic_digits, test_size: 10}, label: other}]\n");
  succeeds(desk, {"tiny.yaml", "--quiet"});
  const auto summary = BundleJson::parse(read_file(desk.run() / "summary.json"));
  REQUIRE(summary["other_datasets"].size() == 1);
  const auto sum = summary["other_datasets"][0]["sha256"];
  CHECK(sum != summary["dataset"]["sha256"]);
  succeeds(desk, {"bundle", "tiny", "--out", "a.zip"});
  unpack(desk.path() / "a.zip", desk.path() / "unpacked");
  const auto data = BundleJson::parse(read_file(desk.path() / "unpacked/data.json"))["data"];
  REQUIRE(data.size() == 2);
  CHECK(data[1]["sha256"] == sum);
  CHECK(data[1]["available"] == "generated by the program");
  CHECK(holds(read_file(desk.path() / "unpacked/ro-crate-metadata.json"), sum.get<std::string>()));
}

TEST_CASE("what cannot be bundled is refused with what to type", "[cli][bundle][errors]") {
  const Desk desk(kTinyExperiment);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why, int status = 2) {
    const auto answer = desk.ask(words);
    INFO(answer.output);
    CHECK(answer.status == status);
    CHECK(holds(answer.output, why));
  };
  refused({"bundle"}, "name one run or one paper");
  refused({"bundle", "nothing"}, "nothing");
  succeeds(desk, {"plugin", "new", "paper", "mine"});
  refused({"bundle", "mine"}, "nothing is recorded in 'results/mine'");
  succeeds(desk, {"tiny.yaml", "--quiet"});
  refused({"bundle", "tiny", "--out", "results/"}, "'results/' is a folder, but this command writes a file");
  fs::remove(desk.run() / "summary.json");
  refused({"bundle", "tiny"}, "has no summary.json", 3);
}

}  // namespace yatlab::testing
