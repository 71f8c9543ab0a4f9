#include "core/library/compare_runs.h"

#include "core/experiment/experiment_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/experiment/report_config.h"
#include "core/library/run_index.h"
#include "core/library/run_list.h"
#include "core/record/job_file.h"
#include "core/record/run_metric.h"
#include "core/table/text_grid.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;
using Settings = std::map<std::string, std::string>;

/// Maximum number of points per arm whose configs are read: thousands differ only in swept values.
constexpr std::size_t kComparedPoints = 20;

RunView read_side(const fs::path& directory, std::vector<std::string>& notes) {
  auto run = RunView::planned(directory);
  for (auto& job : run.jobs) read_job(directory, job, JobCheck::kSummary, run.warnings);
  try {
    run.config = read_run_config(directory);
  } catch (const Error& e) {
    run.config = Node::map();
    run.warnings.push_back(fmt::format("{}: {}", (directory / "config.yaml").string(), e.message()));
  }
  for (const auto& warning : run.warnings) notes.push_back(warning);
  return run;
}

std::optional<std::string> in_settings(const Settings& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? std::nullopt : std::optional<std::string>(found->second);
}

std::set<std::string> keys_of(const Settings& a, const Settings& b) {
  std::set<std::string> out;
  for (const auto& [key, value] : a) out.insert(key);
  for (const auto& [key, value] : b) out.insert(key);
  return out;
}

/// Drops a component's own key, since its name below has the same value.
Settings leaves(const Node& config) {
  auto out = flat_settings(config);
  for (auto it = out.begin(); it != out.end();) {
    const auto below = out.lower_bound(it->first + ".");
    const bool map = below != out.end() && below->first.compare(0, it->first.size() + 1, it->first + ".") == 0;
    it = map ? out.erase(it) : std::next(it);
  }
  return out;
}

/// If only one side has a key, names the highest key that the other lacks: a component's twenty keys are one line.
std::string missing_root(const std::string& key, const Settings& other) {
  if (key.rfind("arms.", 0) == 0) return key;  // names of arms may contain dots
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1)) {
    const auto below = other.lower_bound(key.substr(0, dot + 1));
    if (below == other.end() || below->first.compare(0, dot + 1, key, 0, dot + 1) != 0) return key.substr(0, dot);
  }
  return key;
}

std::string counted_keys(const Settings& settings, const std::string& root) {
  std::size_t count = 0;
  for (auto it = settings.lower_bound(root + "."); it != settings.end() && it->first.compare(0, root.size() + 1, root + ".") == 0; ++it)
    ++count;
  const auto name = settings.find(root + ".name");
  return name == settings.end() ? fmt::format("({} keys)", count) : fmt::format("{} ({} keys)", name->second, count);
}

/// Compares key by key, with keys of only one side folded.
std::vector<ComparedValue> compare_settings(const Settings& a, const Settings& b) {
  std::vector<ComparedValue> out;
  for (const auto& key : keys_of(a, b)) {
    const auto x = in_settings(a, key), y = in_settings(b, key);
    if (x && y) {
      out.push_back({key, x, y, ""});
      continue;
    }
    const auto root = missing_root(key, x ? b : a);
    if (root == key) {
      out.push_back({key, x, y, ""});
    } else if (out.empty() || out.back().name != root) {
      const auto text = counted_keys(x ? a : b, root);
      out.push_back({root, x ? std::optional<std::string>(text) : std::nullopt, y ? std::optional<std::string>(text) : std::nullopt, ""});
    }
  }
  return out;
}

using Point = std::pair<std::string, std::string>;  // arm, point as text

std::map<Point, std::vector<const JobView*>> by_point(const RunView& run) {
  std::map<Point, std::vector<const JobView*>> out;
  for (const auto& job : run.jobs) out[{job.arm, point_label(job.params)}].push_back(&job);
  return out;
}

Sample sample_of(const std::vector<const JobView*>& jobs, const std::string& metric) {
  Sample out;
  std::vector<std::pair<std::int64_t, double>> values;
  for (const auto* job : jobs) {
    ++out.planned;
    if (job->state == JobState::kFailed)
      ++out.failed;
    else if (job->state == JobState::kDiverged && !describes_run(metric))
      ++out.diverged;
    else if (!job->finished())
      ++out.unfinished;
    else if (const auto found = job->metrics.find(metric); found != job->metrics.end() && !std::isfinite(found->second))
      out.not_finite.push_back(job->seed);
    else if (found != job->metrics.end())
      values.emplace_back(job->seed, found->second);
  }
  std::sort(values.begin(), values.end());
  std::sort(out.not_finite.begin(), out.not_finite.end());
  for (const auto& [seed, value] : values) {
    out.seeds.push_back(seed);
    out.values.push_back(value);
  }
  return out;
}

PairedTest paired_over_seeds(const Sample& a, const Sample& b) {
  std::vector<double> first, second;
  for (std::size_t i = 0, j = 0; i < a.seeds.size() && j < b.seeds.size();) {
    if (a.seeds[i] < b.seeds[j])
      ++i;
    else if (b.seeds[j] < a.seeds[i])
      ++j;
    else
      first.push_back(a.values[i++]), second.push_back(b.values[j++]);
  }
  return paired_test(second, first);
}

/// Adds the metrics of a run's tables; without tables, the test metrics.
void add_metrics(const RunView& run, bool every, std::vector<std::string>& out) {
  const auto add = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  std::vector<std::string> tabled;
  try {
    for (const auto& table : ReportConfig::read(run.config).tables) {
      for (const auto& column : table.columns) tabled.push_back(column.metric);
      if (!table.compare) continue;
      tabled.insert(tabled.end(), table.compare->metrics.begin(), table.compare->metrics.end());
      if (!table.compare->metric.empty()) tabled.push_back(table.compare->metric);
    }
  } catch (const Error&) {  // a config from another version: its numbers are still usable
  }
  for (const auto& name : tabled) add(name);
  const auto all = run.metric_names();
  if (tabled.empty()) {
    for (const auto& name : all) {
      if (name.rfind("test/", 0) == 0) add(name);
    }
  }
  for (const auto& name : all) {
    if (every || out.empty()) add(name);
  }
}

std::string dataset_texts(const RunView& run) {
  std::vector<std::string> out;
  for (const auto& data : run.datasets()) {
    out.push_back(fmt::format("{}{} sha256 {} ({})", data.name, data.substituted_for.empty() ? "" : " for " + data.substituted_for,
                              data.sha256, data.tier));
  }
  std::sort(out.begin(), out.end());
  return join(out, "; ");
}

Settings environment_of(const RunView& run, std::vector<std::string>& notes) {
  const fs::path path = run.directory / "environment.json";
  std::error_code ec;
  if (!fs::exists(path, ec)) return {};
  try {
    return leaves(from_json(parse_ordered_json(read_json_text(path))));
  } catch (const std::exception&) {
    notes.push_back(path.string() + " cannot be read");
    return {};
  }
}

/// Compares the settings of matching jobs, grouped by difference.
void compare_jobs(Comparison& c) {
  const auto first = by_point(c.a), second = by_point(c.b);
  std::map<std::string, std::size_t> looked_at;
  std::set<std::string> arms;
  struct Difference {
    std::string key;
    std::optional<std::string> a, b;
    bool operator<(const Difference& o) const { return std::tie(key, a, b) < std::tie(o.key, o.a, o.b); }
  };
  std::map<Difference, std::set<std::string>> found;
  for (const auto& [place, jobs] : first) {
    const auto other = second.find(place);
    if (other == second.end()) continue;
    const JobView *a = nullptr, *b = nullptr;
    for (const auto* job : jobs) {
      const auto same = std::find_if(other->second.begin(), other->second.end(), [&](const JobView* o) { return o->seed == job->seed; });
      if (same == other->second.end()) continue;
      if (!is_job_folder(c.a.directory / job->directory) || !is_job_folder(c.b.directory / (*same)->directory)) continue;
      a = job;
      b = *same;
      break;
    }
    if (!a) continue;
    arms.insert(place.first);
    if (!a->hash.empty() && a->hash == b->hash) continue;  // the hash covers config and code
    if (++looked_at[place.first] > kComparedPoints) continue;
    try {
      const auto x = leaves(read_job_file(c.a.directory / a->directory).config),
                 y = leaves(read_job_file(c.b.directory / b->directory).config);
      for (auto& v : compare_settings(x, y)) {
        if (!v.equal()) found[{v.name, v.a, v.b}].insert(place.first);
      }
    } catch (const Error& e) {
      c.notes.push_back(fmt::format("{}: {}", a->directory, e.message()));
    }
  }
  for (const auto& [arm, count] : looked_at) {
    if (count > kComparedPoints)
      c.notes.push_back(fmt::format("of {} points of {} the jobs' configs of {} were compared", count, arm, kComparedPoints));
  }
  for (const auto& entry : found) {
    const auto& d = entry.first;
    const auto& where = entry.second;
    if (where == arms) {  // each job's completed config repeats the run's config
      c.config.erase(std::remove_if(c.config.begin(), c.config.end(),
                                    [&](const ComparedValue& v) { return v.name == d.key && (v.a != d.a || v.b != d.b); }),
                     c.config.end());
    }
    const bool known =
        std::any_of(c.config.begin(), c.config.end(), [&](const ComparedValue& v) { return v.name == d.key && v.a == d.a && v.b == d.b; });
    if (!known) c.config.push_back({d.key, d.a, d.b, where == arms ? "" : join({where.begin(), where.end()}, ", ")});
  }
  std::stable_sort(c.config.begin(), c.config.end(), [](const ComparedValue& x, const ComparedValue& y) { return x.name < y.name; });
}

std::optional<std::string> given(const std::string& text) { return text.empty() ? std::nullopt : std::optional<std::string>(text); }

std::string side_text(const std::optional<std::string>& value) { return value ? visible(*value) : "-"; }

std::string name_text(const ComparedValue& v) { return visible(v.name + (v.where.empty() ? "" : " [" + v.where + "]")); }

/// The differences side by side; if too wide for `width`, below each other, with the middle of the longest cut out.
std::string differences_text(const std::vector<ComparedValue>& values, std::size_t width) {
  constexpr std::size_t kBetween = 9, kLongestMiddle = 83;  // "  NAME  A  |  B"
  struct Row {
    std::string name, a, b;
    std::size_t first, middle, last;
    bool below = false;
    std::size_t size() const { return first + middle + last; }
  };
  std::vector<Row> rows;
  for (const auto& v : values) {
    if (v.equal()) continue;
    Row row{name_text(v), side_text(v.a), side_text(v.b), 0, 0, 0};
    row.first = display_width(row.name), row.middle = display_width(row.a), row.last = display_width(row.b);
    rows.push_back(std::move(row));
  }
  const auto most = [&](std::size_t Row::*part) {
    std::size_t out = 0;
    for (const auto& row : rows) out = std::max(out, row.below ? 0 : row.*part);
    return out;
  };
  while (width > 0 && most(&Row::first) + most(&Row::middle) + most(&Row::last) + kBetween > width) {
    const auto longest = std::max_element(rows.begin(), rows.end(),
                                          [](const Row& x, const Row& y) { return (x.below ? 0 : x.size()) < (y.below ? 0 : y.size()); });
    if (longest->below) break;
    longest->below = true;
  }
  const auto first = static_cast<int>(most(&Row::first)), middle = static_cast<int>(std::min(most(&Row::middle), kLongestMiddle));
  std::string out;
  for (const auto& row : rows) {
    const auto cut = [&](const std::string& text, std::size_t indent) { return cut_in_the_middle(text, width - indent); };
    out += row.below ? fmt::format("  {}\n    A  {}\n    B  {}\n", cut(row.name, 2), cut(row.a, 7), cut(row.b, 7))
                     : fmt::format("  {}  {}  |  {}\n", pad(row.name, first), pad(row.a, middle), row.b);
  }
  return out;
}

std::string section_text(const char* title, std::vector<ComparedValue> values, bool all, std::size_t width) {
  std::size_t shown_only = 0;  // differences that only affect how numbers are shown
  if (!all && title == std::string_view("config")) {
    const auto kept =
        std::stable_partition(values.begin(), values.end(), [](const ComparedValue& v) { return v.equal() || !only_shown(v.name); });
    shown_only = static_cast<std::size_t>(values.end() - kept);
    values.erase(kept, values.end());
  }
  std::string out = differences_text(values, width);
  std::size_t equal = 0, longest = 0;
  for (const auto& v : values) {
    equal += v.equal();
    if (v.equal()) longest = std::max(longest, display_width(name_text(v)));
  }
  for (const auto& v : values) {
    if (v.equal() && all) out += fmt::format("  {}  {}\n", pad(name_text(v), static_cast<int>(longest)), side_text(v.a));
  }
  const auto rest = shown_only > 0 ? fmt::format("  and {} of tables, figures and titles (--all)\n", shown_only) : std::string();
  if (out.empty()) return equal > 0 ? fmt::format("{}: the same\n{}", title, rest) : std::string();
  return fmt::format("{}\n{}{}{}", title, out,
                     equal > 0 && !all ? fmt::format("  and {} more that {} the same\n", equal, equal == 1 ? "is" : "are") : "", rest);
}

std::string side_of(const Sample& s) {
  if (s.values.empty()) {
    if (s.planned == 0) return "-";
    if (s.none_finite()) return not_finite_text(s);
    return s.failed == s.planned ? "failed" : s.diverged == s.planned ? "diverged" : s.unfinished == s.planned ? "not finished" : "none";
  }
  return fmt::format("{} (n={}{}{})", mean_text(mean(s.values), sample_std(s.values)), s.values.size(), s.not_finite.empty() ? "" : ", ",
                     not_finite_text(s));
}

/// With as many digits as its interval justifies.
std::string difference_text(const PairedTest& test) {
  if (test.n == 0) return "no shared seeds";
  if (!test.ci95) return fmt::format("{:+.4g}  (one shared seed)", test.difference);
  const double width = test.ci95->width();
  const int decimals = width > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(width))), 0, 9) : 4;
  return fmt::format("{:+.{}f}  [{:+.{}f}, {:+.{}f}]  over {} seeds", test.difference, decimals, test.ci95->low, decimals, test.ci95->high,
                     decimals, test.n);
}

/// Shortens the names in the first column so that a row takes few lines of a terminal (0: not at all). Different names stay different.
void shorten_labels(std::vector<std::vector<TextCell>>& rows, std::size_t width) {
  constexpr std::size_t kBetween = 2, kFewest = 16;
  std::vector<std::size_t> widths(rows.front().size(), 0);
  std::set<std::string> names;
  for (const auto& row : rows) {
    names.insert(row.front().text);
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].width);
  }
  const std::size_t all = std::accumulate(widths.begin(), widths.end(), kBetween * widths.size());
  if (width == 0 || all <= width) return;
  auto room = std::min(widths[0], std::max(kFewest, widths[0] - std::min(widths[0], all - width)));
  const auto distinct = [&] {
    std::set<std::string> cut;
    for (const auto& name : names) cut.insert(cut_in_the_middle(name, room));
    return cut.size() == names.size();
  };
  while (room < widths[0] && !distinct()) ++room;
  for (auto& row : rows) row.front() = TextCell(cut_in_the_middle(row.front().text, room));
}

std::string results_text(const Comparison& c, bool all, std::size_t width) {
  std::vector<std::vector<TextCell>> rows;
  const auto add_row = [&](const std::vector<std::string>& texts) { rows.emplace_back(texts.begin(), texts.end()); };
  add_row({"arm", "metric", "A", "B", "B - A, paired [95 % CI]"});
  std::size_t equal = 0;
  for (const auto& r : c.results) {
    equal += r.equal();
    if (r.equal() && !all) continue;
    const auto point = point_label(r.point);
    add_row({visible(r.arm + (point.empty() ? "" : " " + point)), visible(r.metric), side_of(r.a), side_of(r.b),
             r.equal()                                  ? "the same"
             : r.a.values.empty() || r.b.values.empty() ? ""
                                                        : difference_text(r.paired)});
  }
  if (rows.size() == 1)
    return equal > 0 ? fmt::format("results: the same, number for number ({} means over the same seeds)\n", equal) : "results: none\n";
  shorten_labels(rows, width);
  std::string out = "results\n" + text_grid(rows, 2, width);
  if (equal > 0 && !all) out += fmt::format("  and {} more that {} the same, number for number\n", equal, equal == 1 ? "is" : "are");
  return out;
}

Json side_json(const std::optional<std::string>& value) { return value ? Json(*value) : Json(); }

Json values_json(const std::vector<ComparedValue>& values, bool all) {
  auto out = Json::array();
  for (const auto& v : values) {
    if (v.equal() && !all) continue;
    Json item{{"name", v.name}, {"a", side_json(v.a)}, {"b", side_json(v.b)}};
    if (!v.where.empty()) item["arms"] = split(v.where, ',');
    out.push_back(std::move(item));
  }
  return out;
}

Json sample_json(const Sample& s) {
  const auto std = sample_std(s.values);
  Json out{{"n", s.values.size()},
           {"mean", s.values.empty() ? Json() : Json(mean(s.values))},
           {"std", std ? Json(*std) : Json()},
           {"seeds", s.seeds},
           {"values", s.values}};
  if (!s.not_finite.empty()) out["not_finite"] = s.not_finite;
  return out;
}

std::string states_of(const RunView& run) {
  std::map<JobState, std::size_t> states;
  for (const auto& job : run.jobs) ++states[job.state];
  return states_text(states);
}

}  // namespace

Comparison compare_runs(const fs::path& a, const fs::path& b, bool every_metric) {
  Comparison c;
  c.a = read_side(a, c.notes);
  c.b = read_side(b, c.notes);
  const auto x = leaves(c.a.config), y = leaves(c.b.config);
  c.config = compare_settings(x, y);
  compare_jobs(c);
  std::set<std::string> texts(c.a.overrides.begin(), c.a.overrides.end());
  texts.insert(c.b.overrides.begin(), c.b.overrides.end());
  for (const auto& text : texts) {
    const auto in = [&](const RunView& run) { return std::find(run.overrides.begin(), run.overrides.end(), text) != run.overrides.end(); };
    c.overrides.push_back({text, in(c.a) ? std::optional<std::string>("given") : std::nullopt,
                           in(c.b) ? std::optional<std::string>("given") : std::nullopt, ""});
  }
  const auto made_a = environment_of(c.a, c.notes), made_b = environment_of(c.b, c.notes);
  c.code.push_back({"code", given(c.a.code), given(c.b.code), ""});
  for (const auto& key : keys_of(made_a, made_b)) {
    if (key == "command" || key == "code") continue;  // the overrides are the command; the plan has the code
    (key.rfind("git", 0) == 0 ? c.code : c.environment).push_back({key, in_settings(made_a, key), in_settings(made_b, key), ""});
  }
  c.data.push_back({"data", given(dataset_texts(c.a)), given(dataset_texts(c.b)), ""});
  std::vector<std::string> metrics;
  add_metrics(c.a, every_metric, metrics);
  add_metrics(c.b, every_metric, metrics);
  const auto first = by_point(c.a), second = by_point(c.b);
  std::vector<Point> places;
  std::set<Point> seen;
  for (const auto* run : {&c.a, &c.b}) {
    for (const auto& job : run->jobs) {
      Point place{job.arm, point_label(job.params)};
      if (seen.insert(place).second) places.push_back(std::move(place));
    }
  }
  static const std::vector<const JobView*> none;
  for (const auto& place : places) {
    const auto in_a = first.find(place), in_b = second.find(place);
    const auto& jobs_a = in_a == first.end() ? none : in_a->second;
    const auto& jobs_b = in_b == second.end() ? none : in_b->second;
    for (const auto& metric : metrics) {
      ComparedMetric r{
          place.first, metric, (jobs_a.empty() ? jobs_b : jobs_a).front()->params, sample_of(jobs_a, metric), sample_of(jobs_b, metric),
          {}};
      if (r.a.values.empty() && r.b.values.empty() && r.a.not_finite.empty() && r.b.not_finite.empty()) continue;
      r.paired = paired_over_seeds(r.a, r.b);
      c.results.push_back(std::move(r));
    }
  }
  return c;
}

std::string comparison_report(const Comparison& c, bool all, std::size_t width) {
  std::string out;
  for (const auto& [letter, run] : {std::pair<char, const RunView*>{'A', &c.a}, {'B', &c.b}}) {
    const auto name = visible(run->experiment + "/" + run->run_id), states = states_of(*run);
    const auto room = width - std::min(width, states.size() + 5);
    out += fmt::format("{}  {}  {}\n", letter, width == 0 ? name : cut_in_the_middle(name, std::max<std::size_t>(room, 36)), states);
  }
  out += "\n";
  for (const auto& [title, values] : {std::pair<const char*, const std::vector<ComparedValue>*>{"config", &c.config},
                                      {"overrides", &c.overrides},
                                      {"code", &c.code},
                                      {"data", &c.data},
                                      {"environment", &c.environment}}) {
    out += section_text(title, *values, all, width);
  }
  out += "\n" + results_text(c, all, width);
  for (const auto& note : c.notes) out += fmt::format("note: {}\n", visible(shortened(note)));
  return out;
}

nlohmann::ordered_json comparison_json(const Comparison& c, bool all) {
  Json out;
  for (const auto& [letter, run] : {std::pair<const char*, const RunView*>{"a", &c.a}, {"b", &c.b}}) {
    out[letter] = {{"experiment", run->experiment},
                   {"id", run->run_id},
                   {"path", run->directory.string()},
                   {"scale", run->scale.empty() ? Json() : Json(run->scale)}};
  }
  out["config"] = values_json(c.config, all);
  out["overrides"] = values_json(c.overrides, all);
  out["code"] = values_json(c.code, all);
  out["data"] = values_json(c.data, all);
  out["environment"] = values_json(c.environment, all);
  out["results"] = Json::array();
  for (const auto& r : c.results) {
    if (r.equal() && !all) continue;
    const auto& t = r.paired;
    Json paired{{"n", t.n},
                {"difference", t.n > 0 ? Json(t.difference) : Json()},
                {"ci95", t.ci95 ? Json{t.ci95->low, t.ci95->high} : Json()},
                {"p", t.p ? Json(*t.p) : Json()}};
    out["results"].push_back({{"arm", r.arm},
                              {"params", to_json(Node(r.point))},
                              {"metric", r.metric},
                              {"a", sample_json(r.a)},
                              {"b", sample_json(r.b)},
                              {"difference", r.a.values.empty() || r.b.values.empty() ? Json() : Json(mean(r.b.values) - mean(r.a.values))},
                              {"paired", paired}});
  }
  out["notes"] = c.notes;
  return out;
}

}  // namespace yatlab
