#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

#include "catch.h"
#include "core/run/replay.h"
#include "core/system/stop.h"
#include "experiment/support.h"
#include "plugins/tensorboard/trackers/event.pb.h"

namespace yatlab {
namespace {

using tensorboard::Event;
using testing::kTiny;
using testing::Workspace;

/// Every event of every file below `folder`, in file name order.
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

TEST_CASE("tensorboard: scalars, hparams and tables have the job's data", "[tensorboard]") {
  const Workspace w(std::string(kTiny) + "tracker: tensorboard\n");
  const auto outcome = w.run();
  CHECK(outcome.exit_code == 0);
  const fs::path folder = w.path() / "results/tensorboard/tiny" / outcome.directory.filename();
  const auto events = events_below(folder / "yat/seed=0");
  // TensorBoard follows links: files inside the run would appear twice, through "latest".
  CHECK_FALSE(fs::exists(outcome.directory / "tensorboard"));
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
      CHECK(data.session_start_info().group_name() == "yat");  // all seeds share one row
      CHECK(hparams.count("seed") == 0);
      config = true;
    }
  }
  CHECK(config);

  bool table = false;
  for (const auto& event : events_below(folder / "report")) {
    for (const auto& value : event.summary().value()) table = table || value.tag() == "tables/results/text_summary";
  }
  CHECK(table);
}

TEST_CASE("jobs finished before a tracker was added are named with a hint to replay", "[tensorboard][wandb]") {
  const Workspace w;
  w.run();
  const auto said = [](const fs::path& run) {
    const auto log = read_file(run / "log.txt");
    const auto at = log.rfind("jobs finished before tracker");
    return at == std::string::npos ? std::string()
                                   : log.substr(log.rfind("note: ", at), log.find('\n', log.find('\n', at) + 1) - log.rfind("note: ", at));
  };
  const auto run = w.run({"tracker=tensorboard"}).directory;
  const auto folder = w.path() / "results/tensorboard/tiny" / run.filename();
  CHECK(said(run) ==
        "note: 4 of 4 jobs finished before tracker 'tensorboard' was added, so it does not show them. To add them:\n  yatlab replay " +
            run.string() + " --tracker tensorboard");
  CHECK_FALSE(fs::exists(folder / "yat/seed=0"));
  // Jobs taken over from another run are finished, too.
  const auto more = w.run({"seeds=[0,1,2]", "tracker=tensorboard", "tracker.directory=the logs"}).directory;
  CHECK(said(more) ==
        "note: 4 of 6 jobs finished before tracker 'tensorboard' was added, so it does not show them. To add them:\n  yatlab replay " +
            more.string() + " --tracker tensorboard \"tracker.directory='the logs'\"");
  fs::remove_all("the logs");
  // Once they are shown, nothing more is printed.
  Node specs = Node::list();
  specs.push_back("tensorboard");
  CHECK(replay_run(run, specs, true).jobs == 4);
  CHECK(fs::exists(folder / "yat/seed=0"));
  fs::remove(run / "log.txt");
  w.run({"tracker=tensorboard"});
  CHECK(said(run).empty());
}

TEST_CASE("tensorboard: rows logged after the last checkpoint of a killed job are purged", "[tensorboard][resume]") {
  const Workspace w(std::string(kTiny) + "tracker: tensorboard\n");
  const auto outcome = w.run({"~arms.linear", "seeds=[0]", "trainer.log_every=1", "trainer.checkpoint_steps=5"});
  const fs::path job = outcome.directory / "jobs/yat/seed=0",
                 folder = w.path() / "results/tensorboard/tiny" / outcome.directory.filename() / "yat/seed=0";
  // The state after kill -9 at step 12, when the newest checkpoint is that of step 10.
  fs::remove_all(job / "checkpoints/step=000000012");
  fs::remove(job / "summary.json");
  fs::remove(job / "status.json");
  w.run({"~arms.linear", "seeds=[0]", "trainer.log_every=1", "trainer.checkpoint_steps=5"});
  // How TensorBoard reads a file of version 2: a START drops everything of its step and later ones.
  std::map<std::int64_t, int> shown;
  std::int64_t starts = 0, last_start = -1;
  for (const auto& event : events_below(folder)) {
    if (event.session_log().status() == tensorboard::SessionLog::START) {
      shown.erase(shown.lower_bound(event.step()), shown.end());
      last_start = event.step();
      ++starts;
    }
    for (const auto& value : event.summary().value()) {
      if (value.tag() == "train/batch_loss") ++shown[event.step()];
    }
  }
  CHECK(starts == 2);  // one per file
  CHECK(last_start == 11);
  CHECK(shown.size() == 12);
  for (const auto& [step, times] : shown) {
    INFO(step);
    CHECK(times == 1);
  }
}

TEST_CASE("tensorboard: adding analyses keeps the rows and earlier findings of a training", "[tensorboard][analyses]") {
  const Workspace w(std::string(kTiny) + "tracker: tensorboard\n");
  const auto of = [&](const RunOutcome& outcome) {
    return events_below(w.path() / "results/tensorboard/tiny" / outcome.directory.filename() / "yat/seed=0");
  };
  const auto without_findings = [](std::map<std::string, std::vector<std::pair<std::int64_t, float>>> scalars) {
    for (auto it = scalars.begin(); it != scalars.end();) it = it->first.rfind("final/", 0) == 0 ? scalars.erase(it) : std::next(it);
    return scalars;
  };
  const auto first = w.run();
  const auto rows = without_findings(scalars_of(of(first)));
  REQUIRE(rows.at("train/batch_loss").size() == 4);
  const auto second = w.run({"analyses=[prototype_images]"}), third = w.run({"analyses=[prototype_images,prototype_norms]"});
  for (const auto& outcome : {second, third}) {
    CHECK(outcome.directory != first.directory);
    CHECK(without_findings(scalars_of(of(outcome))) == rows);
    bool picture = false;
    for (const auto& event : of(outcome)) {
      for (const auto& value : event.summary().value()) picture = picture || value.tag().rfind("prototypes", 0) == 0;
    }
    CHECK(picture);
  }
}

TEST_CASE("tensorboard: media of analyses are logged and a replay repeats nothing", "[tensorboard][replay]") {
  const Workspace w(std::string(kTiny) + "analyses: [prototype_images]\n");
  const auto outcome = w.run();
  Node trackers = Node::list();
  trackers.push_back(Node("tensorboard"));
  const fs::path folder = w.path() / "results/tensorboard/tiny" / outcome.directory.filename();
  replay_run(outcome.directory, trackers, true);
  std::map<std::string, std::string> plugins;
  const auto job = events_below(folder / "yat/seed=1");
  for (const auto& event : job) {
    for (const auto& value : event.summary().value()) {
      plugins[value.tag()] = value.has_image() ? "image" : value.metadata().plugin_data().plugin_name();
      if (value.has_image()) CHECK(event.step() == 12);
    }
  }
  CHECK(plugins.at("prototypes") == "image");
  CHECK(plugins.at("prototype_weights") == "histograms");
  const auto once = testing::contents_below(folder / "yat");
  replay_run(outcome.directory, trackers, true);
  CHECK(testing::differences(once, testing::contents_below(folder / "yat")).empty());
}

TEST_CASE("tensorboard: repeating a run keeps one event file for each job and the report", "[tensorboard]") {
  const Workspace w(std::string(kTiny) + "tracker: tensorboard\n");
  const fs::path folder = w.path() / "results/tensorboard/tiny" / w.run().directory.filename();
  const auto once = testing::contents_below(folder);
  CHECK(once.size() == 5);
  w.run();
  CHECK(testing::differences(once, testing::contents_below(folder)).empty());
}

TEST_CASE("tensorboard: jobs finished before it was added are logged by a replay", "[tensorboard]") {
  const Workspace w{std::string(kTiny)};
  const fs::path run = w.run().directory, folder = w.path() / "results/tensorboard/tiny" / run.filename();
  for (int i = 0; i < 2; ++i) {
    w.run({"tracker=tensorboard"});
    CHECK_FALSE(fs::exists(folder / "yat"));
  }
  const fs::path more =
      w.path() / "results/tensorboard/tiny" / w.run({"tracker=tensorboard", "seeds=[0,1,2]"}).directory.filename() / "yat";
  CHECK(entries_of(more) == std::vector<fs::path>{more / "seed=2"});
}

TEST_CASE("trackers write only below the working folder whatever an experiment says", "[tensorboard][wandb][security]") {
  const Workspace w{std::string(kTiny)};
  for (const std::string tracker : {"tensorboard", "wandb"}) {
    for (const std::string directory : {"../..", "..", "a/../../b", "/", "/tmp/elsewhere", "./../x"}) {
      INFO(tracker << " " << directory);
      const auto error = w.error({"trackers=[{name: " + tracker + ", directory: '" + directory + "'}]"});
      CHECK(error.find("the tracker's folder '" + directory + "' is not inside the current folder") == 0);
      CHECK(error.find(tracker == "wandb" ? "WANDB_DIR=FOLDER" : "results=FOLDER") != std::string::npos);
    }
    for (const std::string directory : {"", "below", "a/../b", "./x"}) {
      INFO(tracker << " " << directory);
      CHECK(w.error({"trackers=[{name: " + tracker + ", directory: '" + directory + "'}]"}) == "no error");
    }
  }
}

TEST_CASE("a tracker that cannot write stops the run before it starts", "[tensorboard][wandb]") {
  const Workspace w{std::string(kTiny)};
  fs::create_directories(w.path() / "results");
  std::ofstream(w.path() / "results/tensorboard") << "in the way";
  try {
    w.run({"tracker=tensorboard"});
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kConfig);
    CHECK(e.why() == "Not a directory");
    CHECK(e.where() == "tracker tensorboard");
  }
}

}  // namespace yatlab
