#include "core/commands/report_paper.h"

#include <fmt/format.h>

#include "core/base/files.h"
#include "core/base/print.h"
#include "core/cli/out_folder.h"
#include "core/commands/verdict.h"
#include "core/config/yaml.h"
#include "core/plan/plan.h"

namespace yatlab::cli {

int report_paper(const Command&, const std::vector<std::string>&, const Arguments& args, const ReportOptions& options) {
  require_folder_name(args.text("out"), "tables, figures and SCORECARD.md are in it");
  require_writable_folder(args.text("out"), "--out", "name another folder: --out FOLDER");
  std::vector<PaperExperiment> all;
  for (const auto& file : experiment_files()) {
    PlanRequest request;
    request.experiment = file;
    request.config_path = config_path(file);
    const auto plan = make_plan(request);
    all.push_back({plan.name, plan.experiment});
  }
  auto with_claims = options;
  if (const auto claims = paper_claims(); !claims.empty()) with_claims.claims = load_yaml(claims);
  const auto report = write_paper_report(args.text("results"), args.text("out"), all, with_claims);
  say("{}\n{} files -> {}\n", report.text, report.files.size(), args.text("out"));
  return 0;
}

}  // namespace yatlab::cli
