#include "core/cli/catalogue.h"

#include <filesystem>

#include "core/cli/command.h"
#include "core/config/yaml.h"

namespace yatlab::cli {

std::map<std::string, Node> declared_datasets() {
  std::map<std::string, Node> out;
  for (const auto& root : config_path()) {
    std::error_code ec;
    for (const auto& entry : std::filesystem::directory_iterator(root / "dataset", ec)) {
      if (entry.path().extension() == ".yaml") out.emplace(entry.path().stem().string(), load_yaml(entry.path()));
    }
  }
  return out;
}

}  // namespace yatlab::cli
