#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/cli/command.h"
#include "core/config/interpolation.h"
#include "core/config/yaml.h"
#include "core/experiment/experiment_params.h"

namespace yatlab::cli {
namespace po = boost::program_options;

int config_command(const Command& self, const std::vector<std::string>& arguments) {
  po::options_description options("options");
  options.add_options()
      ("arm", po::value<std::string>()->default_value(""), "compose this arm instead of the bare experiment")
      ("explain", po::value<std::string>(), "say which file, line and column or override set this key")
      ("resolve", po::bool_switch(), "replace interpolations by their values")
      ("package,p", po::value<std::string>(), "only this part, e.g. trainer")
      ("format", po::value<std::string>()->default_value("yaml"), "yaml or json")
      ("multirun,m", po::bool_switch(), "accept sweeps on the command line");
  const auto args = parse_arguments(self, arguments, options);
  if (args.help) return 0;
  const auto request = plan_request(args);
  const auto composition = compose_experiment(request, args.text("arm"));
  if (args.options.count("explain")) {
    const Composer composer(request.config_path, &experiment_schema());
    fmt::print("{}\n", composer.explain(composition, args.text("explain")));
    return 0;
  }
  Node config = args.flag("resolve") ? resolve(composition.config) : composition.config;
  if (args.options.count("package")) {
    const Node* part = config.find_path(args.text("package"));
    if (!part) throw config_error(fmt::format("no key '{}'", args.text("package")), "--package");
    config = Node(*part);
  }
  if (args.text("format") == "json") {
    fmt::print("{}\n", to_json(config).dump(2));
  } else if (args.text("format") == "yaml") {
    fmt::print("{}", emit_yaml(config));
  } else {
    throw config_error(fmt::format("--format cannot be '{}'", args.text("format")), "command line", {}, "choices: yaml, json");
  }
  return 0;
}

}  // namespace yatlab::cli
