#include "core/record/made_with.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

bool is_true(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

int cores_in(const Json& json) {
  const auto found = json.find("cores");
  const auto n = found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
  return n > 0 && n <= std::numeric_limits<int>::max() ? static_cast<int>(n) : 0;
}

}  // namespace

std::optional<MadeWith> made_with(const std::filesystem::path& run) {
  Json json;
  try {
    json = parse_ordered_json(read_json_text(run / "environment.json"));
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kFile) throw;
    return std::nullopt;
  } catch (const std::exception&) {  // the run never started, or is older
    return std::nullopt;
  }
  if (!json.is_object()) return std::nullopt;
  const auto git = json.value("git", Json::object());
  MadeWith out{{}, false, text_in(json, "libtorch"), text_in(json, "cpu"), text_in(json, "gpu"), cores_in(json)};
  if (git.is_object()) out.revision = text_in(git, "revision"), out.changed = is_true(git, "dirty");
  return out;
}

Json made_with_json(const MadeWith& made) {
  Json out = {{"revision", made.revision.empty() ? Json() : Json(made.revision)},
              {"changed", made.changed},
              {"libtorch", made.libtorch},
              {"cpu", made.cpu}};
  if (!made.gpu.empty()) out["gpu"] = made.gpu;
  if (made.cores > 0) out["cores"] = made.cores;
  return out;
}

std::optional<MadeWith> made_with_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  return MadeWith{text_in(json, "revision"), is_true(json, "changed"), text_in(json, "libtorch"),
                  text_in(json, "cpu"),      text_in(json, "gpu"),     cores_in(json)};
}

std::string made_with_text(const std::optional<MadeWith>& made) {
  if (!made || made->revision.empty()) return "of an unknown revision";
  std::string out = "revision " + made->revision.substr(0, 10) + (made->changed ? " with changes" : "");
  if (!made->libtorch.empty()) out += ", LibTorch " + made->libtorch;
  if (!made->cpu.empty()) out += ", " + made->cpu;
  if (!made->gpu.empty()) out += ", " + made->gpu;
  return out;
}

}  // namespace yatlab
