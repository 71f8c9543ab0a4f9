// What a terminal shows while a run goes on and after it: at several sizes, when it is resized, without a cursor or colours. script(1), which
// every Debian has, makes the terminal.
#include <sstream>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;

/// What a command writes to a terminal of this size.
std::string in_terminal(const Desk& desk, int columns, int rows, const std::string& command, const std::string& term = "xterm") {
  const auto line = fmt::format("stty cols {} rows {}; {}", columns, rows, command);
  return desk.ask_shell("unset NO_COLOR; TERM=" + term + " script -qec \"" + line + "\" /dev/null </dev/null").output;
}

/// Its lines without escape sequences.
std::vector<std::string> shown_lines(const std::string& output) {
  std::string text;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (output[i] == '\x1b') {
      for (++i; i < output.size() && !std::isalpha(static_cast<unsigned char>(output[i])); ++i) {
      }
    } else if (output[i] != '\r') {
      text += output[i];
    }
  }
  return split(text, '\n');
}

const std::string kLongNames =
    testing::kTinyWork + R"(  a_baseline_whose_name_is_as_long_as_those_of_large_ablations_tend_to_be: [operator=dot]
  an_arm_whose_name_is_even_longer_and_says_all_that_was_changed_in_its_many_words: [operator=yat]
)";

}  // namespace

TEST_CASE("no line is wider than the terminal and the run has a progress line", "[cli][terminal]") {
  const auto [columns, rows] = GENERATE(std::pair(80, 24), std::pair(120, 40), std::pair(200, 50));
  INFO(columns << " columns");
  const Desk desk(kLongNames);
  const auto output = in_terminal(
      desk, columns, rows, "yatlab tiny.yaml trainer.epochs=20 'seeds=range(0,3)' 'trackers=[{name: console, refresh_seconds: 0.01}]'");
  INFO(output);
  CHECK(holds(output, "/6 jobs done"));
  CHECK(holds(output, " left"));
  CHECK(holds(output, "[6/6]"));
  CHECK(holds(output, "\x1b["));
  for (const auto& line : shown_lines(output)) {
    if (holds(line, "report.html, tables") || holds(line, "jobs (") || holds(line, "seeds = "))
      continue;  // folders and commands stay whole
    INFO(line);
    CHECK(display_width(line) <= static_cast<std::size_t>(columns));
  }
  for (const auto& line : shown_lines(in_terminal(desk, columns, rows, "yatlab status"))) {
    INFO(line);
    CHECK(display_width(line) <= static_cast<std::size_t>(columns));
  }
}

TEST_CASE("dumb terminals and files get plain lines", "[cli][terminal]") {
  const Desk desk(testing::kTinyExperiment);
  const auto dumb = in_terminal(desk, 80, 24, "yatlab tiny.yaml", "dumb");
  INFO(dumb);
  CHECK(holds(dumb, "[2/2]"));
  CHECK_FALSE(holds(dumb, "\x1b"));
  const auto plain = desk.ask({"tiny.yaml", "--fresh"}).output;
  CHECK(holds(plain, "[2/2]"));
  CHECK_FALSE(holds(plain, "\x1b"));
}

TEST_CASE("colours are shown in a terminal, unless NO_COLOR is set", "[cli][terminal]") {
  const Desk desk(testing::kTinyExperiment);
  REQUIRE(desk.ask({"tiny.yaml", "seeds=range(0,3)", "trainer.epochs=5"}).status == 0);
  const std::string report = "yatlab report tiny --no-figures";
  CHECK(holds(in_terminal(desk, 100, 40, report), "\x1b[1m"));
  CHECK_FALSE(holds(in_terminal(desk, 100, 40, "NO_COLOR=1 " + report), "\x1b"));
}

TEST_CASE("progress lines fit when the terminal becomes narrower during a run", "[cli][terminal]") {
  const Desk desk(kLongNames);
  const auto output =
      in_terminal(desk, 120, 40,
                  "(until ls results/tiny/*/jobs >/dev/null 2>&1; do sleep 0.05; done; sleep 0.3; stty cols 60 </dev/tty) & "
                  "yatlab tiny.yaml trainer.epochs=1500 'seeds=range(0,3)' 'trackers=[{name: console, refresh_seconds: 0.01}]'");
  INFO(output);
  CHECK(holds(output, "[6/6]"));
  std::size_t narrow = 0, wide = 0;
  for (const auto& line : shown_lines(output)) (display_width(line) <= 60 ? narrow : wide) += holds(line, " %  ");
  CHECK(narrow > 0);
  CHECK(wide > 0);
}

TEST_CASE("a narrow terminal drops whole fields of a progress line", "[cli][terminal]") {
  const Desk desk(kLongNames);
  const auto output = in_terminal(desk, 60, 24, "yatlab tiny.yaml trainer.epochs=1500 'trackers=[{name: console, refresh_seconds: 0.01}]'");
  INFO(output);
  std::size_t lines = 0;
  for (const auto& line : shown_lines(output)) {
    if (!holds(line, "seed=0  ") || holds(line, "starting") || holds(line, "[")) continue;
    ++lines;
    INFO(line);
    CHECK(holds(line, "  loss "));
    CHECK(display_width(line) < 60);
  }
  CHECK(lines > 0);
}

TEST_CASE("compare and status shorten long names in a terminal only", "[cli][terminal]") {
  const Desk desk(kLongNames);
  const std::string name = "a_name_of_an_experiment_that_takes_most_of_a_line_of_a_terminal_by_itself";
  REQUIRE(desk.ask({"tiny.yaml", "seeds=range(0,3)", "name=" + name}).status == 0);
  REQUIRE(desk.ask({"tiny.yaml", "seeds=range(0,3)", "trainer.epochs=2"}).status == 0);
  const auto folder = [&](const std::string& experiment) {
    return fs::canonical(desk.path() / "results" / experiment / "latest").string();
  };
  const auto first = folder(name);
  for (const auto& command : {"yatlab status " + first, "yatlab compare " + first + " tiny"}) {
    const auto shown = in_terminal(desk, 80, 24, command);
    INFO(shown);
    CHECK(holds(shown, "…"));
    for (const auto& line : shown_lines(shown)) {
      INFO(line);
      CHECK(display_width(line) <= 80);
    }
    const auto piped = desk.ask_shell(command).output;
    INFO(piped);
    CHECK_FALSE(holds(piped, "…"));
    CHECK(holds(piped, name));
  }
}

TEST_CASE("status --follow stops a job by one key and quits by another", "[cli][terminal][signals]") {
  const Desk desk(testing::kTinyArm);
  // Minutes, if it is not stopped.
  testing::Process process({"tiny.yaml", "trainer.epochs=300000"}, desk.path(), desk.path() / "output.txt", desk.environment());
  const auto job = desk.run() / "jobs/yat/seed=0/metrics.jsonl";
  REQUIRE(process.wait_until([&] { return fs::exists(job) && !read_file(job).empty(); }));
  const auto keys = "(sleep 0.7; printf s; sleep 0.4; printf 1; sleep 0.7; printf q; sleep 0.3)";
  const auto shown = desk.ask_shell(fmt::format("{} | TERM=xterm script -qec 'yatlab status --follow' /dev/null", keys)).output;
  INFO(shown);
  CHECK(holds(shown, "s stops a job, q quits"));
  CHECK(holds(shown, "  1  yat seed=0"));
  CHECK(holds(shown, "yat seed=0 saves and stops"));
  CHECK(process.wait() == 130);
  CHECK(holds(read_file(desk.path() / "output.txt"), "1 job was stopped by the user"));
  // Without a terminal there are no keys, and a finished run ends it.
  CHECK(desk.ask({"tiny.yaml"}).status == 0);
  CHECK(desk.ask({"status", "--follow"}).status == 0);
}

}  // namespace yatlab
