#include "core/data/checked_text.h"

#include "catch.h"
#include "core/base/process.h"
#include "data/fixtures.h"

using namespace yatlab;
using namespace yatlab::testing;
using namespace std::string_literals;

namespace {

/// The contents of the file that the error's proposed command creates, run in a shell.
std::string made_by(const Error& e, const Scratch& dir) {
  const auto typed = run_process({"bash", "-c", e.hint()}, dir.path());
  INFO(e.hint() << "\n" << typed.output);
  CHECK(typed.status == 0);
  const auto hint = e.hint();
  const auto to = hint.substr(hint.rfind("> ") + 2);
  return read_file(to.front() == '\'' ? to.substr(1, to.size() - 2) : to);
}

/// As UTF-16: two bytes per letter.
std::string utf16(const std::string& ascii, bool big_endian, bool mark) {
  std::string out = !mark ? ""s : big_endian ? "\xFE\xFF"s : "\xFF\xFE"s;
  for (const char c : ascii) out += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return out;
}

}  // namespace

TEST_CASE("text that is not UTF-8 is rejected with its place and a converting command", "[checked_text]") {
  const Scratch dir;
  const auto says = [&](const std::string& file, const std::string& bytes, const std::string& unpacked = "") {
    put(dir / file, bytes);
    return caught([&] { checked_rows(unpacked.empty() ? bytes : unpacked, (dir / file).string()); });
  };
  const std::string table = "name,kind\nRene,a\nAnna,b\n";
  const std::string latin = "name,kind\nRen\xE9,a\nZo\xEB,b\n", right = "name,kind\nRen\xC3\xA9,a\nZo\xC3\xAB,b\n";
  auto e = says("t.csv", latin);
  CHECK(e.kind() == ErrorKind::kData);
  CHECK(e.where() == (dir / "t.csv").string() + ":2:4");
  CHECK_THAT(e.why(), Catch::Matchers::ContainsSubstring("the byte 0xe9"));
  CHECK(made_by(e, dir) == right);
  CHECK(made_by(says("my table.csv", latin), dir) == right);
  CHECK(made_by(says("t.csv.gz", gzip(latin), latin), dir) == right);
  CHECK(made_by(says("t.csv.xz", xz(latin), latin), dir) == right);
  for (const bool big_endian : {false, true}) {
    for (const bool mark : {false, true}) {
      INFO(big_endian << mark);
      e = says("w.csv", utf16(table, big_endian, mark));
      CHECK_THAT(e.why(), Catch::Matchers::ContainsSubstring("UTF-16"));
      CHECK(made_by(e, dir) == table);
    }
  }
  e = says("d.csv", right + "Jos\xC3,c\n");  // truncated within a letter
  CHECK(e.where() == (dir / "d.csv").string() + ":4:4");
  CHECK_THAT(e.why(), Catch::Matchers::ContainsSubstring("damaged"));
  CHECK(made_by(e, dir) == right + "Jos,c\n");
  e = says("n.csv", "name,kind\nA\0B,a\n"s);
  CHECK(e.where() == (dir / "n.csv").string() + ":2:2");
  CHECK(made_by(e, dir) == "name,kind\nAB,a\n");
  CHECK_THAT(says("t.xlsx", "PK\3\4\x14\0\6\0"s).what(),
             Catch::Matchers::ContainsSubstring("workbook") && Catch::Matchers::ContainsSubstring("CSV"));
  CHECK_THAT(says("t.parquet", "PAR1\x15\0\x15"s).what(), Catch::Matchers::ContainsSubstring("to_csv"));
}

TEST_CASE("control characters are rejected except line ends, tabs and a byte order mark", "[checked_text]") {
  const Scratch dir;
  CHECK(checked_rows("\xEF\xBB\xBF"
                     "a\tb\r\n1\t2\n",
                     "t") == "a\tb\r\n1\t2\n");
  CHECK(checked_rows("", "t").empty());
  for (const char c : {'\x01', '\b', '\x0b', '\x0c', '\x1a', '\x1b', '\x1f', '\x7f'}) {
    const auto bytes = std::string("x,y\n1,a") + c + "b\n";
    put(dir / "t.csv", bytes);
    const auto e = caught([&] { checked_rows(bytes, (dir / "t.csv").string()); });
    CHECK(e.where() == (dir / "t.csv").string() + ":2:4");
    CHECK(made_by(e, dir) == "x,y\n1,ab\n");
  }
  check_utf8("a form feed \f and an escape \x1b may stand in a text", "t");  // this one is not a table
}

TEST_CASE("class names must be printable", "[checked_text]") {
  for (const char* name : {"rose", "0", "Zo\xC3\xAB", "two words", "\xE2\xB5\x9F", "a,b"}) CHECK(why_no_class_name(name).empty());
  for (const auto& name : {""s, "Zo\xEB"s, "two\nlines"s, "a\0b"s, "\x1b[31m"s, "\xC2\x9B"s, "\xE2\x80\xAE"s})
    CHECK_FALSE(why_no_class_name(name).empty());
}
