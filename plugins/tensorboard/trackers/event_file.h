#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/media.h"
#include "core/base/output_file.h"

namespace yatlab::tensorboard {

class Event;

/// One record framed as in TensorBoard's files: length (uint64), masked CRC-32C of the length, the bytes, masked CRC-32C
/// of the bytes; all little-endian.
std::string framed(std::string_view record);
/// CRC-32C (Castagnoli), rotated and offset as in TFRecord files.
std::uint32_t masked_crc(std::string_view bytes);

/// Calls `use` for each complete record at the beginning of `bytes`. -> the end of the last one; anything after it is truncated or invalid.
std::size_t each_record(std::string_view bytes, const std::function<void(std::string_view record)>& use);

/// A file of events that TensorBoard reads while it grows. Every call writes its events completely before it returns. If the disk refuses,
/// it leaves the file as it was and throws a file error.
class EventFile {
 public:
  /// Continues the newest file of `folder` after its last complete record. Begins a new one if there is none, or another process has it open:
  /// `<folder>/events.out.tfevents.<seconds>.<host>.<pid>.<number>`.
  explicit EventFile(const fs::path& folder);
  /// Replaces all files of `folder` by a new one, unless there is a single file that differs only in its times.
  static void replace(const fs::path& folder, const std::function<void(EventFile&)>& fill);

  /// Of the events that no START has invalidated: the last row's step, -1 before the first; whether the file was finished.
  std::int64_t last_step() const { return state_.last_step; }
  bool is_finished() const { return state_.finished; }
  /// Whether the newest file in `folder` was finished.
  static bool is_finished(const fs::path& folder);

  /// Invalidates everything logged from `step` on, also in earlier files of this folder: TensorBoard drops it.
  void start_at(std::int64_t step);
  /// Numbers of one step; TensorBoard accepts NaN and infinity.
  void scalars(std::int64_t step, const std::map<std::string, double>& values);
  void text(const std::string& tag, const std::string& markdown, std::int64_t step = 0);
  void histogram(const std::string& tag, const Histogram& histogram, std::int64_t step = 0);
  /// `png`: a whole PNG file. Throws a data error when it is not one.
  void image(const std::string& tag, std::string_view png, std::int64_t step = 0);
  /// The run's configuration, for the HPARAMS page: numbers, booleans and text; everything else as JSON text. Runs of one `group`
  /// are seeds of the same configuration: TensorBoard shows them as one row.
  void hparams(const std::map<std::string, nlohmann::json>& values, const std::string& group);
  void finish(bool success);

  const fs::path& path() const { return file_.path(); }

 private:
  struct State {
    std::int64_t last_step = -1;
    bool finished = false;
    void take(std::string_view record);
  };
  /// Begins this new file.
  explicit EventFile(OutputFile file);
  bool go_on_in(const fs::path& path);
  void write(const Event& event);

  OutputFile file_;
  State state_;
};

}  // namespace yatlab::tensorboard
