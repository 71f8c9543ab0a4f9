#include "core/report/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/figure/gnuplot.h"
#include "core/figure/layout.h"
#include "core/report/after_run.h"
#include "core/report/claims_report.h"
#include "core/report/default_figures.h"
#include "core/report/default_tables.h"
#include "core/report/html.h"
#include "core/report/plot_tools.h"
#include "core/report/report_parts.h"
#include "core/report/summary.h"
#include "core/table/latex_grid.h"
#include "core/table/plot.h"

namespace yatlab {
namespace {

/// A sweep's table may be long: the terminal shows its beginning and where the rest is.
std::string terminal_text(const Table& table, const TextStyle& style, const std::string& file) {
  constexpr std::size_t kLong = 30, kShown = 12;
  Table beginning = as_shown(table);
  std::vector<std::string> more;
  const auto shorten = [&](auto& lines, const char* what) {
    if (lines.size() <= kLong) return;
    more.push_back(fmt::format("{} more {}", lines.size() - kShown, what));
    lines.erase(lines.begin() + kShown, lines.end());
  };
  shorten(beginning.rows, "rows");
  shorten(beginning.comparisons, "comparisons");
  return to_text(beginning, style) + (more.empty() ? "" : fmt::format("  ... and {}: {}\n", join(more, ", "), file));
}

// The figures drawn by an earlier report.
std::vector<DrawnFigure> figures_in(const fs::path& folder) {
  std::vector<DrawnFigure> out;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().extension() != ".gp") continue;
    fs::path caption = it->path();
    caption.replace_extension(".txt");
    const std::string stem = it->path().stem().string();
    // The caption, a blank line, the note.
    const std::string text = is_there(caption) ? read_file(caption) : "";
    const auto blank = text.find("\n\n");
    out.push_back({stem, trim(text.substr(0, blank)), stem, blank == std::string::npos ? "" : trim(text.substr(blank))});
  }
  std::sort(out.begin(), out.end(), [](const DrawnFigure& a, const DrawnFigure& b) { return a.stem < b.stem; });
  return out;
}

}  // namespace

std::vector<Figure> draw_figures(const RunView& run, const ReportConfig& config, const FigureSpec& spec) {
  const auto plot = Registry<Plot>::create(spec.params);
  PlotRequest request;
  request.id = spec.id;
  request.caption = spec.caption;
  request.config = &config;
  auto figures = plot->draw(run, request);
  // Plots show one job of each arm; the figure itself mentions arms without one.
  if (const auto needs = plot->needs(); !needs.artifacts.empty()) {
    const auto all = plot_arms(run, needs.arms), shown = completed_arms(run, needs.arms);
    for (const auto& arm : all) {
      if (std::find(shown.begin(), shown.end(), arm) != shown.end()) continue;
      for (auto& figure : figures) figure.notes.push_back(fmt::format("Without {}: no seed of it completed.", config.arm_label(arm)));
    }
  }
  for (auto& figure : figures) {
    if (config.column_figures) fit_column(figure);
    limit_axes(figure);
    fit_names(figure);
  }
  return figures;
}

Report report_run(const RunView& run, const ReportConfig& config, const fs::path& directory, const ReportOptions& options,
                  ReportContents& contents) {
  remove_stale_temporaries(directory / "tables");
  remove_stale_temporaries(directory / "figures");
  Report report;
  const auto write = [&](const fs::path& path, const std::string& bytes) {
    write_file_atomic(path, bytes);
    report.files.push_back(path);
  };
  const auto claims = checked_claims(run);
  for (const auto& spec : all_tables(run, config)) {
    const Table table = build_table(run, config, spec);
    const fs::path base = directory / "tables" / safe_file_name(spec.id);
    write(base.string() + ".tex", to_latex(table));
    write(base.string() + ".md", to_markdown(table));
    write(base.string() + ".csv", to_csv(table));
    auto data = table_data(table);
    data.markdown = to_markdown(table);
    report.media.push_back({"tables/" + spec.id, std::move(data), table.title});
    report.text += terminal_text(table, options.text, base.string() + ".md") + "\n";
    contents.tables.push_back(table);
  }
  if (!claims.empty()) {
    const fs::path base = directory / "tables" / "claims";
    write(base.string() + ".tex", on_one_column(claims_latex(run, claims)));
    write(base.string() + ".md", claims_markdown(run, claims));
    write(base.string() + ".csv", claims_csv(run, claims));
    auto data = claims_data(run, claims);
    data.markdown = claims_markdown(run, claims);
    report.media.push_back({"tables/claims", std::move(data), "Statements"});
    report.text += claims_text(run, claims, options.text) + "\n";
  }
  auto formats = options.formats.empty() ? config.formats : options.formats;
  // The page always shows it.
  if (std::find(formats.begin(), formats.end(), "svg") == formats.end()) formats.insert(formats.begin(), "svg");
  if (options.pictures && std::find(formats.begin(), formats.end(), "png") == formats.end()) formats.push_back("png");
  if (options.figures) {
    for (const auto& spec : all_figures(run, config)) {
      try {
        for (const auto& figure : draw_figures(run, config, spec)) {
          Figure drawn = figure;
          if (config.report.captions == ReportParams::Captions::kShort) drawn.notes.clear();
          for (auto& path : render_figure(drawn, directory / "figures", formats)) {
            if (path.extension() == ".png") report.media.push_back({"figures/" + figure.id, Image{read_file(path)}, figure.caption});
            report.files.push_back(std::move(path));
          }
          contents.figures.push_back({figure.id, figure.caption, safe_file_name(figure.id), figure.note()});
        }
      } catch (const Error& e) {
        report.problems.push_back(fmt::format("figure {}: {}{}{}", spec.id, e.message(), e.why().empty() ? "" : ": " + e.why(),
                                              e.hint().empty() ? "" : "; try: " + e.hint()));
      }
    }
  }
  if (!options.figures) contents.figures = figures_in(directory / "figures");
  contents.claims = claims;
  for (const auto& warning : run.warnings) report.problems.push_back(warning);
  for (const auto& problem : report.problems) report.text += "not reported: " + problem + "\n";
  return report;
}

Report write_report(const fs::path& run_directory, const ReportOptions& options) {
  const RunView run = RunView::load(run_directory);
  const ReportConfig config = report_config(run);
  // First, independent of figures: the result for other programs.
  const fs::path summary = run_directory / "summary.json";
  write_file_atomic(summary, summary_text(run, config));
  ReportContents contents;
  Report report = report_run(run, config, run_directory, options, contents);
  report.files.insert(report.files.begin(), summary);
  report.brief = text_after_run(run, contents, report.problems, options.text);
  const fs::path page = run_directory / "report.html";
  write_file_atomic(page, run_page(run, config, contents, report.problems));
  report.files.push_back(page);
  return report;
}

}  // namespace yatlab
