// A training's checkpoint: model.safetensors, optimizer.safetensors, state.json, manifest.json, in this order. An empty manifest
// is replaced by a matching one, so that the code after its check is reached.
#include "core/model/checkpoint.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "core/base/hash.h"
#include "core/record/checkpoint_folders.h"
#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  static const MemoryFolder folder;
  const auto parts = parts_of(input, 4);
  const fs::path step = "step=000000007";
  const char* names[] = {"model.safetensors", "optimizer.safetensors", "state.json"};
  nlohmann::ordered_json manifest{{"schema", 1}, {"step", 7}};
  for (int i = 0; i < 3; ++i) {
    folder.write(step / names[i], parts[i]);
    manifest["files"][names[i]] = {{"bytes", parts[i].size()}, {"sha256", sha256_file(folder.path() / step / names[i])}};
  }
  folder.write(step / "manifest.json", parts[3].empty() ? manifest.dump() : std::string(parts[3]));
  const CheckpointStore store(folder.path());
  accepted([&] {
    std::vector<std::string> problems;
    const auto checkpoint = store.load_latest(&problems);
    expect(checkpoint.has_value() == problems.empty(), "neither a checkpoint nor a reason");
    saved_checkpoints(folder.path());
  });
}

}  // namespace yatlab::fuzz
