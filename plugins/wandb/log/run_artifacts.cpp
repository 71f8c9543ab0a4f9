// Artifacts of a run: those it made, and the data sets it used.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "plugins/wandb/log/run_log_parts.h"

namespace yatlab::wandb {

std::string artifact_name(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && std::string_view("_-.").find(c) == std::string_view::npos) c = '-';
  }
  return name.substr(0, 128);
}

void RunLog::artifact(const std::string& type, const std::string& name, const std::vector<ArtifactFile>& files, const Json& metadata,
                      const std::vector<std::string>& aliases) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
  }
  // Copying may take a while; other threads log in the meantime, so the lock is not held.
  ArtifactDraft draft;
  draft.type = clean(type);
  draft.name = artifact_name(clean(name));
  draft.client_id = random_id(128);
  draft.sequence_client_id = random_id(128);
  if (!metadata.is_null()) draft.metadata = clean(json_text(metadata));
  draft.aliases = {"latest"};
  for (const auto& alias : aliases) {
    if (alias != "latest") draft.aliases.push_back(clean(alias));
  }
  const auto folder = wandb_folder_ / "artifact-staging";
  // A temporary name shows the owner until the copy is complete, so that leftovers of dead processes can be removed.
  const fs::path staged = folder / draft.client_id.substr(0, 24), begun = temporary_name(staged);
  std::map<std::string, ArtifactFile> sorted;
  for (const auto& file : files) sorted[clean(file.name)] = file;
  try {
    make_folders(begun);
    for (const auto& [as, file] : sorted) {
      // One flat, unique name per copy: the uploader deletes it, and does not handle folders.
      const auto copy = fmt::format("{}-{}", draft.entries.size(), artifact_name(fs::path(as).filename().string()));
      copy_tree(file.source, begun / copy);
      draft.entries.push_back(
          {as, base64(md5_file(begun / copy)), (staged / copy).string(), {}, static_cast<std::int64_t>(size_of_file(begun / copy))});
    }
    rename_path(begun, staged);
    const std::lock_guard lock(mutex_);
    if (!ended_) write_artifact(draft);
  } catch (const Error&) {
    std::error_code ignored;
    fs::remove_all(begun, ignored);
    fs::remove_all(staged, ignored);
    throw;
  }
}

void RunLog::input(const InputArtifact& artifact) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  ArtifactDraft draft;
  draft.input = true;
  draft.type = clean(artifact.type);
  draft.name = artifact_name(clean(artifact.name));
  std::map<std::string, InputFile> sorted;
  for (const auto& file : artifact.files) sorted[clean(file.name)] = file;
  for (const auto& [name, file] : sorted) {
    draft.entries.push_back({name, clean(file.sha256), {}, clean(file.url.empty() ? "sha256:" + file.sha256 : file.url), file.size});
  }
  // The id depends on the identity alone, so runs that used the same files refer to the same artifact.
  const auto what = fmt::format("{}/{}/{}/{}", entity_, project_, draft.type, draft.name);
  draft.sequence_client_id = id_of("inputs " + what, 128);
  draft.client_id = id_of(fmt::format("input {} {}", what, draft.digest()), 128);
  if (!inputs_.insert(draft.client_id).second) return;
  if (!artifact.metadata.is_null()) draft.metadata = clean(json_text(artifact.metadata));
  draft.aliases = {"latest"};
  for (const auto& alias : artifact.aliases) {
    if (alias != "latest") draft.aliases.push_back(clean(alias));
  }
  write_artifact(draft);
}

void RunLog::write_artifact(const ArtifactDraft& draft) {
  write([&](pb::Record& r) {
    auto& a = *r.mutable_artifact();
    a.set_run_id(id_);
    a.set_project(clean(project_));
    a.set_entity(clean(entity_));
    a.set_type(draft.type);
    a.set_name(draft.name);
    a.set_digest(draft.digest());
    a.set_metadata(draft.metadata);
    a.set_user_created(draft.input);  // not made by this run
    a.set_use_after_commit(draft.input);
    for (const auto& alias : draft.aliases) a.add_aliases(alias);
    a.set_finalize(true);
    a.set_client_id(draft.client_id);
    a.set_sequence_client_id(draft.sequence_client_id);
    auto& m = *a.mutable_manifest();
    m.set_version(1);
    m.set_storage_policy("wandb-storage-policy-v1");
    auto* item = m.add_storage_policy_config();
    item->set_key("storageLayout");
    item->set_value_json("\"V2\"");
    for (const auto& e : draft.entries) {
      auto* entry = m.add_contents();
      entry->set_path(e.name);
      entry->set_digest(e.digest);
      entry->set_ref(e.url);
      entry->set_size(e.size);
      entry->set_local_path(e.local_path);
    }
  });
}

}  // namespace yatlab::wandb
