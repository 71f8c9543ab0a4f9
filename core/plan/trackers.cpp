#include "core/plan/trackers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>

#include "core/base/error.h"
#include "core/base/failure.h"
#include "core/base/print.h"
#include "core/config/override.h"
#include "core/system/shell.h"

namespace yatlab {
namespace {

std::string tracker_name(const Node& spec) { return spec.is_string() ? spec.as_string() : spec.at("name").as_string(); }

}  // namespace

void EventLog::write(const std::string& text) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &parts);
  const std::lock_guard lock(mutex_);
  try {
    append_line(path_, fmt::format("{} {}", stamp, text));
  } catch (const Error& e) {  // threads write here: a full disk must not end the program or the computation
    if (!complained_) say_error("warning: the log is incomplete: {}\n", e.what());
    complained_ = true;
  }
}

Node tracker_specs(const Node& experiment) {
  Node out = experiment.at("trackers");
  const Node& one_more = experiment.at("tracker");
  if (one_more.is_null()) return out;
  for (const auto& spec : out.as_list()) {
    if (tracker_name(spec) == tracker_name(one_more)) return out;
  }
  out.push_back(one_more);
  return out;
}

Trackers::Trackers(const Node& specs, bool quiet, EventLog& log) : log_(log) {
  for (const auto& spec : specs.as_list()) {
    const std::string name = tracker_name(spec);
    if (quiet && name == "console") continue;
    try {
      active_.push_back({name, Registry<Tracker>::create(spec)});
    } catch (...) {
      switched_off(name, current_error());
    }
  }
}

bool Trackers::mirrors() const {
  return std::any_of(active_.begin(), active_.end(), [](const auto& one) { return one.first != "console"; });
}

std::vector<std::pair<std::string, std::size_t>> Trackers::left_out() const {
  std::vector<std::pair<std::string, std::size_t>> out;
  for (const auto& [name, tracker] : active_) {
    const auto current = std::atomic_load(&tracker);
    if (const auto jobs = current ? current->left_out() : 0; jobs > 0) out.emplace_back(name, jobs);
  }
  return out;
}

std::string command_to_replay(const Node& specs, const std::string& name, const std::string& run) {
  std::vector<std::string> words{"yatlab", "replay", run, "--tracker", name};
  for (const auto& spec : specs.as_list()) {
    if (tracker_name(spec) != name || !spec.is_map()) continue;
    const Node usual = Registry<Tracker>::complete(Node(name));
    for (const auto& [key, value] : spec.as_map()) {
      const Node* default_value = usual.find(key);
      if (key != "name" && (!default_value || *default_value != value)) words.push_back(format_override("tracker." + key, value));
    }
  }
  return shell_command(words);
}

void Trackers::start(const RunInfo& info) {
  std::exception_ptr refusal;
  each([&](Tracker& tracker) {
    try {
      if (!refusal) tracker.on_run_start(info);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::kConfig) throw;
      refusal = std::current_exception();
    }
  });
  if (refusal) std::rethrow_exception(refusal);
}

void Trackers::each(const std::function<void(Tracker&)>& call) {
  for (auto& [name, tracker] : active_) {
    const auto current = std::atomic_load(&tracker);
    if (!current) continue;
    try {
      call(*current);
    } catch (...) {
      // Another thread may have switched it off already.
      if (std::atomic_exchange(&tracker, std::shared_ptr<Tracker>())) switched_off(name, current_error());
    }
  }
}

void Trackers::switched_off(const std::string& name, const Error& error) {
  const bool internal = error.kind() == ErrorKind::kInternal;  // its text blames Yatlab, but the tracker may be a plugin
  const auto text = fmt::format("tracker '{}' failed and is switched off: {}", name, internal ? error.message() : error.what());
  say_error("warning: {}\n", text);
  log_.write(error.details().empty() ? text : text + "\n" + error.details());
}

}  // namespace yatlab
