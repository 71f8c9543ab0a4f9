#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/experiment/report_config.h"
#include "core/report/verdict_page.h"

namespace yatlab {

/// A recorded experiment in the README of its paper's results.
struct ReadmeSection {
  /// A table or figure: its Markdown or picture file, and its title or caption.
  struct Part {
    fs::path file;
    std::string text;
  };
  std::string name, title, question = {};
  std::string run = {};                         ///< which run, in Markdown
  std::string claim_counts = {};                ///< counts of checked statements; empty: it checks none
  fs::path directory = {};                      ///< contains summary.json, tables/ and figures/
  std::vector<Part> tables = {}, figures = {};  ///< in the order of the experiment's file
};

/// Fills in a section's tables and figures: those among `files`, in the order of the experiment's file.
void list_parts(ReadmeSection& section, const std::vector<fs::path>& files, const ReportConfig& config);

/// Markdown: for each experiment the question, what was found on each claim and in `answers`, the first table (if it is short) and the first figure; the others as
/// links. Links are relative to `out`. `not_recorded`: names of experiments without results.
std::string paper_readme(const std::vector<ReadmeSection>& sections, const std::vector<std::string>& not_recorded,
                         const std::vector<PaperClaim>& claims, const std::vector<FoundRow>& answers, const fs::path& out);

}  // namespace yatlab
