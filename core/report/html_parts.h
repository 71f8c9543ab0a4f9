// Shared by the parts of a report page. Not part of the public interface.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/html.h"

namespace yatlab::html {

/// Text for element content and quoted attributes: markup escaped, control characters and bytes that are not UTF-8 replaced by U+FFFD.
std::string text(std::string_view text);
/// A path for href: each part percent-encoded, slashes kept.
std::string link(std::string_view path);
/// A number for a data- attribute, with all its digits; "" when not finite.
std::string number(double value);
/// A valid value for id= and after '#': letters, digits, '-', '_'.
std::string identifier(std::string_view text);
/// JSON for a script element: ASCII, without '<'.
std::string script_json(const nlohmann::ordered_json& json);
/// The same, or, if longer than `most` bytes, {"packed": ...} with its bytes compressed by zlib, in base64.
std::string page_data(const nlohmann::ordered_json& json, std::size_t most);

/// A verdict's name as a class: "not-comparable".
std::string verdict_class(std::string_view verdict);
/// "<span class="badge reproduced">reproduced</span>"
std::string badge(const Judgement& judgement);
std::string badge(const Evidence& evidence);

/// "3 numbers", "1 number"
std::string counted(std::size_t n, std::string_view one, std::string_view many);

/// A section listed in the page's navigation.
struct Section {
  std::string id, title, body;  ///< body is HTML
};

/// The whole page: `head` comes before the sections; sections without a body are omitted. `data` is for the script.
std::string page(const std::string& title, const std::string& head, const std::vector<Section>& sections,
                 const nlohmann::ordered_json& data);

/// A section of the page; its title is in an h2.
std::string section(const Section& section);

/// The stylesheet and the script that the pages of reports share with the live page.
std::string page_style();
extern const std::string_view kShared;

/// A run's page, in its order: what comes before the sections, and the sections. In a `live` page, parts that a script fills in are
/// empty, and nothing links to the run's files.
struct RunParts {
  std::string head;
  std::vector<Section> sections;
};
RunParts run_parts(const RunView& run, const ReportConfig& config, const ReportContents& contents, const std::vector<std::string>& problems,
                   bool live);

/// One line per arm, by the first table column with a better direction: {"by": {metric, title, higher} or null, "arms": [{arm, label,
/// jobs, done, differs, mean, spread, value, n, planned, unfinished, point, points, leads}]}. In a sweep an arm is shown at its best point.
nlohmann::ordered_json arm_lines(const RunView& run, const ReportConfig& config, const std::vector<Table>& tables);
/// The same as a table.
std::string arms(const nlohmann::ordered_json& lines);

/// A table with its comparisons and notes. `files` is the path of its tex, md and csv files, relative to the page, without extension,
/// or "" to link none; `prefix` makes ids unique when several runs share a page.
std::string table(const Table& table, const std::string& files, const std::string& prefix);

/// Statements with their checks, foldable.
std::string claims(const std::vector<ClaimRow>& rows, const std::string& prefix);

/// Figures as data: URIs with captions and links. `folder` contains them, `files` is the same relative to the page.
std::string figures(const std::vector<DrawnFigure>& figures, const fs::path& folder, const std::string& files);

/// All logged metrics of a run, thinned: the data of the page's curves. Null when nothing was logged.
nlohmann::ordered_json curves(const RunView& run, const ReportConfig& config);

/// The arguments of `yatlab run` that make the run again, or resume it.
std::vector<std::string> words_to_run_again(const RunView& run);

/// The jobs and how to run each again.
nlohmann::ordered_json jobs(const RunView& run, const ReportConfig& config, const std::vector<Table>& tables);

/// How a run was made: data, protocol.
std::string protocol(const RunView& run);
/// environment.json and, if `links`, the run's own files.
std::string environment(const RunView& run, bool links);
/// The first paragraphs: the results for the paper's numbers, statements and comparisons.
std::string verdicts(const RunView& run, const ReportConfig& config, const ReportContents& contents);
/// Prominent warnings: substitutes, another scale, changed protocol, unfinished jobs.
std::string warnings(const RunView& run, const ReportConfig& config);

// Files of core/report/html/, embedded by the build.
extern const std::string_view kTemplate, kStyle, kScript;

}  // namespace yatlab::html
