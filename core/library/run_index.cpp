#include "core/library/run_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <future>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/library/alike_settings.h"
#include "core/record/file_stamp.h"
#include "core/record/job_file.h"
#include "core/record/made_with.h"
#include "core/record/run_metric.h"
#include "core/record/run_notes.h"
#include "core/system/start_threads.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kIndexFile = ".index.sqlite";
constexpr std::int64_t kIndexSchema = 2;  // increase it when the tables or their meanings change
constexpr std::size_t kSealBytes = 64;
constexpr std::size_t kJobsAtOnce = 1024;  // read while the ones before are stored

// `settings` holds the settings of an arm's first group, and for its other groups only the differences (NULL: the key is absent).
// Rows with `grp` NULL hold the run's own config.yaml.
constexpr const char* kTables = R"sql(
CREATE TABLE runs(key INTEGER PRIMARY KEY, experiment TEXT, id TEXT, stamp INTEGER, title TEXT, scale TEXT, plan_hash TEXT, code TEXT, git TEXT,
  overrides TEXT, protocol_overrides TEXT, arms TEXT, swept TEXT, tags TEXT, note TEXT, problem TEXT, readable INTEGER, UNIQUE(experiment, id));
CREATE TABLE groups(key INTEGER PRIMARY KEY, run INTEGER, arm TEXT, point TEXT, base INTEGER);
CREATE INDEX groups_of_run ON groups(run, arm);
CREATE TABLE jobs(key INTEGER PRIMARY KEY, run INTEGER, grp INTEGER, seed INTEGER, hash TEXT, folder TEXT, stamp INTEGER, state TEXT, error TEXT,
  steps INTEGER, wall_s REAL, dataset TEXT, problem TEXT);
CREATE INDEX jobs_of_run ON jobs(run);
CREATE TABLE names(key INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE metrics(job INTEGER, name INTEGER, value, PRIMARY KEY(job, name)) WITHOUT ROWID;
CREATE TABLE settings(run INTEGER, grp INTEGER, name INTEGER, value TEXT);
CREATE INDEX settings_of_group ON settings(run, grp);
)sql";

std::string json_text(const Json& json) { return dump_json_replacing(json); }

std::vector<std::string> texts_in(const std::string& json) {
  const auto list = parse_ordered_json(json, false);
  std::vector<std::string> out;
  if (!list.is_array()) return out;
  for (const auto& item : list) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

Node::Map point_in(const std::string& json) {
  const auto map = parse_ordered_json(json, false);
  return map.is_object() ? from_json(map).as_map() : Node::Map();
}

std::string point_json(const Node::Map& point) { return json_text(to_json(Node(point))); }

std::int64_t stamp_of_run(const fs::path& run) {
  FileStamp stamp;
  for (const char* name : {"plan.json", "config.yaml", "notes.yaml", "environment.json"}) stamp.add((run / name).string());
  return stamp.value();
}

std::int64_t stamp_of_job(const std::string& run, const std::string& directory, const std::vector<JobView::Analysis>& analyses) {
  FileStamp stamp;
  const auto add = [&](const std::string& folder) { stamp.add(folder + "/status.json").add(folder + "/summary.json"); };
  add(run + directory);
  for (const auto& analysis : analyses) add(run + analysis.directory);
  return stamp.value();
}

std::string git_revision(const fs::path& run) {
  const auto made = made_with(run);
  return made && !made->revision.empty() ? made->revision + (made->changed ? "+changes" : "") : "";
}

void flatten(const Node& node, const std::string& key, std::map<std::string, std::string>& out) {
  if (!node.is_map()) {
    out[key] = setting_text(node);
    return;
  }
  if (const Node* name = node.find("name"); name && name->is_string() && !key.empty()) out[key] = name->as_string();
  for (const auto& [part, value] : node.as_map()) flatten(value, key.empty() ? part : key + "." + part, out);
}

std::optional<double> as_number(const std::string& text) {
  double out = 0;
  const char* begin = text.data() + (text.size() > 1 && text[0] == '+');
  const auto [end, ec] = std::from_chars(begin, text.data() + text.size(), out);
  return ec == std::errc() && end == text.data() + text.size() ? std::optional<double>(out) : std::nullopt;
}

std::string without_blanks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

/// "operator.epsilon" and "1e-3" from "++operator.epsilon=1e-3"; an empty key if it is not an assignment.
std::pair<std::string, std::string> split_override(const std::string& text) {
  const auto begin = text.find_first_not_of('+');
  const auto equal = text.find('=');
  if (begin == std::string::npos || equal == std::string::npos || equal <= begin || text[begin] == '~') return {};
  return {text.substr(begin, equal - begin), text.substr(equal + 1)};
}

const std::string& top_of(const std::string& key, std::string& buffer) { return buffer = key.substr(0, key.find('.')); }

/// The file's database, if this version wrote it and it is undamaged.
std::optional<Database> database_in(const fs::path& path) {
  try {
    std::error_code ec;
    if (!fs::is_regular_file(path, ec)) return std::nullopt;
    auto bytes = read_file(path);
    if (bytes.size() < kSealBytes) return std::nullopt;
    const auto seal = bytes.substr(bytes.size() - kSealBytes);
    bytes.resize(bytes.size() - kSealBytes);
    if (sha256(bytes) != seal) return std::nullopt;
    auto out = Database::from(bytes);
    if (!out) return std::nullopt;
    auto version = out->prepare("PRAGMA user_version");
    if (!version.step() || version.integer(0) != kIndexSchema) return std::nullopt;
    return out;
  } catch (const std::exception&) {  // the folders have the same data
    return std::nullopt;
  }
}

Database fresh_database() {
  Database out;
  out.run(kTables);
  out.run(fmt::format("PRAGMA user_version = {}", kIndexSchema).c_str());
  return out;
}

}  // namespace

std::string setting_text(const Node& value) { return value.is_string() ? value.as_string() : value.to_flow(); }

std::map<std::string, std::string> flat_settings(const Node& config) {
  std::map<std::string, std::string> out;
  flatten(config, "", out);
  return out;
}

bool same_setting(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = as_number(a), y = as_number(b);
  if (x || y) return x && y && *x == *y;
  return without_blanks(a) == without_blanks(b);
}

std::size_t IndexedRun::jobs() const {
  std::size_t out = 0;
  for (const auto& [state, count] : states) out += count;
  return out;
}

std::size_t IndexedRun::finished() const {
  const auto of = [&](JobState state) { return states.count(state) ? states.at(state) : 0; };
  return of(JobState::kCompleted) + of(JobState::kDiverged);
}

RunIndex RunIndex::open(const fs::path& results) {
  RunIndex out;
  out.results_ = results;
  const fs::path file = results / kIndexFile;
  if (auto kept = database_in(file)) {
    try {
      out.database_ = std::move(*kept);
      out.refresh();
    } catch (const Error& e) {  // a valid seal, but other tables
      if (e.kind() != ErrorKind::kInternal) throw;
      out.database_ = fresh_database();
      out.refresh();
    }
  } else {
    out.database_ = fresh_database();
    out.changed_ = true;
    out.refresh();
  }
  std::error_code ec;
  if (out.changed_ && fs::is_directory(results, ec)) {
    try {
      const auto bytes = out.database_.bytes();
      write_file_unsynced(file, bytes + sha256(bytes));
    } catch (const std::exception&) {  // read-only results, a full disk, a folder of that name: the cache is optional
    }
  }
  out.observe();
  out.load_runs();
  return out;
}

namespace {

/// Inserts rows 16 at a time, which takes less than half of the time. `Row::bind_to` binds a row's values.
template <class Row>
class RowsToAdd {
 public:
  RowsToAdd(const Database& database, const std::string& table)
      : one_(database.prepare(fmt::format("INSERT INTO {} VALUES{}", table, Row::kMarks).c_str())),
        many_(database.prepare(
            fmt::format("INSERT INTO {} VALUES{}", table, join(std::vector<std::string>(kAtOnce, Row::kMarks), ",")).c_str())) {}
  void add(Row row) {
    rows_.push_back(std::move(row));
    if (rows_.size() < kAtOnce) return;
    for (const auto& each : rows_) each.bind_to(many_);
    many_.done();
    rows_.clear();
  }
  void flush() {
    for (const auto& row : rows_) {
      row.bind_to(one_);
      one_.done();
    }
    rows_.clear();
  }

 private:
  static constexpr std::size_t kAtOnce = 16;
  Statement one_, many_;
  std::vector<Row> rows_;
};

struct SettingRow {
  std::int64_t run;
  std::optional<std::int64_t> group;
  std::int64_t name;
  std::optional<std::string> value;
  static constexpr const char* kMarks = "(?,?,?,?)";
  void bind_to(Statement& to) const {
    to.bind(run);
    group ? to.bind(*group) : to.bind(nullptr);
    to.bind(name);
    value ? to.bind(*value) : to.bind(nullptr);
  }
};

struct MetricRowToAdd {
  std::int64_t job, name;
  double value;  // SQLite turns NaN into NULL; it keeps infinities
  static constexpr const char* kMarks = "(?,?,?)";
  void bind_to(Statement& to) const { to.bind(job).bind(name).bind(value); }
};

}  // namespace

/// The settings of an arm of a run, collected while its jobs are read.
struct RunIndex::ArmSettings {
  std::string arm;
  AlikeSettings* files = nullptr;
  std::optional<std::int64_t> base;           ///< the group with all settings
  std::map<std::string, std::string> common;  ///< its settings
};

/// A job of the index, which is read if its files have another stamp.
struct RunIndex::KnownJob {
  std::int64_t key, run, group, stamp;
  std::string arm;
  JobView job;
  bool has_settings;
  std::shared_ptr<const RunFolder> folder;
  bool stale = false;
  std::string problem = {};
};

/// What a refresh keeps from one run to the next: prepared statements, keys of names, and files that others are nearly equal to.
struct RunIndex::Refresh {
  explicit Refresh(const Database& database)
      : add_name(database.prepare("INSERT INTO names(name) VALUES(?)")),
        settings(database, "settings"),
        set_base(database.prepare("UPDATE groups SET base=? WHERE key=?")),
        add_group(database.prepare("INSERT INTO groups VALUES(NULL,?,?,?,NULL)")),
        add_job(database.prepare("INSERT INTO jobs VALUES(NULL,?,?,?,?,?,0,'planned','',0,0,'','')")),
        set_job(database.prepare("UPDATE jobs SET stamp=?, state=?, error=?, steps=?, wall_s=?, dataset=?, problem=? WHERE key=?")),
        forget_metrics(database.prepare("DELETE FROM metrics WHERE job=?")),
        metrics(database, "metrics"),
        jobs_of_run(
            database.prepare("SELECT jobs.key, grp, seed, hash, folder, jobs.stamp, arm, base FROM jobs JOIN groups ON groups.key = grp "
                             "WHERE jobs.run = ? ORDER BY jobs.key")),
        database_(database) {
    for (auto rows = database.prepare("SELECT name, key FROM names"); rows.step();) names_[rows.text(0)] = rows.integer(1);
  }

  std::int64_t key_of(const std::string& name) {
    auto& key = names_[name];
    if (key == 0) {
      add_name.bind(name).done();
      key = database_.last_key();
    }
    return key;
  }

  /// The settings of a run's config.yaml. Runs of an experiment often have the same one.
  const std::map<std::string, std::string>& settings_of_run(const RunFolder& folder) {
    auto text = read_file(folder.path / "config.yaml");
    auto& [known, settings] = configs_[folder.experiment];
    if (known.empty() || known != text) {
      settings = flat_settings(read_run_config(folder.path));
      known = std::move(text);
    }
    return settings;
  }

  Statement add_name;
  RowsToAdd<SettingRow> settings;
  Statement set_base, add_group, add_job, set_job, forget_metrics;
  RowsToAdd<MetricRowToAdd> metrics;
  Statement jobs_of_run;
  std::vector<KnownJob> known;                                         ///< not looked at yet
  std::future<std::vector<KnownJob>> reading;                          ///< by other threads, while this one finds and stores runs
  std::map<std::pair<std::string, std::string>, AlikeSettings> alike;  ///< by experiment and arm

 private:
  const Database& database_;
  std::unordered_map<std::string, std::int64_t> names_;
  std::map<std::string, std::pair<std::string, std::map<std::string, std::string>>>
      configs_;  ///< experiment -> the last file and its settings
};

void RunIndex::refresh() {
  struct Known {
    std::int64_t key, stamp;
  };
  std::map<std::pair<std::string, std::string>, Known> known;
  for (auto rows = database_.prepare("SELECT experiment, id, key, stamp FROM runs"); rows.step();) {
    known[{rows.text(0), rows.text(1)}] = {rows.integer(2), rows.integer(3)};
  }
  database_.run("BEGIN");
  {
    Refresh with(database_);
    for (const auto& folder : run_folders(results_)) {
      const auto stamp = stamp_of_run(folder.path);
      const auto found = known.find({folder.experiment, folder.id});
      if (found != known.end() && found->second.stamp == stamp) {
        add_known_jobs(with, found->second.key, folder);
      } else {
        if (found != known.end()) forget_run(found->second.key);
        read_run(with, folder, stamp);
      }
      if (found != known.end()) known.erase(found);
      if (with.known.size() >= kJobsAtOnce) read_stale_jobs(with);
    }
    read_stale_jobs(with);
    if (with.reading.valid()) store_jobs(with, with.reading.get());
    with.settings.flush();  // of runs without jobs
  }
  for (const auto& [name, gone] : known) forget_run(gone.key);
  database_.run("COMMIT");
}

void RunIndex::forget_run(std::int64_t key) {
  changed_ = true;
  for (const char* sql : {"DELETE FROM metrics WHERE job IN (SELECT key FROM jobs WHERE run = ?)", "DELETE FROM jobs WHERE run = ?",
                          "DELETE FROM groups WHERE run = ?", "DELETE FROM settings WHERE run = ?", "DELETE FROM runs WHERE key = ?"}) {
    database_.prepare(sql).bind(key).done();
  }
}

void RunIndex::read_run(Refresh& with, const RunFolder& folder, std::int64_t stamp) {
  changed_ = true;
  ++runs_read_;
  RunView run;
  std::string problem;
  bool readable = true;
  try {
    run = RunView::planned(folder.path);
  } catch (const std::exception& e) {
    problem = e.what();
    readable = false;
  }
  const std::map<std::string, std::string>* settings = nullptr;
  try {
    if (readable) settings = &with.settings_of_run(folder);
  } catch (const std::exception& e) {
    problem = e.what();
  }
  RunNotes notes;
  try {
    notes = read_notes(folder.path);
  } catch (const std::exception& e) {
    if (problem.empty()) problem = e.what();
  }
  database_.prepare("INSERT INTO runs VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
      .bind(folder.experiment)
      .bind(folder.id)
      .bind(stamp)
      .bind(run.title)
      .bind(run.scale)
      .bind(run.plan_hash)
      .bind(run.code)
      .bind(git_revision(folder.path))
      .bind(json_text(run.overrides))
      .bind(json_text(run.protocol_overrides))
      .bind(json_text(run.arms))
      .bind(json_text(run.swept))
      .bind(json_text(notes.tags))
      .bind(notes.note)
      .bind(problem)
      .bind(std::int64_t{readable})
      .done();
  const auto key = database_.last_key();
  if (settings) {
    for (const auto& [name, value] : *settings) with.settings.add({key, std::nullopt, with.key_of(name), value});
  }
  std::map<std::pair<std::string, std::string>, std::int64_t> groups;
  for (const auto& job : run.jobs) {
    const auto point = point_json(job.params);
    auto& group = groups[{job.arm, point}];
    if (group == 0) {
      with.add_group.bind(key).bind(job.arm).bind(point).done();
      group = database_.last_key();
    }
    with.add_job.bind(key).bind(group).bind(job.seed).bind(job.hash).bind(job.directory).done();
  }
  if (readable) add_known_jobs(with, key, folder);
}

void RunIndex::add_known_jobs(Refresh& with, std::int64_t run, const RunFolder& folder) {
  const auto shared = std::make_shared<const RunFolder>(folder);
  auto& rows = with.jobs_of_run;
  rows.bind(run);
  while (rows.step()) {
    JobView job;
    job.seed = rows.integer(2);
    job.hash = rows.text(3);
    job.directory = rows.text(4);
    with.known.push_back({rows.integer(0), run, rows.integer(1), rows.integer(5), rows.text(6), std::move(job), !rows.null(7), shared});
  }
  rows.reset();
}

void RunIndex::read_stale_jobs(Refresh& with) {
  if (with.known.empty()) return;
  auto read = [jobs = std::move(with.known)]() mutable {
    for_each_below(jobs.size(), [&](std::size_t i) {
      auto& known = jobs[i];
      const auto& folder = known.folder->path;
      try {
        known.job.analyses = analyses_in(folder, known.job.directory);
        const auto stamp = stamp_of_job(folder.string() + "/", known.job.directory, known.job.analyses);
        if (stamp == known.stamp) return;
        known.stale = true;
        known.stamp = stamp;
        std::vector<std::string> warnings;
        read_job(folder, known.job, JobCheck::kSummary, warnings);
        if (!warnings.empty()) known.problem = warnings.front();
      } catch (const std::exception& e) {
        known.problem = e.what();
      }
    });
    return std::move(jobs);
  };
  with.known.clear();
  auto before = std::move(with.reading);
  try {
    with.reading = std::async(std::launch::async, std::move(read));
  } catch (const std::system_error&) {  // the system has no more threads
    with.reading = std::async(std::launch::deferred, std::move(read));
  }
  if (before.valid()) store_jobs(with, before.get());
}

void RunIndex::store_jobs(Refresh& with, const std::vector<KnownJob>& jobs) {
  std::set<std::int64_t> configured;
  std::map<std::pair<std::int64_t, std::string>, ArmSettings> arms;  // by run
  for (const auto& row : jobs) {
    if (!row.stale) continue;
    changed_ = true;
    ++jobs_read_;
    std::string problem;
    const fs::path config = row.folder->path / row.job.directory;
    if (!row.has_settings && configured.count(row.group) == 0 && is_job_folder(config)) {
      configured.insert(row.group);
      auto& arm = arms[{row.run, row.arm}];
      arm.arm = row.arm;
      arm.files = &with.alike[{row.folder->experiment, row.arm}];
      store_settings(with, row.group, arm, row.run, config, problem);
    }
    const auto& job = row.job;
    Json dataset;
    if (job.dataset) {
      dataset = {{"name", job.dataset->name},
                 {"sha256", job.dataset->sha256},
                 {"tier", job.dataset->tier},
                 {"substituted_for", job.dataset->substituted_for}};
    }
    with.set_job.bind(row.stamp)
        .bind(to_string(job.state))
        .bind(job.error)
        .bind(job.steps)
        .bind(job.wall_s)
        .bind(dataset.is_null() ? std::string() : json_text(dataset))
        .bind(row.problem.empty() ? problem : row.problem)
        .bind(row.key)
        .done();
    with.forget_metrics.bind(row.key).done();
    for (const auto& [name, value] : job.metrics) with.metrics.add({row.key, with.key_of(name), value});
  }
  with.settings.flush();
  with.metrics.flush();
}

void RunIndex::store_settings(Refresh& with, std::int64_t group, ArmSettings& arm, std::int64_t run, const fs::path& config,
                              std::string& problem) {
  std::map<std::string, std::string> settings;
  try {
    settings = arm.files->read(config);
  } catch (const std::exception& e) {
    problem = e.what();
    return;
  }
  if (!arm.base) {
    auto find_base = database_.prepare("SELECT base FROM groups WHERE run=? AND arm=? AND base IS NOT NULL LIMIT 1");
    find_base.bind(run).bind(arm.arm);
    arm.base = find_base.step() ? find_base.integer(0) : group;
    if (*arm.base == group) {
      arm.common = settings;
    } else {
      auto rows = database_.prepare("SELECT names.name, value FROM settings JOIN names ON names.key = settings.name WHERE run=? AND grp=?");
      rows.bind(run).bind(*arm.base);
      while (rows.step()) arm.common[rows.text(0)] = rows.text(1);
    }
  }
  const auto base = *arm.base;
  static const std::map<std::string, std::string> none;
  const auto& common = base == group ? none : arm.common;
  with.set_base.bind(base).bind(group).done();
  for (const auto& [name, value] : settings) {
    if (const auto same = common.find(name); same != common.end() && same->second == value) continue;
    with.settings.add({run, group, with.key_of(name), value});
  }
  for (const auto& [name, value] : common) {
    if (settings.count(name) == 0) with.settings.add({run, group, with.key_of(name), std::nullopt});
  }
}

void RunIndex::observe() {
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  std::vector<std::pair<std::int64_t, JobState>> seen;
  for (auto rows =
           database_.prepare("SELECT jobs.key, experiment, id, folder FROM jobs JOIN runs ON runs.key = run WHERE state = 'running'");
       rows.step();) {
    const fs::path folder = results_ / rows.text(1) / rows.text(2) / rows.text(3);
    try {
      seen.emplace_back(rows.integer(0), observed_state(folder, read_job_status(folder), now));
    } catch (const std::exception&) {  // keep the recorded state
    }
  }
  auto set = database_.prepare("UPDATE jobs SET state=? WHERE key=?");
  for (const auto& [key, state] : seen) set.bind(to_string(state)).bind(key).done();
}

void RunIndex::load_runs() {
  std::map<std::int64_t, std::size_t> places;
  std::map<std::string, std::string> latest;
  for (auto rows = database_.prepare("SELECT * FROM runs ORDER BY id DESC, experiment"); rows.step();) {
    IndexedRun run;
    run.key = rows.integer(0);
    run.experiment = rows.text(1);
    run.id = rows.text(2);
    run.path = results_ / run.experiment / run.id;
    run.title = rows.text(4);
    run.scale = rows.text(5);
    run.plan_hash = rows.text(6);
    run.code = rows.text(7);
    run.git = rows.text(8);
    run.overrides = texts_in(rows.text(9));
    run.protocol_overrides = texts_in(rows.text(10));
    run.arms = texts_in(rows.text(11));
    run.swept = texts_in(rows.text(12));
    run.tags = texts_in(rows.text(13));
    run.note = rows.text(14);
    run.problem = rows.text(15);
    run.readable = rows.integer(16) != 0;
    const auto found = latest.find(run.experiment);
    const auto& newest =
        found != latest.end() ? found->second : latest.emplace(run.experiment, latest_id(results_, run.experiment)).first->second;
    run.latest = run.id == newest;
    places[run.key] = runs_.size();
    runs_.push_back(std::move(run));
  }
  // Newest first: a run is superseded if newer runs, seen before, finished all that it finished.
  std::map<std::string, std::set<std::pair<std::string, std::string>>> finished;
  struct Jobs {
    std::vector<std::pair<std::string, std::string>> done;
  };
  std::vector<Jobs> jobs(runs_.size());
  for (auto rows = database_.prepare("SELECT run, state, hash, folder, problem FROM jobs"); rows.step();) {
    const auto place = places.find(rows.integer(0));
    if (place == places.end()) continue;
    auto& run = runs_[place->second];
    const auto state = job_state(rows.text(1)).value_or(JobState::kPlanned);
    ++run.states[state];
    if (is_finished(state)) jobs[place->second].done.emplace_back(rows.text(2), rows.text(3));
    if (run.problem.empty()) run.problem = rows.text(4);
  }
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    auto& newer = finished[runs_[i].experiment];
    const auto& own = jobs[i].done;
    runs_[i].superseded = !own.empty() && std::all_of(own.begin(), own.end(), [&](const auto& job) { return newer.count(job) > 0; });
    newer.insert(own.begin(), own.end());
  }
}

const IndexedRun* RunIndex::find(const std::string& name) const {
  for (const auto& run : runs_) {
    if (run.name() == name) return &run;
  }
  return nullptr;
}

std::vector<IndexedGroup> RunIndex::groups() const {
  std::vector<IndexedGroup> out;
  for (auto rows = database_.prepare("SELECT key, run, arm, point FROM groups ORDER BY key"); rows.step();) {
    out.push_back({rows.integer(0), rows.integer(1), rows.text(2), point_in(rows.text(3))});
  }
  return out;
}

std::vector<JobView> RunIndex::jobs(const IndexedRun& run) const {
  std::vector<JobView> out;
  std::map<std::int64_t, std::size_t> places;
  auto rows = database_.prepare(
      "SELECT jobs.key, arm, seed, point, hash, folder, state, error, steps, wall_s, dataset FROM jobs JOIN groups ON groups.key = grp "
      "WHERE jobs.run = ? ORDER BY jobs.key");
  rows.bind(run.key);
  while (rows.step()) {
    JobView job;
    job.arm = rows.text(1);
    job.seed = rows.integer(2);
    job.params = point_in(rows.text(3));
    job.hash = rows.text(4);
    job.directory = rows.text(5);
    job.state = job_state(rows.text(6)).value_or(JobState::kPlanned);
    job.error = rows.text(7);
    job.steps = rows.integer(8);
    job.wall_s = rows.real(9);
    if (const auto data = parse_ordered_json(rows.text(10), false); data.is_object()) {
      job.dataset = DatasetUse{data.value("name", ""), data.value("sha256", ""), data.value("tier", ""), data.value("substituted_for", "")};
    }
    places[rows.integer(0)] = out.size();
    out.push_back(std::move(job));
  }
  auto values = database_.prepare(
      "SELECT job, names.name, value FROM metrics JOIN names ON names.key = metrics.name JOIN jobs ON jobs.key = job WHERE run = ?");
  values.bind(run.key);
  while (values.step()) {
    if (const auto place = places.find(values.integer(0)); place != places.end())
      out[place->second].metrics[values.text(1)] = values.real(2);
  }
  return out;
}

std::vector<std::string> RunIndex::metric_names() const {
  std::vector<std::string> out;
  for (auto rows = database_.prepare("SELECT DISTINCT names.name FROM metrics JOIN names ON names.key = metrics.name ORDER BY 1");
       rows.step();)
    out.push_back(rows.text(0));
  return out;
}

std::vector<std::string> RunIndex::setting_names() const {
  std::set<std::string> out;
  for (auto rows = database_.prepare("SELECT DISTINCT names.name FROM settings JOIN names ON names.key = settings.name"); rows.step();)
    out.insert(rows.text(0));
  for (const auto& run : runs_) {
    out.insert(run.swept.begin(), run.swept.end());
    for (const auto& text : run.overrides) {
      if (const auto given = split_override(text); !given.first.empty()) out.insert(given.first);
    }
  }
  return {out.begin(), out.end()};
}

std::map<std::int64_t, std::vector<std::pair<std::int64_t, double>>> RunIndex::values_of(const std::string& metric) const {
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, double>>> out;
  auto rows = database_.prepare(
      "SELECT grp, seed, value, state, job IS NOT NULL FROM jobs LEFT JOIN metrics ON job = jobs.key AND name = "
      "(SELECT key FROM names WHERE name = ?) WHERE state IN ('completed', 'diverged') ORDER BY seed");
  rows.bind(metric);
  while (rows.step()) {
    const bool measured = rows.integer(4) != 0, diverged = rows.text(3) == "diverged" && !describes_run(metric);
    if (measured || diverged)
      out[rows.integer(0)].emplace_back(rows.integer(1), diverged ? std::numeric_limits<double>::quiet_NaN() : rows.real(2));
  }
  return out;
}

std::map<std::int64_t, std::string> RunIndex::settings_of(const std::string& name) const {
  struct Values {
    bool null = false;
    std::string text;
  };
  std::map<std::int64_t, Values> own;          // group
  std::map<std::int64_t, std::string> of_run;  // run
  auto rows = database_.prepare("SELECT run, grp, value FROM settings JOIN names ON names.key = settings.name WHERE names.name = ?");
  rows.bind(name);
  while (rows.step()) {
    if (rows.null(1))
      of_run[rows.integer(0)] = rows.text(2);
    else
      own[rows.integer(1)] = {rows.null(2), rows.text(2)};
  }
  // If jobs have this part of the config, the run's value does not apply: it may be another arm's operator.
  std::set<std::int64_t> owners;
  std::string top;
  auto tops = database_.prepare(
      "SELECT DISTINCT grp FROM settings JOIN names ON names.key = settings.name WHERE grp IS NOT NULL AND (names.name = ?1 OR "
      "substr(names.name, 1, length(?1) + 1) = ?1 || '.')");
  tops.bind(top_of(name, top));
  while (tops.step()) owners.insert(tops.integer(0));
  std::map<std::int64_t, std::string> out;
  for (auto groups = database_.prepare("SELECT key, run, point, base FROM groups"); groups.step();) {
    const auto group = groups.integer(0), base = groups.integer(3);
    const auto point = point_in(groups.text(2));
    const auto swept = std::find_if(point.begin(), point.end(), [&](const auto& entry) { return entry.first == name; });
    if (swept != point.end()) {
      out[group] = setting_text(swept->second);
    } else if (const auto found = own.find(group); found != own.end()) {
      if (!found->second.null) out[group] = found->second.text;
    } else if (const auto common = own.find(base); !groups.null(3) && common != own.end()) {
      if (!common->second.null) out[group] = common->second.text;
    } else if (const auto general = of_run.find(groups.integer(1)); general != of_run.end()) {
      if (groups.null(3) || owners.count(base) == 0) out[group] = general->second;
    }
  }
  return out;
}

std::map<std::int64_t, std::map<JobState, std::size_t>> RunIndex::states_of_groups() const {
  std::map<std::int64_t, std::map<JobState, std::size_t>> out;
  for (auto rows = database_.prepare("SELECT grp, state, COUNT(*) FROM jobs GROUP BY grp, state"); rows.step();) {
    out[rows.integer(0)][job_state(rows.text(1)).value_or(JobState::kPlanned)] = static_cast<std::size_t>(rows.integer(2));
  }
  return out;
}

}  // namespace yatlab
