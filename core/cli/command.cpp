#include "core/cli/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <map>
#include <sstream>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/experiments.h"
#include "core/cli/hydra.h"
#include "core/registry/packs.h"
#include "core/registry/plugin_library.h"
#include "core/system/called_as.h"

namespace yatlab::cli {
namespace po = boost::program_options;

namespace {
std::vector<Command>& command_table() {
  static std::vector<Command> all;
  return all;
}
std::vector<SubCommand>& sub_command_table() {
  static std::vector<SubCommand> all;
  return all;
}
}  // namespace

const std::vector<Command>& commands() { return command_table(); }
void set_commands(std::vector<Command> all) { command_table() = std::move(all); }
void set_sub_commands(std::vector<SubCommand> all) { sub_command_table() = std::move(all); }

const Command* find_command(const std::string& name) {
  for (const auto& c : commands()) {
    if (name == c.name) return &c;
  }
  return nullptr;
}

namespace {

struct PackCommand {
  RunCommand run;
  DeclareOptions options;
};

std::map<std::string, PackCommand>& commands_of_packs() {
  static std::map<std::string, PackCommand> all;
  return all;
}

const PackCommand& command_of_pack(const std::string& pack, const std::string& name) {
  load_pack(pack);
  return commands_of_packs().at(name);
}

po::options_description description(DeclareOptions declare, const char* title) {
  po::options_description out(title);
  if (declare) declare(out);
  out.add_options()("help,h", po::bool_switch(), "this text")("plugin", po::value<std::vector<std::string>>()->composing(),
                                                              "a plugin library (.so), or a folder of them; repeatable");
  return out;
}

}  // namespace

int detail::register_command(const char* name, RunCommand run, DeclareOptions options) {
  commands_of_packs()[name] = {run, options};
  return 0;
}

int run_pack_command(const std::string& pack, const std::string& name, const Command& self, const std::vector<std::string>& arguments) {
  const auto& registered = command_of_pack(pack, name);
  auto own = self;
  own.options = registered.options;
  return registered.run(own, arguments);
}

int pack_command(const Command& self, const std::vector<std::string>& arguments) {
  return run_pack_command(self.pack, self.name, self, arguments);
}

std::vector<Option> options_of(const Command& command, const std::string& word) {
  SubCommand found{command.name, command.options, command.pack};
  for (const auto& sub : sub_command_table()) {
    if (sub.name == command.name + (" " + word)) found = sub;
  }
  if (*found.pack) {
    if (!is_pack_built(found.pack)) return {};  // completion builds nothing
    found.options = command_of_pack(found.pack, found.name).options;
  }
  const auto declared = description(found.options, "options");
  std::vector<Option> out;
  for (const auto& option : declared.options()) {
    auto letter = option->canonical_display_name(po::command_line_style::allow_dash_for_short);
    if (letter.rfind("--", 0) == 0 || letter[0] != '-') letter.clear();
    out.push_back({"--" + option->long_name(), letter, option->semantic()->max_tokens() > 0, option->description()});
  }
  return out;
}

Arguments parse_arguments(const Command& self, const std::vector<std::string>& arguments, const char* title) {
  const auto options = description(self.options, title);
  Arguments out;
  out.command = self.name;
  po::options_description all;
  all.add(options).add_options()("words", po::value<std::vector<std::string>>(), "");
  po::positional_options_description positional;
  positional.add("words", -1);
  try {
    po::store(po::command_line_parser(arguments)
                  .options(all)
                  .positional(positional)
                  .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
                  .run(),
              out.options);
    po::notify(out.options);
  } catch (const po::unknown_option& e) {
    std::vector<std::string> names;
    for (const auto& option : options.options()) names.push_back("--" + option->long_name());
    throw config_error(fmt::format("unknown option '{}'", e.get_option_name()), "command line", {}, suggestion(e.get_option_name(), names));
  } catch (const po::error& e) {
    throw config_error(e.what(), "command line", {}, fmt::format("see 'yatlab {} --help'", self.name));
  }
  if (out.flag("help")) {
    std::ostringstream text;
    text << options;
    if (self.summary) say("{}\n\n", self.summary);
    say("usage: {} {} {} [options]\n\n{}\nexample: {}\n", called_as(), self.name, self.usage, as_called(text.str()),
        as_called(self.example));
    out.help = true;
    return out;
  }
  if (out.options.count("words")) out.words = out.options["words"].as<std::vector<std::string>>();
  if (out.options.count("plugin")) {
    std::vector<std::filesystem::path> paths;
    for (const auto& p : out.options["plugin"].as<std::vector<std::string>>()) paths.emplace_back(p);
    load_plugins(paths);
  }
  return out;
}

std::filesystem::path program_directory() {
  std::error_code ec;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
  return ec ? std::filesystem::current_path() : self.parent_path();
}

std::vector<std::filesystem::path> config_path(const std::filesystem::path& experiment) {
  namespace fs = std::filesystem;
  std::vector<fs::path> out;
  const auto add = [&](const fs::path& candidate) {
    std::error_code ec;
    if (!fs::is_directory(candidate, ec)) return;
    for (const auto& have : out) {
      if (fs::equivalent(have, candidate, ec)) return;
    }
    out.push_back(candidate);
  };
  if (!experiment.empty()) {
    for (fs::path at = experiment.parent_path();; at = at.parent_path()) {
      add(at.empty() ? fs::path("configs") : at / "configs");
      if (at.empty() || at == at.parent_path()) break;
    }
  }
  add("configs");
  const auto program = program_directory();
  add(program / "../share/yatlab/configs");
  add(program / "../../../configs");  // build/<preset>/bin
  return out;
}

void add_experiment_options(po::options_description& options) {
  options.add_options()("multirun,m", po::bool_switch(), "sweep over key=a,b and key=range(...) on the command line")(
      "config-dir", po::value<std::vector<std::string>>()->composing(), "one more folder of configs, searched last; repeatable");
}

PlanRequest plan_request(const Arguments& arguments) {
  PlanRequest request;
  request.experiment = required_experiment(arguments.words, arguments.command);
  request.overrides.assign(arguments.words.begin() + 1, arguments.words.end());
  for (const auto& text : request.overrides) refuse_hydra_key(text);
  refuse_bare_words(request.overrides, request.experiment);
  request.multirun = arguments.flag("multirun");
  request.config_path = config_path(request.experiment);
  if (arguments.options.count("config-dir")) {
    for (const auto& folder : arguments.options["config-dir"].as<std::vector<std::string>>()) {
      if (!std::filesystem::is_directory(folder)) throw config_error(fmt::format("'{}' is not a folder", folder), "--config-dir");
      request.config_path.emplace_back(folder);
    }
  }
  return request;
}

}  // namespace yatlab::cli
