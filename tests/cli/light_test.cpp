// Two programs: users start `yatlab`, which loads nothing of LibTorch and becomes `yatlab-torch` for commands that it does not do itself.
#include <map>
#include <regex>

#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

using testing::Desk;
using testing::holds;

const Desk& one_run() {
  static const Desk desk(testing::kTinyArm);
  static const auto made = desk.ask({"tiny.yaml", "-q", "figures.format=svg"});
  INFO(made.output);
  CHECK(made.status == 0);
  return desk;
}

ProcessResult ask(const fs::path& program, std::vector<std::string> words) {
  words.insert(words.begin(), program.string());
  return run_process(words, one_run().path());
}

/// Lines that `yatlab` answers itself.
const std::vector<std::vector<std::string>> kLight = {{},
                                                      {"--version"},
                                                      {"--help"},
                                                      {"-h"},
                                                      {"help"},
                                                      {"help", "hydra"},
                                                      {"help", "runs"},
                                                      {"help", "nothing"},
                                                      {"runs"},
                                                      {"runs", "--json"},
                                                      {"runs", "tiny", "test/accuracy>0.01"},
                                                      {"runs", "operator.epsilonn=1"},
                                                      {"runs", "--hepl"},
                                                      {"status"},
                                                      {"status", "tiny", "--json"},
                                                      {"status", "nothing"},
                                                      {"compare", "tiny", "tiny", "--all"},
                                                      {"compare", "tiny"},
                                                      {"export", "tiny"},
                                                      {"export", "tiny", "--per", "step", "--format", "jsonl"},
                                                      {"tag", "tiny", "+one", "-one"},
                                                      {"tag", "tiny"},
                                                      {"note", "tiny"},
                                                      {"prune"},
                                                      {"prune", "tiny", "--checkpoints", "none"},
                                                      {"report", "tiny"},
                                                      {"report", "tiny", "--no-figures"},
                                                      {"report", "nothing"},
                                                      {"report", "tiny", "--format", "gif"},
                                                      {"completion", "bash"},
                                                      {"completion", "ksh"},
                                                      {"test", "nothing"},
                                                      {"bench", "--help"},
                                                      {"fuzz", "--help"},
                                                      {"complete", "--"},
                                                      {"complete", "--", ""},
                                                      {"complete", "--", "ru"},
                                                      {"complete", "--", "ti"},
                                                      {"complete", "--", "status", "ti"},
                                                      {"complete", "--", "report", "ti"},
                                                      {"complete", "--", "runs", ""},
                                                      {"complete", "--", "runs", "'test/acc"},
                                                      {"complete", "--", "help", "r"},
                                                      {"complete", "--", "completion", ""},
                                                      {"complete", "--", "compare", "tiny/2", "tiny/2"}};

/// A text without ages and the width of their column, as the two programs run at different times.
std::string timeless(const std::string& text) {
  return std::regex_replace(text, std::regex(" *\\b(age|[0-9]+ (s|min)\\b( ago)?) *"), " AGE ");
}

std::string line_of(const std::vector<std::string>& words) { return "yatlab " + join(words, " "); }

}  // namespace

TEST_CASE("the yatlab program does not link LibTorch", "[cli][light]") {
  const auto libraries = run_process({"ldd", testing::program()}).output;
  CHECK(holds(libraries, "libyatlab_base.so"));
  for (const char* heavy : {"libtorch", "libc10", "blas", "libmkl", "libgomp", "libyatlab_core"}) {
    INFO(heavy << " in\n" << libraries);
    CHECK_FALSE(holds(libraries, heavy));
  }
}

TEST_CASE("the yatlab program redraws the figures of a run", "[cli][light]") {
  const Desk desk(testing::kTinyArm);
  REQUIRE(desk.ask({"tiny.yaml", "-q", "report.default_figures=true", "figures.format=svg"}).status == 0);
  const auto figures = desk.run() / "figures";
  std::size_t drawn = 0;
  for (const auto& file : fs::directory_iterator(figures)) drawn += file.path().extension() == ".svg";
  REQUIRE(drawn > 0);
  fs::remove_all(figures);
  const auto report = desk.ask({"report", "tiny"});
  INFO(report.output);
  CHECK(report.status == 0);
  CHECK_FALSE(holds(report.output, "not reported"));
  REQUIRE(is_folder(figures));
  for (const auto& file : fs::directory_iterator(figures)) drawn -= file.path().extension() == ".svg";
  CHECK(drawn == 0);
}

TEST_CASE("commands without LibTorch work without yatlab-torch and the others report it missing", "[cli][light]") {
  const TemporaryFolder folder;
  const fs::path alone = folder.path() / "yatlab";
  fs::copy_file(testing::program(), alone);
  for (const auto& words : kLight) {
    INFO(line_of(words));
    // Files beside the program: test programs, experiments.
    const bool first_word = !words.empty() && words.size() <= 3 && (words.back() == "--" || words.back().empty());
    if (!words.empty() && (words[0] == "test" || (words[0] == "complete" && first_word))) continue;
    const auto here = ask(alone, words), there = ask(testing::program(), words);
    INFO(here.output);
    CHECK(here.status == there.status);
    CHECK(timeless(here.output) == timeless(there.output));
  }
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list"},
                                                {"tiny.yaml", "-q"},
                                                {"help", "run"},
                                                {"help", "generate"},
                                                {"sync", "."},
                                                {"--plugin", "x.so", "runs"},
                                                {"runs", "--plugin=x.so"}}) {
    INFO(line_of(words));
    const auto result = ask(alone, words);
    INFO(result.output);
    CHECK(result.status == 2);
    CHECK(holds(result.output, "cannot start '" + (folder.path() / "yatlab-torch").string() + "'"));
    CHECK(holds(result.output, "./run.sh builds both"));
  }
}

/// The first two lines of each command: the rest use the same code in both programs, and the light one runs every line above.
std::vector<std::vector<std::string>> some_of_each_command() {
  std::map<std::string, int> had;
  std::vector<std::vector<std::string>> out;
  for (const auto& words : kLight) {
    if (had[words.empty() ? "" : words[0]]++ < 2) out.push_back(words);
  }
  return out;
}

TEST_CASE("yatlab and yatlab-torch give the same answers", "[cli][light]") {
  auto lines = some_of_each_command();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list", "operator"},
                                                {"help", "run"},
                                                {"xr"},
                                                {"--results", "results", "runs"},
                                                {"plan"},
                                                {"runs", "--plugin", "no.so"},
                                                {"complete"},
                                                {"complete", "--", "tiny.yaml", "trainer."},
                                                {"complete", "--", "run", ""},
                                                {"complete", "--", "runs", "--re"},
                                                {"complete", "--", "describe", "op"},
                                                {"complete", "--", "config", "tiny.yaml", "--arm", ""},
                                                {"complete", "--", "-"}})
    lines.push_back(words);
  for (const auto& words : lines) {
    INFO(line_of(words));
    const auto light = ask(testing::program(), words), whole = ask(testing::program() + "-torch", words);
    CHECK(light.status == whole.status);
    if (words.size() > 2 && words[0] == "complete") CHECK_FALSE(light.output.empty());
    CHECK(timeless(light.output) == timeless(whole.output));
  }
}

TEST_CASE("a command passed to yatlab-torch keeps its process id, signals and exit code", "[cli][light]") {
  const Desk desk(testing::kTinyArm);
  testing::Process process({"tiny.yaml", "-q", "trainer.epochs=100000"}, desk.path(), desk.path() / "messages", desk.environment());
  const auto itself = fs::path("/proc") / std::to_string(process.id()) / "exe";
  REQUIRE(process.wait_until([&] { return fs::exists(desk.run() / "plan.json"); }));
  std::error_code ec;
  CHECK(fs::read_symlink(itself, ec).filename() == "yatlab-torch");
  process.signal(SIGTERM);
  CHECK(process.wait() == 143);
  CHECK_FALSE(process.ended_by_signal());
}

}  // namespace yatlab
