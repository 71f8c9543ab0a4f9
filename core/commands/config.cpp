#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/config/compose.h"
#include "core/config/interpolation.h"
#include "core/config/override.h"
#include "core/config/tree.h"
#include "core/config/yaml.h"
#include "core/experiment/experiment_params.h"
#include "core/registry/plugin_library.h"
#include "core/system/called_as.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// Explains `key` in every arm; arms with the same explanation are printed together.
void explain_for_all_arms(const PlanRequest& request, const std::string& key) {
  const Composer composer(request.config_path, &experiment_schema());
  const auto base = compose_experiment(request, "");
  const Node arms = resolve_at(base.config, "arms");
  if (arms.size() == 0) {
    say("{}\n", composer.explain(base, key));
    return;
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> answers;  // text -> arms
  std::size_t found = 0;
  for (const auto& [arm, overrides] : arms.as_map()) {
    std::string text;
    try {
      text = composer.explain(compose_experiment(request, arm), key);
      ++found;
    } catch (const Error& e) {
      text = fmt::format("{}{}", e.message(), e.hint().empty() ? "" : "; " + e.hint());
    }
    auto same = std::find_if(answers.begin(), answers.end(), [&, &t = text](const auto& a) { return a.first == t; });
    if (same == answers.end()) same = answers.insert(answers.end(), {text, {}});
    same->second.push_back(arm);
  }
  if (found == 0) composer.explain(compose_experiment(request, arms.as_map().front().first), key);  // throws
  for (const auto& [text, names] : answers) {
    if (answers.size() > 1) say("arm{} {}:\n", names.size() == 1 ? "" : "s", join(names, ", "));
    say("{}\n", text);
  }
}

/// Prints --info: the files and defaults that a config is composed of.
void print_info(const PlanRequest& request, const std::string& arm, const std::string& what) {
  static const std::vector<std::string> parts = {"all", "config", "defaults", "defaults-tree", "plugins", "searchpath"};
  if (std::find(parts.begin(), parts.end(), what) == parts.end()) {
    throw config_error(fmt::format("--info cannot be '{}'", what), "command line", {}, suggestion(what, parts));
  }
  const auto composition = compose_experiment(request, arm);
  if (what == "searchpath" || what == "all") {
    const auto beside = request.experiment.parent_path();
    say("searched for configs, in this order:\n  {}\n", beside.empty() ? "." : beside.string());
    for (const auto& folder : request.config_path) say("  {}\n", folder.lexically_normal().string());
    for (const auto& folder : plugin_config_dirs()) say("  {}\n", folder.string());
  }
  if (what == "plugins" || what == "all") {
    say("plugin libraries:{}\n", loaded_plugins().empty() ? " none" : "");
    for (const auto& plugin : loaded_plugins())
      say("  {} {}  {}\n    {}\n", plugin.name, plugin.version, plugin.path.string(), join(plugin.components, ", "));
  }
  if (what.rfind("defaults", 0) == 0 || what == "all") {
    say("chosen:\n");
    for (const auto& [group, option] : composition.choices) say("  {}: {}\n", group, option);
    say("files, in the order of merging:\n");
    for (const auto& file : composition.files) say("  {}\n", file);
  }
  if (what == "config" || what == "all") print_data(stdout, emit_yaml(composition.config));
}

/// Prints notes on overrides and files that the printed config does not show.
void note_left_out(const PlanRequest& request, const Composition& composition, const std::string& arm) {
  for (const auto& warning : composition.warnings) say_error("note: {}\n", warning);
  for (const auto& text : request.overrides) {
    const auto given = parse_override(text, "command line");
    const auto applied = [&](const Override& o) { return o.text == text; };
    if (given.is_sweep() && given.key != "seeds") {
      say_error("note: {} is swept, but one config has one value ('{} plan' shows the points)\n", text, called_as());
    } else if (std::none_of(composition.applied.begin(), composition.applied.end(), applied)) {
      say_error("note: {} does not apply to {}\n", text,
                arm.empty() ? "the experiment without an arm; use --arm to see it in an arm" : "arm '" + arm + "'");
    }
  }
}

}  // namespace

void config_options(po::options_description& options) {
  options.add_options()("arm", po::value<std::string>()->default_value(""), "compose this arm instead of the bare experiment")(
      "explain", po::value<std::string>(), "say which file, line and column or override set this key, in every arm or in --arm")(
      "resolve", po::bool_switch(), "replace interpolations by their values")("package,p", po::value<std::string>(),
                                                                              "only this part, e.g. trainer")(
      "info", po::value<std::string>(), "what it is made of: all, config, defaults, plugins or searchpath")(
      "format", po::value<std::string>()->default_value("yaml"), "yaml or json");
  add_experiment_options(options);
}

int config_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.text("format") != "json" && args.text("format") != "yaml") {
    throw config_error(fmt::format("--format cannot be '{}'", args.text("format")), "command line", {}, "choices: yaml, json");
  }
  const auto request = plan_request(args);
  const auto arm = args.text("arm");
  if (args.options.count("info")) {
    print_info(request, arm, args.text("info"));
    return 0;
  }
  if (args.options.count("explain") && arm.empty()) {
    explain_for_all_arms(request, args.text("explain"));
    return 0;
  }
  const auto composition = compose_experiment(request, arm);
  if (args.options.count("explain")) {
    const Composer composer(request.config_path, &experiment_schema());
    say("{}\n", composer.explain(composition, args.text("explain")));
    return 0;
  }
  note_left_out(request, composition, arm);
  std::string part;
  if (args.options.count("package")) part = args.text("package");
  const Node* found = composition.config.find_path(part);
  if (!found) throw config_error(fmt::format("there is no key '{}'", part), "--package", {}, missing_key_hint(composition.config, part));
  const Node config = !args.flag("resolve") ? *found : part.empty() ? resolve(composition.config) : resolve_at(composition.config, part);
  if (args.text("format") == "json") {
    print_data(stdout, dump_json(to_json(config), 2) + "\n");
  } else {
    print_data(stdout, emit_yaml(args.flag("resolve") ? escape_interpolations(config) : config));  // YAML is read again
  }
  return 0;
}

}  // namespace yatlab::cli
