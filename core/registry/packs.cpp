#include "core/registry/packs.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "core/base/error.h"
#include "core/registry/pack_index.h"
#include "core/registry/registry.h"

namespace yatlab {
namespace {

struct Packs {
  std::recursive_mutex mutex;  // registering a pack may load another pack
  PackIndex index;
  fs::path folder;
  std::set<std::string> loaded;
};
Packs& packs() {
  static Packs& all = *new Packs;
  return all;
}

/// Both in the build and after installation.
fs::path folder_of_packs() {
  if (!packs().folder.empty()) return packs().folder;
  Dl_info info{};
  ::dladdr(reinterpret_cast<const void*>(&folder_of_packs), &info);
  return fs::path(info.dli_fname ? info.dli_fname : "").parent_path() / "yatlab";
}

fs::path library_of(const std::string& pack) { return folder_of_packs() / (pack + ".so"); }

Error not_built(const std::string& pack, const std::string& why) {
  return {ErrorKind::kPlugin, fmt::format("the pack '{}' is not built", pack), library_of(pack).string(), why,
          fmt::format("./run.sh build {}", pack)};
}

/// The user sees its output, because compiling takes a minute.
void build(const std::string& pack) {
  const char* run = std::getenv("YATLAB_RUN");
  if (!run || !*run) throw not_built(pack, "commands started with ./run.sh build it when it is needed");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::setenv("YATLAB_SETUP", "skip", 1);  // the packages are installed if the program got this far
    ::execl(run, run, "build", pack.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) throw not_built(pack, fmt::format("'{} build {}' failed", run, pack));
}

/// Whether a library, such as some builds of LibTorch, exports a protobuf of its own. Packs that link protobuf would then get that one, so they must
/// search their own dependencies first.
bool another_protobuf() {
  const void* const version = ::dlsym(RTLD_DEFAULT, "_ZN6google8protobuf8internal13VerifyVersionEiiPKc");
  Dl_info info{};
  return version && ::dladdr(version, &info) != 0 && std::string(info.dli_fname).find("libprotobuf") == std::string::npos;
}

}  // namespace

const PackIndex& pack_index() { return packs().index; }

void set_pack_index(const PackedComponent* begin, const PackedComponent* end, fs::path folder) {
  packs().index = {begin, end};
  packs().folder = std::move(folder);
}

bool is_pack_built(const std::string& pack) {
  std::error_code ec;
  return fs::exists(library_of(pack), ec);
}

void load_pack(const std::string& pack) {
  const std::lock_guard lock(packs().mutex);
  if (packs().loaded.count(pack) > 0) return;
  if (!is_pack_built(pack)) build(pack);
  {
    const BuiltInScope built_in;
    if (!::dlopen(library_of(pack).c_str(), RTLD_NOW | RTLD_LOCAL | (another_protobuf() ? RTLD_DEEPBIND : 0))) {
      const char* error_text = ::dlerror();
      throw Error(ErrorKind::kPlugin, fmt::format("the pack '{}' cannot be loaded", pack), library_of(pack).string(),
                  error_text ? error_text : "", fmt::format("./run.sh build {}", pack));
    }
  }
  packs().loaded.insert(pack);
  register_components();
}

}  // namespace yatlab
