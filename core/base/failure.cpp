#include "core/base/failure.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "core/base/text.h"

namespace yatlab {
namespace {

constexpr std::size_t kLongest = 300;  // maximum bytes of a message
constexpr const char* kBug = "this is a bug in Yatlab; please report it with the command that led here";
constexpr const char* kLess = "use a smaller trainer.batch_size or trainer.micro_batch, or fewer launcher.workers";

/// Text without the developer details that C++ libraries append.
std::string_view without_frames(std::string_view text) {
  for (const std::string_view mark : {"Exception raised from ", "\nframe #", "\nC++ CapturedTraceback"}) {
    if (const auto at = text.find(mark); at != text.npos) text = text.substr(0, at);
  }
  return text;
}

/// Where to cut a text that is too long: after a sentence, or at least not inside a character.
std::size_t cut(const std::string& text) {
  const auto sentence = text.rfind(". ", kLongest);
  if (sentence != text.npos) return sentence + 1;
  auto at = kLongest;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

/// Joins lines and runs of blanks into one paragraph.
std::string paragraph(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  return trim(out);
}

std::string message_of(std::string_view text) {
  auto out = paragraph(without_frames(text));
  // "[enforce fail at file.cpp:75] err == 0. DefaultCPUAllocator: ..."
  if (out.rfind("[enforce fail at ", 0) == 0) {
    if (const auto end = out.find(". "); end != out.npos) out.erase(0, end + 2);
  }
  // If a device lacks an operation, the message ends with a list of all devices.
  if (out.rfind("Could not run '", 0) == 0) {
    if (const auto end = out.find("' backend. "); end != out.npos) out.resize(end + 10);
  }
  if (out.size() > kLongest) {
    out.resize(cut(out));
    if (out.back() != '.') out += "...";
  }
  return out.empty() ? "an error without a message" : out;
}

bool of_memory(const std::string& message) {
  return message.find("can't allocate memory") != message.npos || message.find("out of memory") != message.npos;
}

Error file_error(const std::filesystem::filesystem_error& e) {
  const auto& code = e.code();
  auto paths = fmt::format("'{}'", e.path1().string());
  if (!e.path2().empty()) paths += fmt::format(" or '{}'", e.path2().string());
  return {ErrorKind::kFile,
          fmt::format("cannot use {}", paths),
          {},
          code.message(),
          code.value() == ENOSPC ? "free some disk space and run the same command again" : ""};
}

}  // namespace

Error current_error() {
  try {
    throw;
  } catch (const Error& e) {
    return e;
  } catch (const std::filesystem::filesystem_error& e) {
    return file_error(e).with_details(e.what());
  } catch (const std::system_error& e) {  // closed output, threads that the system refuses
    if (e.code() != std::errc::resource_unavailable_try_again) return {ErrorKind::kJob, message_of(e.what())};
    return {ErrorKind::kFile,
            "cannot start a thread",
            {},
            e.code().message() + " (ulimit -u shows the limit per user)",
            "use fewer launcher.workers or trainer.threads, and run the same command again"};
  } catch (const std::bad_alloc&) {
    return {ErrorKind::kJob, "out of memory", {}, {}, kLess};
  } catch (const std::exception& e) {
    const std::string full_text = e.what();
    const auto message = message_of(full_text);
    if (of_memory(message)) return Error(ErrorKind::kJob, "out of memory", {}, message, kLess).with_details(full_text);
    return Error(ErrorKind::kInternal, message, {}, {}, kBug).with_details(paragraph(full_text) == message ? "" : full_text);
  } catch (...) {
    return {ErrorKind::kInternal, "an exception was thrown that is not a std::exception", {}, {}, kBug};
  }
}

Error current_error_of(const std::string& component) {
  try {
    throw;
  } catch (const Error& e) {
    const bool of_files = e.kind() == ErrorKind::kJob || e.kind() == ErrorKind::kData || e.kind() == ErrorKind::kFile;
    const bool named = !e.where().empty() || e.message().find(component) != std::string::npos;
    return named || of_files ? e : e.within(component);
  } catch (...) {
    const Error e = current_error();
    const bool bug = e.kind() == ErrorKind::kInternal;
    return Error(bug ? ErrorKind::kJob : e.kind(), e.message(), component, e.why(), bug ? "" : e.hint()).with_details(e.details());
  }
}

}  // namespace yatlab
