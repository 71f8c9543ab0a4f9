#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/gnuplot.h"

namespace yatlab {
namespace {

// A folder of its own in the system's temporary folder, gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "yatlab-figure-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) {
      throw Error(ErrorKind::kJob, "cannot make a temporary folder", pattern, std::strerror(errno));
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Overwrites the time in `/CreationDate (D:...)` in place, so that a PDF's offsets stay right.
void fix_pdf_date(std::string& pdf, std::string_view key) {
  for (auto at = pdf.find(key); at != std::string::npos; at = pdf.find(key, at + 1)) {
    const auto open = pdf.find("(D:", at);
    const auto close = pdf.find(')', at);
    if (open == std::string::npos || close == std::string::npos || open > close || close - at > 64) continue;
    const std::string fixed = "20000101000000Z";
    for (auto i = open + 3; i < close; ++i) {
      const auto k = i - open - 3;
      if (std::isdigit(static_cast<unsigned char>(pdf[i]))) pdf[i] = k < 14 ? fixed[k] : '0';
    }
  }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

void replace_first(std::string& text, std::string_view from, std::string_view to) {
  if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
}

void tidy(std::string& bytes, const std::string& format, const Figure& figure) {
  if (format == "pdf") {
    fix_pdf_date(bytes, "/CreationDate");
    fix_pdf_date(bytes, "/ModDate");
  } else if (format == "svg") {
    // Units are points, so that the drawing has its true size; pixels of images stay squares when enlarged.
    const auto w = std::lround(figure.width * 72), h = std::lround(figure.height * 72);
    replace_first(bytes, fmt::format("width=\"{}\" height=\"{}\"", w, h),
                  fmt::format("width=\"{}pt\" height=\"{}pt\"", w, h));
    replace_all(bytes, "<image ", "<image style='image-rendering:pixelated' ");
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, const fs::path& directory) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorKind::kJob, "cannot make a pipe", {}, std::strerror(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  ::posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  std::vector<char*> arguments;
  for (const auto& a : argv) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  // The reader's locale must not change a decimal point.
  std::vector<std::string> kept;
  for (char** e = environ; *e; ++e) {
    const std::string_view entry = *e;
    if (entry.rfind("LC_", 0) != 0 && entry.rfind("LANG", 0) != 0) kept.emplace_back(entry);
  }
  kept.emplace_back("LC_ALL=C.UTF-8");
  std::vector<char*> environment;
  for (auto& e : kept) environment.push_back(e.data());
  environment.push_back(nullptr);

  pid_t child = 0;
  const int code = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (code != 0) {
    ::close(ends[0]);
    throw Error(ErrorKind::kJob, fmt::format("cannot start '{}'", argv[0]), {}, std::strerror(code));
  }
  ProcessResult result;
  char buffer[4096];
  for (;;) {
    const auto n = ::read(ends[0], buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    result.output.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::vector<fs::path> render_figure(const Figure& figure, const fs::path& directory,
                                    const std::vector<std::string>& formats) {
  const std::string name = safe_file_name(figure.id);
  const std::string script = gnuplot_script(figure, name);
  std::vector<fs::path> written = {directory / (name + ".gp"), directory / (name + ".csv")};
  write_file_atomic(written[0], script);
  write_file_atomic(written[1], figure_csv(figure));
  const TemporaryFolder folder;
  write_file_atomic(folder.path() / "figure.gp", script);
  for (const auto& format : formats) {
    ProcessResult result;
    try {
      result = run_process({"gnuplot", "-d", "-c", "figure.gp", format}, folder.path());
    } catch (const Error& e) {
      throw Error(ErrorKind::kJob, fmt::format("cannot draw figure '{}'", figure.id), {},
                  "gnuplot cannot be started: " + e.why(), "apt-get install gnuplot-nox fonts-dejavu-core");
    }
    const fs::path made = folder.path() / (name + "." + format);
    if (result.status != 0 || !fs::exists(made) || fs::file_size(made) == 0) {
      throw Error(ErrorKind::kJob, fmt::format("cannot draw figure '{}'", figure.id), written[0].string(),
                  fmt::format("gnuplot ended with status {}: {}", result.status, trim(result.output)),
                  fmt::format("gnuplot -c {} {}", written[0].string(), format));
    }
    std::string bytes = read_file(made);
    tidy(bytes, format, figure);
    written.push_back(directory / (name + "." + format));
    write_file_atomic(written.back(), bytes);
  }
  return written;
}

}  // namespace yatlab
