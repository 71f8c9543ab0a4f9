// Safetensors files. A round trip gives the same.
#include "core/data/safetensors.h"

#include <ATen/ATen.h>

#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  Safetensors read;
  if (!accepted([&] { read = parse_safetensors(input, "input.safetensors"); })) return;
  if (!accepted([&] {
        const auto bytes = dump_safetensors(read.tensors, read.metadata);
        const auto again = parse_safetensors(bytes, "again.safetensors");
        expect(again.tensors.size() == read.tensors.size() && again.metadata == read.metadata, "tensors or metadata were lost");
        expect(dump_safetensors(again.tensors, again.metadata) == bytes, "the same tensors give other bytes");
      })) {
    finding("what was read cannot be written");
  }
}

}  // namespace yatlab::fuzz
