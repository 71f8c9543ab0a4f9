#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/figure/latex_text.h"
#include "core/record/run_notes.h"
#include "core/record/setting_sources.h"
#include "core/report/html_parts.h"

namespace yatlab {
namespace html {
namespace {

using Json = nlohmann::ordered_json;

// "0–4, 7"
std::string seeds_text(const std::vector<std::int64_t>& seeds) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < seeds.size();) {
    std::size_t last = i;
    while (last + 1 < seeds.size() && seeds[last + 1] == seeds[last] + 1) ++last;
    parts.push_back(last - i < 2 ? fmt::format("{}", seeds[i]) : fmt::format("{}–{}", seeds[i], seeds[last]));
    if (last - i == 1) last = i;
    i = last + 1;
  }
  return join(parts, ", ");
}

// A component or group in words: "adam, lr 0.001, beta1 0.9"; null values are omitted.
std::string settings(const Node& node) {
  if (!node.is_map()) return format_parameter(node);
  std::vector<std::string> parts;
  for (const auto& [key, value] : node.as_map()) {
    if (value.is_null() || ((value.is_map() || value.is_list()) && value.size() == 0)) continue;
    if (key == "name") {
      parts.insert(parts.begin(), format_parameter(value));
    } else if (value.is_map()) {
      const std::string inner = settings(value);
      if (!inner.empty()) parts.push_back(key + " (" + inner + ")");
    } else {
      parts.push_back(key + " " + format_parameter(value));
    }
  }
  return join(parts, ", ");
}

std::string fact(const std::string& name, const std::string& value_html) {
  return value_html.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", text(name), value_html);
}

std::string dataset_html(const DatasetUse& data) {
  std::string out = fmt::format("<b>{}</b>", text(data.name));
  if (!data.substituted_for.empty()) {
    out += fmt::format(" <span class=\"badge worse\">substitute for {}</span>", text(data.substituted_for));
  } else {
    out += data.tier == "embedded" ? " (made by the program, as the experiment asks)" : " (the real data)";
  }
  if (!data.tier.empty()) out += fmt::format(", tier {}", text(data.tier));
  if (!data.sha256.empty())
    out += fmt::format(", <abbr title=\"{0}\">sha256 {1}…</abbr>", text(data.sha256), text(data.sha256.substr(0, 12)));
  return out;
}

// "Linear, ⵟ"; a count if there are many.
std::string arms_text(const RunView& run, const ReportConfig& config) {
  if (run.arms.size() > 5) return counted(run.arms.size(), "arm", "arms");
  std::vector<std::string> labels;
  for (const auto& arm : run.arms) labels.push_back(plain_text(config.arm_label(arm)));
  const bool listable = std::none_of(labels.begin(), labels.end(), [](const auto& l) { return l.find(',') != std::string::npos; });
  if (labels.size() < 2) return join(labels, "");
  if (!listable) return counted(labels.size(), "arm", "arms");
  const std::string last = labels.back();
  labels.pop_back();
  return join(labels, ", ") + " and " + last;
}

// "2026-11-21 05:43:28", from the beginning of a run's name.
std::string time_of(const std::string& run_id) {
  if (run_id.size() < 19 || run_id[4] != '-' || run_id[10] != '_') return {};
  std::string time = run_id.substr(11, 8);
  std::replace(time.begin(), time.end(), '-', ':');
  return run_id.substr(0, 10) + " " + time;
}

/// Tags and note of the run, if any.
std::string noted(const RunView& run) {
  RunNotes notes;
  try {
    notes = read_notes(run.directory);
  } catch (const Error& e) {  // broken notes are skipped; `yatlab runs` reports them
    if (e.kind() == ErrorKind::kFile) throw;
    return {};
  }
  std::string out;
  for (const auto& tag : notes.tags) out += fmt::format("{}<code>{}</code>", out.empty() ? "" : " ", text(tag));
  if (!out.empty()) out = fmt::format("<p class=\"small tags\">{}</p>\n", out);
  if (!notes.note.empty()) out += fmt::format("<p class=\"notes\">{}</p>\n", text(notes.note));
  return out;
}

std::string heading(const RunView& run, const ReportConfig& config) {
  std::string out = "<header class=\"title\">\n";
  if (const Node* section = run.config.find("paper_section"); section && section->is_string()) {
    out += fmt::format("<p class=\"kicker\">{}</p>\n", text(section->as_string()));
  }
  out += fmt::format("<h1>{}</h1>\n", text(plain_text(config.title)));
  std::vector<std::string> data;
  for (const auto& use : run.datasets()) data.push_back(use.name);
  const auto seeds = run.seeds();
  std::vector<std::string> parts;
  if (!(run.swept.size() == 1 && run.swept[0] == "claim")) {
    parts.push_back(arms_text(run, config));
    const auto points = run.points().size();
    if (points > 1) parts.push_back(counted(points, "sweep point", "sweep points"));
    parts.push_back(counted(seeds.size(), "seed", "seeds"));
  }
  if (!data.empty()) parts.push_back("data " + join(data, ", "));
  parts.push_back(counted(run.jobs.size(), "job", "jobs"));
  if (run.scale.empty()) parts.emplace_back("full scale");
  if (const auto time = time_of(run.run_id); !time.empty()) parts.push_back(time);
  out += fmt::format("<p class=\"byline\">{}</p>\n{}", text(join(parts, " · ")), noted(run));
  if (!config.question.empty()) out += fmt::format("<p class=\"question\">{}</p>\n", text(plain_text(config.question)));
  if (const Node* asks = run.config.find("notes"); asks && asks->is_string()) {
    const auto words = plain_text(trim(asks->as_string()));
    constexpr std::size_t kShort = 500;
    out += fmt::format("<details class=\"asks\"{}><summary>protocol</summary><p>{}</p></details>\n", words.size() < kShort ? " open" : "",
                       text(words));
  }
  return out + "</header>\n";
}

// Long lists and texts are cut; config.yaml below has them whole.
std::string setting_text(const Node& value) {
  constexpr std::size_t kMaxCharacters = 160;
  return text(shortened(value.is_string() ? value.as_string() : value.to_flow(), kMaxCharacters));
}

/// The settings in which the jobs of arms differ, but for those that are swept; "" if there are none.
std::string differing_settings(const RunView& run, const ReportConfig& config) {
  constexpr std::size_t kMostArms = 12;
  std::vector<std::pair<std::string, std::map<std::string, std::string>>> arms;  // label; key -> value
  std::vector<std::string> keys;
  for (const auto& arm : run.arms) {
    const auto job = std::find_if(run.jobs.begin(), run.jobs.end(), [&](const JobView& one) { return one.arm == arm; });
    const auto own = job == run.jobs.end() || arms.size() == kMostArms ? std::nullopt : run.config_of(*job);
    if (!own) continue;
    arms.emplace_back(plain_text(config.arm_label(arm)), std::map<std::string, std::string>());
    for (const auto& [key, value] : settings_of(*own)) {
      arms.back().second[key] = setting_text(*value);
      if (key != "seed" && std::find(run.swept.begin(), run.swept.end(), key) == run.swept.end() &&
          std::find(keys.begin(), keys.end(), key) == keys.end())
        keys.push_back(key);
    }
  }
  std::string rows;
  for (const auto& key : keys) {
    const auto value = [&](const auto& arm) {
      const auto found = arm.second.find(key);
      return found == arm.second.end() ? std::string() : found->second;
    };
    if (std::all_of(arms.begin(), arms.end(), [&](const auto& arm) { return value(arm) == value(arms.front()); })) continue;
    rows += "<tr><th scope=\"row\"><code>" + text(key) + "</code></th>";
    for (const auto& arm : arms) rows += "<td>" + (value(arm).empty() ? "–" : value(arm)) + "</td>";
    rows += "</tr>\n";
  }
  if (rows.empty()) return {};
  std::string heads = "<th scope=\"col\">setting</th>";
  for (const auto& arm : arms) heads += "<th scope=\"col\">" + text(arm.first) + "</th>";
  return "<h3>What differs between arms</h3>\n<div class=\"scroll\" role=\"region\" aria-label=\"What differs between arms\" "
         "tabindex=\"0\">"
         "<table class=\"differing\"><thead><tr>" +
         heads + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div>\n";
}

/// Every setting without the arms' own, and who set it; then config.yaml.
std::string config_html(const RunView& run) {
  const auto sources = read_setting_sources(run.directory);
  std::string rows;
  for (const auto& [key, value] : settings_of(run.config)) {
    const auto source = sources.find(key);
    if (source == sources.end()) continue;
    rows += fmt::format("<tr><th scope=\"row\"><code>{}</code></th><td class=\"prose\">{}</td><td class=\"prose\">{}</td></tr>\n",
                        text(key), setting_text(*value), text(source->second));
  }
  std::string out;
  if (!rows.empty()) {
    out =
        "<details><summary>Every setting and its source</summary><div class=\"scroll tall\" role=\"region\" aria-label=\"Settings\" "
        "tabindex=\"0\"><table class=\"settings sortable\"><thead><tr><th scope=\"col\">setting</th><th scope=\"col\">value</th>"
        "<th scope=\"col\">set by</th></tr></thead>\n<tbody>\n" +
        rows + "</tbody></table></div></details>\n";
  }
  return out + "<details><summary>config.yaml, with every default</summary><pre tabindex=\"0\">" + text(emit_yaml(run.config)) +
         "</pre></details>\n";
}

std::string problems_html(const std::vector<std::string>& problems) {
  if (problems.empty()) return {};
  std::string out = "<ul class=\"problems\">\n";
  for (const auto& problem : problems) out += "<li>" + text(problem) + "</li>\n";
  return out + "</ul>\n";
}

}  // namespace

std::string protocol(const RunView& run) {
  std::string out = "<dl class=\"facts\">\n";
  const auto seeds = run.seeds();
  out += fact("Seeds", fmt::format("{} ({})", text(seeds_text(seeds)), seeds.size()));
  if (!(run.swept.size() == 1 && run.swept[0] == "claim")) {
    for (const auto& name : run.swept) out += fact("Swept: " + name, text(join(run.values_of(name), "; ")));
  }
  for (const auto& data : run.datasets()) out += fact("Data", dataset_html(data));
  out += fact("Scale", run.scale.empty() ? "full" : "<code>" + text(run.scale) + "</code>");
  std::string changed;
  for (const auto& item : run.protocol_overrides) changed += "<code>" + text(item) + "</code> ";
  out += fact("Protocol overrides", changed.empty() ? "none" : trim(changed));
  for (const char* key : {"operator", "normalizer", "architecture", "task", "optimizer", "schedule", "trainer"}) {
    const Node* node = run.config.find(key);
    if (!node || node->is_null()) continue;
    std::string name = key;
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    out += fact(name, text(settings(*node)));
  }
  if (const Node* analyses = run.config.find("analyses"); analyses && analyses->is_list()) {
    std::vector<std::string> names;
    for (const auto& item : analyses->as_list()) names.push_back(settings(item));
    out += fact("Analyses", text(join(names, "; ")));
  }
  return out + "</dl>\n";
}

std::string environment(const RunView& run, bool links) {
  std::string out = "<dl class=\"facts\">\n";
  const auto file = [&](const char* name) {
    const fs::path path = run.directory / name;
    const auto json = is_there(path) ? parse_ordered_json(read_json_text(path), false) : Json();
    return json.is_object() ? json : Json::object();
  };
  const Json made = file("environment.json"), plan = file("plan.json");
  for (const auto& [key, value] : made.items()) {
    std::string shown;
    if (value.is_string()) {
      shown = text(value.get<std::string>());
    } else if (key == "git" && value.is_object()) {
      const auto revision = value.find("revision"), dirty = value.find("dirty");
      if (revision != value.end() && revision->is_string()) shown = "<code>" + text(revision->get<std::string>()) + "</code>";
      if (dirty != value.end() && dirty->is_boolean() && dirty->get<bool>()) shown += ", with uncommitted changes";
    } else if (!value.is_null() && !value.empty()) {
      shown = text(dump_json_replacing(value));
    }
    if (key == "command") shown = "<code class=\"command\">" + shown + "</code>";
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', ' ');
    out += fact(name, shown);
  }
  if (const auto hash = plan.find("hash"); hash != plan.end() && hash->is_string()) {
    out += fact("plan hash", "<code>" + text(hash->get<std::string>()) + "</code>");
  }
  out += fact("run", "<code>" + text(run.experiment + "/" + run.run_id) + "</code>");
  std::string files;
  for (const char* name : {"summary.json", "config.yaml", "overrides.yaml", "plan.json", "trials.jsonl", "environment.json", "log.txt"}) {
    if (links && (is_there(run.directory / name) || std::string_view(name) == "summary.json"))
      files += fmt::format("<a href=\"{0}\">{0}</a> ", name);
  }
  if (links) out += fact("files", "<span class=\"files\">" + trim(files) + "</span>");
  return out + "</dl>\n";
}

RunParts run_parts(const RunView& run, const ReportConfig& config, const ReportContents& contents, const std::vector<std::string>& problems,
                   bool live) {
  std::string tables;
  for (const auto& one : contents.tables) tables += table(one, live ? "" : "tables/" + safe_file_name(one.id), "");
  const auto filled_in = [&](const char* id) {
    return fmt::format("{}<div id=\"{}-app\"></div>\n", live ? "" : "<noscript><p>This part needs JavaScript.</p></noscript>\n", id);
  };
  RunParts out;
  out.head = heading(run, config) + (live ? "<div id=\"now-app\"></div>\n" : "") + warnings(run, config) + verdicts(run, config, contents);
  out.sections = {{"arms", "Arms", arms(arm_lines(run, config, contents.tables))},
                  {"results", "Results", tables},
                  {"statements", "Statements", contents.claims.empty() ? "" : claims(contents.claims, "claim-")},
                  {"figures", "Figures", live ? filled_in("figures") : figures(contents.figures, run.directory / "figures", "figures/")},
                  {"points", run.search ? "Search" : "Sweep", run.swept.empty() || !contents.claims.empty() ? "" : filled_in("points")},
                  {"curves", "Learning curves", filled_in("curves")},
                  {"jobs", "Jobs", filled_in("jobs")},
                  {"log", "Log", live ? filled_in("log") : ""},
                  {"protocol", "What was compared, and how", protocol(run) + differing_settings(run, config)},
                  {"config", "Config", config_html(run)},
                  {"made", "Made with", environment(run, !live)},
                  {"problems", "Not reported", problems_html(problems)}};
  return out;
}

}  // namespace html

std::string run_page(const RunView& run, const ReportConfig& config, const ReportContents& contents,
                     const std::vector<std::string>& problems) {
  auto parts = html::run_parts(run, config, contents, problems, false);
  const nlohmann::ordered_json data = {{"curves", html::curves(run, config)}, {"jobs", html::jobs(run, config, contents.tables)}};
  if (data["curves"].is_null()) {
    for (auto& section : parts.sections) {
      if (section.id == "curves") section.body.clear();
    }
  }
  return html::page(plain_text(config.title), parts.head, parts.sections, data);
}

}  // namespace yatlab
