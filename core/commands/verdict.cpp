#include "core/commands/verdict.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/cli/experiments.h"
#include "core/config/yaml.h"
#include "core/report/verdict_page.h"

namespace yatlab::cli {
namespace po = boost::program_options;

fs::path paper_claims() {
  for (const auto& root : experiment_roots()) {
    if (is_there(root / "paper.yml")) return root / "paper.yml";
  }
  return {};
}

int verdict_command(const Command& self, const std::vector<std::string>& arguments) {
  po::options_description options("options");
  options.add_options()("recorded", po::value<std::string>()->default_value("results/paper"), "folder of the paper's report")(
      "claims", po::value<std::string>()->default_value(""), "what the paper claims (default: experiments/paper.yml)");
  const auto args = parse_arguments(self, arguments, options);
  if (args.help) return 0;
  const fs::path claims = args.text("claims").empty() ? paper_claims() : fs::path(args.text("claims"));
  if (claims.empty()) {
    throw config_error("no file says what the paper claims", "experiments/paper.yml", "",
                       "go to the project's folder, or name it: yatlab verdict --claims FILE");
  }
  say("{}", verdict_page(load_yaml(claims), args.text("recorded")));
  return 0;
}

}  // namespace yatlab::cli
