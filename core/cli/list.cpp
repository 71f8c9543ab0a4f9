#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/experiment/claim.h"
#include "core/registry/registry.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

void print_rows(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [name, doc] : rows) width = std::max(width, display_width(name));
  for (const auto& [name, doc] : rows) fmt::print("  {}  {}\n", pad(name, static_cast<int>(width)), doc);
}

/// "operators" is "operator" to a person.
ComponentTable& table_called(std::string kind) {
  const auto kinds = component_kinds();
  if (!find_component_table(kind) && !kind.empty() && kind.back() == 's' && find_component_table(kind.substr(0, kind.size() - 1))) {
    kind.pop_back();
  }
  if (kind == "analyses") kind = "analysis";
  if (auto* table = find_component_table(kind)) return *table;
  throw config_error(fmt::format("no kind '{}'", kind), "command line", {}, suggestion(kind, kinds));
}

}  // namespace

int list_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments, po::options_description("options"));
  if (args.help) return 0;
  std::vector<std::pair<std::string, std::string>> rows;
  if (args.words.empty()) {
    for (const auto& kind : component_kinds()) {
      const auto& table = component_table(kind);
      rows.emplace_back(kind, fmt::format("{}: {}", table.doc(), join(table.names(), ", ")));
    }
    rows.emplace_back("experiments", fmt::format("{} experiment files", experiment_files().size()));
    print_rows(rows);
    return 0;
  }
  for (const auto& word : args.words) {
    rows.clear();
    if (word == "experiments" || word == "experiment") {
      for (const auto& file : experiment_files()) fmt::print("  {}\n", file.lexically_normal().string());
      continue;
    }
    for (const auto& c : table_called(word).all()) {
      rows.emplace_back(c.aliases.empty() ? c.name : fmt::format("{} ({})", c.name, join(c.aliases, ", ")), c.doc);
    }
    print_rows(rows);
  }
  return 0;
}

namespace {

void print_fields(const std::vector<Field>& fields, const std::string& prefix) {
  for (const auto& f : fields) {
    if (f.type == FieldType::kGroup) {
      fmt::print("  {}{}\n      {}\n", prefix, f.name, f.doc);
      print_fields(f.fields, prefix + f.name + ".");
      continue;
    }
    fmt::print("  {}{} = {}   ({})\n      {}\n", prefix, f.name, f.default_value.to_flow(), f.type_text(), f.doc);
  }
}

}  // namespace

int describe_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments, po::options_description("options"));
  if (args.help) return 0;
  if (args.words.empty()) throw config_error("nothing to describe", "command line", {}, "yatlab describe operator/yat");
  for (const auto& word : args.words) {
    const auto slash = word.find('/');
    if (slash == std::string::npos) {
      throw config_error(fmt::format("'{}' is not KIND/NAME", word), "command line", {}, "yatlab describe operator/yat");
    }
    const auto& c = table_called(word.substr(0, slash)).at(word.substr(slash + 1), "command line");
    fmt::print("{}/{}  {}\n", c.kind, c.name, c.doc);
    if (!c.aliases.empty()) fmt::print("also called {}\n", join(c.aliases, ", "));
    fmt::print("registered by {}\n", c.origin);
    if (c.kind == KindOf<Claim>::name) {
      const auto claim = Registry<Claim>::create(c.name.c_str());
      fmt::print("{}, checked so: {}\n", claim->title(), claim->how());
    }
    if (c.schema.fields.empty()) {
      fmt::print("it has no parameters\n");
    } else {
      fmt::print("parameters (default, type):\n");
      print_fields(c.schema.fields, "");
    }
    for (const auto& root : config_path()) {
      const auto file = root / c.kind / (c.name + ".yaml");
      if (std::filesystem::exists(file)) fmt::print("config: {}\n", file.lexically_normal().string());
    }
  }
  return 0;
}

}  // namespace yatlab::cli
