#pragma once

#include <exception>
#include <string>

namespace yatlab {

/// The category of an error, which determines the exit code.
enum class ErrorKind {
  kJob,       ///< a job failed while running                    -> exit code 1
  kConfig,    ///< bad configuration, override or usage           -> exit code 2
  kData,      ///< data missing, unreadable, or a wrong checksum  -> exit code 3
  kPlugin,    ///< a plugin library cannot be loaded              -> exit code 2
  kInternal,  ///< a broken invariant: a bug in Yatlab            -> exit code 1
  kFile,      ///< the system refused a file: full, no permission -> exit code 1; the job counts as interrupted, not failed
};

/// The project's only error type. Thrown where the cause is known; printed by `main` in at most a few lines.
///
/// `what` says what failed, `where` names the place (`file:line:column`, a key path or a file), `why`
/// gives the cause, and `hint` says what to do about it. Empty parts are not printed.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string what, std::string where = {}, std::string why = {}, std::string hint = {});

  const char* what() const noexcept override { return text_.c_str(); }
  ErrorKind kind() const noexcept { return kind_; }
  int exit_code() const noexcept;
  const std::string& message() const noexcept { return what_; }
  const std::string& where() const noexcept { return where_; }
  const std::string& why() const noexcept { return why_; }
  const std::string& hint() const noexcept { return hint_; }

  /// Long details for logs (such as stack frames). Not part of `what()`.
  const std::string& details() const noexcept { return details_; }

  /// The same error, with `context` put before its `where` (for callers that can name the place better).
  Error within(const std::string& context) const;
  /// The same error with these details.
  Error with_details(std::string details) const;

 private:
  ErrorKind kind_;
  std::string what_, where_, why_, hint_, text_, details_;
};

inline Error config_error(std::string what, std::string where = {}, std::string why = {}, std::string hint = {}) {
  return {ErrorKind::kConfig, std::move(what), std::move(where), std::move(why), std::move(hint)};
}
inline Error data_error(std::string what, std::string where = {}, std::string why = {}, std::string hint = {}) {
  return {ErrorKind::kData, std::move(what), std::move(where), std::move(why), std::move(hint)};
}

}  // namespace yatlab
