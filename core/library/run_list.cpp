#include "core/library/run_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/table/text_grid.h"
#include "core/verdict/format.h"
#include "core/verdict/statistics.h"

namespace yatlab {
namespace {

struct Condition {
  std::string word, name, relation, value;
  double number = 0;  ///< for relations other than = and !=
  bool metric = false;
};

std::optional<Condition> as_condition(const std::string& word) {
  if (word.rfind("tag:", 0) == 0) return Condition{word, "tag", "=", word.substr(4)};  // as other commands refer to such a run
  const auto at = word.find_first_of("=<>!");
  if (at == std::string::npos || at == 0) return std::nullopt;
  std::size_t length = 1;
  if (at + 1 < word.size() && word[at + 1] == '=') length = 2;
  Condition out{word, trim(word.substr(0, at)), word.substr(at, length), trim(word.substr(at + length)), 0, false};
  if (out.relation == "==") out.relation = "=";
  if (out.relation == "!") return std::nullopt;
  return out;
}

bool orders(const std::string& relation) { return relation[0] == '<' || relation[0] == '>'; }

bool holds_number(double x, const std::string& relation, double y) {
  if (relation == "<") return x < y;
  if (relation == "<=") return x <= y;
  if (relation == ">") return x > y;
  return x >= y;
}

std::optional<double> number_in(const std::string& text) {
  double out = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (ec == std::errc() && end == text.data() + text.size()) return out;
  // "90%", the usual form of accuracies
  if (ec == std::errc() && end + 1 == text.data() + text.size() && *end == '%') return out / 100;
  return std::nullopt;
}

/// For conditions that compare a text.
bool holds_text(const Condition& c, bool equal) { return c.relation == "=" ? equal : !equal; }

std::vector<std::string> state_names() {
  std::vector<std::string> out;
  for (const auto state : {JobState::kPlanned, JobState::kSubmitted, JobState::kRunning, JobState::kPreempted, JobState::kInterrupted,
                           JobState::kCompleted, JobState::kDiverged, JobState::kFailed, JobState::kPruned}) {
    out.emplace_back(to_string(state));
  }
  return out;
}

const std::set<std::string>& run_words() {
  static const std::set<std::string> all{"tag", "scale", "code"};
  return all;
}

/// Whether an override of the run is literally this condition: `seeds=range(0,10)`.
bool overridden(const IndexedRun& run, const Condition& c) {
  return std::any_of(run.overrides.begin(), run.overrides.end(), [&](const std::string& text) {
    const auto begin = text.find_first_not_of('+');
    return begin != std::string::npos && same_setting(text.substr(begin), c.name + "=" + c.value);
  });
}

bool meets(const IndexedRun& run, const Condition& c) {
  if (c.name == "tag") return holds_text(c, std::find(run.tags.begin(), run.tags.end(), c.value) != run.tags.end());
  if (c.name == "scale")
    return holds_text(c,
                      (run.scale.empty() ? "null" : run.scale) == c.value || (run.scale.empty() && (c.value.empty() || c.value == "full")));
  return holds_text(c, !c.value.empty() && (run.code.rfind(c.value, 0) == 0 || run.git.rfind(c.value, 0) == 0));
}

MeanOverSeeds mean_of(const std::string& metric, const std::vector<std::pair<std::int64_t, double>>& values) {
  std::vector<double> numbers;
  for (const auto& [seed, value] : values) {
    if (std::isfinite(value)) numbers.push_back(value);
  }
  return {metric, mean(numbers), sample_std(numbers), numbers.size(), values.size() - numbers.size()};
}

/// Compares `found` with the condition's value; as texts only if it is not a number.
bool meets_setting(const Condition& c, const std::string& found) {
  if (!orders(c.relation)) return holds_text(c, same_setting(found, c.value));
  const auto number = number_in(found);
  return number && holds_number(*number, c.relation, c.number);
}

}  // namespace

std::vector<FoundRun> find_runs(const RunIndex& index, const std::vector<std::string>& words) {
  std::set<std::string> experiments, wanted;
  for (const auto& run : index.runs()) experiments.insert(run.experiment);
  std::vector<Condition> of_runs, of_groups;
  std::vector<std::string> metrics, settings;  // known names, loaded on demand
  for (const auto& word : words) {
    auto condition = as_condition(word);
    if (!condition) {
      if (experiments.count(word) == 0) {
        throw config_error(fmt::format("there is no run of an experiment '{}' in {}", shortened(word), index.results().string()),
                           "command line", {}, suggestion(word, {experiments.begin(), experiments.end()}));
      }
      wanted.insert(word);
      continue;
    }
    auto& c = *condition;
    if (run_words().count(c.name) > 0 || c.name == "state" || c.name == "arm") {
      if (orders(c.relation))
        throw config_error(fmt::format("'{}' cannot be compared with < or >", c.name), "command line", {},
                           fmt::format("write {}={}", c.name, c.value));
      if ((c.name == "arm" || c.name == "tag") && c.relation == "=" && !index.runs().empty()) {
        std::set<std::string> known;
        for (const auto& run : index.runs()) {
          for (const auto& name : c.name == "arm" ? run.arms : run.tags) known.insert(name);
        }
        if (known.count(c.value) == 0) {
          throw config_error(fmt::format("no run has {} '{}'", c.name == "arm" ? "an arm" : "the tag", shortened(c.value)), "command line",
                             {}, known.empty() ? "add one with 'yatlab tag RUN +NAME'" : suggestion(c.value, {known.begin(), known.end()}));
        }
      }
      if (c.name == "state") {
        const auto names = state_names();
        if (!job_state(c.value))
          throw config_error(fmt::format("there is no state '{}'", shortened(c.value)), "command line", {}, suggestion(c.value, names));
      }
      (run_words().count(c.name) > 0 ? of_runs : of_groups).push_back(c);
      continue;
    }
    if (orders(c.relation)) {
      const auto number = number_in(c.value);
      if (!number)
        throw config_error(fmt::format("'{}' does not compare with a number", shortened(word)), "command line", {},
                           "write it like 'test/accuracy>0.9' (in quotes: > and < are special characters in the shell)");
      c.number = *number;
    }
    if (metrics.empty() && settings.empty()) metrics = index.metric_names(), settings = index.setting_names();
    c.metric = std::binary_search(metrics.begin(), metrics.end(), c.name);
    const bool setting = std::binary_search(settings.begin(), settings.end(), c.name);
    if (!c.metric && !setting && !index.runs().empty()) {
      auto all = metrics;
      all.insert(all.end(), settings.begin(), settings.end());
      const auto near = nearest(c.name, all);
      throw config_error(fmt::format("no run has a metric or a key '{}'", shortened(c.name)), "command line", {},
                         near.empty() ? "metrics: " + shortened(join(metrics, ", ")) : fmt::format("did you mean '{}'?", near));
    }
    if (c.metric && !orders(c.relation)) {
      throw config_error(fmt::format("'{}' is a metric: a mean is almost never equal to a number", c.name), "command line", {},
                         fmt::format("write '{0}>{1}' or '{0}<{1}'", c.name, c.value));
    }
    of_groups.push_back(c);
  }
  std::vector<FoundRun> out;
  std::map<std::int64_t, std::size_t> places;  // run -> index in `out`
  for (const auto& run : index.runs()) {
    if (!wanted.empty() && wanted.count(run.experiment) == 0) continue;
    if (!std::all_of(of_runs.begin(), of_runs.end(), [&](const Condition& c) { return meets(run, c); })) continue;
    places[run.key] = out.size();
    out.push_back({&run, {}});
  }
  if (of_groups.empty()) return out;
  std::vector<std::map<std::int64_t, std::vector<std::pair<std::int64_t, double>>>> values(of_groups.size());
  std::vector<std::map<std::int64_t, std::string>> texts(of_groups.size());
  std::map<std::int64_t, std::map<JobState, std::size_t>> states;
  bool shown = false;
  for (std::size_t i = 0; i < of_groups.size(); ++i) {
    const auto& c = of_groups[i];
    if (c.name == "state")
      states = index.states_of_groups();
    else if (c.metric)
      values[i] = index.values_of(c.name);
    else if (c.name != "arm")
      texts[i] = index.settings_of(c.name);
    shown = shown || c.metric;
  }
  for (const auto& group : index.groups()) {
    const auto place = places.find(group.run);
    if (place == places.end()) continue;
    auto& found = out[place->second];
    FoundGroup candidate{group.arm, group.point, {}};
    bool all = true;
    for (std::size_t i = 0; all && i < of_groups.size(); ++i) {
      const auto& c = of_groups[i];
      if (c.name == "arm") {
        all = holds_text(c, group.arm == c.value);
      } else if (c.name == "state") {
        const auto& here = states[group.key];
        all = holds_text(c, here.count(*job_state(c.value)) > 0);
      } else if (c.metric) {
        const auto measured = values[i].find(group.key);
        all = measured != values[i].end();
        if (!all) continue;
        candidate.means.push_back(mean_of(c.name, measured->second));
        all = candidate.means.back().n > 0 && holds_number(candidate.means.back().mean, c.relation, c.number);
      } else {
        const auto text = texts[i].find(group.key);
        all = (text != texts[i].end() && meets_setting(c, text->second)) || (c.relation == "=" && overridden(*found.run, c));
      }
    }
    if (all) found.groups.push_back(std::move(candidate));
  }
  out.erase(std::remove_if(out.begin(), out.end(), [](const FoundRun& f) { return f.groups.empty(); }), out.end());
  if (!shown) {  // the conditions only select runs, so their arms are not shown
    for (auto& found : out) found.groups.clear();
  }
  return out;
}

std::string mean_text(double mean, const std::optional<double>& std) {
  if (!std || *std == 0) return fmt::format("{:.5g}", mean);
  // Two digits of the spread; a power of ten if it is much smaller than the mean's digits, or larger.
  const int decimals = std::max(0, 1 - static_cast<int>(std::floor(std::log10(*std))));
  if (decimals > 7 || std::abs(mean) >= 1e7) return fmt::format("{:.5g} ± {:.2g}", mean, *std);
  return fmt::format("{:.{}f} ± {:.{}f}", mean, decimals, *std, decimals);
}

std::string states_text(const std::map<JobState, std::size_t>& states) {
  static const std::vector<std::pair<JobState, const char*>> order = {
      {JobState::kCompleted, "done"},          {JobState::kDiverged, "diverged"},   {JobState::kFailed, "failed"},
      {JobState::kRunning, "running"},         {JobState::kSubmitted, "submitted"}, {JobState::kPreempted, "preempted"},
      {JobState::kInterrupted, "interrupted"}, {JobState::kPlanned, "planned"},     {JobState::kPruned, "pruned"}};
  std::string out;
  for (const auto& [state, word] : order) {
    if (const auto count = states.find(state); count != states.end() && count->second > 0)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count->second, word);
  }
  return out.empty() ? "no jobs" : out;
}

std::string runs_text(const RunIndex& index, const std::vector<FoundRun>& found, std::int64_t now, std::size_t width) {
  if (index.runs().empty()) return fmt::format("no runs in {}\n", index.results().string());
  if (found.empty()) return fmt::format("none of {} run{} matches\n", index.runs().size(), index.runs().size() == 1 ? "" : "s");
  const std::vector<std::string> heads{"run", "age", "scale", "jobs", "tags", "overrides"};
  std::vector<std::vector<std::string>> rows{heads};
  for (const auto& f : found) {
    const auto& run = *f.run;
    const auto begun = begun_at(run.id);
    std::vector<std::string> overrides;
    for (const auto& text : run.overrides) overrides.push_back(visible(text));
    const auto all = join(overrides, " ");
    rows.push_back({visible(run.name()), begun ? age_text(now - *begun) : "", visible(run.scale),
                    run.readable ? states_text(run.states) : "cannot be read", join(run.tags, " "),
                    width == 0 ? all : shortened(all, 200)});
  }
  std::vector<std::size_t> widths(heads.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  const auto used = [&](std::size_t c) {  // omit empty columns
    return std::any_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return !row[c].empty(); });
  };
  // On a narrow terminal drop the overrides first, since names contain them; then the middles of the names.
  const auto over = [&] {
    std::size_t all = 0;
    for (std::size_t c = 0; c < heads.size(); ++c) all += used(c) ? widths[c] + 2 : 0;
    return width == 0 || all <= width ? 0 : all - width;
  };
  constexpr std::size_t kOverrides = 5, kFewest = 24;
  if (over() > 0 && widths[kOverrides] < over() + kFewest) {
    for (auto& row : rows) row[kOverrides].clear();
    widths[kOverrides] = 0;
  }
  const std::pair<std::size_t, std::size_t> shortest[] = {{kOverrides, kFewest}, {0, 36}, {4, 8}, {3, 8}, {2, 8}};
  for (const auto& [c, least] : shortest) {
    widths[c] -= std::min(over(), widths[c] - std::min(widths[c], least));
    for (auto& row : rows) row[c] = display_width(row[c]) > widths[c] ? cut_in_the_middle(row[c], widths[c]) : row[c];
  }
  const std::size_t line_width = width == 0 ? 120 : width;
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = r > 0 && found[r - 1].run->latest ? "*" : " ";
    for (std::size_t c = 0; c < heads.size(); ++c) {
      if (used(c)) line += (c == 0 ? " " : "  ") + pad(rows[r][c], (c == 1 ? -1 : 1) * static_cast<int>(widths[c]));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) continue;
    const auto& f = found[r - 1];
    if (f.run->superseded) out += "      superseded: newer runs contain its finished jobs\n";
    if (!f.run->note.empty()) out += wrapped("      ", visible(f.run->note), line_width);
    if (!f.run->problem.empty()) {
      const auto problem = visible(shortened(f.run->problem.substr(0, f.run->problem.find("\n  try:"))));
      out += wrapped("      ", "note: " + problem, width == 0 ? problem.size() + 20 : width);
    }
    for (const auto& group : f.groups) {
      std::vector<std::string> means;
      for (const auto& m : group.means) {
        means.push_back(fmt::format("{} {} (n={}{})", m.metric, mean_text(m.mean, m.std), m.n,
                                    m.missing == 0 ? "" : fmt::format(" of {}: the others have no finite value", m.n + m.missing)));
      }
      const auto point = point_label(group.point);
      const auto who = "      " + visible(group.arm) + (point.empty() ? "" : " " + visible(point));
      const auto all = who + "  " + join(means, "  ");
      const bool fits = width == 0 || display_width(all) <= width;
      out += fits ? all + "\n" : who + "\n        " + join(means, "\n        ") + "\n";
    }
  }
  std::set<std::string> experiments;
  for (const auto& f : found) experiments.insert(f.run->experiment);
  return out + fmt::format("{} run{} of {} experiment{}\n", found.size(), found.size() == 1 ? "" : "s", experiments.size(),
                           experiments.size() == 1 ? "" : "s");
}

nlohmann::ordered_json runs_json(const std::vector<FoundRun>& found) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& f : found) {
    const auto& run = *f.run;
    nlohmann::ordered_json json{
        {"run", run.name()}, {"experiment", run.experiment}, {"id", run.id}, {"path", run.path.string()}, {"title", run.title}};
    json["scale"] = run.scale.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(run.scale);
    json["latest"] = run.latest;
    json["superseded"] = run.superseded;
    json["plan_hash"] = run.plan_hash;
    json["code"] = run.code;
    json["git"] = run.git;
    json["overrides"] = run.overrides;
    json["protocol_overrides"] = run.protocol_overrides;
    json["arms"] = run.arms;
    json["swept"] = run.swept;
    json["tags"] = run.tags;
    json["note"] = run.note;
    json["jobs"] = run.jobs();
    json["states"] = nlohmann::ordered_json::object();
    for (const auto& [state, count] : run.states) json["states"][to_string(state)] = count;
    json["problem"] = run.problem.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(run.problem);
    if (!f.groups.empty()) {
      json["found"] = nlohmann::ordered_json::array();
      for (const auto& group : f.groups) {
        nlohmann::ordered_json metrics = nlohmann::ordered_json::object();
        for (const auto& m : group.means) {
          metrics[m.metric] = {{"mean", m.mean},
                               {"std", m.std ? nlohmann::ordered_json(*m.std) : nlohmann::ordered_json()},
                               {"n", m.n},
                               {"missing", m.missing}};
        }
        json["found"].push_back({{"arm", group.arm}, {"params", to_json(Node(group.point))}, {"metrics", metrics}});
      }
    }
    out.push_back(std::move(json));
  }
  return out;
}

}  // namespace yatlab
