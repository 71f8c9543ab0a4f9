#include <elf.h>

#include <cstring>
#include <random>

#include "catch.h"
#include "core/base/error.h"
#include "core/registry/plugin_library.h"
#include "registry/plugin_api_version.h"

namespace yatlab {
namespace {

std::string good_library() { return read_file(fs::path(YATLAB_TEST_PLUGINS) / "none.so"); }

std::string manifest_error(const std::string& bytes) {
  try {
    read_manifest(bytes, "dir/lib.so");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// The file with one member of its ELF header replaced.
template <class T>
std::string with_header(T Elf64_Ehdr::*member, T value) {
  auto bytes = good_library();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.*member = value;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::string with_byte(std::size_t at, char value) {
  auto bytes = good_library();
  bytes[at] = value;
  return bytes;
}

// The file with `replacement` written over its manifest (which is longer).
std::string with_manifest(const std::string& replacement, char rest = '\0') {
  auto bytes = good_library();
  const auto at = bytes.find(std::string("api=" YATLAB_TEST_PLUGIN_API "\nname=none\n"));
  REQUIRE(at != std::string::npos);
  const auto end = bytes.find('\0', at);
  REQUIRE(replacement.size() <= end - at);
  return bytes.replace(at, end - at, replacement + std::string(end - at - replacement.size(), rest));
}

const std::string kMalformed = "'lib.so' has a malformed manifest\n  at: dir/lib.so\n  why: ";
const std::string kByMacro = "\n  try: let YATLAB_PLUGIN() write it, with plain one-line literals";

}  // namespace

TEST_CASE("a valid library's manifest has the values of its build", "[manifest]") {
  const auto manifest = read_manifest(good_library(), "lib.so");
  const auto& host = host_manifest();
  CHECK(manifest.name == "none");
  CHECK(manifest.version == "1.0");
  CHECK(manifest.api == YATLAB_TEST_PLUGIN_API);
  CHECK(manifest.cxxabi == std::to_string(__GXX_ABI_VERSION));
  CHECK(manifest.cxx11_string == std::to_string(_GLIBCXX_USE_CXX11_ABI));
  CHECK(manifest.standard == std::to_string(__cplusplus) + "L");
  CHECK(manifest.compiler == host.compiler);
  CHECK(manifest.torch == host.torch);
  CHECK(host.name.empty());
  CHECK_FALSE(host.torch.empty());
  CHECK_NOTHROW(check_manifest(manifest, "lib.so"));
}

TEST_CASE("files for other machines are told apart from damaged ones", "[manifest]") {
  const std::string other = "'lib.so' was built for a different machine\n  at: dir/lib.so\n  why: ";
  const std::string here = "\n  try: build it on this machine";
  CHECK(manifest_error(with_byte(EI_CLASS, ELFCLASS32)) == other + "it is not a 64-bit little-endian file" + here);
  CHECK(manifest_error(with_byte(EI_DATA, ELFDATA2MSB)) == other + "it is not a 64-bit little-endian file" + here);
  Elf64_Ehdr header;
  std::memcpy(&header, good_library().data(), sizeof header);
  const auto foreign = static_cast<Elf64_Half>(header.e_machine == EM_ARM ? EM_386 : EM_ARM);
  CHECK_THAT(manifest_error(with_header(&Elf64_Ehdr::e_machine, foreign)),
             Catch::Matchers::StartsWith(other + "it is for ARM (32 bits), this is "));
  CHECK(manifest_error(with_header<Elf64_Half>(&Elf64_Ehdr::e_type, ET_REL)) ==
        "'lib.so' is not a shared library\n  at: dir/lib.so\n  why: it is an ELF file of a different type\n  try: give the path of a "
        "library built with yatlab_add_plugin()");
}

TEST_CASE("a file without sections carries no manifest", "[manifest]") {
  const std::string none =
      "'lib.so' is not a Yatlab plugin\n  at: dir/lib.so\n  why: it contains no manifest\n  try: write YATLAB_PLUGIN(\"name\", "
      "\"version\") in one of its files";
  CHECK(manifest_error(with_header<Elf64_Half>(&Elf64_Ehdr::e_shnum, 0)) == none);
  CHECK(manifest_error(with_header<Elf64_Off>(&Elf64_Ehdr::e_shoff, 0)) == none);
}

TEST_CASE("an invalid section table is reported as damage", "[manifest]") {
  const std::string damaged = "'lib.so' is damaged\n  at: dir/lib.so\n  why: its section table is not valid\n  try: build or copy it again";
  CHECK(manifest_error(with_header<Elf64_Half>(&Elf64_Ehdr::e_shentsize, 40)) == damaged);
  CHECK(manifest_error(with_header<Elf64_Half>(&Elf64_Ehdr::e_shstrndx, 0xFFFE)) == damaged);
  for (const Elf64_Off offset : {Elf64_Off{1} << 40, ~Elf64_Off{0}, ~Elf64_Off{0} - 64}) {
    CHECK_THAT(manifest_error(with_header(&Elf64_Ehdr::e_shoff, offset)),
               Catch::Matchers::StartsWith("'lib.so' is damaged\n  at: dir/lib.so\n  why: it ends after "));
  }
}

TEST_CASE("a truncated file never gives a manifest", "[manifest]") {
  const auto bytes = good_library();
  for (std::size_t size = 0; size < bytes.size(); size += size < 128 ? 1 : 97) {
    INFO(size << " of " << bytes.size() << " bytes");
    CHECK(manifest_error(bytes.substr(0, size)) != "no error");
  }
  CHECK(manifest_error(bytes) == "no error");
}

TEST_CASE("random damage is answered with an error or does not matter", "[manifest]") {
  const auto bytes = good_library();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::mt19937 random(20260);
  int errors = 0;
  for (int i = 0; i < 4000; ++i) {
    auto damaged = bytes;
    // Half of the damaged bytes are in the two headers, where damage has the most effect.
    const bool in_table = i % 2 == 0;
    const std::size_t begin = in_table ? header.e_shoff : 0;
    const std::size_t length = in_table ? damaged.size() - begin : sizeof header;
    for (int hit = 0; hit < 3; ++hit) {
      damaged[begin + random() % length] = static_cast<char>(random());
    }
    errors += manifest_error(damaged) != "no error";  // any other exception escapes and fails the test
  }
  CHECK(errors > 1000);
}

TEST_CASE("hand-written malformed manifests are rejected", "[manifest]") {
  CHECK(manifest_error(with_manifest("")) == kMalformed + "it has no 'api'" + kByMacro);
  CHECK(manifest_error(with_manifest("api=" YATLAB_TEST_PLUGIN_API "\n=x\n")) ==
        kMalformed + "'=x' is not of the form key=value" + kByMacro);
  CHECK(manifest_error(with_manifest("api=" YATLAB_TEST_PLUGIN_API "\nna\x01me\n")) ==
        kMalformed + "'na?me' is not of the form key=value" + kByMacro);
  CHECK(manifest_error(with_manifest("api=" YATLAB_TEST_PLUGIN_API "\napi=" YATLAB_TEST_PLUGIN_API "\n")) ==
        kMalformed + "'api' is given twice" + kByMacro);
  CHECK(manifest_error(with_manifest("api=" YATLAB_TEST_PLUGIN_API "\nname=\n")) == kMalformed + "it has no 'name'" + kByMacro);
  CHECK(manifest_error(with_manifest("api=" YATLAB_TEST_PLUGIN_API "\nname=a\nversion=1\ncompiler=x\n")) ==
        kMalformed + "it has no 'cxxabi'" + kByMacro);
}

TEST_CASE("a manifest of another API may have other keys", "[manifest]") {
  const auto manifest = read_manifest(with_manifest("api=99\nname=a\nversion=1\nnew_key=x\n"), "lib.so");
  CHECK_THROWS_WITH(check_manifest(manifest, "lib.so"),
                    "plugin 'a' was built for a different plugin API\n  at: lib.so\n  why: the plugin has API 99, but this program has "
                    "API " YATLAB_TEST_PLUGIN_API
                    "\n"
                    "  try: use a version of the plugin made for this Yatlab, or port and rebuild it");
}

}  // namespace yatlab
