#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/find_run.h"
#include "core/cli/papers.h"
#include "core/commands/report_paper.h"
#include "core/experiment/report_config.h"
#include "core/report/report.h"
#include "core/system/terminal.h"

namespace yatlab::cli {
namespace po = boost::program_options;

void report_options(po::options_description& options) {
  options.add_options()("results", po::value<std::string>()->default_value("results"), "folder of the runs")(
      "out", po::value<std::string>(), "folder of a paper's report (default: results/paper, or the paper's own)")(
      "no-figures", po::bool_switch(), "tables only")("format", po::value<std::string>(),
                                                      "formats of figures: svg, pdf, png, pgf, or several: pdf,pgf");
}

int report_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  ReportOptions wanted;
  wanted.text.width = terminal_width();
  wanted.text.colour = shows_colours();
  wanted.figures = !args.flag("no-figures");
  if (args.has("format")) {
    Node formats = Node::list();
    formats.set_origin({"command line", 0, 0, {}});
    for (const auto& format : split(args.text("format"), ',')) formats.push_back(Node(trim(format)));
    wanted.formats = read_figure_formats(formats, "--format");
  }
  // A run's folder takes precedence over a paper's name.
  const bool of_paper = args.words.size() == 1 && !is_there(args.words[0]) && is_paper(args.words[0]);
  if (args.words.empty() || of_paper) return report_paper(self, arguments, args, wanted);
  for (const auto& word : args.words) say("{}\n", write_report(find_run(word, args.text("results")), wanted).text);
  return 0;
}

}  // namespace yatlab::cli
