#include "core/base/error.h"

#include "catch.h"

namespace yatlab {

TEST_CASE("an error prints one part per line and omits empty parts", "[error]") {
  CHECK(std::string(Error(ErrorKind::kConfig, "what", "where", "why", "hint").what()) == "what\n  at: where\n  why: why\n  try: hint");
  CHECK(std::string(Error(ErrorKind::kConfig, "what").what()) == "what");
  CHECK(std::string(Error(ErrorKind::kConfig, "what", "", "why").what()) == "what\n  why: why");
  CHECK(std::string(Error(ErrorKind::kConfig, "what", "where", "", "hint").what()) == "what\n  at: where\n  try: hint");
}

TEST_CASE("quoted text in a message is escaped and does not cut the message off", "[error]") {
  const auto e = data_error(std::string("'a\0b' is none", 13), "t.csv\x1b[2J:3",
                            "found '\xE9' and '\xC2\x9B"
                            "31m'",
                            "lines\nstay, as do\ttabs");
  CHECK(std::string(e.what()) ==
        "'a\\x00b' is none\n  at: t.csv\\x1b[2J:3\n  why: found '\\xe9' and '\\u009b31m'\n  try: lines\nstay, as do\ttabs");
  CHECK(e.message() == "'a\\x00b' is none");
  CHECK(std::string(e.within("here").what()).find("here, t.csv\\x1b[2J:3") != std::string::npos);
  CHECK(data_error("Zo\xC3\xAB, \xE2\xB5\x9F, \xF0\x9F\x98\x80").message() == "Zo\xC3\xAB, \xE2\xB5\x9F, \xF0\x9F\x98\x80");
}

TEST_CASE("exit codes follow the kind", "[error]") {
  CHECK(Error(ErrorKind::kJob, "").exit_code() == 1);
  CHECK(Error(ErrorKind::kConfig, "").exit_code() == 2);
  CHECK(Error(ErrorKind::kPlugin, "").exit_code() == 2);
  CHECK(Error(ErrorKind::kData, "").exit_code() == 3);
  CHECK(Error(ErrorKind::kInternal, "").exit_code() == 1);
  CHECK(config_error("x").kind() == ErrorKind::kConfig);
  CHECK(data_error("x").kind() == ErrorKind::kData);
}

TEST_CASE("a caller can add its context in front of an error's location", "[error]") {
  const auto inner = config_error("what", "x.yaml:1:2", "why", "hint");
  const auto outer = inner.within("arm yat");
  CHECK(outer.where() == "arm yat, x.yaml:1:2");
  CHECK(outer.message() == "what");
  CHECK(outer.why() == "why");
  CHECK(outer.hint() == "hint");
  CHECK(outer.kind() == ErrorKind::kConfig);
  CHECK(data_error("what").within("here").where() == "here");
  CHECK(std::string(outer.what()) == "what\n  at: arm yat, x.yaml:1:2\n  why: why\n  try: hint");
}

}  // namespace yatlab
