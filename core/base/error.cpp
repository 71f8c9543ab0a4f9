#include "core/base/error.h"

#include "core/base/utf8.h"

namespace yatlab {

Error::Error(ErrorKind kind, std::string what, std::string where, std::string why, std::string hint)
    : kind_(kind), what_(visible_lines(what)), where_(visible_lines(where)), why_(visible_lines(why)), hint_(visible_lines(hint)) {
  text_ = what_;
  if (!where_.empty()) text_ += "\n  at: " + where_;
  if (!why_.empty()) text_ += "\n  why: " + why_;
  if (!hint_.empty()) text_ += "\n  try: " + hint_;
}

int Error::exit_code() const noexcept {
  switch (kind_) {
    case ErrorKind::kConfig:
    case ErrorKind::kPlugin:
      return 2;
    case ErrorKind::kData:
      return 3;
    case ErrorKind::kJob:
    case ErrorKind::kInternal:
    case ErrorKind::kFile:
      return 1;
  }
  return 1;
}

Error Error::within(const std::string& context) const {
  return Error(kind_, what_, where_.empty() ? context : context + ", " + where_, why_, hint_).with_details(details_);
}

Error Error::with_details(std::string details) const {
  Error out = *this;
  out.details_ = std::move(details);
  return out;
}

}  // namespace yatlab
