// Bundles: the archive, its metadata and its script, apart from the command.
#include "core/run/bundle.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "holds.h"
#include "temporary_folder.h"
#include "unpacked.h"

namespace yatlab::testing {
namespace {

using BundleJson = nlohmann::ordered_json;

const std::string kHostile = "it's \"q\" <b> & $(touch pwned) ü";

/// Runs bash in a folder; output and error together.
ProcessResult bash(const std::string& line, const fs::path& folder) { return run_process({"bash", "-c", "exec 2>&1\n" + line}, folder); }

/// A program that answers like `repeat`: `numbers` are its lines about numbers.
void write_program(const fs::path& file, const std::string& status, const std::string& help = "--same", const std::string& numbers = "") {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "#!/usr/bin/env bash\nif [ \"$2\" = --help ]; then echo '" + help +
                             "'; exit 0; fi\nprintf '%s\\n' \"$*\" >> calls\n" + "printf '%s' '" + numbers + "'\nexit " + status + "\n";
  fs::permissions(file, fs::perms::owner_all);
}

void write_script(const fs::path& folder, const std::vector<std::string>& experiments, const std::string& revision = "",
                  const std::string& repository = "") {
  fs::create_directories(folder);
  std::ofstream(folder / "reproduce.sh") << reproduce_script("results/paper", experiments, revision, repository);
}

}  // namespace

TEST_CASE("an archive depends on names and contents alone, and gives back what was put in", "[bundle]") {
  const TemporaryFolder folder;
  write_file_unsynced(folder.path() / "big", std::string(3'000'000, 'a') + "z");
  const std::vector<PackedFile> files = {
      {"b/run.sh", "#!/bin/sh\n", {}, true}, {"a.txt", "one"}, {"b/" + kHostile, "", {}}, {"b/big", {}, folder.path() / "big"}};
  const auto pack = [&](const std::string& name, const char* zone, bool reversed) {
    ::setenv("TZ", zone, 1);
    auto own = files;
    if (reversed) std::reverse(own.begin(), own.end());
    write_zip(folder.path() / name, own);
    ::unsetenv("TZ");
    return read_file(folder.path() / name);
  };
  const auto first = pack("first.zip", "UTC", false);
  CHECK(first == pack("second.zip", "America/Los_Angeles", true));
  CHECK(first == pack("third.zip", "Asia/Tokyo", false));
  const auto inside = zip_contents(folder.path() / "first.zip");
  REQUIRE(inside.size() == 4);
  CHECK(inside.at("a.txt") == "one");
  CHECK(inside.at("b/" + kHostile).empty());
  CHECK(inside.at("b/big") == read_file(folder.path() / "big"));
  std::size_t others = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) others += entry.path().extension() != ".zip";
  CHECK(others == 1);  // no temporary file is left
}

TEST_CASE("names that leave the folder, or are there twice, are not packed, and nothing is written", "[bundle][errors]") {
  const TemporaryFolder folder;
  const auto out = folder.path() / "x.zip";
  for (const std::string name : {"../a", "a/../../b", "/etc/passwd", "", ".", "a//b", "a/"}) {
    INFO(name);
    CHECK_THROWS_AS(write_zip(out, {{"good", "1"}, {name, "2"}}), Error);
  }
  CHECK_THROWS_AS(write_zip(out, {{"a", "1"}, {"a", "2"}}), Error);
  CHECK_THROWS_AS(write_zip(out, {{"a", {}, folder.path() / "missing"}}), Error);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("the metadata name every file with its hash, the program, the paper and the data", "[bundle]") {
  Crate crate;
  crate.name = "A <title> & \"more\"";
  crate.description = "Results.";
  crate.date = "2026-11-29";
  crate.version = "0.1.0";
  crate.revision = "abc";
  crate.repository = "https://example.org/yatlab.git";
  crate.paper = "A paper";
  crate.link = "https://example.org/paper";
  crate.paper_authors = {"Ada King Lovelace", "van der Waerden, Bartel", "Bourbaki"};
  crate.data = {{"mnist", "ab12", {"https://example.org/a.gz", "https://example.org/b.gz"}}};
  crate.made = {{"xor/2026", "experiments/xor.yaml", "results/xor/summary.json"}};
  const std::vector<PackedFile> files = {{"LICENSE", "Apache License\nVersion 2.0"}, {"results/" + kHostile + ".json", "{}"}};
  const auto json = ro_crate(crate, files);
  CHECK(json["@context"] == "https://w3id.org/ro/crate/1.2/context");
  std::map<std::string, BundleJson> entities;
  for (const auto& entity : json["@graph"]) {
    REQUIRE(entity.contains("@type"));
    CHECK(entities.emplace(entity.at("@id").get<std::string>(), entity).second);  // no identifier twice
  }
  CHECK(entities.at("ro-crate-metadata.json")["about"]["@id"] == "./");
  CHECK(entities.at("ro-crate-metadata.json")["conformsTo"]["@id"] == "https://w3id.org/ro/crate/1.2");
  const auto& root = entities.at("./");
  CHECK(root["@type"] == "Dataset");
  CHECK(root["name"] == crate.name);
  CHECK(root["datePublished"] == "2026-11-29");
  CHECK(root["license"]["@id"] == "https://www.apache.org/licenses/LICENSE-2.0");
  REQUIRE(root["hasPart"].size() == 2);
  const auto& file = entities.at(root["hasPart"][1]["@id"].get<std::string>());
  CHECK(root["hasPart"][1]["@id"] == "results/it%27s%20%22q%22%20%3Cb%3E%20%26%20%24%28touch%20pwned%29%20%C3%BC.json");
  CHECK(file["sha256"] == sha256("{}"));
  CHECK(file["contentSize"] == "2");
  CHECK(file["encodingFormat"] == "application/json");
  CHECK(entities.at("#yatlab")["softwareVersion"] == "0.1.0");
  CHECK(entities.at("#yatlab")["version"] == "abc");
  CHECK(entities.at("https://example.org/paper")["@type"] == "ScholarlyArticle");
  const auto& authors = entities.at("https://example.org/paper")["author"];
  REQUIRE(authors.size() == 3);
  const auto author = [&](std::size_t i) { return entities.at(authors[i]["@id"].get<std::string>()); };
  CHECK(
      author(0) ==
      BundleJson{
          {"@id", "#author-1"}, {"@type", "Person"}, {"name", "Ada King Lovelace"}, {"givenName", "Ada King"}, {"familyName", "Lovelace"}});
  CHECK(author(1)["name"] == "Bartel van der Waerden");
  CHECK(author(1)["familyName"] == "van der Waerden");
  CHECK(author(2) == BundleJson{{"@id", "#author-3"}, {"@type", "Person"}, {"name", "Bourbaki"}});
  CHECK(entities.at("#data-mnist")["distribution"].size() == 2);
  CHECK(entities.at("#run-xor/2026")["object"]["@id"] == "experiments/xor.yaml");
  // Every reference inside the crate leads to an entity.
  for (const auto& mention : root["mentions"]) CHECK(entities.count(mention["@id"].get<std::string>()) == 1);
  CHECK(entities.count(root["license"]["@id"].get<std::string>()) == 1);
  CHECK(ro_crate(crate, {{"LICENSE", "Mine"}})["@graph"][1]["license"]["@id"] == "LICENSE");
}

TEST_CASE("the address of a repository has no password, and no folder of this machine", "[bundle]") {
  CHECK(public_address("https://example.org/a/b.git") == "https://example.org/a/b.git");
  CHECK(public_address("https://me:secret@example.org/a@b.git") == "https://example.org/a@b.git");
  CHECK(public_address("https://token@example.org/b.git") == "https://example.org/b.git");
  CHECK(public_address("ssh://git@example.org/a.git") == "ssh://git@example.org/a.git");
  CHECK(public_address("ssh://git:secret@example.org/a.git") == "ssh://example.org/a.git");
  CHECK(public_address("git@example.org:a/b.git") == "git@example.org:a/b.git");
  CHECK(public_address("../yatlab@2").empty());
  CHECK(public_address("/home/me/yatlab").empty());
  CHECK(public_address("file:///home/me/yatlab").empty());
  CHECK(public_address("").empty());
  CHECK(holds(no_repository_text("/home/me/yatlab"), "'/home/me/yatlab', is a local path"));
  CHECK(no_repository_text("") == "no address to clone the program from is known");
}

TEST_CASE("a citation file refers to the paper that is bundled", "[bundle]") {
  const std::string own = "cff-version: 1.2.0\ntitle: A\n";
  const auto added = with_reference(own, "B: \"c\"", "https://example.org/b");
  CHECK(added.rfind(own + "references:\n  - type: generic\n    title: \"B: \\\"c\\\"\"\n", 0) == 0);
  CHECK(holds(added, "    url: \"https://example.org/b\"\n"));
  CHECK(holds(added, "- name: \"The paper's authors\"\n"));
  const auto people = parse_yaml(with_reference(own, "B", "", {"Ada King Lovelace", "van der Waerden, Bartel", "Bourbaki"}), "c")
                          .at("references")
                          .as_list()[0]
                          .at("authors")
                          .as_list();
  REQUIRE(people.size() == 3);
  CHECK(people[0].at("given-names").as_string() == "Ada King");
  CHECK(people[0].at("family-names").as_string() == "Lovelace");
  CHECK(people[1].at("family-names").as_string() == "van der Waerden");
  CHECK(people[2].at("name").as_string() == "Bourbaki");
  CHECK_FALSE(people[2].has("family-names"));
  // As the others are indented; none is lost.
  const auto beside = parse_yaml(with_reference(own + "references:\n- type: book\n  title: D\n", "B", ""), "c");
  REQUIRE(beside.at("references").as_list().size() == 2);
  CHECK(beside.at("references").as_list()[0].at("title").as_string() == "B");
  CHECK(beside.at("references").as_list()[1].at("title").as_string() == "D");
  CHECK(with_reference(own + "notes: B\n", "B", "") == own + "notes: B\n");
  CHECK(with_reference(own, "", "") == own);
  CHECK(with_reference(own + "references: []\n", "B", "") == own + "references: []\n");
}

TEST_CASE("a run's environment is bundled without its machine's name and folders", "[bundle]") {
  const BundleJson both = {{"YATLAB_DATA", "/home/me"}, {"OMP_NUM_THREADS", "2"}}, one = {{"YATLAB_DATA", "/home/me"}};
  CHECK(public_environment({{"host", "mine"}, {"cpu", "A"}, {"variables", both}}) ==
        BundleJson{{"cpu", "A"}, {"variables", {{"OMP_NUM_THREADS", "2"}}}});
  CHECK(public_environment({{"cpu", "A"}, {"variables", one}}) == BundleJson{{"cpu", "A"}});
}

TEST_CASE("a bundle tells its data apart, and says which ones nobody can download", "[bundle]") {
  const TemporaryFolder folder;
  const auto summary = BundleJson::parse(R"({"run_id": "2026-11-29_08",
    "datasets": [{"name": "tasks", "sha256": "aa", "tier": "embedded"}, {"name": "tasks", "sha256": "bb", "tier": "embedded"},
                 {"name": "shared", "sha256": "cc", "tier": "local"}, {"name": "web", "sha256": "dd", "tier": "downloaded"}],
    "other_datasets": [{"name": "mine", "sha256": "ee", "tier": "local"}],
    "arms": {"yat": {"points": [{"params": {"dataset.task": "sort", "optimizer.lr": 1}, "jobs": [], "datasets": [0]},
                                {"params": {"dataset.task": "copy", "optimizer.lr": 1}, "jobs": [], "datasets": [1]}]}}})");
  write_file_unsynced(folder.path() / "summary.json", summary.dump());
  BundleRequest request;
  request.title = "A";
  request.recorded = "results";
  request.license = "Mine";
  request.experiments = {{"a", "experiments/a.yaml", folder.path(), "results/a"}};
  request.sources = {{"experiments/a.yaml", "name: a\n"}};
  request.catalogue = {parse_yaml("{name: shared, files: {train: {file: a.gz, sha256: '" + std::string(64, 'a') + "'}}}", "shared.yaml"),
                       parse_yaml("{name: web, files: {train: {file: b.gz, bytes: 5, urls: ['https://example.org/b.gz']}}}", "web.yaml")};
  std::map<std::string, std::string> files;
  for (const auto& file : make_bundle(request).files) files[file.name] = file.bytes;
  const auto data = BundleJson::parse(files.at("data.json"))["data"];
  REQUIRE(data.size() == 5);
  CHECK(data[0]["title"] == "tasks (task: sort)");
  CHECK(data[1]["title"] == "tasks (task: copy)");
  CHECK(data[1]["available"] == "generated by the program");
  CHECK(data[2]["available"] == "no address is known");
  CHECK_FALSE(data[2]["files"][0].contains("bytes"));
  CHECK_FALSE(data[2]["files"][0].contains("addresses"));
  CHECK(data[3]["available"] == "downloaded from its addresses");
  CHECK(data[3]["files"][0]["bytes"] == 5);
  CHECK(data[4]["name"] == "mine");
  CHECK(holds(files.at("README.md"),
              "No address is known of: shared, mine. Without your own copy of these files, `reproduce.sh` ends with exit code 3.\n"));
  CHECK(holds(files.at("README.md"), "(RO-Crate 1.2)"));
  std::map<std::string, int> ids;
  const auto crate = BundleJson::parse(files.at("ro-crate-metadata.json"));
  for (const auto& entity : crate["@graph"]) ++ids[entity["@id"].get<std::string>()];
  for (const auto& [id, n] : ids) {
    INFO(id);
    CHECK(n == 1);
  }
}

TEST_CASE("the script says same or different, and its exit code is the worst", "[bundle][script]") {
  const TemporaryFolder folder;
  const auto bundle = folder.path() / "a bundle";
  const auto program = folder.path() / "a program";
  write_script(bundle, {"experiments/a.yaml", "experiments/" + kHostile + ".yaml"});
  const auto run = [&](const std::string& options = "") { return bash("YATLAB='../a program' ./reproduce.sh " + options, bundle); };
  fs::permissions(bundle / "reproduce.sh", fs::perms::owner_all);
  write_program(program, "0");
  auto answer = run();
  INFO(answer.output);
  CHECK(answer.status == 0);
  CHECK(answer.output == "same: experiments/a.yaml\nsame: experiments/" + kHostile + ".yaml\n");
  CHECK(holds(read_file(bundle / "calls"),
              "repeat experiments/" + kHostile + ".yaml --recorded results/paper --jobs 1 --out repeated --quiet --same\n"));
  CHECK_FALSE(fs::exists(bundle / "pwned"));
  CHECK(run("--all").status == 0);
  CHECK(holds(read_file(bundle / "calls"), "--jobs all "));
  // From any folder.
  CHECK(bash("YATLAB='./a program' 'a bundle/reproduce.sh'", folder.path()).status == 0);

  write_program(program, "1");
  answer = run();
  CHECK(answer.status == 1);
  CHECK(holds(answer.output, "different: experiments/a.yaml\n"));
  write_program(program, "3");
  answer = run();
  CHECK(answer.status == 3);
  CHECK(holds(answer.output, "not repeated: experiments/a.yaml (exit code 3)\n"));
  // `repeat` uses substitutes for data that are missing.
  write_program(program, "1", "--same", "a: 1 of 6 recorded jobs\n  OTHER    jobs/a/seed=0: trained on other data than what is recorded\n");
  answer = run();
  CHECK(answer.status == 3);
  CHECK(holds(answer.output, "not repeated: experiments/a.yaml (its data are not here, data.json has their addresses)\n"));
  // Older programs accept what seeds explain.
  write_program(program, "0", "--jobs", "a: 1 of 6 recorded jobs\n  within   jobs/a/seed=0 test/loss: recorded 1, now 2\n");
  CHECK(run().status == 1);
  write_program(program, "0", "--jobs", "a: 1 of 6 recorded jobs; 3 numbers: 3 the same\n");
  CHECK(run().status == 0);

  CHECK(run("--alll").status == 2);
  CHECK(holds(run("--help").output, "./reproduce.sh --all    every job\n"));
  answer = bash("YATLAB=./nothing ./reproduce.sh", bundle);
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "YATLAB=./nothing is not a program"));
  answer = bash("unset YATLAB; ./reproduce.sh", bundle);
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "the program's revision is not recorded"));
}

TEST_CASE("the script finds a clone at the recorded revision, or makes one", "[bundle][script]") {
  const TemporaryFolder folder;
  const auto origin = folder.path() / "origin";
  write_program(origin / "run.sh", "0");
  const std::string git = "git -c user.name=a -c user.email=a@example.org ";
  const auto made = bash(git + "init -q . && git add run.sh && " + git + "commit -qm one && git rev-parse HEAD", origin);
  INFO(made.output);
  REQUIRE(made.status == 0);
  const auto revision = trim(made.output);
  REQUIRE(bash("echo >> run.sh && " + git + "commit -qam two", origin).status == 0);
  const auto bundle = folder.path() / "bundle";
  write_script(bundle, {"experiments/a.yaml"}, revision, origin.string());
  const auto run = [&](const std::string& before = "") { return bash("unset YATLAB REPOSITORY; " + before + "bash reproduce.sh", bundle); };
  auto answer = run();
  INFO(answer.output);
  CHECK(answer.status == 0);
  CHECK(holds(answer.output, "cloning "));
  CHECK(trim(bash("git -C program rev-parse HEAD", bundle).output) == revision);
  fs::remove_all(origin / ".git");
  answer = run();  // the clone is used again
  CHECK(answer.status == 0);
  CHECK_FALSE(holds(answer.output, "cloning"));
  fs::rename(bundle / "program", folder.path() / "yatlab");
  CHECK(run().status == 0);  // beside the bundle
  fs::remove_all(folder.path() / "yatlab");
  answer = run("export REPOSITORY=" + (folder.path() / "nowhere").string() + "; ");
  CHECK(answer.status == 2);
  CHECK(holds(answer.output, "the program cannot be cloned"));
  CHECK_FALSE(fs::exists(bundle / "program"));
  write_script(bundle, {"experiments/a.yaml"}, revision, "");
  CHECK(holds(run().output, "no address to clone the program from is recorded"));
}

}  // namespace yatlab::testing
