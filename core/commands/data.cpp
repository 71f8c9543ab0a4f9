#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/catalogue.h"
#include "core/cli/command.h"
#include "core/data/catalog.h"
#include "core/system/stop.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

std::vector<std::pair<std::string, Node>> chosen(const std::vector<std::string>& names, bool all_when_none) {
  const auto declared = declared_datasets();
  std::vector<std::pair<std::string, Node>> out;
  if (names.empty() && all_when_none) out.assign(declared.begin(), declared.end());
  for (const auto& name : names) {
    const auto it = declared.find(name);
    if (it == declared.end()) {
      std::vector<std::string> known;
      for (const auto& [n, node] : declared) known.push_back(n);
      throw config_error(fmt::format("unknown dataset '{}'", name), "command line", {}, suggestion(name, known));
    }
    out.emplace_back(*it);
  }
  if (out.empty()) throw config_error("no dataset given", "command line", {}, "for example: yatlab data fetch mnist");
  return out;
}

}  // namespace

void data_options(po::options_description& options) {
  options.add_options()("root", po::value<std::string>()->default_value("data"), "folder that holds downloaded data");
}

int data_command(const Command& self, const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "tokenize") {
    return run_pack_command("language", "data tokenize", self, {arguments.begin() + 1, arguments.end()});
  }
  if (!arguments.empty() && arguments.front() == "describe") {
    return data_describe_command(self, {arguments.begin() + 1, arguments.end()});
  }
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  const std::string verb = args.words.empty() ? "list" : args.words.front();
  const std::vector<std::string> names(args.words.begin() + (args.words.empty() ? 0 : 1), args.words.end());
  DataContext context;
  context.root = args.text("root");
  context.stop = [] { return stop_signal() != 0; };
  if (verb == "list") {
    for (const auto& [name, node] : chosen(names, true)) say("  {}  {}\n", pad(name, 18), dataset_status(node, context).summary());
  } else if (verb == "fetch") {
    const SavesWhenStopped saves;
    for (const auto& [name, node] : chosen(names, false)) {
      const auto paths = fetch_dataset(node, context);
      for (const auto& file : dataset_status(node, context).files) {
        const auto& path = paths.at(file.declared.key);
        say("{}: {}{}\n", name, path.string(),
            file.declared.authenticated() ? "" : fmt::format("  ({}; sha256 {})", kUnauthenticated, sha256_file(path)));
      }
    }
  } else if (verb == "verify") {
    for (const auto& [name, node] : chosen(names, true)) say("  {}  {}\n", pad(name, 18), verify_dataset(node, context).summary());
  } else {
    throw config_error(fmt::format("unknown command 'data {}'", verb), "command line", {},
                       suggestion(verb, {"list", "fetch", "verify", "describe", "tokenize"}));
  }
  return 0;
}

}  // namespace yatlab::cli
