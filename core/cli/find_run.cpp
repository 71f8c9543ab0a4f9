#include "core/cli/find_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/record/run_folders.h"
#include "core/record/run_notes.h"
#include "core/table/text_grid.h"

namespace yatlab::cli {
namespace {

constexpr std::size_t kShortestBeginning = 3;  // a shorter beginning is probably a typo

bool starts(const std::string& text, const std::string& with) { return !with.empty() && text.compare(0, with.size(), with) == 0; }

/// The part of an id after the time: "3fa9c1" or "smoke-epsilon=0.1-3fa9c1", with "-2" appended if another run began in the same second.
std::string named(const std::string& id) {
  constexpr std::size_t kStamp = 20;  // "2026-11-21_14-02-11-"
  return begun_at(id) && id.size() > kStamp ? id.substr(kStamp) : std::string();
}

/// "3fa9c1" or "3fa9c1-2" of those.
std::string hash_of(const std::string& id) {
  static const std::regex form("(?:.*-)?([0-9a-f]{6}(?:-[0-9]{1,4})?)");
  std::smatch found;
  const auto text = named(id);
  return std::regex_match(text, found, form) ? found.str(1) : std::string();
}

bool is_meant(const RunFolder& run, const std::string& beginning) {
  return beginning.size() >= kShortestBeginning &&
         (starts(run.id, beginning) || starts(named(run.id), beginning) || starts(hash_of(run.id), beginning));
}

/// "xor/2026-11-29_06-0…-89de42": a name as a narrow terminal shows it, with or without the experiment.
bool is_cut(const RunFolder& run, const std::string& word) {
  const auto at = word.find(kEllipsis);
  const auto begin = word.substr(0, at), end = word.substr(at + std::string(kEllipsis).size());
  const auto fits = [&](const std::string& name) {
    return name.size() >= begin.size() + end.size() && starts(name, begin) && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  return fits(run.name()) || fits(run.id);
}

std::vector<std::string> tags_of(const RunFolder& run) {
  try {
    return read_notes(run.path).tags;
  } catch (const Error&) {  // an unreadable file must not prevent finding other runs
    return {};
  }
}

[[noreturn]] void throw_several(const std::string& word, const std::vector<RunFolder>& found) {
  constexpr std::size_t kShown = 8;
  std::string names;
  for (std::size_t i = 0; i < found.size() && i < kShown; ++i) names += fmt::format("{}{}", i == 0 ? "" : ", ", visible(found[i].name()));
  if (found.size() > kShown) names += fmt::format(" and {} more", found.size() - kShown);
  throw config_error(fmt::format("'{}' matches {} runs", visible(shortened(word)), found.size()), "command line", names,
                     "give more of the name");
}

}  // namespace

std::filesystem::path find_run(const std::string& word, const std::filesystem::path& results) {
  std::error_code ec;
  if (!word.empty() && fs::exists(fs::path(word) / "plan.json", ec)) return word;
  const auto all = run_folders(results);
  std::vector<RunFolder> found;
  if (starts(word, "tag:")) {
    const auto tag = word.substr(4);
    std::vector<std::string> tags;
    for (const auto& run : all) {
      for (auto& own : tags_of(run)) {
        if (own == tag) found.push_back(run);
        tags.push_back(std::move(own));
      }
    }
    if (found.empty()) {
      std::sort(tags.begin(), tags.end());
      tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
      throw config_error(fmt::format("no run has the tag '{}'", visible(shortened(tag))), "command line", {},
                         tags.empty() ? "add one with 'yatlab tag RUN +NAME'" : suggestion(tag, tags));
    }
  } else if (word.find(kEllipsis) != std::string::npos) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const RunFolder& run) { return is_cut(run, word); });
  } else {
    if (!word.empty() && word.find('/') == std::string::npos) {
      if (auto latest = results / word / "latest"; fs::exists(latest / "plan.json", ec)) return latest;
      for (const auto& run : all) {
        if (run.experiment == word) return run.path;  // the newest, because `latest` is missing
      }
    }
    const auto slash = word.rfind('/');
    const auto experiment = slash == std::string::npos ? std::string() : word.substr(0, slash);
    const auto beginning = slash == std::string::npos ? word : word.substr(slash + 1);
    if (!experiment.empty() && beginning == "latest" && fs::exists(results / experiment / "latest" / "plan.json", ec))
      return results / experiment / "latest";
    for (const auto& run : all) {
      if (!experiment.empty() && run.experiment != experiment) continue;
      if (run.id == beginning && !experiment.empty()) return run.path;
      if (is_meant(run, beginning)) found.push_back(run);
    }
    // A complete id selects its run, even if another id begins with it ("...-2").
    std::vector<RunFolder> whole;
    std::copy_if(found.begin(), found.end(), std::back_inserter(whole), [&](const RunFolder& run) { return run.id == beginning; });
    if (whole.size() == 1) return whole.front().path;
  }
  if (found.size() > 1) throw_several(word, found);
  if (found.size() == 1) return found.front().path;
  std::set<std::string> experiments;
  for (const auto& run : all) experiments.insert(run.experiment);
  const auto near = nearest(word, {experiments.begin(), experiments.end()});
  throw config_error(fmt::format("'{}' is not a run", visible(shortened(word))), "command line",
                     fs::is_directory(word, ec) ? "it has no plan.json"
                     : all.empty()              ? fmt::format("there are no runs in {}", results.string())
                                                : "no run's name begins with it",
                     near.empty() ? "give a run directory (results/mnist_inversion/latest), an experiment, the beginning of a run's id or "
                                    "hash, or tag:NAME; 'yatlab runs' lists all runs"
                                  : fmt::format("did you mean '{}'?", near));
}

std::filesystem::path newest_run(const std::filesystem::path& results) {
  const auto all = run_folders(results);
  if (all.empty())
    throw config_error(fmt::format("there are no runs in {}", results.string()), "command line", {},
                       "give a run, or the folder of the runs: --results FOLDER");
  return all.front().path;
}

std::vector<std::string> run_words(const std::string& begin, const std::filesystem::path& results) {
  std::set<std::string> out;
  for (const auto& run : run_folders(results)) {
    if (starts(begin, "tag:")) {
      for (const auto& tag : tags_of(run)) out.insert("tag:" + tag);
    } else if (begin.find('/') != std::string::npos) {
      out.insert(run.name());
    } else {
      out.insert(run.experiment);
      if (!begin.empty() && is_digit(begin.front())) out.insert(run.id);
    }
  }
  return {out.begin(), out.end()};
}

}  // namespace yatlab::cli
