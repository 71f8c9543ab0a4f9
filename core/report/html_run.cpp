#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/record/run_notes.h"
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
  return out + fmt::format("<p class=\"byline\">{}</p>\n{}</header>\n", text(join(parts, " · ")), noted(run));
}

std::string problems_html(const std::vector<std::string>& problems) {
  if (problems.empty()) return {};
  std::string out = "<ul class=\"problems\">\n";
  for (const auto& problem : problems) out += "<li>" + text(problem) + "</li>\n";
  return out + "</ul>\n";
}

}  // namespace

std::string protocol(const RunView& run, const ReportConfig& config) {
  std::string out;
  if (const Node* notes = run.config.find("notes"); notes && notes->is_string()) {
    out += fmt::format("<p class=\"notes\">{}</p>\n", text(plain_text(trim(notes->as_string()))));
  }
  const Node* arms = run.config.find("arms");
  out +=
      "<div class=\"scroll\" role=\"region\" aria-label=\"Arms\" tabindex=\"0\"><table class=\"arms\"><thead><tr><th scope=\"col\">arm</th>"
      "<th scope=\"col\">differs from the others by</th><th scope=\"col\" class=\"num\">jobs done</th></tr></thead>\n<tbody>\n";
  for (const auto& arm : run.arms) {
    std::string list;
    if (const Node* own = arms ? arms->find(arm) : nullptr; own && own->is_list()) {
      for (const auto& item : own->as_list()) list += "<code>" + text(format_parameter(item)) + "</code> ";
    }
    std::size_t done = 0, planned = 0;
    for (const auto& job : run.jobs) {
      planned += job.arm == arm;
      done += job.arm == arm && job.finished();
    }
    const std::string label = plain_text(config.arm_label(arm));
    out += fmt::format("<tr><th scope=\"row\">{}{}</th><td class=\"prose\">{}</td><td class=\"num\">{} of {}</td></tr>\n", text(label),
                       label == arm ? "" : " <code>" + text(arm) + "</code>", list.empty() ? "as configured" : trim(list), done, planned);
  }
  out += "</tbody></table></div>\n<dl class=\"facts\">\n";
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
  return out + "</dl>\n<p class=\"small\">All settings, with every default: <a href=\"config.yaml\">config.yaml</a></p>\n";
}

std::string environment(const RunView& run) {
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
    if (is_there(run.directory / name) || std::string_view(name) == "summary.json") files += fmt::format("<a href=\"{0}\">{0}</a> ", name);
  }
  return out + fact("files", "<span class=\"files\">" + trim(files) + "</span>") + "</dl>\n";
}

}  // namespace html

std::string run_page(const RunView& run, const ReportConfig& config, const ReportContents& contents,
                     const std::vector<std::string>& problems) {
  using html::Section;
  std::string tables;
  for (const auto& table : contents.tables) tables += html::table(table, "tables/" + safe_file_name(table.id), "");
  nlohmann::ordered_json data = {{"curves", html::curves(run, config)}, {"jobs", html::jobs(run, config, contents.tables)}};
  const std::string noscript = "<noscript><p>This part needs JavaScript.</p></noscript>\n";
  std::vector<Section> sections = {
      {"results", "Results", tables},
      {"statements", "Statements", contents.claims.empty() ? "" : html::claims(contents.claims, "claim-")},
      {"figures", "Figures", html::figures(contents.figures, run.directory / "figures", "figures/")},
      {"curves", "Learning curves", data["curves"].is_null() ? "" : noscript + "<div id=\"curves-app\"></div>\n"},
      {"protocol", "What was compared, and how", html::protocol(run, config)},
      {"jobs", "Jobs", noscript + "<div id=\"jobs-app\"></div>\n"},
      {"made", "Made with", html::environment(run)},
      {"problems", "Not reported", html::problems_html(problems)}};
  return html::page(plain_text(config.title),
                    html::heading(run, config) + html::warnings(run, config) + html::verdicts(run, config, contents), sections, data);
}

}  // namespace yatlab
