// The program version, machine and libraries behind a result: read from a run, kept in its summary, printed in the paper's report.
#include "core/record/made_with.h"

#include "catch.h"
#include "core/config/yaml.h"
#include "core/report/report.h"
#include "holds.h"
#include "report/fake_figures.h"

namespace yatlab::testing {
namespace {

const std::string kRevision = "4c779d9b4388c6e18d1c96fd38a02d4e230abf06";

Json environment(bool dirty) { return {{"cpu", "AMD EPYC"}, {"libtorch", "1.13.0"}, {"git", {{"revision", kRevision}, {"dirty", dirty}}}}; }

TEST_CASE("environment.json is read whatever it contains") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& bytes) {
    FakeRun::put(folder.path() / "environment.json", bytes);
    return made_with(folder.path());
  };
  CHECK_FALSE(made_with(folder.path()));
  const auto made = read(environment(true).dump());
  REQUIRE(made);
  CHECK(made->revision == kRevision);
  CHECK(made->changed);
  CHECK(made->libtorch == "1.13.0");
  CHECK(made->cpu == "AMD EPYC");
  CHECK(made_with_text(made) == "revision 4c779d9b43 with changes, LibTorch 1.13.0, AMD EPYC");
  CHECK(made_with_text(read(environment(false).dump())) == "revision 4c779d9b43, LibTorch 1.13.0, AMD EPYC");
  auto with_gpu = environment(false);
  with_gpu["gpu"] = "NVIDIA H200";
  CHECK(made_with_text(read(with_gpu.dump())) == "revision 4c779d9b43, LibTorch 1.13.0, AMD EPYC, NVIDIA H200");
  CHECK(made_with_text(made_with_of(made_with_json(*read(with_gpu.dump())))) == made_with_text(read(with_gpu.dump())));
  // A tree without git.
  CHECK(made_with_text(read(R"({"cpu": "x", "git": null})")) == "of an unknown revision");
  CHECK(made_with_text(read(R"({"cpu": 3, "git": {"revision": 7, "dirty": "yes"}})")) == "of an unknown revision");
  for (const char* bytes : {"", "{", "[]", "3", "null"}) CHECK_FALSE(read(bytes));
  CHECK(made_with_text(std::nullopt) == "of an unknown revision");
}

TEST_CASE("a summary keeps the environment of its run") {
  for (const bool dirty : {false, true}) {
    const MadeWith made{kRevision, dirty, "1.13.0", "AMD EPYC"};
    const auto again = made_with_of(made_with_json(made));
    REQUIRE(again);
    CHECK(made_with_text(again) == made_with_text(made));
    CHECK(again->revision == kRevision);
  }
  CHECK(made_with_json({}).at("revision").is_null());
  CHECK(made_with_text(made_with_of(made_with_json({}))) == "of an unknown revision");
  CHECK_FALSE(made_with_of(Json()));
}

TEST_CASE("the paper report gives the environment of each result also from a summary") {
  const TemporaryFolder folder;
  auto fake = mnist_run_with_artifacts();
  fake.environment = environment(false);
  const auto results = folder.path() / "results", out = results / "paper";
  fake.write(results / fake.experiment / fake.run_id);
  const std::vector<PaperExperiment> experiments = {{fake.experiment, parse_yaml(fake.config, fake.experiment)}};
  ReportOptions options;
  options.formats = {"svg"};
  const std::string said = "revision 4c779d9b43, LibTorch 1.13.0, AMD EPYC";
  write_paper_report(results, out, experiments, options);
  CHECK(Json::parse(read_file(out / fake.experiment / "summary.json")).at("made").at("revision") == kRevision);
  CHECK(holds(read_file(out / "README.md"), " jobs, " + said));
  CHECK(holds(read_file(out / "report.html"), said));
  fs::remove_all(results / fake.experiment);
  write_paper_report(results, out, experiments, options);
  CHECK(holds(read_file(out / "README.md"), " jobs, " + said + ", recorded earlier"));
  CHECK(holds(read_file(out / "report.html"), said));
}

}  // namespace
}  // namespace yatlab::testing
