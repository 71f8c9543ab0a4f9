// YAML documents whose ${...} are resolved, all together and individually.
#include "core/config/interpolation.h"

#include "core/config/yaml.h"
#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  Node node;
  if (!accepted([&] { node = parse_yaml(input, "input.yaml"); })) return;
  Node resolved;
  if (accepted([&] { resolved = resolve(node, [](const std::string&) {}); })) {
    if (!accepted([&] { expect(parse_yaml(emit_yaml(resolved), "again.yaml") == resolved, "a resolved value reads as another"); })) {
      finding("what was resolved cannot be read:\n" + emit_yaml(resolved));
    }
  }
  if (!node.is_map()) return;
  for (const auto& [key, value] : node.as_map()) accepted([&, &at = key] { resolve_at(node, at); });
}

}  // namespace yatlab::fuzz
