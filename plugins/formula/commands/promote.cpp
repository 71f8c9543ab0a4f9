#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/config/compose.h"
#include "core/config/interpolation.h"
#include "core/record/job_file.h"
#include "plugins/formula/commands/promoted_operator.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// The operator of a job, or of an arm: EXPERIMENT:ARM, followed by overrides.
Node operator_of(const Arguments& given) {
  const auto& word = given.words.front();
  if (is_job_folder(word)) {
    const Node config = read_job_file(word).config;
    const Node* op = config.find("operator");
    if (!op || op->is_null()) throw config_error("the job has no operator", word);
    return *op;
  }
  const auto colon = word.rfind(':');
  if (colon == std::string::npos) {
    throw config_error(fmt::format("'{}' is neither a job's folder nor EXPERIMENT:ARM", word), "command line", {},
                       fmt::format("add the name of the arm: {}:mine", word));
  }
  Arguments experiment = given;
  experiment.words.front() = word.substr(0, colon);
  return resolve_at(compose_experiment(plan_request(experiment), word.substr(colon + 1)).config, "operator");
}

}  // namespace

static void plugin_promote_options(po::options_description& options) {
  options.add_options()("name", po::value<std::string>()->default_value(""), "of the component that is written")(
      "root", po::value<std::string>()->default_value("."), "the repository to write into");
  add_experiment_options(options);
}

static int plugin_promote_command(const Command& self, const std::vector<std::string>& arguments) {
  const Command promote{"plugin promote",
                        "JOB | EXPERIMENT:ARM [key=value ...] --name NAME",
                        "an arm's operator=formula as a component in C++, with its config and a test that compares it with the formula",
                        "yatlab plugin promote mnist_inversion:mine --name my_kernel",
                        self.run,
                        self.options};
  const auto args = parse_arguments(promote, arguments, "options of plugin promote");
  if (args.help) return 0;
  if (args.words.empty() || args.text("name").empty()) {
    throw config_error(args.words.empty() ? "plugin promote needs a job or EXPERIMENT:ARM" : "--name is required", "command line", {},
                       fmt::format("for example: {}", promote.example));
  }
  const auto texts = promoted_operator(operator_of(args));
  for (const auto& file : scaffold("operator", args.text("name"), args.text("root"), &texts)) say("wrote {}\n", file.string());
  say("next: ./run.sh test plugins compares it with the formula; then use operator={}; comments in its source show where to fuse it\n",
      args.text("name"));
  return 0;
}

YATLAB_COMMAND("plugin promote", plugin_promote_command, plugin_promote_options);

}  // namespace yatlab::cli
