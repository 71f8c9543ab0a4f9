#include "core/library/verify_paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/record/recorded_data.h"
#include "core/record/run_view.h"
#include "core/report/claims_report.h"
#include "core/report/recorded_report.h"
#include "core/report/summary.h"
#include "core/report/verdict_page.h"
#include "core/system/called_as.h"
#include "core/verdict/evidence.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

using RecordJson = nlohmann::ordered_json;
using Result = CheckedCase::Result;

const char* const kPages = "pages";
/// Marks entries of a copied summary, so that those that the program wrote again are known: they lack it.
const char* const kNotRenewed = "not_renewed";
/// Far below any digit that is shown; another compiler may round the last bits otherwise.
constexpr double kSameShare = 1e-9;

bool same_number(double a, double b) { return a == b || std::abs(a - b) <= kSameShare * std::max(std::abs(a), std::abs(b)); }

std::string json_words(const RecordJson& json) { return shortened(dump_json_replacing(json), 120); }

/// The first difference, as "measured: recorded 0.5, derived 0.4"; "" for none. `path`: of both in their file.
std::string json_difference(const RecordJson& recorded, const RecordJson& derived, const std::string& path) {
  const auto differ = [&] { return fmt::format("{}: recorded {}, derived {}", path, json_words(recorded), json_words(derived)); };
  if (recorded.is_number() && derived.is_number()) return same_number(recorded.get<double>(), derived.get<double>()) ? "" : differ();
  if (recorded.type() != derived.type()) return differ();
  const auto inner = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (recorded.is_object()) {
    for (const auto& [key, value] : recorded.items()) {
      const auto found = derived.find(key);
      if (found == derived.end()) return fmt::format("{}: recorded {}, not derived", inner(key), json_words(value));
      if (auto why = json_difference(value, *found, inner(key)); !why.empty()) return why;
    }
    for (const auto& [key, value] : derived.items()) {
      if (!recorded.contains(key)) return fmt::format("{}: not recorded, derived {}", inner(key), json_words(value));
    }
    return {};
  }
  if (recorded.is_array()) {
    if (recorded.size() != derived.size()) return differ();
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      if (auto why = json_difference(recorded[i], derived[i], fmt::format("{}[{}]", path, i)); !why.empty()) return why;
    }
    return {};
  }
  return recorded == derived ? "" : differ();
}

/// A folder that is removed at the end.
class CopyFolder {
 public:
  CopyFolder() : path_(temporary_name(fs::temp_directory_path() / "yatlab-verify")) { make_folders(path_); }
  ~CopyFolder() {
    std::error_code ec;
    fs::remove_all(path_, ec);
  }
  CopyFolder(const CopyFolder&) = delete;
  CopyFolder& operator=(const CopyFolder&) = delete;
  fs::path report() const { return path_ / "report"; }
  fs::path no_runs() const { return path_ / "runs"; }

 private:
  fs::path path_;
};

/// Long before any program wrote a file: a file with another time was written again.
const fs::file_time_type kLongAgo =
    std::chrono::time_point_cast<std::chrono::seconds>(fs::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 10));

class Verifying {
 public:
  explicit Verifying(const PaperRecord& record) : record_(record) {}

  std::vector<CheckedCase> all() {
    for (const auto& experiment : record_.experiments) copy(experiment.name);
    write_again();
    for (const auto& experiment : record_.experiments) check_experiment(experiment);
    check_claims();
    check_bundled_data();
    for (const char* page : {"VERDICT.md", "SCORECARD.md", "STATEMENTS.md", "README.md", "REPRODUCIBILITY.md", "REPRODUCIBILITY.tex"})
      check_page(page);
    return std::move(cases_);
  }

 private:
  const PaperRecord& record_;
  CopyFolder copy_;
  std::vector<CheckedCase> cases_;
  std::string not_written_;  ///< why the pages could not be written again

  void add(const std::string& suite, const std::string& name, Result result, const std::string& why = {}) {
    cases_.push_back({suite, name, result, why});
  }
  /// Fails unless `why` is empty.
  void add(const std::string& suite, const std::string& name, const std::string& why) {
    add(suite, name, why.empty() ? Result::kHolds : Result::kFails, without_codes(why));
  }
  /// Without the JSON library's own codes: "[json.exception.parse_error.101] ".
  static std::string without_codes(std::string text) {
    const std::string begin = "[json.exception.";
    for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
      const auto end = text.find("] ", at);
      if (end == std::string::npos) break;
      text.erase(at, end + 2 - at);
    }
    return text;
  }
  std::string renew() const { return fmt::format("'{} report {}' writes it again", called_as(), record_.id); }
  fs::path recorded(const std::string& experiment) const { return record_.folder / safe_file_name(experiment); }
  fs::path derived(const std::string& experiment) const { return copy_.report() / safe_file_name(experiment); }

  /// Copies what a report is made from. Figures are not drawn without their run; empty files replace them.
  void copy(const std::string& experiment) const {
    const auto from = recorded(experiment), to = derived(experiment);
    if (!is_folder(from)) return;
    make_folders(to);
    for (const char* part : {"tables", "figures"}) {
      for (const auto& file : entries_if_there(from / part)) {
        if (!is_file(file)) continue;
        const auto name = to / part / file.filename();
        const bool read = std::string(part) == "tables" || file.extension() == ".txt";
        write_file_unsynced(name, read ? read_file(file) : "");
        fs::last_write_time(name, kLongAgo);
      }
    }
    if (!is_there(from / "summary.json")) return;
    auto text = read_file(from / "summary.json");
    if (auto json = parse_ordered_json(text, false); json.is_object()) {
      for (const char* list : {"comparisons", "paper"}) {
        if (!json.contains(list) || !json[list].is_array()) continue;
        for (auto& entry : json[list]) {
          if (entry.is_object()) entry[kNotRenewed] = true;
        }
      }
      text = dump_json_replacing(json, 2);
    }
    write_file_unsynced(to / "summary.json", text);
  }

  void write_again() {
    ReportOptions options;
    options.claims = record_.claims;
    options.page = false;
    try {
      write_paper_report(copy_.no_runs(), copy_.report(), record_.experiments, options);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kFile || e.kind() == ErrorKind::kInternal) throw;
      not_written_ = e.what();
    } catch (const std::exception& e) {  // a damaged summary.json, which fails its own checks
      not_written_ = fmt::format("it cannot be made: {}", e.what());
    }
  }

  void check_experiment(const PaperExperiment& experiment) {
    const auto& name = experiment.name;
    const auto folder = recorded(name);
    if (!is_there(folder / "summary.json")) {
      if (is_folder(folder)) {
        add(name, "summary.json", "it is missing beside the tables and figures made from it");
      } else {
        add(name, "summary.json", Result::kOpen, "not recorded yet");
      }
      return;
    }
    std::optional<RecordedExperiment> read;
    RecordJson summary;
    try {
      read = read_recorded(folder, experiment.config);
      summary = parse_ordered_json(read_json_text(folder / "summary.json"));
      add(name, "summary.json", "");
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kFile) throw;
      return add(name, "summary.json", e.what());
    } catch (const std::exception& e) {
      return add(name, "summary.json", e.what());
    }
    const auto config = experiment.config.is_null() ? ReportConfig() : ReportConfig::read(experiment.config, false, read->run.docs);
    check_files(name);
    check_head(name, summary, *read, experiment.config);
    check_data(name, summary);
    check_values(name, summary, config);
    check_entries(name, summary);
    check_statements(name, summary, *read);
    check_tables(name);
    check_run(name, *read, summary, config);
  }

  /// Files that a report has listed are there, and are the listed ones.
  void check_files(const std::string& name) {
    const auto list = recorded(name) / "files.json";
    if (!is_there(list)) return;
    const auto json = parse_ordered_json(read_json_text(list), false);
    if (!json.is_object() || !json.contains("files") || !json["files"].is_array())
      return add(name, "files.json", "it is not a list of files; " + renew());
    const auto sums = json.value("sha256", RecordJson::object());
    std::vector<std::string> wrong;
    for (const auto& item : json["files"]) {
      const auto file = item.is_string() ? item.get<std::string>() : "";
      const auto folder = fs::path(file).parent_path();
      // Nothing else, whatever the list contains.
      if (folder != "tables" && folder != "figures") {
        wrong.push_back(fmt::format("'{}' is not a table or figure", visible(shortened(file))));
      } else if (!is_file(recorded(name) / file)) {
        wrong.push_back(file + " is missing");
      } else if (const auto sum = text_in(sums, file.c_str()); !sum.empty() && sum != sha256_file(recorded(name) / file)) {
        wrong.push_back(file + " was changed after it was drawn");
      }
    }
    add(name, "files.json", join(wrong, "; "));
  }

  void check_data(const std::string& name, const RecordJson& summary) {
    for (const auto& data : recorded_data(summary)) {
      const auto called = data.use.name, sum = data.use.sha256, title = "data " + data.title;
      const auto published = record_.published.find(called);
      if (published == record_.published.end() || published->second.empty()) {
        const bool generated = data.use.tier == "embedded";
        add(name, title, Result::kOpen,
            generated ? "generated by the program: repeating a job compares them"
                      : "the catalogue has no published checksum of these data");
        continue;
      }
      const bool same = std::find(published->second.begin(), published->second.end(), sum) != published->second.end();
      add(name, title, same ? "" : fmt::format("recorded sha256 {}, that of the published files is {}", sum, published->second.front()));
    }
  }

  /// Each value's seed is that of a job, and no two are the same.
  static std::string seeds_problem(const std::string& metric, const RecordJson& recorded, const RecordJson& entry) {
    std::set<std::int64_t> jobs, seen;
    for (const auto& job : entry.at("jobs")) {
      const auto folder = job.get<std::string>();
      if (const auto at = folder.rfind("/seed="); at != std::string::npos) jobs.insert(std::atoll(folder.c_str() + at + 6));
    }
    for (const auto& seed : recorded.at("seeds")) {
      const auto own = seed.get<std::int64_t>();
      if (!jobs.empty() && !jobs.count(own)) return fmt::format("{}: no job has the seed {}", metric, own);
      if (!seen.insert(own).second) return fmt::format("{}: the seed {} is there twice", metric, own);
    }
    return {};
  }

  /// Means, deviations and intervals of one arm at one point.
  static std::string values_problem(const RecordJson& entry, const ReportConfig& config) {
    const auto n = entry.at("n").get<std::size_t>();
    for (const auto& [metric, recorded] : entry.at("metrics").items()) {
      std::vector<double> values;
      for (const auto& value : recorded.at("values")) values.push_back(value.get<double>());
      if (values.size() != recorded.at("seeds").size()) return metric + ": its values and seeds differ in number";
      if (const auto why = seeds_problem(metric, recorded, entry); !why.empty()) return why;
      if (values.size() > n) return fmt::format("{}: {} values of {} completed jobs", metric, values.size(), n);
      const auto number = [](const std::optional<double>& value) {
        return value && std::isfinite(*value) ? RecordJson(*value) : RecordJson();
      };
      const auto range = reported_interval(values, config.metric(metric).share);
      const RecordJson derived = {{"mean", number(mean(values))},
                                  {"std", number(sample_std(values))},
                                  {"ci95", range ? RecordJson::array({number(range->low), number(range->high)}) : RecordJson()}};
      for (const char* key : {"mean", "std", "ci95"}) {
        if (auto why = json_difference(recorded.at(key), derived.at(key), metric + "." + key); !why.empty()) return why;
      }
    }
    std::size_t jobs = n;
    for (const char* state : {"failed", "diverged", "unfinished"}) jobs += entry.at(state).get<std::size_t>();
    return jobs == entry.at("jobs").size() ? "" : fmt::format("{} jobs are counted, and {} listed", jobs, entry.at("jobs").size());
  }

  /// What says what the record is, where it follows from the rest.
  void check_head(const std::string& name, const RecordJson& summary, const RecordedExperiment& read, const Node& config) {
    std::vector<std::string> wrong;
    if (summary.value("schema", RecordJson()) != RecordJson(1))
      wrong.push_back(fmt::format("schema: recorded {}, this program writes 1", json_words(summary.value("schema", RecordJson()))));
    if (const auto status = text_in(summary, "status"); status != status_of(summary, read.run))
      wrong.push_back(fmt::format("status: recorded {}, its jobs give {}", visible(status), status_of(summary, read.run)));
    const Node* const scales = config.is_map() ? config.find("scales") : nullptr;
    if (const auto scale = text_in(summary, "scale");
        !scale.empty() && config.is_map() && !(scales && scales->is_map() && scales->has(scale)))
      wrong.push_back(fmt::format("scale: recorded {}, which the experiment does not have", visible(scale)));
    if (auto why = substitute_problem(summary, config); !why.empty()) wrong.push_back(std::move(why));
    add(name, "schema, status, scale, substitutes", join(wrong, "; "));
  }

  /// Whether the data may replace what they are recorded to replace, and are recorded to replace what the experiment asks for.
  std::string substitute_problem(const RecordJson& summary, const Node& config) const {
    const auto replaces = [&](const std::string& wanted, const std::string& used) {
      std::set<std::string> seen;
      std::vector<std::string> next = {wanted};
      while (!next.empty()) {
        const auto from = next.back();
        next.pop_back();
        for (const auto& [name, other] : record_.substitutes) {
          if (name != from || !seen.insert(other).second) continue;
          if (other == used) return true;
          next.push_back(other);
        }
      }
      return false;
    };
    const auto all = recorded_data(summary);
    for (const auto& data : all) {
      const auto &used = data.use.name, &wanted = data.use.substituted_for;
      if (!wanted.empty() && !replaces(wanted, used))
        return fmt::format("substituted_for: '{}' is not a substitute for '{}'", visible(used), visible(wanted));
    }
    // Only where nothing but the file chose the data.
    const Node* const dataset = config.is_map() ? config.find("dataset") : nullptr;
    const Node* const asked = dataset && dataset->is_map() ? dataset->find("name") : nullptr;
    const bool as_in_file = text_in(summary, "scale").empty() && summary.value("protocol_overrides", RecordJson::array()).empty();
    if (all.size() != 1 || !as_in_file || !asked || !asked->is_string() || asked->as_string() == all[0].use.name) return {};
    if (all[0].use.substituted_for.empty() && replaces(asked->as_string(), all[0].use.name))
      return fmt::format("substituted_for: '{}' replaces '{}', which is not recorded", visible(all[0].use.name), asked->as_string());
    return {};
  }

  static std::string status_of(const RecordJson& summary, const RunView& run) {
    std::size_t failed = 0, unfinished = 0;
    for (const auto& [arm, entry] : summary.at("arms").items()) {
      failed += entry.value("failed", std::size_t{0});
      unfinished += entry.value("unfinished", std::size_t{0});
    }
    return unfinished > 0 || run.jobs.empty() ? "partial" : failed > 0 ? "failed" : "complete";
  }

  void check_values(const std::string& name, const RecordJson& summary, const ReportConfig& config) {
    for (const auto& [arm, entry] : summary.at("arms").items()) {
      std::vector<std::string> wrong;
      const auto look = [&](const RecordJson& values) {
        try {
          if (auto why = values_problem(values, config); !why.empty()) wrong.push_back(std::move(why));
        } catch (const nlohmann::json::exception& e) {
          wrong.emplace_back(e.what());
        }
      };
      if (const auto points = entry.find("points"); points != entry.end()) {
        for (const auto& point : *points) look(point);
      } else {
        look(entry);
      }
      if (wrong.size() > 3) {
        const auto more = wrong.size() - 3;
        wrong.resize(3);
        wrong.push_back(fmt::format("and {} more points", more));
      }
      add(name, "values of " + arm, join(wrong, "; "));
    }
  }

  static std::string title_of(const RecordJson& entry) {
    std::string out = entry.contains("id") ? "number " + text_in(entry, "id") : "comparison " + text_in(entry, "metric");
    if (const auto arms = entry.find("arms"); arms != entry.end() && arms->is_array() && arms->size() == 2)
      out += fmt::format(" {} : {}", arms->at(0).get<std::string>(), arms->at(1).get<std::string>());
    if (entry.contains("contrast")) out += " " + text_in(entry, "contrast");
    for (const char* at : {"params", "baseline_params"}) {
      const auto found = entry.find(at);
      if (found != entry.end() && !found->empty()) out += " " + dump_json_replacing(*found);
    }
    return out;
  }

  /// The recorded reason, else the interval and p that decide nothing.
  static std::string reason(const RecordJson& entry) {
    if (const auto why = text_in(entry, "why"); !why.empty()) return why;
    std::string out;
    const auto number = [](const RecordJson& value) { return fmt::format("{:.3g}", value.get<double>()); };
    const auto is_pair = [&](const char* key) {
      const auto found = entry.find(key);
      return found != entry.end() && found->is_array() && found->size() == 2 && found->at(0).is_number() && found->at(1).is_number();
    };
    if (const auto found = entry.find("difference"); found != entry.end() && found->is_number()) out = "difference " + number(*found);
    for (const char* key : {"ci95_adjusted", "ci95"}) {
      if (!is_pair(key)) continue;
      out += fmt::format("{}95 % interval [{}, {}]", out.empty() ? "" : ", ", number(entry[key][0]), number(entry[key][1]));
      break;
    }
    for (const char* key : {"p_holm", "p"}) {
      const auto found = entry.find(key);
      if (found == entry.end() || !found->is_number()) continue;
      out += fmt::format("{}p = {}", out.empty() ? "" : ", ", number(*found));
      break;
    }
    return out.empty() ? "too few seeds" : out;
  }

  /// Why a number or comparison is undecided; "" if it is decided.
  static std::string undecided(const RecordJson& entry) {
    static const std::set<std::string> kUndecided = {"inconclusive", "not comparable", "undertrained", "not decided"};
    static const std::set<std::string> kNoDirection = {"direction not decided", "divergence not decided", "one fitted protocol",
                                                       "depends on the protocol"};
    const auto verdict = text_in(entry, "verdict"), direction = text_in(entry, "direction");
    if (kUndecided.count(verdict)) return verdict + ": " + reason(entry);
    if (kNoDirection.count(direction)) return direction + ": " + reason(entry);
    return {};
  }

  void check_entries(const std::string& name, const RecordJson& summary) {
    auto renewed = parse_ordered_json(read_json_text(derived(name) / "summary.json"), false);
    for (const char* list : {"paper", "comparisons"}) {
      std::map<std::string, RecordJson> before;
      for (const auto& entry : summary.value(list, RecordJson::array())) before[subject_of(entry)] = entry;
      for (const auto& entry : renewed.is_object() ? renewed.value(list, RecordJson::array()) : RecordJson::array()) {
        const auto title = title_of(entry);
        const auto found = before.find(subject_of(entry));
        if (entry.contains(kNotRenewed)) {
          add(name, title, Result::kOpen, "the experiment no longer has it");
        } else if (found == before.end()) {
          add(name, title, fmt::format("it is not in summary.json; {}", renew()));
        } else if (const auto why = json_difference(found->second, entry, ""); !why.empty()) {
          add(name, title, why);
        } else if (const auto open = undecided(entry); !open.empty()) {
          add(name, title, Result::kOpen, open);
        } else {
          add(name, title, "");
        }
      }
    }
  }

  void check_statements(const std::string& name, const RecordJson& summary, const RecordedExperiment& read) {
    const auto again = claims_json(read.claims);
    std::size_t i = 0;
    for (const auto& claim : summary.value("claims", RecordJson::array())) {
      const auto& now = again[i];
      auto title = "statement " + called(read.claims[i], read.claims);
      ++i;
      if (const auto why = json_difference(claim, now, ""); !why.empty()) {
        add(name, title, why);
      } else if (text_in(claim, "status") == to_string(ClaimStatus::kNotCheckable)) {
        add(name, title, Result::kOpen, "no check of it can fail");
      } else {
        add(name, title, "");
      }
    }
  }

  void check_tables(const std::string& name) {
    for (const auto& file : entries_if_there(derived(name) / "tables")) {
      const auto title = "tables/" + file.filename().string();
      if (fs::last_write_time(file) == kLongAgo) {
        add(name, title, Result::kOpen, "summary.json lacks some of its values: only the run gives it");
      } else {
        add(name, title, text_difference(read_file(recorded(name) / "tables" / file.filename()), read_file(file)));
      }
    }
  }

  /// The recorded run itself, where it is still there.
  void check_run(const std::string& name, const RecordedExperiment& read, const RecordJson& summary, const ReportConfig& config) {
    if (!why_no_folder_name(read.run.run_id).empty() || !why_no_folder_name(name).empty()) return;
    const auto folder = record_.runs / name / read.run.run_id;
    if (!is_there(folder / "plan.json")) return;
    const auto title = "run " + read.run.run_id;
    try {
      const auto run = RunView::load(folder);
      if (!run.warnings.empty()) return add(name, title, join(run.warnings, "; "));
      const auto again = build_summary(run, config);
      for (const char* part : {"arms", "dataset", "datasets", "claims"}) {
        const auto before = summary.value(part, RecordJson()), now = again.value(part, RecordJson());
        if (const auto why = json_difference(before, now, part); !why.empty()) return add(name, title, why);
      }
      add(name, title, "");
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kFile) throw;
      add(name, title, e.what());
    }
  }

  /// data.json of a bundle lists the data of the recorded runs.
  void check_bundled_data() {
    if (record_.bundled_data.empty()) return;
    std::set<std::pair<std::string, std::string>> used, listed;
    for (const auto& experiment : record_.experiments) {
      const auto file = recorded(experiment.name) / "summary.json";
      const auto summary = is_there(file) ? parse_ordered_json(read_json_text(file), false) : RecordJson();
      if (!summary.is_object()) continue;
      for (const auto& data : recorded_data(summary)) used.emplace(data.use.name, data.use.sha256);
    }
    const auto json = parse_ordered_json(read_json_text(record_.bundled_data), false);
    const auto entries = json.is_object() ? json.value("data", RecordJson::array()) : RecordJson::array();
    for (const auto& entry : entries) listed.emplace(text_in(entry, "name"), text_in(entry, "sha256"));
    std::vector<std::string> wrong;
    for (const auto& [name, sum] : used) {
      if (!listed.count({name, sum})) wrong.push_back(fmt::format("it lacks '{}' with sha256 {}", visible(name), visible(sum)));
    }
    for (const auto& [name, sum] : listed) {
      if (!used.count({name, sum})) wrong.push_back(fmt::format("no run used '{}' with sha256 {}", visible(name), visible(sum)));
    }
    add("bundle", "data.json", join(wrong, "; "));
  }

  void check_claims() {
    const Node* const claims = record_.claims.find("claims");
    const auto page = record_.folder / "VERDICT.md";
    const auto lines = split(is_file(page) ? read_file(page) : "", '\n');
    std::vector<std::string> names;
    for (const auto& experiment : record_.experiments) names.push_back(experiment.name);
    std::size_t number = 0;
    for (const auto& claim : claims ? claims->as_list() : std::vector<Node>{}) {
      ++number;
      const auto begin = fmt::format("| {} | ", number);
      const auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& text) { return text.rfind(begin, 0) == 0; });
      check_claim(claim, line == lines.end() ? "" : *line, names);
    }
  }

  /// `line`: of the claim in the recorded page.
  void check_claim(const Node& claim, const std::string& line, const std::vector<std::string>& names) {
    const Node* const id = claim.is_map() ? claim.find("id") : nullptr;
    const auto title = "claim " + (id && id->is_string() ? id->as_string() : std::string("without id"));
    const Node* const rows = claim.is_map() ? claim.find("rows") : nullptr;
    if (!rows || !rows->is_list() || rows->size() == 0)
      return add("claims", title, "no row decides it: add rows to " + claim.origin().describe());
    Node alone = Node::map();
    Node list = Node::list();
    list.push_back(claim);
    alone.set("claims", std::move(list));
    try {
      const auto judged = judge_claims(alone, record_.folder, names);
      const auto whole = found_cell(judged.front());
      for (std::size_t i = 0; i < judged.front().rows.size(); ++i) {
        const auto& row = judged.front().rows[i];
        const auto suite = row.experiment.empty() ? "claims" : row.experiment;
        const auto row_title = fmt::format("{}, row {}: {}{}", title, i + 1, row.kind, row.metric.empty() ? "" : " of " + row.metric);
        const auto shown = line.find(markdown_text(row.text)) != std::string::npos || line.find(whole) != std::string::npos;
        if (!shown) {
          add(suite, row_title, fmt::format("VERDICT.md does not say what follows from the record, \"{}\"; {}", row.text, renew()));
        } else if (row.decides && row.answer == RowAnswer::kOpen) {
          add(suite, row_title, Result::kOpen, row.text);
        } else {
          add(suite, row_title, "");
        }
      }
      const bool marked = line.find(fmt::format(" | {} | ", judged.front().mark)) != std::string::npos;
      add("claims", title, marked ? "" : fmt::format("VERDICT.md does not have the mark {}; {}", judged.front().mark, renew()));
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kFile || e.kind() == ErrorKind::kInternal) throw;
      add("claims", title, e.what());
    } catch (const std::exception& e) {  // damaged, or numbers that contradict each other
      add("claims", title, e.what());
    }
  }

  /// Remarks that depend on which runs are in the same folder.
  static std::string without_remarks(std::string text) {
    for (const std::string remark : {", recorded earlier", " (recorded)"}) {
      for (auto at = text.find(remark); at != std::string::npos; at = text.find(remark, at)) text.erase(at, remark.size());
    }
    return text;
  }

  /// The first line that differs; "" for none.
  static std::string text_difference(const std::string& recorded, const std::string& derived) {
    if (recorded == derived) return {};
    const auto a = split(recorded, '\n'), b = split(derived, '\n');
    std::size_t i = 0;
    while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
    const auto quoted = [&](const std::vector<std::string>& lines, const std::string& other) {
      if (i >= lines.size()) return std::string("nothing");
      // Long lines are cut before their first difference.
      std::size_t same = 0;
      while (same < lines[i].size() && same < other.size() && lines[i][same] == other[same]) ++same;
      auto from = same < 40 ? 0 : lines[i].rfind(' ', same - 20);
      // Lines without blanks, such as those of a CSV: at a character's first byte.
      if (from == std::string::npos || same - from > 60) {
        for (from = same < 40 ? 0 : same - 40; from > 0 && (static_cast<unsigned char>(lines[i][from]) & 0xC0) == 0x80;) --from;
      }
      return fmt::format("\"{}{}\"", from == 0 ? "" : "...", shortened(lines[i].substr(from), 160));
    };
    const auto& left = i < a.size() ? a[i] : "";
    const auto& right = i < b.size() ? b[i] : "";
    return fmt::format("line {}: it says {}, the record gives {}", i + 1, quoted(a, right), quoted(b, left));
  }

  void check_page(const std::string& page) {
    const auto here = record_.folder / page, now = copy_.report() / page;
    if (!is_there(now)) {
      if (!not_written_.empty()) add(kPages, page, not_written_);
      return;
    }
    if (!is_there(here)) return add(kPages, page, fmt::format("it is missing; {}", renew()));
    add(kPages, page, text_difference(without_remarks(read_file(here)), without_remarks(read_file(now))));
  }
};

std::string counts_text(const std::vector<CheckedCase>& cases) {
  std::size_t holds = 0, open = 0, fails = 0;
  for (const auto& each : cases) {
    holds += each.result == Result::kHolds;
    open += each.result == Result::kOpen;
    fails += each.result == Result::kFails;
  }
  std::string out = fmt::format("{} check{}: {} hold", cases.size(), cases.size() == 1 ? "" : "s", holds);
  if (open > 0) out += fmt::format(", {} open", open);
  if (fails > 0) out += fmt::format(", {} fail", fails);
  return out;
}

}  // namespace

std::vector<CheckedCase> verify_paper(const PaperRecord& record) {
  const auto is_recorded = [&](const PaperExperiment& experiment) { return is_folder(record.folder / safe_file_name(experiment.name)); };
  if (std::none_of(record.experiments.begin(), record.experiments.end(), is_recorded)) {
    throw config_error(fmt::format("nothing is recorded in '{}'", record.folder.string()), "command line", {},
                       "run its experiments, then write the record: yatlab report " + record.id);
  }
  return Verifying(record).all();
}

std::string checked_text(const std::vector<CheckedCase>& cases, bool all) {
  const auto suites = suites_of(cases);
  std::size_t width = 0;
  for (const auto& suite : suites) width = std::max(width, display_width(suite));
  std::string out, failed;
  for (const auto& suite : suites) {
    std::vector<CheckedCase> own;
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(own), [&](const auto& each) { return each.suite == suite; });
    out += fmt::format("  {}  {}\n", pad(suite, static_cast<int>(width)), counts_text(own));
    for (const auto& each : own) {
      const char* word = each.result == Result::kFails ? "FAILS" : each.result == Result::kOpen ? "open" : "holds";
      if (all) out += fmt::format("    {:<5}  {}{}\n", word, each.name, each.why.empty() ? "" : ": " + each.why);
      if (each.result == Result::kFails) failed += fmt::format("FAILS  {}: {}\n       {}\n", suite, each.name, each.why);
    }
  }
  return out + (all ? "" : failed) + counts_text(cases) + "\n";
}

}  // namespace yatlab
