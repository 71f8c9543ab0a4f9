#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

#include "catch.h"
#include "core/tensorboard/event.pb.h"
#include "core/train/stop.h"
#include "experiment/support.h"

namespace yatlab {
namespace {

using tensorboard::Event;
using testing::kTiny;
using testing::Workspace;

/// Every event of every file below `folder`, in the order of the files' names.
std::vector<Event> events_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Event> out;
  for (const auto& file : files) {
    const std::string bytes = read_file(file);
    for (std::size_t at = 0; at < bytes.size();) {
      std::uint64_t length = 0;
      std::memcpy(&length, bytes.data() + at, sizeof length);
      Event event;
      REQUIRE(event.ParseFromString(bytes.substr(at + 12, length)));
      out.push_back(std::move(event));
      at += 16 + length;
    }
  }
  return out;
}

std::map<std::string, std::vector<std::pair<std::int64_t, float>>> scalars_of(const std::vector<Event>& events) {
  std::map<std::string, std::vector<std::pair<std::int64_t, float>>> out;
  for (const auto& event : events) {
    for (const auto& value : event.summary().value()) {
      if (value.value_case() == tensorboard::Summary_Value::kSimpleValue) out[value.tag()].emplace_back(event.step(), value.simple_value());
    }
  }
  return out;
}

}  // namespace

TEST_CASE("tensorboard: scalars are metrics.jsonl's, hparams the job's config, tables text", "[tensorboard]") {
  const Workspace w(std::string(kTiny) + "tracker: tensorboard\n");
  const auto outcome = w.run();
  CHECK(outcome.exit_code == 0);
  const auto events = events_below(outcome.directory / "tensorboard/yat/seed=0");
  const auto scalars = scalars_of(events);
  std::map<std::string, std::vector<std::pair<std::int64_t, float>>> logged;
  std::istringstream lines(read_file(outcome.directory / "jobs/yat/seed=0/metrics.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::json::parse(line);
    for (const auto& [name, value] : row.items()) {
      if (name != "step" && name != "epoch") logged[name].emplace_back(row.at("step").get<std::int64_t>(), value.get<float>());
    }
  }
  for (const auto& [name, points] : logged) {
    INFO(name);
    CHECK(scalars.at(name) == points);
  }
  CHECK(scalars.count("final/test/accuracy") == 1);

  bool config = false;
  for (const auto& event : events) {
    for (const auto& value : event.summary().value()) {
      if (value.tag() != "_hparams_/session_start_info") continue;
      tensorboard::HParamsPluginData data;
      REQUIRE(data.ParseFromString(value.metadata().plugin_data().content()));
      const auto& hparams = data.session_start_info().hparams();
      CHECK(hparams.at("operator.name").string_value() == "yat");
      CHECK(hparams.at("trainer.epochs").number_value() == 2);
      config = true;
    }
  }
  CHECK(config);

  bool table = false;
  for (const auto& event : events_below(outcome.directory / "tensorboard/report")) {
    for (const auto& value : event.summary().value()) table = table || value.tag() == "tables/results/text_summary";
  }
  CHECK(table);
}

TEST_CASE("tensorboard: a job that is continued tells TensorBoard where", "[tensorboard]") {
  const Workspace w(std::string(kTiny) + "tracker: tensorboard\n");
  const auto outcome = w.run({"~arms.linear", "seeds=[0]"});
  // As if the job had been cut off: its folder of events is there, its result is not.
  fs::remove_all(outcome.directory / "jobs/yat");
  w.run({"~arms.linear", "seeds=[0]"});
  bool restarted = false;
  for (const auto& event : events_below(outcome.directory / "tensorboard/yat/seed=0")) {
    restarted = restarted || event.session_log().status() == tensorboard::SessionLog::START;
  }
  CHECK(restarted);
}

}  // namespace yatlab
