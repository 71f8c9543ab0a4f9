#include "core/report/verdict_page.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/cli/experiments.h"
#include "core/cli/papers.h"
#include "core/config/yaml.h"
#include "core/system/terminal.h"

namespace yatlab::cli {
namespace po = boost::program_options;

void verdict_options(po::options_description& options) {
  options.add_options()("recorded", po::value<std::string>(), "folder of the paper's report (default: the paper's)")(
      "claims", po::value<std::string>(), "another file of claims than the paper's");
}

int verdict_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.size() > 1) throw config_error("verdict takes one paper", "command line", {}, self.example);
  Paper paper;
  if (args.has("claims")) {
    paper.file = args.text("claims");
    paper.results = "results/paper";
  } else {
    paper = find_paper(args.words.empty() ? "" : args.words[0]);
  }
  if (args.has("recorded")) paper.results = args.text("recorded");
  const Node claims = load_yaml(paper.file);
  say("{}", verdict_text(claims, judge_claims(claims, paper.results, experiment_names_of(paper)), paper.results,
                         static_cast<std::size_t>(std::min(terminal_width(), kUsualWidth))));
  return 0;
}

}  // namespace yatlab::cli
