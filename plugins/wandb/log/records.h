// The generated record classes and small additions. Not part of the library's interface.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "plugins/wandb/log/records.pb.h"
#include "plugins/wandb/log/text.h"

namespace yatlab::wandb {

inline void set_stamp(pb::Stamp& stamp, double unix_seconds) {
  const double whole = std::floor(unix_seconds);
  stamp.set_seconds(static_cast<std::int64_t>(whole));
  stamp.set_nanos(static_cast<std::int32_t>((unix_seconds - whole) * 1e9));
}

inline double seconds_of(const pb::Stamp& stamp) { return static_cast<double>(stamp.seconds()) + 1e-9 * stamp.nanos(); }

/// NaN for anything that is not a number.
inline double number_of(const std::string& json) {
  if (json == "Infinity") return HUGE_VAL;
  if (json == "-Infinity") return -HUGE_VAL;
  char* end = nullptr;
  const double value = std::strtod(json.c_str(), &end);
  return json.empty() || *end != '\0' ? std::nan("") : value;
}

/// Requests an answer to the record, for which the official sync waits.
inline void ask_for_answer(pb::Record& record, std::string slot) {
  record.mutable_control()->set_req_resp(true);
  record.mutable_control()->set_mailbox_slot(std::move(slot));
}

/// Numbers of the features that are set, as W&B's servers expect them.
inline std::vector<int> numbers_of(const pb::Feature& f) {
  const std::pair<int, bool> all[] = {{7, f.metric()},         {13, f.set_init_name()},    {14, f.set_init_id()},
                                      {15, f.set_init_tags()}, {16, f.set_init_config()},  {57, f.lib_cpp()},
                                      {61, f.set_step_log()},  {62, f.set_summary()},      {63, f.metric_summary()},
                                      {64, f.metric_goal()},   {66, f.metric_step_sync()}, {78, f.table()}};
  std::vector<int> out;
  for (const auto& [number, set] : all) {
    if (set) out.push_back(number);
  }
  return out;
}

/// The values that every row must hold, first of all.
inline void add_time(pb::HistoryRecord& row, std::int64_t step, double runtime, double now) {
  const auto add = [&](const char* name, std::string json) {
    auto* item = row.add_item();
    item->set_key(name);  // old readers do not read paths of one part
    item->set_value_json(std::move(json));
  };
  add("_step", std::to_string(step));
  add("_runtime", json_number(runtime));
  add("_timestamp", json_number(now));
  row.mutable_step()->set_num(step);
}

inline std::vector<std::string> path_of(const pb::KeyedJson& item) {
  if (item.nested_key_size() == 0) return {item.key()};
  return {item.nested_key().begin(), item.nested_key().end()};
}

}  // namespace yatlab::wandb
