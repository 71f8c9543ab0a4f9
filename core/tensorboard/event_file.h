#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/files.h"
#include "core/base/media.h"

namespace yatlab::tensorboard {

/// One record as TensorBoard's files frame it: length (uint64), masked CRC-32C of the length, the bytes, masked CRC-32C
/// of the bytes; all little-endian.
std::string framed(std::string_view record);
/// CRC-32C (Castagnoli), rotated and offset as in TFRecord files.
std::uint32_t masked_crc(std::string_view bytes);

/// A file of events that TensorBoard reads while it grows. Every call is written out whole before it returns.
class EventFile {
 public:
  /// Creates `<folder>/events.out.tfevents.<seconds>.<host>.<pid>.<number>`. Throws a data error when it cannot.
  explicit EventFile(const fs::path& folder);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// What earlier files of this folder logged from `step` on is void: TensorBoard drops it. The first record of a file.
  void start_at(std::int64_t step);
  /// Numbers of one step; TensorBoard takes NaN and infinity.
  void scalars(std::int64_t step, const std::map<std::string, double>& values);
  void text(const std::string& tag, const std::string& markdown, std::int64_t step = 0);
  void histogram(const std::string& tag, const Histogram& histogram, std::int64_t step = 0);
  /// `png`: a whole PNG file. Throws a data error when it is none.
  void image(const std::string& tag, std::string_view png, std::int64_t step = 0);
  /// The run's configuration, for the HPARAMS page: numbers, truth values and text; everything else as JSON text. Runs of one `group`
  /// are seeds of the same configuration: TensorBoard shows them as one row.
  void hparams(const std::map<std::string, nlohmann::json>& values, const std::string& group);
  void finish(bool success);
  /// Whether the newest file in `folder` has been finished.
  static bool is_finished(const fs::path& folder);

  const fs::path& path() const { return path_; }

 private:
  void write(std::string_view record);

  fs::path path_;
  int fd_ = -1;
};

}  // namespace yatlab::tensorboard
