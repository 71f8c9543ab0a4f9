// YAML documents: a round trip gives the same, also through JSON.
#include "core/config/yaml.h"

#include <nlohmann/json.hpp>

#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  Node node;
  if (!accepted([&] { node = parse_yaml(input, "input.yaml", [](const std::string&) {}); })) return;
  const auto text = emit_yaml(node);
  Node again;
  if (!accepted([&] { again = parse_yaml(text, "again.yaml"); })) finding("what was written cannot be read:\n" + text);
  if (again != node) finding("what was written reads as another value:\n" + text);
  node.to_flow();
  to_json(node).dump();
}

}  // namespace yatlab::fuzz
