#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/experiments.h"
#include "core/cli/kinds.h"
#include "core/commands/reference.h"
#include "core/config/yaml.h"
#include "core/experiment/experiment_params.h"
#include "core/measure/claim.h"
#include "core/registry/registry.h"
#include "core/system/called_as.h"
#include "core/system/shell.h"
#include "core/system/terminal.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

void describe_component(const Component& c) {
  say("{}/{}  {}\n", c.kind, c.name, c.doc);
  if (!c.aliases.empty()) say("also called {}\n", join(c.aliases, ", "));
  say("registered by {}\n", c.origin);
  if (c.kind == KindOf<Claim>::name) {
    const auto& text = claim_text(c.name);
    say("{}. How it is checked: {}\n", text.title(), text.how());
  }
  if (c.schema.fields.empty()) {
    say("it has no parameters\n");
  } else {
    say("parameters (default, type):\n{}", as_called(to_text(entries_of(c.schema.fields, "", true))));
  }
  for (const auto& root : config_path()) {
    const auto file = root / c.kind / (c.name + ".yaml");
    if (std::filesystem::exists(file)) say("config: {}\n", file.lexically_normal().string());
  }
}

/// Describes a kind: its purpose, its key in experiments, and its components.
void describe_kind(const ComponentTable& table) {
  say("{}  {}\n", table.kind(), table.doc());
  for (const auto& f : experiment_schema().fields) {
    if (f.type == FieldType::kComponent && f.kind == table.kind()) say("key of an experiment:\n{}", to_text(entries_of({f}, "", false)));
  }
  const auto all = table.names();
  if (all.empty()) {
    say("none is registered\n");
    return;
  }
  say("choices:\n");
  print_rows(component_rows(table));
  say("one of them: {} describe {}/{}\n", called_as(), table.kind(), all.front());
}

/// Describes an experiment's file: title, arms, seeds, scales, tables, figures.
void describe_experiment(const std::filesystem::path& file, const std::string& word) {
  const Node content = load_yaml(file);
  const auto width = static_cast<std::size_t>(terminal_width());
  const auto names = [&](const char* key, const char* shown) {
    const Node* entries = content.find(key);
    if (!entries || !entries->is_map() || entries->size() == 0) return;
    std::vector<std::string> out;
    for (const auto& [name, value] : entries->as_map()) {
      const Node* title = value.is_map() ? value.find("title") : nullptr;
      const auto text = title && title->is_string() ? title->as_string() : std::string();
      out.push_back(visible(text.empty() ? name : fmt::format("{} ({})", name, text)));
    }
    say("{}", wrapped("  ", fmt::format("{}: {}", shown, join(out, ", ")), width));
  };
  say("{}\n", file.lexically_normal().string());
  for (const char* key : {"title", "question", "paper_section", "notes"}) {
    if (const Node* text = content.find(key); text && text->is_string()) say("{}", wrapped("  ", visible(text->as_string()), width));
  }
  names("arms", "arms");
  for (const char* key : {"seeds", "sweep"}) {
    if (const Node* value = content.find(key)) say("{}", wrapped("  ", fmt::format("{}: {}", key, visible(value->to_flow())), width));
  }
  names("scales", "scales");
  names("tables", "tables");
  names("figures", "figures");
  const Node* scales = content.find("scales");
  const bool smoke = scales && scales->is_map() && scales->has("smoke");
  say("run it: {0} {1}{2}\nits jobs: {0} plan {1}\n", called_as(), shell_word(word),
      smoke ? " scale=smoke (some seconds; all: without scale)" : "");
}

void describe_topic(const Topic& topic) { say("{}  {}\n{}", topic.name, topic.doc, to_text(topic.entries)); }

[[noreturn]] void nothing_called(const std::string& word) {
  // It may be the name of a component, without its kind.
  std::vector<std::string> candidates = component_kinds();
  for (const auto& kind : component_kinds()) {
    const auto* component = find_component_table(kind)->find(word);
    if (component) {
      throw config_error(fmt::format("'{}' is not of the form KIND/NAME", word), "command line",
                         fmt::format("it is a component of the kind '{}'", kind),
                         fmt::format("yatlab describe {}/{}", kind, component->name));
    }
  }
  for (const auto& names : {topic_names(), topic_keys()}) candidates.insert(candidates.end(), names.begin(), names.end());
  const auto near = nearest(word, candidates);
  throw config_error(fmt::format("there is nothing called '{}'", word), "command line",
                     fmt::format("kinds: {}; others: {}; or a key of an experiment, such as trainer.epochs", join(component_kinds(), ", "),
                                 join(topic_names(), ", ")),
                     fmt::format("yatlab describe {}", near.empty() ? "experiment" : near));
}

void describe(const std::string& word) {
  const auto slash = word.find('/');
  const bool is_kind = slash != std::string::npos && find_table_called(word.substr(0, slash)) != nullptr;
  if (slash != std::string::npos && !is_kind) {
    if (const auto file = find_experiment(word); !file.empty()) return describe_experiment(file, word);
  }
  if (slash != std::string::npos) return describe_component(table_called(word.substr(0, slash)).at(word.substr(slash + 1), "command line"));
  // A key that is also the name of a kind ("operator") is described with the kind; "figures" and "analyses" are keys of their own.
  if (const auto* table = find_component_table(word)) return describe_kind(*table);
  const auto topic = find_topic(word);
  if (topic) describe_topic(*topic);
  const auto* table = find_table_called(word);
  if (table) return describe_kind(*table);
  if (topic) return;
  if (const auto file = find_experiment(word); !file.empty()) return describe_experiment(file, word);
  nothing_called(word);
}

}  // namespace

void describe_options(po::options_description& options) {
  options.add_options()("into", po::value<std::string>(),
                        "write the tables of a Markdown page anew: the parts between <!-- describe TOPIC --> and <!-- end -->");
  options.add_options()("schema", po::bool_switch(),
                        "a JSON Schema for editors, of an experiment's file or of paper.yaml: --schema [experiment | paper]");
}

int describe_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.flag("schema")) {
    const auto what = args.words.empty() ? "experiment" : args.words.front();
    if (args.words.size() > 1 || (what != "experiment" && what != "paper"))
      throw config_error(fmt::format("there is no schema of '{}'", join(args.words, " ")), "command line", {},
                         "yatlab describe paper --schema, or describe experiment --schema");
    say("{}\n", dump_json(what == "paper" ? paper_json_schema() : experiment_json_schema(), 2));
    return 0;
  }
  if (args.has("into")) {
    const std::filesystem::path page = args.text("into");
    const std::string before = read_file(page), after = rewrite_reference(before, page.string());
    if (after != before) write_file_atomic(page, after);
    say("{}: {}\n", page.string(), after == before ? "unchanged" : "updated");
  }
  if (args.words.empty() && !args.has("into"))
    throw config_error("nothing to describe", "command line", {}, "yatlab describe operator/yat");
  for (const auto& word : args.words) describe(word);
  return 0;
}

}  // namespace yatlab::cli
