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
  std::recursive_mutex mutex;  // what one registers may name something of another
  PackIndex index;
  fs::path folder;
  std::set<std::string> loaded;
};
Packs& packs() {
  static Packs& all = *new Packs;
  return all;
}

fs::path library_of(const std::string& pack) { return packs().folder / (pack + ".so"); }

Error not_built(const std::string& pack, const std::string& why) {
  return {ErrorKind::kPlugin, fmt::format("the pack '{}' is not built", pack), library_of(pack).string(), why,
          fmt::format("./run.sh build {}", pack)};
}

/// Its output is the user's: compiling takes a minute.
void build(const std::string& pack) {
  const char* run = std::getenv("YATLAB_RUN");
  if (!run || !*run) throw not_built(pack, "the first command that names something of it builds it, if it is started by run.sh");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::setenv("YATLAB_SETUP", "skip", 1);  // who got this far has the packages
    ::execl(run, run, "build", pack.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) throw not_built(pack, fmt::format("'{} build {}' failed", run, pack));
}

/// Whether some library, as some builds of LibTorch do, exports a protobuf of its own, which those packs that link protobuf would be given: then
/// they are to look among what they link first.
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
      const char* said = ::dlerror();
      throw Error(ErrorKind::kPlugin, fmt::format("the pack '{}' cannot be loaded", pack), library_of(pack).string(), said ? said : "",
                  fmt::format("./run.sh build {}", pack));
    }
  }
  packs().loaded.insert(pack);
  register_components();
}

}  // namespace yatlab
