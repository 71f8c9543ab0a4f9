#include "core/record/job_file.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/config/yaml.h"

namespace yatlab {
namespace {

constexpr const char* kName = "job.yaml";
constexpr std::int64_t kSchema = 1;

Node texts(const std::vector<std::string>& items) {
  Node out = Node::list();
  for (const auto& item : items) out.push_back(Node(item));
  return out;
}

}  // namespace

std::string to_yaml(const JobFile& job) {
  Node out = Node::map();
  out.set("schema", Node(kSchema));
  out.set("type", Node(job.type));
  out.set("arm", Node(job.arm));
  out.set("seed", Node(job.seed));
  Node params = Node::map();
  for (const auto& [key, value] : job.params) params.set(key, value);
  out.set("params", std::move(params));
  if (!job.part.empty()) out.set("part", Node(job.part));
  out.set("hash", Node(job.hash));
  Node uses = Node::map();
  for (const auto& [what, hash] : job.uses) uses.set(what, Node(hash));
  out.set("uses", std::move(uses));
  if (!job.needs.empty()) out.set("needs", texts(job.needs));
  if (!job.resources.as_map().empty()) out.set("resources", job.resources);
  out.set("data", job.data);
  if (!job.libraries.empty()) {
    Node libraries = Node::list();
    for (const auto& library : job.libraries) {
      Node entry = Node::map();
      entry.set("path", Node(library.path));
      entry.set("sha256", Node(library.sha256));
      libraries.push_back(std::move(entry));
    }
    out.set("libraries", std::move(libraries));
  }
  out.set("config", job.config);
  return emit_yaml(out);
}

JobFile read_job_file(const fs::path& job_directory) {
  const auto path = job_directory / kName;
  if (!is_there(path)) {
    throw data_error(fmt::format("'{}' is not a job", job_directory.string()), {}, fmt::format("it has no {}", kName),
                     "give a folder like results/EXPERIMENT/latest/jobs/ARM/seed=0");
  }
  try {
    const Node file = load_yaml(path);
    if (file.at("schema").as_int() != kSchema) {
      throw data_error(fmt::format("its schema is {}, but this version reads {}", file.at("schema").as_int(), kSchema));
    }
    JobFile out;
    out.type = file.at("type").as_string();
    out.arm = file.at("arm").as_string();
    out.seed = file.at("seed").as_int();
    out.params = file.at("params").as_map();
    if (const Node* part = file.find("part")) out.part = part->as_string();
    out.hash = file.at("hash").as_string();
    for (const auto& [what, hash] : file.at("uses").as_map()) out.uses[what] = hash.as_string();
    if (const Node* needs = file.find("needs")) {
      for (const auto& folder : needs->as_list()) out.needs.push_back(folder.as_string());
    }
    if (const Node* resources = file.find("resources")) {
      out.resources = *resources;
      out.resources.as_map();
    }
    out.data = file.at("data");
    out.data.as_map();
    if (const Node* libraries = file.find("libraries")) {
      for (const auto& library : libraries->as_list())
        out.libraries.push_back({library.at("path").as_string(), library.at("sha256").as_string()});
    }
    out.config = file.at("config");
    out.config.as_map();
    return out;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kFile) throw;
    throw data_error("cannot read the job", path.string(), e.message() + (e.why().empty() ? "" : ": " + e.why()),
                     "run the experiment's command again: it writes the plan again");
  }
}

bool is_job_folder(const fs::path& path) { return is_there(path / kName); }

}  // namespace yatlab
