#include "core/library/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/html_parts.h"

namespace yatlab {
namespace {

struct Counts {
  std::size_t all = 0, failed = 0, open = 0;
};

Counts counts_of(const std::vector<CheckedCase>& cases, const std::string* suite) {
  Counts out;
  for (const auto& each : cases) {
    if (suite && each.suite != *suite) continue;
    ++out.all;
    out.failed += each.result == CheckedCase::Result::kFails;
    out.open += each.result == CheckedCase::Result::kOpen;
  }
  return out;
}

/// XML has no U+FFFE and U+FFFF, not even escaped.
std::string xml_text(const std::string& text) {
  std::string out = html::text(text);
  for (const char* none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (auto at = out.find(none); at != std::string::npos; at = out.find(none, at)) out.replace(at, 3, "\xEF\xBF\xBD");
  }
  return out;
}

std::string attributes(const std::string& name, const Counts& counts) {
  return fmt::format("name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", xml_text(name), counts.all, counts.failed,
                     counts.open);
}

}  // namespace

std::vector<std::string> suites_of(const std::vector<CheckedCase>& cases) {
  std::vector<std::string> out;
  for (const auto& each : cases) {
    if (std::find(out.begin(), out.end(), each.suite) == out.end()) out.push_back(each.suite);
  }
  return out;
}

std::string junit_xml(const std::string& name, const std::vector<CheckedCase>& cases) {
  std::string out =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n", attributes(name, counts_of(cases, nullptr)));
  for (const auto& suite : suites_of(cases)) {
    out += fmt::format("  <testsuite {}>\n", attributes(suite, counts_of(cases, &suite)));
    for (const auto& each : cases) {
      if (each.suite != suite) continue;
      out += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_text(name + "." + suite), xml_text(each.name));
      if (each.result == CheckedCase::Result::kHolds) {
        out += "/>\n";
        continue;
      }
      const auto why = xml_text(each.why);
      out += each.result == CheckedCase::Result::kFails ? fmt::format(">\n      <failure message=\"{}\">{}</failure>\n", why, why)
                                                        : fmt::format(">\n      <skipped message=\"{}\"/>\n", why);
      out += "    </testcase>\n";
    }
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace yatlab
