#pragma once

#include <string>
#include <vector>

namespace yatlab {

/// The result of one check.
struct CheckedCase {
  enum class Result {
    kHolds,
    kFails,
    kOpen,  ///< it could not be decided; `why` says why
  };
  std::string suite;  ///< checks of one suite are listed together: an experiment, or "pages"
  std::string name;   ///< unique within its suite
  Result result = Result::kHolds;
  std::string why = {};  ///< "" if it holds
};

/// Suites in the order of their first check.
std::vector<std::string> suites_of(const std::vector<CheckedCase>& cases);

/// JUnit XML (UTF-8), as CI servers read it: a testsuite for each suite, a testcase for each check; open checks are `skipped`. `name`: of
/// all suites.
std::string junit_xml(const std::string& name, const std::vector<CheckedCase>& cases);

}  // namespace yatlab
