#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/experiments.h"
#include "core/cli/kinds.h"
#include "core/cli/papers.h"
#include "core/config/synonyms.h"
#include "core/registry/registry.h"
#include "core/system/terminal.h"

namespace yatlab::cli {

ComponentTable* find_table_called(std::string kind) {
  if (kind == "analyses") kind = "analysis";
  if (kind == "studies") kind = "study";
  if (!find_component_table(kind) && !kind.empty() && kind.back() == 's') kind.pop_back();
  return find_component_table(kind);
}

ComponentTable& table_called(const std::string& kind) {
  if (auto* table = find_table_called(kind)) return *table;
  const auto here = kind_synonym(kind);
  throw config_error(fmt::format("unknown kind '{}'", kind), "command line", {},
                     here.empty() ? suggestion(kind, component_kinds()) : fmt::format("it is called {0} here: yatlab list {0}", here));
}

std::vector<std::pair<std::string, std::string>> component_rows(const ComponentTable& table) {
  std::vector<std::pair<std::string, std::string>> rows;
  table.load_built();  // some components have longer descriptions once their pack is loaded
  for (const auto& c : table.listed()) {
    rows.emplace_back(c.aliases.empty() ? c.name : fmt::format("{} ({})", c.name, join(c.aliases, ", ")), c.doc);
  }
  return rows;
}

void print_rows(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [name, doc] : rows) width = std::max(width, display_width(name));
  const auto columns = width_to_keep();
  for (const auto& [name, doc] : rows) {
    auto before = "  " + pad(name, static_cast<int>(width)) + "  ";
    if (doc.empty()) {
      say("  {}\n", name);
    } else if (columns < width + 20) {  // a pipe, or a narrow terminal
      say("{}{}\n", before, doc);
    } else {
      for (const auto& line : split(trim(wrapped("", doc, columns - width - 4)), '\n')) {
        say("{}{}\n", before, line);
        before.assign(width + 4, ' ');
      }
    }
  }
}

int list_command(const Command& self, const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "metrics") return list_metrics_command(self, {arguments.begin() + 1, arguments.end()});
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.empty()) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& kind : component_kinds()) {
      const auto& table = component_table(kind);
      rows.emplace_back(kind, fmt::format("{}: {}", table.doc(), join(table.names(), ", ")));
    }
    std::vector<std::string> ids;
    for (const auto& paper : papers()) ids.push_back(paper.id);
    rows.emplace_back("papers", "papers whose claims and numbers are judged: " + join(ids, ", "));
    const auto n = experiment_files().size();
    rows.emplace_back("experiments", fmt::format("{} experiment file{}", n, n == 1 ? "" : "s"));
    print_rows(rows);
    return 0;
  }
  for (const auto& word : args.words) {
    if (word == "experiments" || word == "experiment") {
      std::vector<std::pair<std::string, std::string>> rows;
      for (const auto& file : experiment_files()) rows.emplace_back(file.lexically_normal().string(), experiment_title(file));
      print_rows(rows);
      continue;
    }
    if (word == "papers" || word == "paper") {
      std::vector<std::pair<std::string, std::string>> rows;
      for (const auto& paper : papers()) {
        const auto n = experiments_of(paper).size();
        rows.emplace_back(paper.id, fmt::format("{} ({}, {} experiment{})", paper.title.empty() ? paper.id : visible(paper.title),
                                                paper.file.string(), n, n == 1 ? "" : "s"));
      }
      print_rows(rows);
      continue;
    }
    print_rows(component_rows(table_called(word)));
  }
  return 0;
}

}  // namespace yatlab::cli
