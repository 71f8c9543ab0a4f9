#include "core/library/alike_settings.h"

#include "catch.h"
#include "core/base/error.h"
#include "core/config/yaml.h"
#include "core/library/run_index.h"
#include "core/record/job_file.h"
#include "report/fake_run.h"

namespace yatlab::testing {
namespace {

/// A job.yaml with that config and seed.
void put_job(const fs::path& folder, const std::string& config, int seed = 0) {
  JobFile file;
  file.type = "training";
  file.arm = "a";
  file.seed = seed;
  file.params = {{"optimizer.lr", Node(0.1 * seed)}};
  file.hash = "h" + std::to_string(seed);
  file.config = parse_yaml(config, "job");
  FakeRun::put(folder / "job.yaml", to_yaml(file));
}

}  // namespace

TEST_CASE("settings of similar jobs are read as those of each job", "[alike]") {
  const std::string before = "seed: 0\noptimizer: {name: adam, lr: ",
                    after = ", beta: 0.9}\ntags: [x, y]\ntitle: some\nempty: {}\nnothing: null\n";
  const std::vector<std::string> values = {"0.1",          "1e-05",   "true", "null",   "some text", "'1.10'",
                                           "\"a: b # c\"", "[1, 2]",  "[]",   "{a: 1}", "{}",        "\"two\\nlines\"",
                                           "''",           "'it''s'", ".inf", "12",     "~"};
  const TemporaryFolder scratch;
  AlikeSettings alike;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto folder = scratch.path() / std::to_string(i);
    put_job(folder, before + values[i] + after, static_cast<int>(i));
    INFO(values[i]);
    CHECK(alike.read(folder) == flat_settings(read_job_file(folder).config));
  }
  CHECK(alike.parsed() < values.size() / 2);
  // Names, keys and the number of lines.
  const std::vector<std::string> others = {
      "seed: 0\noptimizer: {name: sgd, lr: 0.1, beta: 0.9}\ntags: [x, y]\ntitle: some\nempty: {}\nnothing: null\n",
      "seed: 0\noptimizer: {name: 3, lr: 0.1, beta: 0.9}\ntags: [x, y]\ntitle: some\nempty: {}\nnothing: null\n",
      "seed: 0\noptimizer: {name: adam, rate: 0.1, beta: 0.9}\ntags: [x, y]\ntitle: some\nempty: {}\nnothing: null\n",
      "seed: 0\noptimizer: {name: adam, lr: 0.1, beta: 0.9}\ntags: [x, z]\ntitle: other\nempty: {b: 1}\nnothing: 0\n",
      "seed: 0\noptimizer: {name: adam, lr: 0.1}\n"};
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto folder = scratch.path() / ("other" + std::to_string(i));
    put_job(folder, others[i]);
    INFO(others[i]);
    CHECK(alike.read(folder) == flat_settings(read_job_file(folder).config));
  }
  // A damaged job is never alike.
  const auto broken = scratch.path() / "broken";
  put_job(broken, before + "0.1" + after);
  const auto text = read_file(broken / "job.yaml");
  for (const auto& [what, by] :
       std::vector<std::pair<std::string, std::string>>{{"schema: 1", "schema: 2"}, {"lr: 0.1", "lr: [1"}, {"config:", "konfig:"}}) {
    auto damaged = text;
    REQUIRE(damaged.find(what) != std::string::npos);
    damaged.replace(damaged.find(what), what.size(), by);
    FakeRun::put(broken / "job.yaml", damaged);
    INFO(by);
    CHECK_THROWS_AS(alike.read(broken), Error);
  }
}

}  // namespace yatlab::testing
