#include "core/commands/report_paper.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/cli/out_folder.h"
#include "core/cli/papers.h"
#include "core/config/yaml.h"
#include "core/plan/plan.h"

namespace yatlab::cli {

int report_paper(const Command&, const std::vector<std::string>&, const Arguments& args, const ReportOptions& options) {
  // Experiments without any paper.yaml also get a report.
  const Paper paper = args.words.empty() && papers().empty() ? Paper{} : find_paper(args.words.empty() ? "" : args.words[0]);
  const fs::path out = args.has("out") ? fs::path(args.text("out")) : paper.results.empty() ? fs::path("results/paper") : paper.results;
  require_folder_name(out.string(), "tables, figures and SCORECARD.md are in it");
  require_writable_folder(out.string(), "--out", "choose a different folder: --out FOLDER");
  std::vector<PaperExperiment> all;
  for (const auto& file : paper.id.empty() ? experiment_files() : experiments_of(paper)) {
    PlanRequest request;
    request.experiment = file;
    request.config_path = config_path(file);
    const auto plan = make_plan(request);
    if (fs::path(args.text("results")) / plan.name == out) {
      throw config_error(fmt::format("the runs of '{}' and the report would share the folder '{}'", plan.name, out.string()), file.string(),
                         {}, "give the experiment a different 'name', or the paper a different 'results'");
    }
    all.push_back({plan.name, plan.experiment});
  }
  auto with_claims = options;
  if (!paper.file.empty()) with_claims.claims = load_yaml(paper.file);
  const auto report = write_paper_report(args.text("results"), out, all, with_claims);
  say("{}\n{} files -> {}\n", report.text, report.files.size(), out.string());
  return 0;
}

}  // namespace yatlab::cli
