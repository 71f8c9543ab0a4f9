// Whether quick starts (tests/quick_starts) behave like real ones.
#include "catch.h"
#include "cli/support.h"
#include "cli/tiny.h"

namespace yatlab::testing {
namespace {

/// The title shows the variable as the program sees it: "none" if it was forked, the socket if it was started.
const std::string kTitle = "title=\"${oc.env:YATLAB_QUICK_STARTS,none}\"";
const std::string kShowTitle = "yatlab config tiny '" + kTitle + "' --resolve | grep ^title";

bool quick_starts_are_off() {
  const bool out = quick_starts().variables().empty();
  if (out) WARN("skipped: quick starts are off");
  return out;
}

}  // namespace

TEST_CASE("a quick start behaves like a real start", "[cli]") {
  if (quick_starts_are_off()) return;
  const Desk desk(kTinyExperiment);
  const auto answer = desk.ask_shell("exec 2>&1; export YATLAB_QUICK_STARTS_WHY=1; " + kShowTitle);
  INFO(answer.output);
  CHECK(holds(answer.output, "title: ''"));
  const auto asked = desk.ask({"config", "tiny", kTitle, "--resolve"});
  INFO(asked.output);
  CHECK(holds(asked.output, "title: ''"));
  const auto real = [&](const std::string& line) { return desk.ask_shell("export YATLAB_QUICK_STARTS=; " + line); };
  for (const std::string line : {
           "yatlab config tiny --resolve",
           "yatlab config nosuch",
           "cd configs && yatlab config ../tiny.yaml 2>&1 >/dev/null",
           "SOMETHING='a \"b\"  c' yatlab config tiny 'title=\"${oc.env:SOMETHING}\"' --resolve | grep ^title",
           "umask 027; yatlab config tiny > made; stat -c %a made; yatlab plan tiny >/dev/null; echo $?",
           "yatlab list operator | head -n 1; echo ${PIPESTATUS[0]}",
           "echo text | yatlab doctor | grep -c cores",
           "trap '' INT PIPE; yatlab list operator | wc -l; nohup yatlab config nosuch",
       }) {
    const auto quick = desk.ask_shell(line), started = real(line);
    INFO(line);
    CHECK(quick.output == started.output);
    CHECK(quick.status == started.status);
  }
}

TEST_CASE("starts that a fork cannot reproduce are real starts", "[cli]") {
  if (quick_starts_are_off()) return;
  const Desk desk(kTinyExperiment);
  for (const std::string line : {"ulimit -c 0; ulimit -n 200; ", "taskset -c 0 ", "OMP_NUM_THREADS=1 ", "exec 5</dev/null; "}) {
    const auto answer = desk.ask_shell(line + kShowTitle);
    INFO(line << answer.output);
    CHECK(holds(answer.output, quick_starts().variables().at("YATLAB_QUICK_STARTS")));
  }
}

TEST_CASE("signals reach a quick start", "[cli]") {
  if (quick_starts_are_off()) return;
  const Desk desk(kTinyExperiment);
  const auto answer = desk.ask_shell(
      "set -m; yatlab tiny trainer.epochs=100000 launcher.workers=1 >out.txt 2>&1 & "
      "until ls results/tiny/latest/jobs/*/*/heartbeat.json >/dev/null 2>&1; do sleep 0.05; kill -0 %1 || exit 9; done; kill -TERM %1; "
      "wait %1; echo ended $?");
  INFO(answer.output);
  CHECK(holds(answer.output, "ended 143"));
}

}  // namespace yatlab::testing
