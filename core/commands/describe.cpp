#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/kinds.h"
#include "core/commands/reference.h"
#include "core/experiment/experiment_params.h"
#include "core/measure/claim.h"
#include "core/registry/registry.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

void describe_component(const Component& c) {
  say("{}/{}  {}\n", c.kind, c.name, c.doc);
  if (!c.aliases.empty()) say("also called {}\n", join(c.aliases, ", "));
  say("registered by {}\n", c.origin);
  if (c.kind == KindOf<Claim>::name) {
    const auto& text = claim_text(c.name);
    say("{}, checked so: {}\n", text.title(), text.how());
  }
  if (c.schema.fields.empty()) {
    say("it has no parameters\n");
  } else {
    say("parameters (default, type):\n{}", to_text(entries_of(c.schema.fields, "", true)));
  }
  for (const auto& root : config_path()) {
    const auto file = root / c.kind / (c.name + ".yaml");
    if (std::filesystem::exists(file)) say("config: {}\n", file.lexically_normal().string());
  }
}

/// What the kind is, where an experiment names one, and what can be named.
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
  say("one of them: yatlab describe {}/{}\n", table.kind(), all.front());
}

void describe_topic(const Topic& topic) { say("{}  {}\n{}", topic.name, topic.doc, to_text(topic.entries)); }

[[noreturn]] void nothing_called(const std::string& word) {
  // A component's name alone?
  std::vector<std::string> candidates = component_kinds();
  for (const auto& kind : component_kinds()) {
    const auto* component = find_component_table(kind)->find(word);
    if (component) {
      throw config_error(fmt::format("'{}' is not KIND/NAME", word), "command line",
                         fmt::format("it is a component of the kind '{}'", kind),
                         fmt::format("yatlab describe {}/{}", kind, component->name));
    }
  }
  for (const auto& names : {topic_names(), topic_keys()}) candidates.insert(candidates.end(), names.begin(), names.end());
  const auto near = nearest(word, candidates);
  throw config_error(fmt::format("nothing is called '{}'", word), "command line",
                     fmt::format("kinds: {}; others: {}; or a key of an experiment, such as trainer.epochs", join(component_kinds(), ", "),
                                 join(topic_names(), ", ")),
                     fmt::format("yatlab describe {}", near.empty() ? "experiment" : near));
}

void describe(const std::string& word) {
  const auto slash = word.find('/');
  if (slash != std::string::npos) return describe_component(table_called(word.substr(0, slash)).at(word.substr(slash + 1), "command line"));
  // A key that is spelt like a kind ("operator") is told with the kind; "figures" and "analyses" are what the kinds are for.
  if (const auto* table = find_component_table(word)) return describe_kind(*table);
  const auto topic = find_topic(word);
  if (topic) describe_topic(*topic);
  const auto* table = find_table_called(word);
  if (table) return describe_kind(*table);
  if (!topic) nothing_called(word);
}

}  // namespace

int describe_command(const Command& self, const std::vector<std::string>& arguments) {
  po::options_description options("options");
  options.add_options()("into", po::value<std::string>(),
                        "write the tables of a Markdown page anew: the parts between <!-- describe TOPIC --> and <!-- end -->");
  const auto args = parse_arguments(self, arguments, options);
  if (args.help) return 0;
  if (args.has("into")) {
    const std::filesystem::path page = args.text("into");
    const std::string before = read_file(page), after = rewrite_reference(before, page.string());
    if (after != before) write_file_atomic(page, after);
    say("{}: {}\n", page.string(), after == before ? "as it was" : "written anew");
  }
  if (args.words.empty() && !args.has("into"))
    throw config_error("nothing to describe", "command line", {}, "yatlab describe operator/yat");
  for (const auto& word : args.words) describe(word);
  return 0;
}

}  // namespace yatlab::cli
