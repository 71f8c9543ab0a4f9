// Plugin libraries' manifests, read from ELF files.
#include "core/registry/plugin_library.h"
#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  accepted([&] { check_manifest(read_manifest(input, "library.so"), "library.so"); });
}

}  // namespace yatlab::fuzz
