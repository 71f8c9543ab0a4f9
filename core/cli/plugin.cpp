#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cli/command.h"
#include "core/registry/scaffold.h"

namespace yatlab::cli {
namespace po = boost::program_options;

int plugin_command(const Command& self, const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "promote") return plugin_promote_command(self, {arguments.begin() + 1, arguments.end()});
  po::options_description options("options");
  options.add_options()("root", po::value<std::string>()->default_value("."), "the repository to write into");
  const auto args = parse_arguments(self, arguments, options);
  if (args.help) return 0;
  if (args.words.size() != 3 || args.words[0] != "new") {
    throw config_error("expected: plugin new KIND NAME", "command line", {}, self.example);
  }
  for (const auto& file : scaffold(args.words[1], args.words[2], args.text("root"))) fmt::print("wrote {}\n", file.string());
  fmt::print("next: edit the component, then ./run.sh test plugins; use it with {}={}\n", args.words[1], args.words[2]);
  return 0;
}

}  // namespace yatlab::cli
