#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/find_run.h"
#include "core/record/run_notes.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

std::string short_name(const fs::path& run) {
  std::error_code ec;
  const auto path = fs::canonical(run, ec);
  return visible((path.parent_path().filename() / path.filename()).string());
}

void say_notes(const fs::path& run, const RunNotes& notes) {
  say("{}: {}\n", short_name(run), notes.tags.empty() ? "no tags" : join(notes.tags, " "));
  if (!notes.note.empty()) say("  {}\n", visible(notes.note));
}

/// -TAG looks like an option, so such words are removed before options are parsed.
std::vector<std::string> removed_tags(std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  const auto is_removal = [](const std::string& word) { return word.size() > 1 && word[0] == '-' && word[1] != '-' && word != "-h"; };
  for (const auto& word : arguments) {
    if (is_removal(word)) out.push_back(word.substr(1));
  }
  arguments.erase(std::remove_if(arguments.begin(), arguments.end(), is_removal), arguments.end());
  return out;
}

}  // namespace

void tag_options(po::options_description& options) {
  options.add_options()("results", po::value<std::string>()->default_value("results"), "folder of the runs");
}

int tag_command(const Command& self, const std::vector<std::string>& arguments) {
  auto words = arguments;
  const auto removed = removed_tags(words);
  const auto args = parse_arguments(self, words);
  if (args.help) return 0;
  if (args.words.empty()) throw config_error("no run given", "command line", {}, self.example);
  std::vector<std::string> added;
  for (auto it = args.words.begin() + 1; it != args.words.end(); ++it) {
    added.push_back(it->front() == '+' ? it->substr(1) : *it);
    require_tag(added.back());
  }
  const auto run = find_run(args.words.front(), args.text("results"));
  if (added.empty() && removed.empty()) {
    say_notes(run, read_notes(run));
    return 0;
  }
  const auto notes = change_notes(run, [&](RunNotes& now) {
    for (const auto& tag : removed) {
      const auto found = std::find(now.tags.begin(), now.tags.end(), tag);
      if (found == now.tags.end())
        throw config_error(fmt::format("the run has no tag '{}'", visible(shortened(tag))), "command line", {},
                           now.tags.empty() ? "" : suggestion(tag, now.tags));
      now.tags.erase(found);
    }
    now.tags.insert(now.tags.end(), added.begin(), added.end());
  });
  say_notes(run, notes);
  return 0;
}

void note_options(po::options_description& options) {
  tag_options(options);
  options.add_options()("remove", po::bool_switch(), "the note goes");
}

int note_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.empty()) throw config_error("no run given", "command line", {}, self.example);
  const auto run = find_run(args.words.front(), args.text("results"));
  const auto text = trim(join({args.words.begin() + 1, args.words.end()}, " "));
  if (text.empty() && !args.flag("remove")) {
    say_notes(run, read_notes(run));
    return 0;
  }
  if (!text.empty() && args.flag("remove"))
    throw config_error("a note and --remove cannot be used together", "command line", {}, "remove one of them");
  say_notes(run, change_notes(run, [&](RunNotes& now) { now.note = text; }));
  return 0;
}

}  // namespace yatlab::cli
