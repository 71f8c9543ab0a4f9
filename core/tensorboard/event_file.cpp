#include "core/tensorboard/event_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <boost/crc.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/tensorboard/event.pb.h"

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

/// TensorBoard's names have no other characters.
std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "host";
  return safe_file_name(name);
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

EventFile::EventFile(const fs::path& folder) {
  static std::atomic<int> number{0};
  make_folders(folder);
  path_ = folder / fmt::format("events.out.tfevents.{}.{}.{}.{}", static_cast<std::int64_t>(now()), host_name(), ::getpid(), number++);
  fd_ = ::open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) throw data_error(fmt::format("cannot write '{}'", path_.string()), {}, std::strerror(errno));
  auto first = event(0);
  first.set_file_version("brain.Event:2");
  write(first.SerializeAsString());
}

EventFile::~EventFile() {
  if (fd_ >= 0) ::close(fd_);
}

void EventFile::write(std::string_view record) {
  const std::string bytes = framed(record);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto n = ::write(fd_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw data_error(fmt::format("cannot write '{}'", path_.string()), {}, std::strerror(errno), "is the disk full?");
    done += static_cast<std::size_t>(n);
  }
}

void EventFile::start_at(std::int64_t step) {
  auto e = event(step);
  e.mutable_session_log()->set_status(SessionLog::START);
  write(e.SerializeAsString());
}

void EventFile::scalars(std::int64_t step, const std::map<std::string, double>& values) {
  if (values.empty()) return;
  auto e = event(step);
  for (const auto& [tag, number] : values) {
    auto* value = e.mutable_summary()->add_value();
    value->set_tag(tag);
    value->set_simple_value(static_cast<float>(number));
  }
  write(e.SerializeAsString());
}

void EventFile::text(const std::string& tag, const std::string& markdown, std::int64_t step) {
  auto e = event(step);
  auto* tensor = plugin_value(e, tag + "/text_summary", "text")->mutable_tensor();
  tensor->set_dtype(kString);
  tensor->mutable_tensor_shape()->add_dim()->set_size(1);
  tensor->add_string_val(markdown);
  write(e.SerializeAsString());
}

void EventFile::histogram(const std::string& tag, const Histogram& histogram, std::int64_t step) {
  if (histogram.counts.empty()) return;
  auto e = event(step);
  // Rows of left edge, right edge, count.
  auto* tensor = plugin_value(e, tag, "histograms")->mutable_tensor();
  tensor->set_dtype(kDouble);
  tensor->mutable_tensor_shape()->add_dim()->set_size(static_cast<std::int64_t>(histogram.counts.size()));
  tensor->mutable_tensor_shape()->add_dim()->set_size(3);
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    for (const double v : {histogram.edges[i], histogram.edges[i + 1], histogram.counts[i]}) tensor->add_double_val(v);
  }
  write(e.SerializeAsString());
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
  write(e.SerializeAsString());
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
      value.set_string_value(json.is_string() ? json.get<std::string>() : json.dump());
    }
  }
  auto e = event(0);
  plugin_value(e, "_hparams_/session_start_info", kHparams, data.SerializeAsString());
  write(e.SerializeAsString());
}

void EventFile::finish(bool success) {
  HParamsPluginData data;
  data.mutable_session_end_info()->set_status(success ? 1 : 2);
  data.mutable_session_end_info()->set_end_time_secs(now());
  auto e = event(0);
  plugin_value(e, kSessionEnd, kHparams, data.SerializeAsString());
  write(e.SerializeAsString());
}

bool EventFile::is_finished(const fs::path& folder) {
  fs::path newest;
  fs::file_time_type when{};
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().filename().string().rfind("events.out.tfevents.", 0) != 0) continue;
    const auto time = fs::last_write_time(entry.path(), none);
    if (newest.empty() || time > when || (time == when && entry.path() > newest)) {
      newest = entry.path();
      when = time;
    }
  }
  return !newest.empty() && read_file(newest).find(kSessionEnd) != std::string::npos;
}

}  // namespace yatlab::tensorboard
