// Finds a plugin library's manifest by reading the ELF file, so that none of its code runs.

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/registry/plugin_library.h"

namespace yatlab {
namespace {

constexpr std::string_view kSection = ".yatlab_plugin";
constexpr std::size_t kLongestManifest = 1 << 16;

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr Elf64_Half kMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr Elf64_Half kMachine = EM_PPC64;
#else
#error "plugin libraries are not supported on this machine: name its ELF machine here"
#endif

std::string machine_name(Elf64_Half machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "AArch64";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "PowerPC64";
    case EM_386:
      return "x86 (32 bits)";
    case EM_ARM:
      return "ARM (32 bits)";
    default:
      return fmt::format("ELF machine {}", machine);
  }
}

/// A file's bytes; every read is bounds-checked.
class Image {
 public:
  Image(std::string_view bytes, const fs::path& path) : bytes_(bytes), path_(path) {}

  template <class T>
  T read(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, part(offset, sizeof value).data(), sizeof value);  // may be unaligned
    return value;
  }
  std::string_view part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      throw error("is damaged", fmt::format("it ends after {} bytes, but its header says it is longer", bytes_.size()),
                  "build or copy it again");
    }
    return bytes_.substr(offset, size);
  }
  Error error(const char* what, std::string why, std::string hint = {}) const {
    return {ErrorKind::kPlugin, fmt::format("'{}' {}", path_.filename().string(), what), path_.string(), std::move(why), std::move(hint)};
  }

 private:
  std::string_view bytes_;
  const fs::path& path_;
};

Elf64_Ehdr read_header(const Image& image, std::string_view bytes) {
  constexpr const char* kExpected = "give the path of a library built with yatlab_add_plugin()";
  if (bytes.size() < EI_NIDENT || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
    throw image.error("is not a shared library", "it does not begin like an ELF file", kExpected);
  }
  if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB) {
    throw image.error("was built for a different machine", "it is not a 64-bit little-endian file", "build it on this machine");
  }
  const auto header = image.read<Elf64_Ehdr>(0);
  if (header.e_machine != kMachine) {
    throw image.error("was built for a different machine",
                      fmt::format("it is for {}, this is {}", machine_name(header.e_machine), machine_name(kMachine)),
                      "build it on this machine");
  }
  if (header.e_type != ET_DYN) {
    throw image.error("is not a shared library", "it is an ELF file of a different type", kExpected);
  }
  return header;
}

std::optional<std::string_view> find_section(const Image& image, const Elf64_Ehdr& header) {
  if (header.e_shoff == 0 || header.e_shnum == 0) return std::nullopt;  // stripped of sections
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum) {
    throw image.error("is damaged", "its section table is not valid", "build or copy it again");
  }
  const auto table = image.part(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  const auto section = [&](std::size_t i) {
    Elf64_Shdr s;
    std::memcpy(&s, table.data() + i * sizeof s, sizeof s);
    return s;
  };
  const auto name_table = section(header.e_shstrndx);
  const auto names = image.part(name_table.sh_offset, name_table.sh_size);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto s = section(i);
    if (s.sh_type != SHT_PROGBITS || s.sh_name >= names.size()) continue;
    const auto name = names.substr(s.sh_name, names.find('\0', s.sh_name) - s.sh_name);
    if (name == kSection) return image.part(s.sh_offset, s.sh_size);
  }
  return std::nullopt;
}

std::string printable(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, 60)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

}  // namespace

PluginManifest read_manifest(std::string_view bytes, const fs::path& path) {
  const Image image(bytes, path);
  const auto section = find_section(image, read_header(image, bytes));
  if (!section) {
    throw image.error("is not a Yatlab plugin", "it contains no manifest",
                      "write YATLAB_PLUGIN(\"name\", \"version\") in one of its files");
  }
  const auto malformed = [&](const std::string& why) {
    return image.error("has a malformed manifest", why, "let YATLAB_PLUGIN() write it, with plain one-line literals");
  };
  const auto end = section->find('\0');
  if (end == std::string_view::npos || end > kLongestManifest) throw malformed("it is not terminated");

  std::map<std::string, std::string> values;
  for (const auto& line : split(section->substr(0, end), '\n')) {
    if (line.empty()) continue;
    const auto equals = line.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw malformed(fmt::format("'{}' is not of the form key=value", printable(line)));
    }
    if (!values.emplace(line.substr(0, equals), line.substr(equals + 1)).second) {
      throw malformed(fmt::format("'{}' is given twice", printable(line.substr(0, equals))));
    }
  }
  PluginManifest out;
  const auto take = [&](const char* key, std::string& into, bool demanded) {
    const auto it = values.find(key);
    if (it == values.end() || it->second.empty()) {
      if (demanded) throw malformed(fmt::format("it has no '{}'", key));
      return;
    }
    into = it->second;
  };
  take("api", out.api, true);
  // Another API version may use other keys; check_manifest should report the version first.
  const bool same_api = out.api == host_manifest().api;
  take("name", out.name, true);
  take("version", out.version, true);
  take("compiler", out.compiler, same_api);
  take("cxxabi", out.cxxabi, same_api);
  take("cxx11_string", out.cxx11_string, same_api);
  take("standard", out.standard, same_api);
  take("torch", out.torch, same_api);
  return out;
}

}  // namespace yatlab
