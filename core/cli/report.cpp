#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/find_run.h"
#include "core/report/config.h"
#include "core/report/report.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// Every experiment of the project, composed, so that numbers of experiments that were never run
/// show as such.
std::vector<PaperExperiment> all_experiments() {
  std::vector<PaperExperiment> out;
  for (const auto& file : experiment_files()) {
    PlanRequest request;
    request.experiment = file;
    request.config_path = config_path(file);
    const auto plan = make_plan(request);
    out.push_back({plan.name, plan.experiment});
  }
  return out;
}

}  // namespace

int report_command(const Command& self, const std::vector<std::string>& arguments) {
  po::options_description options("options");
  options.add_options()("results", po::value<std::string>()->default_value("results"), "folder of the runs")(
      "out", po::value<std::string>()->default_value("results/paper"), "where the gathered report goes")(
      "no-figures", po::bool_switch(), "tables only")("format", po::value<std::string>(),
                                                      "what figures are written as: svg, pdf, png, pgf, or several, as pdf,pgf");
  const auto args = parse_arguments(self, arguments, options);
  if (args.help) return 0;
  ReportOptions report_options;
  report_options.figures = !args.flag("no-figures");
  if (args.has("format")) {
    Node formats = Node::list();
    formats.set_origin({"command line", 0, 0, {}});
    for (const auto& format : split(args.text("format"), ',')) formats.push_back(Node(trim(format)));
    report_options.formats = read_figure_formats(formats, "--format");
  }
  if (args.words.empty()) {
    require_writable_folder(args.text("out"), "--out", "name another folder: --out FOLDER");
    const auto report = write_paper_report(args.text("results"), args.text("out"), all_experiments(), report_options);
    fmt::print("{}\n{} files -> {}\n", report.text, report.files.size(), args.text("out"));
    return 0;
  }
  for (const auto& word : args.words) fmt::print("{}\n", write_report(find_run(word, args.text("results")), report_options).text);
  return 0;
}

}  // namespace yatlab::cli
