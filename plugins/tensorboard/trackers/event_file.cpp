#include "plugins/tensorboard/trackers/event_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/crc.hpp>
#include <charconv>
#include <chrono>
#include <tuple>
#include <vector>

#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/process.h"
#include "core/system/file_lock.h"
#include "plugins/tensorboard/trackers/event.pb.h"

namespace yatlab::tensorboard {
namespace {

constexpr const char* kHparams = "hparams";
constexpr const char* kSessionEnd = "_hparams_/session_end_info";
constexpr int kDouble = 2, kString = 7;  // tensorflow's DataType

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string little_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  return out;
}

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) out |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return out;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t out = 0;
  for (const char c : bytes) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

Event event(std::int64_t step) {
  Event out;
  out.set_wall_time(now());
  out.set_step(step);
  return out;
}

Summary::Value* plugin_value(Event& event, const std::string& tag, const std::string& plugin, const std::string& content = {}) {
  auto* value = event.mutable_summary()->add_value();
  value->set_tag(tag);
  auto* data = value->mutable_metadata()->mutable_plugin_data();
  data->set_plugin_name(plugin);
  data->set_content(content);
  return value;
}

constexpr std::string_view kPrefix = "events.out.tfevents.";

/// The seconds in a file's name, by which TensorBoard orders files; -1 when it is not an event file.
std::int64_t seconds_of(const fs::path& path) {
  const auto name = path.filename().string();
  std::int64_t out = -1;
  if (name.rfind(kPrefix, 0) == 0) std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), out);
  constexpr std::int64_t kBeyondAllTime = std::int64_t{1} << 40;
  return out < kBeyondAllTime ? out : -1;
}

/// A folder's event files, the newest last.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<std::tuple<std::int64_t, fs::file_time_type, fs::path>> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (const auto seconds = seconds_of(entry.path()); seconds >= 0)
      found.emplace_back(seconds, fs::last_write_time(entry.path(), none), entry.path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> out;
  for (auto& [seconds, when, path] : found) out.push_back(std::move(path));
  return out;
}

/// A file's events without their times.
std::vector<std::string> timeless(const fs::path& path) {
  std::vector<std::string> out;
  each_record(read_file(path), [&](std::string_view record) {
    Event event;
    if (!event.ParseFromArray(record.data(), static_cast<int>(record.size()))) return;
    event.clear_wall_time();
    out.push_back(event.SerializeAsString());
  });
  return out;
}

/// TensorBoard's file names use only these characters.
std::string host_in_file_names() { return safe_file_name(host_name()); }

std::atomic<int> number{0};  // numbers the files of this process

/// A name that sorts after all existing ones, even within the same second.
fs::path new_name(const fs::path& folder, const std::vector<fs::path>& there) {
  const auto seconds = std::max(static_cast<std::int64_t>(now()), there.empty() ? 0 : seconds_of(there.back()) + 1);
  return folder / fmt::format("{}{}.{}.{}.{}", kPrefix, seconds, host_in_file_names(), ::getpid(), number++);
}

}  // namespace

std::uint32_t masked_crc(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  const std::uint32_t sum = crc.checksum();
  return (sum >> 15 | sum << 17) + 0xA282EAD8u;
}

std::string framed(std::string_view record) {
  const auto length = little_endian(record.size(), 8);
  return length + little_endian(masked_crc(length), 4) + std::string(record) + little_endian(masked_crc(record), 4);
}

std::size_t each_record(std::string_view bytes, const std::function<void(std::string_view)>& use) {
  constexpr std::size_t kHead = 12, kFrame = 16;
  std::size_t at = 0;
  while (bytes.size() - at >= kFrame) {
    const auto rest = bytes.substr(at);
    const auto length = from_little_endian(rest.substr(0, 8));
    if (from_little_endian(rest.substr(8, 4)) != masked_crc(rest.substr(0, 8)) || length > rest.size() - kFrame) break;
    const auto record = rest.substr(kHead, length);
    if (from_little_endian(rest.substr(kHead + length, 4)) != masked_crc(record)) break;
    use(record);
    at += kFrame + length;
  }
  return at;
}

EventFile::EventFile(const fs::path& folder) {
  make_folders(folder);
  const auto there = files_in(folder);
  if (there.empty() || !go_on_in(there.back())) *this = EventFile(OutputFile(new_name(folder, there), OutputFile::Mode::kNew));
}

EventFile::EventFile(OutputFile file) : file_(std::move(file)) {
  try_lock(file_.descriptor());
  auto first = event(0);
  first.set_file_version("brain.Event:2");
  write(first);
}

bool EventFile::go_on_in(const fs::path& path) {
  OutputFile file(path, OutputFile::Mode::kUpdate);
  if (!try_lock(file.descriptor())) return false;
  const auto whole = each_record(read_file(path), [&](std::string_view record) { state_.take(record); });
  if (whole == 0) {  // killed before the header was written: not worth keeping
    remove_tree(path);
    return false;
  }
  file.cut(whole);
  file_ = std::move(file);
  return true;
}

void EventFile::replace(const fs::path& folder, const std::function<void(EventFile&)>& fill) {
  make_folders(folder);
  const auto before = files_in(folder);
  // TensorBoard ignores such names.
  const fs::path temporary = temporary_name(folder / "new");
  try {
    {
      EventFile file(OutputFile(temporary, OutputFile::Mode::kNew));
      fill(file);
      file.file_.sync();
    }
    if (before.size() == 1 && timeless(before.front()) == timeless(temporary)) return remove_tree(temporary);
    rename_path(temporary, new_name(folder, before));
  } catch (const Error&) {
    file_calls().remove(temporary.c_str());
    throw;
  }
  for (const auto& path : before) remove_tree(path);
}

void EventFile::State::take(std::string_view record) {
  Event event;
  if (!event.ParseFromArray(record.data(), static_cast<int>(record.size()))) return;
  if (event.session_log().status() == SessionLog::START) {
    last_step = std::min(last_step, std::max<std::int64_t>(0, event.step()) - 1);
    finished = false;
  }
  for (const auto& value : event.summary().value()) {
    if (value.value_case() == Summary::Value::kSimpleValue) last_step = std::max(last_step, event.step());
    finished = finished || value.tag() == kSessionEnd;
  }
}

void EventFile::write(const Event& event) {
  const auto record = event.SerializeAsString();
  file_.write_whole(framed(record));
  state_.take(record);
}

void EventFile::start_at(std::int64_t step) {
  auto e = event(step);
  e.mutable_session_log()->set_status(SessionLog::START);
  write(e);
}

void EventFile::scalars(std::int64_t step, const std::map<std::string, double>& values) {
  if (values.empty()) return;
  auto e = event(step);
  for (const auto& [tag, number] : values) {
    auto* value = e.mutable_summary()->add_value();
    value->set_tag(tag);
    value->set_simple_value(static_cast<float>(number));
  }
  write(e);
}

void EventFile::text(const std::string& tag, const std::string& markdown, std::int64_t step) {
  auto e = event(step);
  auto* tensor = plugin_value(e, tag + "/text_summary", "text")->mutable_tensor();
  tensor->set_dtype(kString);
  tensor->mutable_tensor_shape()->add_dim()->set_size(1);
  tensor->add_string_val(markdown);
  write(e);
}

void EventFile::histogram(const std::string& tag, const Histogram& histogram, std::int64_t step) {
  if (histogram.counts.empty()) return;
  auto e = event(step);
  // Each row: left edge, right edge, count.
  auto* tensor = plugin_value(e, tag, "histograms")->mutable_tensor();
  tensor->set_dtype(kDouble);
  tensor->mutable_tensor_shape()->add_dim()->set_size(static_cast<std::int64_t>(histogram.counts.size()));
  tensor->mutable_tensor_shape()->add_dim()->set_size(3);
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    for (const double v : {histogram.edges[i], histogram.edges[i + 1], histogram.counts[i]}) tensor->add_double_val(v);
  }
  write(e);
}

void EventFile::image(const std::string& tag, std::string_view png, std::int64_t step) {
  // The header chunk of a PNG: signature, length, "IHDR", width, height.
  if (png.size() < 24 || png.substr(0, 8) != std::string_view("\x89PNG\r\n\x1a\n", 8) || png.substr(12, 4) != "IHDR") {
    throw data_error(fmt::format("figure '{}' is not a PNG", tag));
  }
  auto e = event(step);
  auto* value = e.mutable_summary()->add_value();
  value->set_tag(tag);
  auto* image = value->mutable_image();
  image->set_width(static_cast<std::int32_t>(big_endian(png.substr(16, 4))));
  image->set_height(static_cast<std::int32_t>(big_endian(png.substr(20, 4))));
  image->set_colorspace(4);
  image->set_encoded_image_string(std::string(png));
  write(e);
}

void EventFile::hparams(const std::map<std::string, nlohmann::json>& values, const std::string& group) {
  HParamsPluginData data;
  auto* start = data.mutable_session_start_info();
  start->set_group_name(group);
  start->set_start_time_secs(now());
  for (const auto& [name, json] : values) {
    auto& value = (*start->mutable_hparams())[name];
    if (json.is_boolean()) {
      value.set_bool_value(json.get<bool>());
    } else if (json.is_number()) {
      value.set_number_value(json.get<double>());
    } else {
      value.set_string_value(json.is_string() ? json.get<std::string>() : dump_json(json));
    }
  }
  auto e = event(0);
  plugin_value(e, "_hparams_/session_start_info", kHparams, data.SerializeAsString());
  write(e);
}

void EventFile::finish(bool success) {
  HParamsPluginData data;
  data.mutable_session_end_info()->set_status(success ? 1 : 2);
  data.mutable_session_end_info()->set_end_time_secs(now());
  auto e = event(0);
  plugin_value(e, kSessionEnd, kHparams, data.SerializeAsString());
  write(e);
}

bool EventFile::is_finished(const fs::path& folder) {
  const auto there = files_in(folder);
  State state;
  if (!there.empty()) each_record(read_file(there.back()), [&](std::string_view record) { state.take(record); });
  return state.finished;
}

}  // namespace yatlab::tensorboard
