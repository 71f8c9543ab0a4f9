// Every swept key has an effect, or is an error: on the command line, in a file's `sweep`, in zips, with glob and in scales.
#include <algorithm>
#include <set>

#include "catch.h"
#include "core/base/text.h"
#include "experiment/support.h"

namespace yatlab {
namespace {

using testing::with;
using testing::Workspace;
using Strings = std::vector<std::string>;

/// Two arms and one seed; `lines` follow.
std::string small(const std::string& lines, const std::string& dataset = "synthetic_digits") {
  return "name: tiny\n"
         "defaults:\n"
         "  - /dataset: " +
         dataset +
         "\n"
         "  - /architecture: prototype_classifier\n"
         "  - _self_\n"
         "trainer: {epochs: 2, batch_size: 20}\n"
         "seeds: [0]\n"
         "trackers: []\n"
         "arms:\n"
         "  linear: [operator=dot]\n"
         "  yat: [operator=yat]\n" +
         lines;
}

// Config groups beside the experiment.
void add_groups(const Workspace& w) {
  const auto write = [&](const char* path, const char* text) {
    fs::create_directories((w.path() / path).parent_path());
    std::ofstream(w.path() / path) << text;
  };
  write("variant/fast.yaml", "# @package _global_\ntrainer: {epochs: 1}\n");
  write("variant/slow.yaml", "# @package _global_\ntrainer: {epochs: 9}\n");
  write("variant/sgd.yaml", "# @package _global_\ndefaults:\n  - override /dataset: xor\ntrainer: {epochs: 9}\n");
  write("variant/words.yaml", "# @package _global_\nnotes: other words\n");
  write("variant/title.yaml", "# @package _global_\ntitle: another\ntrainer: {epochs: 3}\n");
  write("variant/label.yaml", "# @package _global_\nlabels: {yat: Y}\ntrainer: {epochs: 3}\n");
  write("variant/metric.yaml", "# @package _global_\nmetrics: {test/accuracy: {title: right}}\ntrainer: {epochs: 3}\n");
  write("variant/table.yaml", "# @package _global_\ntables: {t: {columns: [test/loss]}}\ntrainer: {epochs: 3}\n");
  write("variant/captions.yaml", "# @package _global_\nreport: {captions: short}\ntrainer: {epochs: 3}\n");
  write("variant/seeds.yaml", "# @package _global_\nseeds: [7]\n");
  write("variant/arms.yaml", "# @package _global_\narms: {third: [operator=cosine]}\n");
  write("amount/few.yaml", "train_size: 50\n");
  write("amount/many.yaml", "train_size: 500\n");
}

/// "linear trainer.epochs=1 | yat trainer.epochs=1", or "what @ where" of the error.
std::string outcome(const Workspace& w, const Strings& overrides, bool multirun) {
  add_groups(w);
  Strings out;
  try {
    const auto plan = w.plan(overrides, multirun);
    std::set<std::string> folders, hashes;
    for (const auto& job : plan.jobs) {
      std::string label = job.label();
      const auto seed = label.find(" seed=0");
      out.push_back(seed == std::string::npos ? label : label.erase(seed, 7));
      CHECK(folders.insert(job.directory).second);
      CHECK(hashes.insert(job.hash).second);
      // A job's label matches its config.
      for (const auto& [key, value] : job.params) {
        const Node* held = job.config.find_path(key);
        CHECK(std::count(plan.swept.begin(), plan.swept.end(), key) == 1);
        if (!held) continue;  // a group of several keys
        const Node* name = held->find("name");
        INFO(job.label());
        if (value.is_number() && held->is_number()) {
          CHECK(held->as_double() == value.as_double());
        } else if (value.is_string()) {
          CHECK((name ? *name : *held) == value);
        }
      }
    }
  } catch (const Error& e) {
    return w.shortened(e.message() + " @ " + e.where()) + (e.kind() == ErrorKind::kConfig ? "" : " (not a config error)");
  }
  return join(out, " | ");
}

struct Case {
  std::string lines;  // appended to the file
  Strings overrides;
  std::string outcome;
};

void check_all(const std::vector<Case>& cases, bool multirun, const std::string& dataset = "synthetic_digits") {
  for (const auto& c : cases) {
    INFO(c.lines);
    INFO(join(c.overrides, " "));
    CHECK(outcome(Workspace(small(c.lines, dataset)), c.overrides, multirun) == c.outcome);
  }
}

const std::string kOneAndTwo = "linear trainer.epochs=1 | linear trainer.epochs=2 | yat trainer.epochs=1 | yat trainer.epochs=2";
const std::string kFewAndMany = "linear amount@dataset=few | linear amount@dataset=many | yat amount@dataset=few | yat amount@dataset=many";
const std::string kFastAndSlow = "linear variant=fast | linear variant=slow | yat variant=fast | yat variant=slow";

}  // namespace

TEST_CASE("values of a nested sweep have separate points and fixing one keeps its points", "[sweep]") {
  const Workspace w(with("sweep: {optimizer: {nest: {sgd: {optimizer.lr: [0.1, 1]}, adam: {optimizer.lr: [0.01]}}}}\n"));
  const auto at = [](const Plan& plan, std::size_t job) { return fs::path(plan.jobs[job].directory).filename().string(); };
  const auto plan = w.plan({"seeds=[0]", "~arms.linear"});
  REQUIRE(plan.jobs.size() == 3);
  CHECK(plan.swept == std::vector<std::string>{"optimizer", "optimizer.lr"});
  CHECK(at(plan, 0) == "seed=0,optimizer=sgd,optimizer.lr=0.1");
  CHECK(at(plan, 1) == "seed=0,optimizer=sgd,optimizer.lr=1");
  CHECK(at(plan, 2) == "seed=0,optimizer=adam,optimizer.lr=0.01");
  CHECK(plan.jobs[2].config.at("optimizer").at("name").as_string() == "adam");
  CHECK(plan.jobs[2].config.at("optimizer").at("lr").as_double() == 0.01);
  const auto adam = w.plan({"seeds=[0]", "~arms.linear", "optimizer=adam"});
  REQUIRE(adam.jobs.size() == 1);
  CHECK(adam.jobs[0].hash == plan.jobs[2].hash);
  // The first values belong to sgd, not to another optimizer.
  CHECK(w.error({"optimizer=adamw"}) ==
        "the nested sweep over 'optimizer' has no values for adamw\n  at: command line (optimizer=adamw)\n  why: it has values for sgd, "
        "adam\n  try: choose one of these, or add it there");
  CHECK(w.plan({"seeds=[0]", "~arms.linear", "optimizer.lr=0.5"}).jobs.size() == 2);
}

TEST_CASE("an experiment can extend another's sweep through its defaults", "[sweep]") {
  const Workspace w(with("sweep: {operator.epsilon: [0.1, 1]}\n"));
  std::ofstream(w.path() / "more.yaml") << "name: more\ndefaults: [tiny, _self_]\nseeds: [0]\nsweep: {optimizer.lr: [0.1, 0.2, 0.4]}\n";
  auto request = w.request({"~arms.linear"});
  request.experiment = w.path() / "more.yaml";
  const auto plan = make_plan(request);
  CHECK(plan.jobs.size() == 6);
  CHECK(plan.swept == std::vector<std::string>{"operator.epsilon", "optimizer.lr"});
  CHECK(plan.jobs[5].directory == "jobs/yat/seed=0,operator.epsilon=1,optimizer.lr=0.4");
}

TEST_CASE("undeclared parameters of a formula can be swept", "[plan][sweep][points]") {
  const std::string mine = "+arms.mine=['operator=formula', 'operator.f=\"dot^2 / (dist2 + eps)\"', 'operator.eps=1']";
  check_all(
      {
          {"", {mine, "operator.eps=0.1,0.2"}, "linear | yat | mine operator.eps=0.1 | mine operator.eps=0.2"},
          {"sweep: {operator.eps: [0.1, 0.2]}\n", {mine}, "linear | yat | mine operator.eps=0.1 | mine operator.eps=0.2"},
          // A parameter of another component is not a parameter of a formula that does not name it.
          {"", {mine, "~arms.linear", "operator.epsilon=0.1,0.2"}, "yat operator.epsilon=0.1 | yat operator.epsilon=0.2 | mine"},
          {"", {"operator.eps=0.1,0.2"}, "cannot change 'operator.eps' @ command line (operator.eps=0.1)"},
      },
      true);
}

TEST_CASE("values and groups can be swept on the command line", "[plan][sweep][points]") {
  check_all(
      {
          {"", {"trainer.epochs=1,2"}, kOneAndTwo},
          {"", {"trainer.epochs=range(1,3)"}, kOneAndTwo},
          {"", {"trainer.epochs=choice(1,2)"}, kOneAndTwo},
          {"", {"trainer.epochs=tag(t,choice(1,2))"}, kOneAndTwo},
          {"", {"++trainer.epochs=1,2"}, kOneAndTwo},
          {"", {"trainer.epochs=choice(1)"}, "linear trainer.epochs=1 | yat trainer.epochs=1"},
          {"", {"trainer.epochs=choice(2)"}, "linear trainer.epochs=2 | yat trainer.epochs=2"},  // one value, but still treated as a sweep
          // the last key moves fastest
          {"",
           {"optimizer.lr=0.1,0.2", "trainer.epochs=1,2", "~arms.yat"},
           "linear optimizer.lr=0.1 trainer.epochs=1 | linear optimizer.lr=0.1 trainer.epochs=2 | "
           "linear optimizer.lr=0.2 trainer.epochs=1 | linear optimizer.lr=0.2 trainer.epochs=2"},
          // groups: a choice, an addition, in a package, to the top
          {"", {"optimizer=adam,sgd", "~arms.yat"}, "linear optimizer=adam | linear optimizer=sgd"},
          {"", {"dataset=synthetic_digits,xor", "~arms.yat"}, "linear dataset=synthetic_digits | linear dataset=xor"},
          {"", {"+amount@dataset=few,many"}, kFewAndMany},
          {"", {"+amount@dataset=glob(*)"}, kFewAndMany},
          {"", {"+amount@dataset=glob(*,exclude=m*)"}, "linear amount@dataset=few | yat amount@dataset=few"},
          {"",
           {"initializer@architecture.init=normal,uniform", "~arms.yat"},
           "linear initializer@architecture.init=normal | linear initializer@architecture.init=uniform"},
          {"", {"architecture.init=normal,uniform", "~arms.yat"}, "linear architecture.init=normal | linear architecture.init=uniform"},
          {"", {"+variant=fast,slow"}, kFastAndSlow},
          {"", {"+variant=fast,sgd", "~arms.yat"}, "linear variant=fast | linear variant=sgd"},
          {"", {"+variant=fast"}, "linear | yat"},
          // an arm without the key is one job for all points
          {"", {"operator.epsilon=0.1,1.0"}, "linear | yat operator.epsilon=0.1 | yat operator.epsilon=1.0"},
          {"",
           {"optimizer=adam,sgd", "optimizer.beta1=0.8,0.9", "~arms.yat"},
           "linear optimizer=adam optimizer.beta1=0.8 | linear optimizer=adam optimizer.beta1=0.9 | linear optimizer=sgd"},
          // seeds are a dimension of their own
          {"", {"seeds=1,2", "~arms.yat"}, "linear seed=1 | linear seed=2"},
          {"",
           {"seeds=choice(0,3)", "trainer.epochs=1,2", "~arms.yat"},
           "linear trainer.epochs=1 | linear seed=3 trainer.epochs=1 | linear trainer.epochs=2 | linear seed=3 trainer.epochs=2"},
          // what an arm adds is swept as well
          {"",
           {"+arms.third=['operator=cosine']", "trainer.epochs=1,2", "~arms.yat", "~arms.linear"},
           "third trainer.epochs=1 | third trainer.epochs=2"},
      },
      true);
}

TEST_CASE("the last override of a key counts at the position of the first", "[plan][sweep][points]") {
  check_all(
      {
          {"", {"trainer.epochs=3", "trainer.epochs=1,2"}, kOneAndTwo},
          {"", {"trainer.epochs=1,2", "trainer.epochs=3"}, "linear | yat"},
          {"", {"trainer.epochs=1,2", "++trainer.epochs=3"}, "linear | yat"},
          {"",
           {"trainer.epochs=7,8", "optimizer.lr=0.1,0.2", "trainer.epochs=1,2", "~arms.yat"},
           "linear trainer.epochs=1 optimizer.lr=0.1 | linear trainer.epochs=1 optimizer.lr=0.2 | "
           "linear trainer.epochs=2 optimizer.lr=0.1 | linear trainer.epochs=2 optimizer.lr=0.2"},
          {"", {"+variant=fast", "+variant=fast,slow"}, kFastAndSlow},
          {"", {"trainer={epochs:5}", "trainer.epochs=1,2"}, kOneAndTwo},
          {"",
           {"trainer.epochs=1,2", "trainer={epochs:5}"},
           "arm 'linear' is the same at trainer.epochs=1 and at trainer.epochs=2 @ command line (trainer.epochs=1,2)"},
          {"",
           {"+amount@dataset=few,many", "dataset.train_size=7"},
           "arm 'linear' is the same at +amount@dataset=few and at +amount@dataset=many @ command line (+amount@dataset=few,many)"},
          {"",
           {"+amount@dataset=few,many", "amount@dataset=few,many"},
           "'amount@dataset' is swept twice @ command line (amount@dataset=few,many)"},
      },
      true);
  // The effective value is the one that jobs run with.
  CHECK(Workspace(small("")).plan({"trainer.epochs=1,2", "trainer.epochs=3"}, true).jobs[0].config.find_path("trainer.epochs")->as_int() ==
        3);
}

TEST_CASE("invalid sweeps on the command line are rejected", "[plan][sweep][points][errors]") {
  const std::string scales = "scales: {smoke: [trainer.epochs=1]}\n";
  check_all(
      {
          // names that do not exist
          {"", {"+variant=fast,slwo"}, "'slwo' is not an option of the group 'variant' @ command line (+variant=slwo)"},
          {"",
           {"dataset=xor,synthetic_digit"},
           "'synthetic_digit' is not an option of the group 'dataset' @ command line (dataset=synthetic_digit)"},
          {"",
           {"initializer@architecture.init=normal,unifrm"},
           "'unifrm' is not an option of the group 'initializer' @ command line (initializer@architecture.init=unifrm)"},
          {"", {"+nosuch=a,b"}, "unknown key 'nosuch' @ command line (+nosuch=a)"},
          {"", {"+nosuch@dataset=a,b"}, "there is no config group 'nosuch' @ command line (+nosuch@dataset=a)"},
          {"", {"trainer.epoch=1,2"}, "cannot change 'trainer.epoch' @ command line (trainer.epoch=1)"},
          {"", {"+variant=glob(x*)"}, "glob(x*) matches no option @ command line (+variant=glob(x*))"},
          // groups that no defaults list chooses, keys that exist already
          {"", {"variant=fast,slow"}, "cannot change the choice of 'variant' @ command line (variant=fast)"},
          {"", {"tokenizer=gpt2,bytes"}, "cannot change the choice of 'tokenizer' @ command line (tokenizer=gpt2)"},
          {"", {"+trainer.epochs=1,2"}, "cannot add 'trainer.epochs' @ command line (+trainer.epochs=1)"},
          {"", {"operator.power=1,2"}, "cannot change 'operator.power' @ command line (operator.power=1)"},
          {"", {"schedule.factor=1,2"}, "cannot change 'schedule.factor' @ command line (schedule.factor=1)"},
          // keys that a run has once
          {scales, {"scale=smoke,null"}, "'scale' cannot be swept @ command line (scale=smoke,null)"},
          {scales, {"scale=smoke,smok"}, "unknown scale 'smok' @ command line (scale=smok)"},
          {"",
           {"arms.yat=['operator=yat'],['operator=cosine']"},
           "'arms.yat' cannot be swept @ command line (arms.yat=['operator=yat'],['operator=cosine'])"},
          {"",
           {"+arms.third=['operator=euclidean'],['operator=cosine']"},
           "'arms.third' cannot be swept @ command line (+arms.third=['operator=euclidean'],['operator=cosine'])"},
          {"", {"name=a,b"}, "'name' cannot be swept @ command line (name=a,b)"},
          {"", {"results=a,b"}, "'results' cannot be swept @ command line (results=a,b)"},
          {"", {"launcher.workers=1,2"}, "'launcher.workers' cannot be swept @ command line (launcher.workers=1,2)"},
          {"", {"tracker=console,tensorboard"}, "'tracker' cannot be swept @ command line (tracker=console,tensorboard)"},
          {"", {"data.root=a,b"}, "'data.root' cannot be swept @ command line (data.root=a,b)"},
          {"", {"claims=all,[]"}, "'claims' cannot be swept @ command line (claims=all,[])"},
          {"", {"sweep={},{a:1}"}, "'sweep' cannot be swept @ command line (sweep={},{a:1})"},
          {"", {"+variant=seeds,fast"}, "arm 'linear' changes 'seeds', but a run has only one value for it @ ~/variant/seeds.yaml:2:8"},
          {"", {"+variant=arms,fast"}, "arm 'linear' changes 'arms', but a run has only one value for it @ ~/variant/arms.yaml:2:15"},
          // keys that do not affect results
          {"", {"notes=a,b"}, "arm 'linear' is the same at notes=a and at notes=b @ command line (notes=a,b)"},
          {"", {"title=a,b"}, "arm 'linear' is the same at title=a and at title=b @ command line (title=a,b)"},
          {"", {"+labels.yat=a,b"}, "arm 'linear' is the same at +labels.yat=a and at +labels.yat=b @ command line (+labels.yat=a,b)"},
          {"",
           {"tables={t:{rows:points}},{}"},
           "arm 'linear' is the same at tables={t:{rows:points}} and at tables={} @ command line (tables={t:{rows:points}},{})"},
          {"", {"notes=choice(a)"}, "the sweep over 'notes' changes nothing @ command line (notes=choice(a))"},
          {"", {"effort=0.5,1"}, "arm 'linear' is the same at effort=0.5 and at effort=1 @ command line (effort=0.5,1)"},
          {"",
           {"trainer.checkpoint_steps=1,2"},
           "arm 'linear' is the same at trainer.checkpoint_steps=1 and at trainer.checkpoint_steps=2 @ command line "
           "(trainer.checkpoint_steps=1,2)"},
          {"",
           {"trainer.checkpoint_steps=choice(1)"},
           "the sweep over 'trainer.checkpoint_steps' changes nothing @ command line (trainer.checkpoint_steps=choice(1))"},
          {"",
           {"+dataset@paper.d=xor,moons"},
           "arm 'linear' is the same at +dataset@paper.d=xor and at +dataset@paper.d=moons @ command line (+dataset@paper.d=xor,moons)"},
          // options that change a key that a run has once
          {"",
           {"+variant=choice(words)"},
           "at +variant=words the sweep changes 'notes', but a run has only one value for it @ ~/variant/words.yaml:2:8"},
          {"",
           {"+variant=fast,title"},
           "at +variant=title the sweep changes 'title', but a run has only one value for it @ ~/variant/title.yaml:2:8"},
          {"",
           {"+variant=fast,label"},
           "at +variant=label the sweep changes 'labels', but a run has only one value for it @ ~/variant/label.yaml:2:15"},
          {"",
           {"+variant=fast,metric"},
           "at +variant=metric the sweep changes 'metrics', but a run has only one value for it @ ~/variant/metric.yaml:2:26"},
          {"",
           {"+variant=fast,table"},
           "at +variant=table the sweep changes 'tables', but a run has only one value for it @ ~/variant/table.yaml:2:13"},
          {"",
           {"+variant=fast,captions"},
           "at +variant=captions the sweep changes 'report', but a run has only one value for it @ ~/variant/captions.yaml:2:20"},
          {"",
           {"sweeper=random", "optimizer.lr=interval(0.1,1)", "+variant=fast,title"},
           "at optimizer.lr=0.1147, +variant=title the sweep changes 'title', but a run has only one value for it @ "
           "~/variant/title.yaml:2:8"},
          {"",
           {"+arms.third=[operator=cosine, title=Third]", "trainer.epochs=1,2"},
           "arm 'third' changes 'title', but a run has only one value for it @ arm third (title=Third)"},
          // duplicate points
          {"", {"trainer.epochs=2,2"}, "the sweep over 'trainer.epochs' has trainer.epochs=2 twice @ command line (trainer.epochs=2,2)"},
          {"",
           {"optimizer.lr=1,1.0"},
           "arm 'linear' is the same at optimizer.lr=1 and at optimizer.lr=1.0 @ command line (optimizer.lr=1,1.0)"},
          {"", {"optimizer.lr=0.1,0.2", "notes=a,b"}, "arm 'linear' is the same at notes=a and at notes=b @ command line (notes=a,b)"},
          // guards of arms
          {"",
           {"operator=yat,cosine"},
           "the sweep over 'operator' would replace the component that defines arm 'linear' @ command line (operator=yat,cosine)"},
          {"",
           {"operator.name=yat,cosine"},
           "the sweep over 'operator.name' would replace the component that defines arm 'linear' @ command line "
           "(operator.name=yat,cosine)"},
          {"", {"operator=cosine"}, "'operator=cosine' would replace the component that defines arm 'linear' @ command line"},
          // values that cannot form a grid
          {"", {"optimizer.lr=interval(0,1)"}, "a grid cannot list interval(0.0, 1.0) @ command line (optimizer.lr=interval(0,1))"},
          {"", {"trainer.epochs=range(3,3)"}, "cannot read the override 'trainer.epochs=range(3,3)' @ command line, column 16"},
          {"", {"trainer.epochs=1,x"}, "'trainer.epochs' must be integer > 0, found string x @ command line (trainer.epochs=x)"},
      },
      true);
}

TEST_CASE("sweeping an option that changes a run-level key is rejected with alternatives", "[plan][sweep][points][errors]") {
  const Workspace w(with("title: Tiny ones\n"));
  add_groups(w);
  CHECK(w.error({"+variant=fast,title"}, true) ==
        "at +variant=title the sweep changes 'title', but a run has only one value for it\n  at: ~/variant/title.yaml:2:8\n  why: a run "
        "has one page and one set of tables\n  try: run one after the other: +variant=fast, then +variant=title; or use the same value for "
        "all points: \"title='Tiny ones'\"");
  CHECK(w.error({"+variant=title"}) == "no error");
  CHECK(w.error({"+variant=fast,title", "title=Tiny ones"}, true) == "no error");
}

TEST_CASE("an arm may have separate sweep points", "[plan][sweep][points]") {
  check_all(
      {
          {"sweep: {trainer.epochs: [1, 2], where: \"arm == 'yat' or epochs > 1\"}\n",
           {},
           "linear trainer.epochs=2 | yat trainer.epochs=1 | yat trainer.epochs=2"},
          {"sweep: {trainer.epochs: [1, 2], where: \"arm == 'yat'\"}\n",
           {},
           "no point of the sweep satisfies 'where: arm == 'yat'' for arm 'linear' @ ~/tiny.yaml:12:40"},
      },
      false);
}

TEST_CASE("a condition may name only existing or removed arms", "[plan][sweep][points]") {
  const Workspace w(with("sweep: {trainer.epochs: [1, 2], where: \"arm == 'lineer' or 'yat' != arm or epochs > 1\"}\n"));
  const auto said = w.error();
  INFO(said);
  CHECK(said.find("there is no arm 'lineer'") != std::string::npos);
  CHECK(said.find("'linear'") != std::string::npos);
  CHECK(said.find("~/tiny.yaml") != std::string::npos);
  const Workspace right(with("sweep: {trainer.epochs: [1, 2], where: \"arm == 'linear' or arm == 'mine' or epochs > 1\"}\n"));
  CHECK(right.error({"~arms.linear", "+arms.mine=[operator=cosine]"}) == "no error");
  CHECK(right.error({"~arms.linear"}).find("there is no arm 'mine'") != std::string::npos);
  // A text that is compared with anything but `arm` is not an arm.
  CHECK(Workspace(with("sweep: {trainer.epochs: [1, 2], where: \"operator.name == 'lineer' or epochs > 1\"}\n")).error().find("no arm") ==
        std::string::npos);
}

TEST_CASE("sweeps in a file may use override syntax", "[plan][sweep][points]") {
  check_all(
      {
          {"sweep: {trainer.epochs: [1, 2]}\n", {}, kOneAndTwo},
          {"sweep: {+amount@dataset: [few, many]}\n", {}, kFewAndMany},
          {"sweep: {+amount@dataset: glob(*)}\n", {}, kFewAndMany},
          {"sweep: {+variant: [fast, slow]}\n", {}, kFastAndSlow},
          {"sweep: {+variant: 'fast, slow'}\n", {}, kFastAndSlow},
          {"sweep: {initializer@architecture.init: [normal, uniform]}\n",
           {"~arms.yat"},
           "linear initializer@architecture.init=normal | linear initializer@architecture.init=uniform"},
          {"sweep: {z: {zip: {+amount@dataset: [few, many], trainer.epochs: [1, 2]}}}\n",
           {"~arms.yat"},
           "linear amount@dataset=few trainer.epochs=1 | linear amount@dataset=many trainer.epochs=2"},
          {"sweep: {z: 'zip(+amount@dataset=glob(*), trainer.epochs=[1, 2])'}\n",
           {"~arms.yat"},
           "linear amount@dataset=few trainer.epochs=1 | linear amount@dataset=many trainer.epochs=2"},
          {"sweep: {operator.epsilon: [0.1, 1.0]}\n", {}, "linear | yat operator.epsilon=0.1 | yat operator.epsilon=1.0"},
          // one value ends the sweep of its key, also inside a zip; a new sweep replaces it; an appended one is added
          {"sweep: {+variant: [fast, slow]}\n", {"+variant=fast"}, "linear | yat"},
          {"sweep: {z: {zip: {optimizer.lr: [0.1, 0.2], trainer.epochs: [1, 2]}}}\n", {"optimizer.lr=0.5"}, kOneAndTwo},
          {"sweep: {analyses: [[prototype_norms], []]}\n", {"~arms.yat"}, "'analyses' cannot be swept @ ~/tiny.yaml:12:19"},
          {"sweep: {+variant: [fast, slow]}\n", {"~sweep.x"}, "cannot delete 'sweep.x' @ command line (~sweep.x)"},
          // a file with a sweep is a multirun
          {"sweep: {optimizer.lr: [0.1]}\n",
           {"trainer.epochs=1,2", "~arms.yat"},
           "linear optimizer.lr=0.1 trainer.epochs=1 | linear optimizer.lr=0.1 trainer.epochs=2"},
          {"sweep: {trainer.epochs: [7, 8], optimizer.lr: [0.1]}\n",
           {"trainer.epochs=1,2", "~arms.yat"},
           "linear trainer.epochs=1 optimizer.lr=0.1 | linear trainer.epochs=2 optimizer.lr=0.1"},
          {"",
           {"trainer.epochs=1,2"},
           "'trainer.epochs=1,2' gives several values for 'trainer.epochs', but only one is allowed here @ command line"},
          {"sweep: {}\n",
           {"trainer.epochs=1,2"},
           "'trainer.epochs=1,2' gives several values for 'trainer.epochs', but only one is allowed here @ command line"},
      },
      false);
}

TEST_CASE("invalid sweeps in a file are rejected", "[plan][sweep][points][errors]") {
  const std::string at = " @ ~/tiny.yaml:12:";
  check_all(
      {
          {"sweep: {+variant: [fast, slwo]}\n", {}, "'slwo' is not an option of the group 'variant'" + at + "26 (+variant=slwo)"},
          {"sweep: {variant: [fast, slow]}\n", {}, "cannot change the choice of 'variant'" + at + "19 (variant=fast)"},
          {"sweep: {tokenizer: [bytes, gpt2]}\n", {}, "cannot change the choice of 'tokenizer'" + at + "21 (tokenizer=bytes)"},
          {"sweep: {trainer.epoch: [1, 2]}\n", {}, "cannot change 'trainer.epoch'" + at + "25 (trainer.epoch=1)"},
          {"sweep: {trainer.epochs: [1, 0]}\n", {}, "'trainer.epochs' is 0, but must be > 0" + at + "29"},
          {"sweep: {~optimizer: [adam, sgd]}\n", {}, "a sweep cannot delete 'optimizer'" + at + "22"},
          {"sweep: {trainer.epochs=1: [1, 2]}\n", {}, "'trainer.epochs=1' is not a key to sweep over" + at + "28"},
          {"sweep: {trainer epochs: [1, 2]}\n", {}, "cannot read the override 'trainer epochs='" + at + "26, column 8"},
          {"sweep: {seeds: [0, 1]}\n", {}, "'seeds' cannot be swept" + at + "16"},
          {"sweep: {scale: [smoke, null]}\nscales: {smoke: [trainer.epochs=1]}\n", {}, "'scale' cannot be swept" + at + "16"},
          {"sweep: {z: {zip: {results: [a, b], trainer.epochs: [1, 2]}}}\n", {}, "'results' cannot be swept" + at + "12"},
          {"sweep: {arms.yat: [[operator=yat], [operator=cosine]]}\n", {}, "'arms.yat' cannot be swept" + at + "19"},
          {"sweep: {notes: [a, b]}\n", {}, "arm 'linear' is the same at notes=a and at notes=b" + at + "16"},
          {"sweep: {notes: [a]}\n", {}, "the sweep over 'notes' changes nothing" + at + "16"},
          {"sweep: {z: {zip: {notes: [a, b], trainer.epochs: [1, 2]}}}\n", {}, "the sweep over 'notes' changes nothing" + at + "12"},
          {"sweep: {z: {zip: {notes: [a, b], trainer.epochs: [1, 2]}}}\n",
           {"trainer.epochs=1"},
           "arm 'linear' is the same at notes=a and at notes=b" + at + "12"},
          {"sweep: {trainer.epochs: [2, 2]}\n", {}, "the sweep over 'trainer.epochs' has trainer.epochs=2 twice" + at + "25"},
          {"sweep: {operator: [yat, cosine]}\n",
           {},
           "the sweep over 'operator' would replace the component that defines arm 'linear'" + at + "19"},
          {"sweep: {z: {zip: {operator: [yat, cosine], trainer.epochs: [1, 2]}}}\n",
           {},
           "the sweep over 'operator' would replace the component that defines arm 'linear'" + at + "12"},
          {"sweep: {+variant: [arms, fast]}\n",
           {},
           "arm 'linear' changes 'arms', but a run has only one value for it @ ~/variant/arms.yaml:2:15"},
          {"sweep: {+amount@dataset: glob(x*)}\n", {}, "glob(x*) matches no option" + at + "26"},
      },
      false);
}

TEST_CASE("scales, arms and sweeps", "[plan][sweep][points]") {
  check_all(
      {
          // one value of a scale ends the file's sweep of its key, as the command line's does
          {"sweep: {trainer.epochs: [1, 2]}\nscales: {smoke: [trainer.epochs=1]}\n", {"scale=smoke"}, "linear | yat"},
          {"sweep: {trainer.epochs: [1, 2]}\nscales: {smoke: [dataset.train_size=9]}\n", {"scale=smoke"}, kOneAndTwo},
          {"sweep: {dataset.train_size: [8, 9]}\nscales: {smoke: ['sweep={trainer.epochs: [1, 2]}', dataset.train_size=7]}\n",
           {"scale=smoke"},
           kOneAndTwo},
          {"scales: {smoke: [trainer.epochs=1]}\n",
           {"scale=smoke", "trainer.epochs=1,2"},
           "'trainer.epochs=1,2' gives several values for 'trainer.epochs', but only one is allowed here @ command line"},
          {"sweep: {optimizer.lr: [0.1]}\nscales: {smoke: [trainer.epochs=7]}\n",
           {"scale=smoke", "trainer.epochs=1,2", "~arms.yat"},
           "linear optimizer.lr=0.1 trainer.epochs=1 | linear optimizer.lr=0.1 trainer.epochs=2"},
          // a scale and an arm hold one value each
          {"scales: {smoke: ['trainer.epochs=1,2']}\n", {"scale=smoke"}, "scale 'smoke' cannot sweep 'trainer.epochs' @ ~/tiny.yaml:12:18"},
          {"",
           {"+arms.third=['trainer.epochs=1,2']"},
           "arm 'third' cannot sweep 'trainer.epochs' @ command line (+arms.third=['trainer.epochs=1,2'])"},
          {"",
           {"+arms.third=['operator=cosine','seeds=[1]']"},
           "arm 'third' changes 'seeds', but a run has only one value for it @ arm third (seeds=[1])"},
          // a scale without any effect
          {"scales: {smoke: [operator=cosine]}\n",
           {"scale=smoke"},
           "scale 'smoke': operator=cosine does not apply to any arm @ ~/tiny.yaml:12:17"},
          {"scales: {smoke: [schedule.gamma=0.5]}\n",
           {"scale=smoke"},
           "scale 'smoke': schedule.gamma=0.5 does not apply to any arm @ ~/tiny.yaml:12:17"},
      },
      false);
  // If the command line may be the cause, the message says so.
  const Workspace w(small("scales: {smoke: [dataset.train_size=9]}\n"));
  CHECK(w.plan({"scale=smoke", "dataset=xor"}).notices ==
        Strings{"scale 'smoke': dataset.train_size=9 does not apply to any arm (no arm has that key)"});
  CHECK(w.plan({"scale=smoke"}).notices.empty());
}

TEST_CASE("a sweep may provide mandatory values", "[plan][sweep][points]") {
  const std::string both = "linear dataset=synthetic_digits | linear dataset=xor | yat dataset=synthetic_digits | yat dataset=xor";
  check_all({{"", {"dataset=synthetic_digits,xor"}, both},
             {"", {"dataset=xor"}, "linear | yat"},
             {"", {}, "the group 'dataset' needs a choice @ ~/tiny.yaml:3:15"},
             {"", {"trainer.epochs=1,2"}, "the group 'dataset' needs a choice @ ~/tiny.yaml:3:15"}},
            true, "???");
  const std::string open = "optimizer:\n  lr: ???\n";
  check_all({{open, {"optimizer.lr=0.1,0.2", "~arms.yat"}, "linear optimizer.lr=0.1 | linear optimizer.lr=0.2"},
             {open + "sweep: {optimizer.lr: [0.1, 0.2]}\n", {"~arms.yat"}, "linear optimizer.lr=0.1 | linear optimizer.lr=0.2"},
             {open, {"trainer.epochs=1,2"}, "'optimizer.lr' is required @ ~/tiny.yaml:13:7"}},
            true);
}

TEST_CASE("alternatives suggested for a rejected sweep work", "[plan][sweep][points][errors]") {
  const auto hint = [](const Workspace& w, const Strings& overrides) -> std::string {
    try {
      w.plan(overrides, true);
    } catch (const Error& e) {
      return e.hint();
    }
    return "no error";
  };
  const Workspace w(small("scales: {smoke: [trainer.epochs=1]}\n"));
  CHECK(hint(w, {"arms.yat=['operator=yat'],['operator=cosine']"}) ==
        "write '~arms.yat' \"+arms.yat_1=['operator=yat']\" \"+arms.yat_2=['operator=cosine']\"");
  CHECK(w.plan({"~arms.yat", "+arms.yat_1=['operator=yat']", "+arms.yat_2=['operator=cosine']"}).arms ==
        Strings{"linear", "yat_1", "yat_2"});
  CHECK(hint(w, {"operator=yat,cosine,euclidean"}) ==
        "add arms in its place: \"+arms.cosine=['operator=cosine']\" \"+arms.euclidean=['operator=euclidean']\"");
  CHECK(w.plan({"+arms.cosine=['operator=cosine']", "+arms.euclidean=['operator=euclidean']"}).arms ==
        Strings{"linear", "yat", "cosine", "euclidean"});
  CHECK(hint(w, {"operator=yat,dot"}) == "every value already has an arm: remove the sweep");
  CHECK(hint(w, {"scale=smoke,null"}) == "run one after the other: scale=smoke, then scale=null");
  CHECK(w.plan({"scale=smoke"}).jobs.size() == 2);
  CHECK(w.plan({"scale=null"}).jobs.size() == 2);
  CHECK(hint(w, {"name=a,b,c,d"}) == "run one after the other: name=a, then name=b, then name=c, ...");
  CHECK(hint(Workspace(small("sweep: {seeds: [3, 4]}\n")), {}) == "write seeds=[3,4]");
  CHECK(w.plan({"seeds=[3,4]"}).seeds == std::vector<std::int64_t>{3, 4});
  CHECK(hint(w, {"tokenizer=gpt2,bytes"}) == "no key here takes a component of kind 'tokenizer'");
  CHECK(hint(w, {"initializer=normal,uniform"}) == "write architecture.init=normal or architecture.bias_init=normal");
  CHECK(w.plan({"architecture.init=normal"}).jobs.size() == 2);
  CHECK(w.plan({"architecture.bias=true", "architecture.bias_init=normal"}).jobs.size() == 2);
}

TEST_CASE("composing for display rejects the same overrides as planning", "[plan][sweep][points][errors]") {
  const Workspace w(small("sweep: {optimizer: [sgd, adam]}\n"));
  add_groups(w);
  const auto error = [&](const Strings& overrides, bool multirun, const char* arm = "linear") -> std::string {
    try {
      compose_experiment(w.request(overrides, multirun), arm);
    } catch (const Error& e) {
      return e.message();
    }
    return "no error";
  };
  for (const auto& overrides :
       std::vector<Strings>{{"operator.power=2"}, {"operator=cosine"}, {"variant=fast"}, {"operator=yat,cosine"}, {"notes=a,b"}}) {
    INFO(overrides.front());
    const auto planned = outcome(w, overrides, true);
    const auto said = error(overrides, true);
    if (overrides.front() == "notes=a,b") {
      CHECK(said == "no error");  // the points of a sweep are not part of one arm's composition
    } else {
      CHECK(planned.rfind(said + " @ ", 0) == 0);
      CHECK(error(overrides, true, "") == said);
    }
  }
  CHECK(error({"operator.epsilon=0.1"}, false) == "no error");    // of another arm
  CHECK(error({"optimizer.momentum=0.5"}, false) == "no error");  // of another point
  CHECK(error({"trainer.epochs=3"}, false) == "no error");
}

TEST_CASE("values that map to the same file name get different folders", "[plan][sweep][points]") {
  const Workspace w(small("sweep: {operator.label: ['a/b', 'a:b', a_b]}\n"));
  std::set<std::string> folders;
  for (const auto& job : w.plan({"+arms.one=['operator=labelled']", "~arms.linear", "~arms.yat"}).jobs) folders.insert(job.directory);
  CHECK(folders.size() == 3);
  CHECK(folders.count("jobs/one/seed=0,operator.label=a_b") == 1);
}

}  // namespace yatlab
