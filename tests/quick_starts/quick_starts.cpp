// Preloaded into the programs that tests start: makes `yatlab-torch` start in milliseconds. Most of a start is spent in the dynamic linker and the
// initialisers of LibTorch's libraries, always the same half second of CPU; the command line's tests start it a thousand times.
//
// In a `yatlab-torch` with YATLAB_QUICK_STARTS_SERVE=SOCKET it waits before main, and for each request forks a process that then runs main,
// with the client's arguments, environment, folder, umask, ignored signals and standard streams. In a `yatlab` with YATLAB_QUICK_STARTS=SOCKET
// it sends a request there, instead of execv(yatlab-torch), forwards signals and ends like the forked process.
//
// Starts that a fork cannot reproduce exactly are real ones: those with a terminal, further open files, other signal
// masks, limits, processors, namespaces, users, or variables that are read while libraries load.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

extern char** environ;

namespace {

constexpr const char* kServe = "YATLAB_QUICK_STARTS_SERVE";
constexpr const char* kAsk = "YATLAB_QUICK_STARTS";
constexpr const char* kProgram = "yatlab-torch";
constexpr int kPassed = 4;  // standard streams and the working directory
constexpr size_t kLongest = 1 << 20;
constexpr int32_t kRealStart = -1;  // an answer; the server's surroundings follow

/// Properties that a forked process inherits from the server, and a real one from its parent: both must be equal.
struct Surroundings {
  rlimit limits[RLIM_NLIMITS];
  cpu_set_t processors;
  ino_t namespaces[4];
  uid_t users[2];
  gid_t groups[2];
  uint64_t loading;  // a hash of the variables that libraries read while they load
};

/// What differs between both; nullptr if nothing does.
const char* difference(const Surroundings& a, const Surroundings& b) {
  const auto differ = [](const auto& one, const auto& other) { return memcmp(&one, &other, sizeof one) != 0; };
  if (differ(a.limits, b.limits)) return "limits";
  if (differ(a.processors, b.processors)) return "processors";
  if (differ(a.namespaces, b.namespaces)) return "namespaces";
  if (differ(a.users, b.users) || differ(a.groups, b.groups)) return "users";
  return a.loading != b.loading ? "variables that libraries read" : nullptr;
}

/// With YATLAB_QUICK_STARTS_WHY set, prints why a start is real.
void explain(const char* why, int error = 0) {
  if (getenv("YATLAB_QUICK_STARTS_WHY")) dprintf(2, "real start: %s%s%s\n", why, error ? ": " : "", error ? strerror(error) : "");
}

bool read_by_libraries(const char* variable) {
  const char* const prefixes[] = {"LD_",   "OMP_",  "GOMP_",  "KMP_",     "OPENBLAS_", "GOTO_",   "MKL_",
                                  "DNNL_", "ATEN_", "TORCH_", "PYTORCH_", "GLIBC_",    "MALLOC_", "C10_"};
  for (const char* prefix : prefixes) {
    if (strncmp(variable, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

Surroundings surroundings() {
  Surroundings out;
  memset(&out, 0, sizeof out);  // it is compared bytewise
  for (int i = 0; i < RLIM_NLIMITS; ++i) getrlimit(static_cast<__rlimit_resource_t>(i), &out.limits[i]);
  sched_getaffinity(0, sizeof out.processors, &out.processors);
  const char* const names[] = {"/proc/self/ns/mnt", "/proc/self/ns/net", "/proc/self/ns/pid", "/proc/self/ns/user"};
  for (int i = 0; i < 4; ++i) {
    struct stat entry;
    if (stat(names[i], &entry) == 0) out.namespaces[i] = entry.st_ino;
  }
  out.users[0] = getuid(), out.users[1] = geteuid();
  out.groups[0] = getgid(), out.groups[1] = getegid();
  for (char** variable = environ; *variable; ++variable) {
    if (!read_by_libraries(*variable)) continue;
    uint64_t hash = 1469598103934665603u;
    for (const char* at = *variable; *at; ++at) hash = (hash ^ static_cast<unsigned char>(*at)) * 1099511628211u;
    out.loading += hash;  // independent of their order
  }
  return out;
}

bool write_all(int to, const void* data, size_t size) {
  for (const char* at = static_cast<const char*>(data); size > 0;) {
    const ssize_t n = send(to, at, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, size -= static_cast<size_t>(n);
  }
  return true;
}

bool read_all(int from, void* data, size_t size) {
  for (char* at = static_cast<char*>(data); size > 0;) {
    const ssize_t n = recv(from, at, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, size -= static_cast<size_t>(n);
  }
  return true;
}

sockaddr_un address_of(const char* path) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  strncpy(out.sun_path, path, sizeof out.sun_path - 1);
  return out;
}

/// The header of a request. Each following text ends in a 0: first the arguments, then the environment.
struct Request {
  Surroundings of;
  mode_t mask;
  uint64_t ignored;  // signals, a bit each: ignored in shells' background jobs and under nohup
  uint32_t arguments, variables, size;
};

// ---------------------------------------------------------------- client

volatile sig_atomic_t served = 0;
void hand_on(int number) {
  if (served > 0) kill(static_cast<pid_t>(served), number);
}

/// nullptr if a fork can have the same open files and signal mask.
const char* special_streams_or_signals() {
  for (int i = 0; i < 3; ++i) {
    if (isatty(i) || fcntl(i, F_GETFD) < 0) return "a terminal, or a closed stream";
  }
  for (int i = 3; i < 10; ++i) {  // descriptors that a shell's line may pass on
    const int flags = fcntl(i, F_GETFD);
    if (flags >= 0 && !(flags & FD_CLOEXEC)) return "further open files";
  }
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  return sigisemptyset(&blocked) ? nullptr : "blocked signals";
}

/// Ends this process like the one that was forked for it; returns if there is none.
void start_quickly(const char* socket_path, char* const argv[]) {
  if (const char* why = special_streams_or_signals()) return explain(why);
  const int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(socket_path);
  if (folder < 0 || server < 0 || connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    explain("no server", errno);
    close(folder), close(server);
    return;
  }
  Request request;
  memset(&request, 0, sizeof request);
  request.of = surroundings();
  request.mask = umask(0);
  umask(request.mask);
  for (int number = 1; number < 64; ++number) {
    struct sigaction action;
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) request.ignored |= uint64_t{1} << number;
  }
  static char texts[kLongest];
  const auto add = [&](const char* text) {
    const size_t length = strlen(text) + 1;
    if (request.size + length > kLongest) return false;
    memcpy(texts + request.size, text, length);
    request.size += static_cast<uint32_t>(length);
    return true;
  };
  bool fits = true;
  for (char* const* word = argv; *word; ++word, ++request.arguments) fits = fits && add(*word);
  for (char** variable = environ; *variable; ++variable) {
    const bool ours = strncmp(*variable, "YATLAB_QUICK_STARTS=", 20) == 0;
    fits = fits && add(ours ? "YATLAB_QUICK_STARTS=" : *variable);  // the child starts its own children itself
    ++request.variables;
  }
  int passed[kPassed] = {0, 1, 2, folder};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof passed)] = {};
  iovec part{&request, sizeof request};
  msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(sizeof passed);
  memcpy(CMSG_DATA(header), passed, sizeof passed);
  int32_t answer = 0;  // the process, or kRealStart
  if (!fits || sendmsg(server, &message, MSG_NOSIGNAL) != sizeof request || !write_all(server, texts, request.size) ||
      !read_all(server, &answer, sizeof answer) || answer <= 0) {
    Surroundings of_server;
    const bool known = answer == kRealStart && read_all(server, &of_server, sizeof of_server);
    const char* differs = known ? difference(request.of, of_server) : nullptr;
    explain(differs ? differs : "no answer", differs ? 0 : errno);
    close(folder), close(server);
    return;
  }
  served = answer;
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2}) signal(number, hand_on);
  for (int i = 0; i < 3; ++i) close(i);  // so that a pipe ends when that process ends
  int32_t status = 0;
  if (!read_all(server, &status, sizeof status)) _exit(127);
  if (WIFSIGNALED(status)) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  _exit(WEXITSTATUS(status));
}

// ---------------------------------------------------------------- server

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

/// Becomes the requested process: the return value is its exit status.
int exec_program(const Request& request, char* texts, const int* passed, int connection) {
  for (int i = 0; i < 3; ++i) dup2(passed[i], i);
  if (fchdir(passed[3]) != 0) _exit(126);
  for (int i = 0; i < kPassed; ++i) close(passed[i]);
  close(connection);
  umask(request.mask);
  for (int number = 1; number < 64; ++number) signal(number, request.ignored >> number & 1 ? SIG_IGN : SIG_DFL);
  static char* words[65536];
  char* at = texts;
  if (request.arguments + request.variables + 2 > sizeof words / sizeof *words) _exit(126);
  uint32_t count = 0;
  for (uint32_t i = 0; i < request.arguments; ++i, at += strlen(at) + 1) words[count++] = at;
  words[count++] = nullptr;
  environ = words + count;
  for (uint32_t i = 0; i < request.variables; ++i, at += strlen(at) + 1) words[count++] = at;
  words[count] = nullptr;
  return real_main(static_cast<int>(request.arguments), words, environ);
}

/// Answers one connection, in a separate process. Returns only in the requested process, with main's result.
int attend(int connection) {
  static char texts[kLongest];
  Request request;
  int passed[kPassed];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof passed)];
  iovec part{&request, sizeof request};
  msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof control;
  if (recvmsg(connection, &message, MSG_WAITALL) != sizeof request) _exit(0);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_len != CMSG_LEN(sizeof passed) || request.size > kLongest || !read_all(connection, texts, request.size))
    _exit(0);
  memcpy(passed, CMSG_DATA(header), sizeof passed);
  const Surroundings here = surroundings();
  int32_t answer = kRealStart;
  if (difference(here, request.of)) {
    write_all(connection, &answer, sizeof answer);
    write_all(connection, &here, sizeof here);
    _exit(0);
  }
  const pid_t child = fork();
  if (child == 0) return exec_program(request, texts, passed, connection);
  for (int i = 0; i < kPassed; ++i) close(passed[i]);
  for (int i = 0; i < 3; ++i) close(i);
  answer = child;
  write_all(connection, &answer, sizeof answer);
  // Until it ends, or the client is gone and can no longer forward signals.
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd both[] = {{ended, POLLIN, 0}, {connection, POLLIN, 0}};
  while (poll(both, 2, -1) < 0 && errno == EINTR) {
  }
  if (both[0].revents == 0) kill(child, SIGKILL);
  int32_t status = 0;
  waitpid(child, &status, 0);
  write_all(connection, &status, sizeof status);
  _exit(0);
}

int serve(int, char**, char**) {
  const sockaddr_un address = address_of(getenv(kServe));
  const pid_t parent = getppid();
  const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(listening, 64) != 0) _exit(1);
  signal(SIGCHLD, SIG_IGN);
  pollfd waiting{listening, POLLIN, 0};
  while (parent != 1 && getppid() == parent) {  // ends with the tests
    if (poll(&waiting, 1, 500) <= 0) continue;
    const int connection = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    if (fork() == 0) {
      signal(SIGCHLD, SIG_DFL);
      close(listening);
      return attend(connection);
    }
    close(connection);
  }
  _exit(0);
}

bool in_program(const char* name) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = 0;
  const char* last = strrchr(path, '/');
  return last && strcmp(last + 1, name) == 0;
}

}  // namespace

extern "C" {

int execv(const char* path, char* const argv[]) {
  const char* server = getenv(kAsk);
  const char* last = strrchr(path, '/');
  if (server && *server && last && strcmp(last + 1, kProgram) == 0 && in_program("yatlab")) start_quickly(server, argv);
  return execve(path, argv, environ);
}

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  real_main = main;
  const bool serves = getenv(kServe) && in_program(kProgram);
  return start(serves ? serve : main, argc, argv, init, fini, rtld_fini, stack_end);
}
}
