#include "core/report/paper_readme.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/table/table_parts.h"

namespace yatlab {
namespace {

/// What the experiment's rows found, claim by claim.
std::string answers(const std::string& experiment, const std::vector<PaperClaim>& claims) {
  std::string out;
  for (const auto& claim : claims) {
    std::vector<FoundRow> rows;
    for (const auto& row : claim.rows) {
      if (row.experiment == experiment) rows.push_back(row);
    }
    if (rows.empty()) continue;
    out += fmt::format("- {} *{}*\n", claim.mark, markdown_text(plain_text(claim.says)));
    for (const auto& line : found_lines(rows)) out += fmt::format("  - {}\n", markdown_text(plain_text(line)));
  }
  return out.empty() ? out : "The paper's claims, and what was found:\n\n" + out + "\n";
}

/// What the experiment's rows found that belong to no claim.
std::string answers(const std::string& experiment, const std::vector<FoundRow>& rows) {
  std::string out;
  for (const auto& row : rows) {
    if (row.experiment == experiment) out += fmt::format("- {}\n", markdown_text(plain_text(row.text)));
  }
  return out.empty() ? out : "What was found:\n\n" + out + "\n";
}

/// The files in a folder of that name; those of `specs` first, in their order.
template <typename Spec>
std::vector<fs::path> files_in(const std::string& folder, const std::vector<fs::path>& files, const std::vector<Spec>& specs) {
  std::vector<fs::path> out;
  for (const auto& path : files) {
    if (path.parent_path().filename() == folder && path.filename() != "claims.md") out.push_back(path);
  }
  const auto place = [&](const fs::path& path) {
    return std::find_if(specs.begin(), specs.end(), [&](const auto& spec) { return path.stem() == safe_file_name(spec.id); }) -
           specs.begin();
  };
  std::stable_sort(out.begin(), out.end(), [&](const auto& x, const auto& y) { return place(x) < place(y); });
  return out;
}

std::string section_text(const ReadmeSection& section, const std::vector<PaperClaim>& claims, const std::vector<FoundRow>& others,
                         const fs::path& out) {
  constexpr std::ptrdiff_t kLongestTable = 40;  // lines; longer ones are links
  const auto link = [&](const fs::path& path) { return fs::relative(path, out).generic_string(); };
  std::string text = fmt::format("\n## {}\n\n", markdown_text(plain_text(section.title)));
  if (!section.question.empty()) text += fmt::format("**{}**\n\n", markdown_text(plain_text(section.question)));
  text += answers(section.name, claims) + answers(section.name, others);
  if (!section.claim_counts.empty()) {
    text += fmt::format("{}. One by one: [STATEMENTS.md](STATEMENTS.md); [every check]({}).\n\n", section.claim_counts,
                        link(section.directory / "tables" / "claims.md"));
  }
  std::vector<std::string> more;
  for (const auto& part : section.tables) {
    const auto table = read_file(part.file);
    const bool first = &part == &section.tables.front() && std::count(table.begin(), table.end(), '\n') <= kLongestTable;
    if (first) {
      text += table + "\n";
    } else {
      more.push_back(fmt::format("[{}]({})", markdown_text(plain_text(part.text)), link(part.file)));
    }
  }
  for (const auto& part : section.figures) {
    const auto caption = markdown_text(plain_text(part.text));
    if (&part == &section.figures.front()) {
      text += fmt::format("![{}]({})\n\n", markdown_text(part.file.stem().string()), link(part.file));
      if (!caption.empty()) text += caption + "\n\n";
    } else {
      more.push_back(fmt::format("[figure {}]({})", markdown_text(part.file.stem().string()), link(part.file)));
    }
  }
  if (!more.empty()) text += fmt::format("More: {}.\n\n", join(more, ", "));
  return text + fmt::format("{}. [summary.json]({})\n", section.run, link(section.directory / "summary.json"));
}

}  // namespace

void list_parts(ReadmeSection& section, const std::vector<fs::path>& files, const ReportConfig& config) {
  for (const auto& path : files_in("tables", files, config.tables)) {
    if (path.extension() != ".md") continue;
    std::string title = path.stem().string();
    for (const auto& table : config.tables) {
      if (path.stem() == safe_file_name(table.id) && !table.title.empty()) title = table.title;
    }
    section.tables.push_back({path, title});
  }
  for (const auto& path : files_in("figures", files, config.figures)) {
    const bool drawing = path.extension() == ".svg";
    if (!drawing && !(path.extension() == ".png" && !is_there(fs::path(path).replace_extension(".svg")))) continue;
    std::string caption;
    for (const auto& figure : config.figures) {
      if (path.stem() == safe_file_name(figure.id)) caption = figure.caption;
    }
    // Text added by the plot itself: sizes, seeds, parameters.
    const fs::path written = fs::path(path).replace_extension(".txt");
    section.figures.push_back({path, is_there(written) ? std::string(trim(read_file(written))) : caption});
  }
}

std::string paper_readme(const std::vector<ReadmeSection>& sections, const std::vector<std::string>& not_recorded,
                         const std::vector<PaperClaim>& claims, const std::vector<FoundRow>& others, const fs::path& out) {
  std::string text = "# Results, experiment by experiment\n\n";
  if (!claims.empty()) text += claim_counts_text(claims) + " Claim by claim: [VERDICT.md](VERDICT.md).\n";
  text +=
      "Every number of the paper beside ours: [SCORECARD.md](SCORECARD.md).\n`./run.sh repeat EXPERIMENT` runs jobs again and compares.\n";
  for (const auto& section : sections) text += section_text(section, claims, others, out);
  if (!not_recorded.empty()) text += fmt::format("\nWithout a complete run at full scale: `{}`.\n", join(not_recorded, "`, `"));
  return text;
}

}  // namespace yatlab
