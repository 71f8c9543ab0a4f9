// Shared by the files that implement RunLog. Not part of the public interface.
#pragma once

#include <fmt/format.h>
#include <google/protobuf/arena.h>

#include <string>
#include <vector>

#include "core/base/hash.h"
#include "plugins/wandb/log/records.h"
#include "plugins/wandb/log/run_log.h"
#include "plugins/wandb/log/text.h"

namespace yatlab::wandb {

/// Memory in which every record is built.
struct RunLog::Scratch {
  google::protobuf::Arena arena;
  std::string bytes;
  pb::TelemetryRecord telemetry;
  bool telemetry_changed = false;
  /// Marks a feature as used.
  void used(void (pb::Feature::*set)(bool), bool before) {
    if (before) return;
    (telemetry.mutable_feature()->*set)(true);
    telemetry_changed = true;
  }
};

/// A set of files before it becomes a record.
struct RunLog::ArtifactDraft {
  struct Entry {
    std::string name, digest, local_path, url;
    std::int64_t size;
  };
  std::string type, name, client_id, sequence_client_id;
  std::vector<Entry> entries;  // by name
  std::string metadata;        // JSON, or empty
  std::vector<std::string> aliases;
  bool input = false;

  /// Distinguishes versions: a hash over names and digests.
  std::string digest() const {
    std::string text = "wandb-artifact-manifest-v1\n";
    for (const auto& e : entries) text += fmt::format("{}:{}\n", e.name, e.digest);
    return hex(md5(text));
  }
};

template <class Fill>
void RunLog::write(const Fill& fill) {
  auto& arena = scratch_->arena;
  auto* record = google::protobuf::Arena::CreateMessage<pb::Record>(&arena);
  fill(*record);
  record->set_num(++count_);
  scratch_->bytes.clear();
  record->AppendToString(&scratch_->bytes);
  arena.Reset();
  writer_->append(scratch_->bytes);
}

/// Names of artifacts and of their files on disk: letters, digits, '_', '-', '.'; other characters become '-'.
std::string artifact_name(std::string name);

}  // namespace yatlab::wandb
