// Composition against the registry and a root schema: beyond Hydra.
#include <chrono>
#include <iostream>
#include <optional>

#include "catch.h"
#include "config/support.h"
#include "core/base/text.h"
#include "core/config/compose.h"
#include "core/registry/registry.h"
#include "holds.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

struct TestKernel {
  virtual ~TestKernel() = default;
};
struct TestInit {
  virtual ~TestInit() = default;
};
struct TestNet {
  virtual ~TestNet() = default;
};
struct TestVoice {
  virtual ~TestVoice() = default;
};

}  // namespace

namespace yatlab {
YATLAB_KIND(TestKernel, "kernel", "kernels of these tests")
YATLAB_KIND(TestInit, "weights", "initial weights of these tests")
YATLAB_KIND(TestNet, "net", "networks of these tests")
YATLAB_KIND(TestVoice, "voice", "components that take free keys")
}  // namespace yatlab

namespace {

struct Yat final : TestKernel {
  enum class Bias { kInside, kAfter };
  struct Params {
    double epsilon = 1e-5;
    Bias bias = Bias::kInside;
    static void declare(Fields& f, Params& p) {
      f.field("epsilon", p.epsilon, "added to the squared distance").positive();
      f.choice("bias", p.bias, {{"inside", Bias::kInside}, {"after", Bias::kAfter}}, "where the bias goes");
    }
  };
  explicit Yat(const Params&) {}
};
struct Dot final : TestKernel {};
struct Cosine final : TestKernel {
  struct Params {
    double epsilon = 1e-8;
    static void declare(Fields& f, Params& p) { f.field("epsilon", p.epsilon, "floor of the norms").positive(); }
  };
  explicit Cosine(const Params&) {}
};
struct Normal final : TestInit {
  struct Params {
    double std = 0.3;
    static void declare(Fields& f, Params& p) { f.field("std", p.std, "standard deviation").positive(); }
  };
  explicit Normal(const Params&) {}
};
struct Uniform final : TestInit {
  struct Params {
    double low = 0, high = 0.5;
    static void declare(Fields& f, Params& p) {
      f.field("low", p.low, "least value");
      f.field("high", p.high, "greatest value");
    }
  };
  explicit Uniform(const Params&) {}
};
struct Prototypes final : TestNet {
  struct Params {
    ComponentRef init{"normal"};
    ComponentRef gate;
    static void declare(Fields& f, Params& p) {
      f.component("init", p.init, "weights", "initial prototypes");
      f.component("gate", p.gate, "kernel", "an extra kernel, if any");
    }
  };
  explicit Prototypes(const Params&) {}
};

/// Accepts keys that it does not declare.
struct Spoken final : TestVoice {
  struct Params {
    std::string text = "a + b";
    Node numbers = Node::map();
    static void declare(Fields& f, Params& p) {
      f.field("text", p.text, "words");
      f.map("numbers", p.numbers, "name -> number").rest();
    }
  };
  explicit Spoken(const Params&) {}
};
struct Silent final : TestVoice {};
YATLAB_REGISTER(TestVoice, Spoken, "spoken", "takes free keys");
YATLAB_REGISTER(TestVoice, Silent, "silent", "takes none");

struct VoiceRoot {
  ComponentRef voice{"spoken"};
  static void declare(Fields& f, VoiceRoot& p) { f.component("voice", p.voice, "voice", "the voice"); }
};

YATLAB_REGISTER(TestKernel, Yat, "yat", "the yat product", {"ⵟ"});
YATLAB_REGISTER(TestKernel, Dot, "dot", "dot product");
YATLAB_REGISTER(TestKernel, Cosine, "cosine", "cosine similarity");
YATLAB_REGISTER(TestInit, Normal, "normal", "normal weights");
YATLAB_REGISTER(TestInit, Uniform, "uniform", "uniform weights");
YATLAB_REGISTER(TestNet, Prototypes, "prototypes", "one prototype per class");

struct Trainer {
  std::int64_t epochs = 5;
  double lr = 1e-3;
  bool shuffle = true;
  std::vector<double> betas{0.9, 0.999};
  static void declare(Fields& f, Trainer& p) {
    f.field("epochs", p.epochs, "passes over the data").positive();
    f.field("lr", p.lr, "learning rate").positive();
    f.field("shuffle", p.shuffle, "new order every epoch");
    f.field("betas", p.betas, "decay rates");
  }
};
struct Root {
  std::string title = "untitled";
  Node seeds{0};
  ComponentRef kernel{"yat"}, second, net{"prototypes"};
  Trainer trainer;
  Node arms;
  Node names;
  std::vector<std::string> analyses;
  static void declare(Fields& f, Root& p) {
    f.field("title", p.title, "shown above tables");
    f.field("seeds", p.seeds, "one job per seed");
    f.component("kernel", p.kernel, "kernel", "the kernel under test");
    f.component("second", p.second, "kernel", "another kernel");
    f.component("net", p.net, "net", "the network");
    f.group("trainer", p.trainer, "training");
    f.map("arms", p.arms, "what is compared");
    f.map("names", p.names, "how things are called").of_texts();
    f.field("analyses", p.analyses, "what to look at");
  }
};

const Schema& root_schema() {
  static const Schema schema = Schema::of<Root>();
  return schema;
}

std::vector<File> schema_tree(const std::string& primary) {
  return {{"exp/main.yaml", primary},
          {"configs/kernel/yat.yaml", "epsilon: 1e-3\n"},
          {"configs/kernel/yat_small.yaml", "defaults: [yat, _self_]\nepsilon: 1e-7\n"},
          {"configs/kernel/yat_after.yaml", "name: yat\nbias: after\n"},
          {"configs/net/wide.yaml", "name: prototypes\ninit: {name: normal, std: 9.0}\n"},
          {"configs/weights/narrow.yaml", "name: normal\nstd: 0.01\n"}};
}

Composition compose_layers(const std::vector<OverrideLayer>& layers) {
  return Composer({"configs"}, &root_schema()).compose("exp/main.yaml", layers);
}

struct SchemaCase {
  const char* primary;
  std::vector<std::string> overrides;
  const char* key;     // the key to read; empty when an error is expected
  const char* result;  // show() of it, or the error
};

void check_schemas(const std::vector<SchemaCase>& cases) {
  for (const auto& c : cases) {
    INFO(c.primary);
    INFO("overrides: " << join(c.overrides, " "));
    const TempTree files(schema_tree(c.primary));
    std::string got;
    try {
      const auto composed = compose_layers({{"command line", c.overrides}});
      const Node* node = composed.config.find_path(c.key);
      got = node ? show(*node) : "no such key";
    } catch (const Error& e) {
      got = e.what();
    }
    CHECK(got == c.result);
  }
}

const char* kYat = "defaults:\n  - /kernel: yat\n";

}  // namespace

TEST_CASE("the composed config contains every default") {
  const TempTree files(schema_tree("title: t\n"));
  CHECK(show(compose_layers({}).config) ==
        R"({"title": "t", "seeds": 0, "kernel": {"name": "yat", "epsilon": 1e-05, "bias": "inside"}, "second": null, )"
        R"("net": {"name": "prototypes", "init": {"name": "normal", "std": 0.3}, "gate": null}, )"
        R"("trainer": {"epochs": 5, "lr": 0.001, "shuffle": true, "betas": [0.9, 0.999]}, "arms": {}, "names": {}, "analyses": []})");
}

TEST_CASE("registered components are options of their kind") {
  check_schemas({
      {kYat, {}, "kernel", R"({"name": "yat", "epsilon": 0.001, "bias": "inside"})"},
      {"defaults:\n  - /kernel: dot\n", {}, "kernel", R"({"name": "dot"})"},
      {"defaults:\n  - /kernel: ⵟ\n", {}, "kernel", R"({"name": "yat", "epsilon": 0.001, "bias": "inside"})"},
      {"defaults:\n  - /kernel: yat_small\n", {}, "kernel", R"({"name": "yat", "epsilon": 1e-07, "bias": "inside"})"},
      {"defaults:\n  - /kernel: yat_after\n", {}, "kernel", R"({"name": "yat", "bias": "after", "epsilon": 1e-05})"},
      {kYat, {"kernel=dot"}, "kernel", R"({"name": "dot"})"},
      {kYat, {"kernel=ⵟ"}, "kernel", R"({"name": "yat", "epsilon": 0.001, "bias": "inside"})"},
      {kYat, {"kernel=yat_after"}, "kernel", R"({"name": "yat", "bias": "after", "epsilon": 1e-05})"},
      // not in a defaults list: the field is replaced completely
      {"title: t\n", {"kernel=dot"}, "kernel", R"({"name": "dot"})"},
      {"kernel: {name: yat, bias: after}\n", {"kernel=cosine"}, "kernel", R"({"name": "cosine", "epsilon": 1e-08})"},
      {"kernel: yat\n", {"kernel=cosine"}, "kernel", R"({"name": "cosine", "epsilon": 1e-08})"},
      {"kernel: yat\n", {}, "kernel", R"({"name": "yat", "epsilon": 0.001, "bias": "inside"})"},
      {"kernel: ⵟ\n", {}, "kernel", R"({"name": "yat", "epsilon": 0.001, "bias": "inside"})"},
      {"kernel: {name: ⵟ}\n", {}, "kernel", R"({"name": "yat", "epsilon": 1e-05, "bias": "inside"})"},
      {"kernel: {epsilon: 2}\n", {}, "kernel", R"({"name": "yat", "epsilon": 2.0, "bias": "inside"})"},
      {"second: cosine\n", {}, "second", R"({"name": "cosine", "epsilon": 1e-08})"},
      {"title: t\n", {"second=yat"}, "second", R"({"name": "yat", "epsilon": 0.001, "bias": "inside"})"},
      {"title: t\n", {"kernel@second=yat"}, "second", R"({"name": "yat", "epsilon": 0.001, "bias": "inside"})"},
      {"defaults:\n  - /kernel@second: dot\n", {"kernel@second=cosine"}, "second", R"({"name": "cosine", "epsilon": 1e-08})"},
      // the file's own content names another one: the override still takes precedence
      {"defaults:\n  - /kernel: yat\n  - _self_\nkernel: {name: cosine}\n", {"kernel=dot"}, "kernel", R"({"name": "dot"})"},
      // components inside components
      {"title: t\n", {"net.init=uniform"}, "net.init", R"({"name": "uniform", "low": 0.0, "high": 0.5})"},
      {"title: t\n", {"net.init=narrow"}, "net.init", R"({"name": "normal", "std": 0.01})"},
      {"title: t\n", {"net.init=narrow", "net.init.std=1"}, "net.init.std", "1.0"},
      {"title: t\n", {"net.init.std=0.1"}, "net.init", R"({"name": "normal", "std": 0.1})"},
      {"title: t\n", {"net.init={name: uniform, high: 2}"}, "net.init", R"({"name": "uniform", "high": 2.0, "low": 0.0})"},
      {"title: t\n", {"net.gate=dot"}, "net.gate", R"({"name": "dot"})"},
      {"net: {init: uniform}\n", {}, "net.init", R"({"name": "uniform", "low": 0.0, "high": 0.5})"},
      {"net: {init: narrow}\n", {}, "net.init", R"({"name": "normal", "std": 0.01})"},
      {"net: {init: {name: uniform, low: -1.0}}\n", {"net.init.high=1"}, "net.init", R"({"name": "uniform", "low": -1.0, "high": 1.0})"},
      // a new name gets its own defaults, not those of the component before it
      {"title: t\n", {"kernel.name=cosine"}, "kernel", R"({"name": "cosine", "epsilon": 1e-08})"},
      {"title: t\n", {"kernel={name: cosine}"}, "kernel", R"({"name": "cosine", "epsilon": 1e-08})"},
      {"title: t\n", {"kernel.name=cosine", "kernel.epsilon=0.5"}, "kernel.epsilon", "0.5"},
      {"title: t\n", {"kernel={name: cosine}", "kernel.epsilon=0.5"}, "kernel.epsilon", "0.5"},
      // deleting what a file holds brings the default back
      {"kernel: {name: dot}\n",
       {"~kernel"},
       "",
       "cannot delete 'kernel'\n  at: command line (~kernel)\n  why: it is required, so its default, yat, would replace it\n  try: choose "
       "a different one: kernel=...; choices: cosine, dot, yat, yat_after, yat_small"},
      {kYat,
       {"~kernel"},
       "",
       "cannot delete 'kernel'\n  at: command line (~kernel)\n  why: it is required, so its default, yat, would replace it\n  try: choose "
       "a different one: kernel=...; choices: cosine, dot, yat, yat_after, yat_small"},
      {"second: {name: dot}\n", {"~second"}, "second", "null"},
      {"net: {gate: dot}\n", {"~net.gate"}, "net.gate", "null"},
      {"trainer: {epochs: 3}\n", {"~trainer.epochs"}, "trainer.epochs", "5"},  // back to its default
      {"trainer: {epochs: 3}\n",
       {"~trainer.lr"},
       "",
       "'~trainer.lr' deletes nothing\n  at: command line (~trainer.lr)\n  why: 'trainer.lr' already has its default, 0.001\n  try: remove "
       "the override, or change the value: trainer.lr=..."},
      {"arms: {a: [], b: []}\n", {"~arms.a"}, "arms", R"({"b": []})"},
      {"second: dot\n", {"~second"}, "second", "null"},
      {"trainer: {epochs: 9}\n", {"~trainer.epochs"}, "trainer.epochs", "5"},
  });
}

TEST_CASE("values beside a component's name take effect or are rejected when lost") {
  const char* const file = "kernel: {name: yat, epsilon: 1}\nnet: {init: {name: uniform, high: 2}}\n";
  const auto lost = [](const std::string& by, const std::string& what, const std::string& key, const std::string& name) {
    return fmt::format(
        "'{0}' would remove what a file sets: {1}\n  at: command line ({0})\n  why: it is not in a defaults list, so the override replaces "
        "all of it\n  try: add {2}.epsilon=1 to keep it, or write '{2}={{name: {3}}}' to remove it",
        by, what, key, name);
  };
  const auto cosine = lost("kernel=cosine", "kernel.epsilon=1 (exp/main.yaml:1:30)", "kernel", "cosine");
  check_schemas({
      // the same option again: both the option's values and the file's
      {file, {"kernel=yat"}, "kernel", R"({"name": "yat", "epsilon": 1.0, "bias": "inside"})"},
      {file, {"net.init=uniform"}, "net.init", R"({"name": "uniform", "high": 2.0, "low": 0.0})"},
      {file, {"kernel=ⵟ"}, "kernel.epsilon", "1.0"},
      // another one, which has the parameter too
      {file, {"kernel=cosine"}, "", cosine.c_str()},
      {file, {"kernel=cosine", "kernel.epsilon=0.5"}, "kernel", R"({"name": "cosine", "epsilon": 0.5})"},
      {file, {"kernel=cosine", "kernel.epsilon=1"}, "kernel", R"({"name": "cosine", "epsilon": 1.0})"},
      {file, {"kernel.name=cosine"}, "kernel", R"({"name": "cosine", "epsilon": 1.0})"},
      {file, {"kernel={name: cosine}"}, "kernel", R"({"name": "cosine", "epsilon": 1e-08})"},
      // another one, without that parameter
      {file,
       {"kernel=yat_small"},
       "",
       "'kernel=yat_small' would remove what a file sets: kernel.epsilon=1 (exp/main.yaml:1:30)\n  at: command line (kernel=yat_small)\n  "
       "why: it is not in a defaults list, so the override replaces all of it\n  try: add kernel.epsilon=1 to keep it"},
      {file, {"kernel=dot"}, "kernel", R"({"name": "dot"})"},
      {file, {"net.init=narrow"}, "net.init", R"({"name": "normal", "std": 0.01})"},
      // values from an option's own file are dropped with the option
      {"kernel: yat\n", {"kernel=cosine"}, "kernel.epsilon", "1e-08"},
      {"kernel: {name: yat, epsilon: 1}\ndefaults:\n  - /kernel: yat\n  - _self_\n", {"kernel=cosine"}, "", cosine.c_str()},
  });
  // An experiment in a folder named like the kind is not an option's file.
  const TempTree files({{"kernel/main.yaml", file}});
  std::string said;
  try {
    Composer({"configs"}, &root_schema()).compose("kernel/main.yaml", {{"arm x", {"kernel=cosine"}}});
  } catch (const Error& e) {
    said = e.what();
  }
  CHECK(holds(said, "would remove what a file sets: kernel.epsilon=1"));
}

TEST_CASE("values are checked against their fields") {
  check_schemas({
      {kYat, {"kernel.bias=after"}, "kernel.bias", R"("after")"},
      {kYat, {"kernel.epsilon=1"}, "kernel.epsilon", "1.0"},
      {kYat, {"kernel.epsilon=1e-3"}, "kernel.epsilon", "0.001"},
      {kYat, {"trainer.lr=${trainer.epochs}"}, "trainer.lr", R"("${trainer.epochs}")"},
      {kYat, {"title=007"}, "title", R"("007")"},
      {kYat, {"title=5"}, "title", R"("5")"},
      {kYat, {"title=1e6"}, "title", R"("1e6")"},
      {kYat, {"title=true"}, "title", R"("true")"},
      {kYat, {"trainer.shuffle=no"}, "trainer.shuffle", "false"},
      {kYat, {"trainer.shuffle=On"}, "trainer.shuffle", "true"},
      {kYat, {"trainer={epochs: 2}"}, "trainer.epochs", "2"},
      {kYat, {"trainer.betas=[0.5,0.9]"}, "trainer.betas", "[0.5, 0.9]"},
      {kYat, {"trainer.betas.0=0.5"}, "trainer.betas", "[0.5, 0.999]"},
      {kYat, {"analyses=extend_list(norms)"}, "analyses", R"(["norms"])"},
      {kYat, {"+arms.x=[kernel=dot, trainer.lr=0.1]"}, "arms", R"({"x": ["kernel=dot", "trainer.lr=0.1"]})"},
      {kYat, {"+arms.x=['kernel=dot']"}, "arms", R"({"x": ["kernel=dot"]})"},
      {kYat, {"seeds=range(0,3)"}, "seeds", "[0, 1, 2]"},
      {kYat, {"seeds=0,1"}, "seeds", "[0, 1]"},
      {kYat, {"++trainer.epochs=7"}, "trainer.epochs", "7"},
  });
}

TEST_CASE("infinity may be written as in files and as in overrides") {
  const auto refused = [](const char* what, const std::string& where) {  // here; other fields allow it
    return fmt::format("'trainer.lr' is {}\n  at: {}\n  why: learning rate", what, where);
  };
  for (const std::string typed : {"inf", ".inf", "Inf", ".INF"}) {
    check_schemas(
        {{("trainer: {lr: " + typed + "}\n").c_str(), {}, "", refused("inf, but must be finite", "exp/main.yaml:1:15").c_str()},
         {kYat, {"trainer.lr=" + typed}, "", refused("inf, but must be finite", "command line (trainer.lr=" + typed + ")").c_str()},
         {kYat, {"trainer.lr=-" + typed}, "", refused("-inf, but must be > 0", "command line (trainer.lr=-" + typed + ")").c_str()},
         {kYat, {"title='" + typed + "'"}, "title", ("\"" + typed + "\"").c_str()}});
  }
  check_schemas(
      {{kYat,
        {"trainer.epochs=.inf"},
        "",
        "'trainer.epochs' must be integer > 0, found string '.inf'\n  at: command line (trainer.epochs=.inf)\n  why: passes over the "
        "data"}});
}

TEST_CASE("string fields keep the text as typed in files and overrides") {
  const char* const kTyped[] = {"1.10", "1e5", "2e1354", "0x1F", "1_000", "+5", "5.", ".5", "yes", "True", "off", "99999999999999999999",
                                "017"};
  for (const std::string typed : kTyped) {
    const auto text = "\"" + typed + "\"";
    check_schemas({{("title: " + typed + "\n").c_str(), {}, "title", text.c_str()},
                   {kYat, {"title=" + typed}, "title", text.c_str()},
                   {("analyses: [" + typed + ", a]\n").c_str(), {}, "analyses.0", text.c_str()},
                   {kYat, {"analyses=[" + typed + "]"}, "analyses.0", text.c_str()},
                   {"analyses: [a]\n", {"analyses=extend_list(" + typed + ")"}, "analyses.1", text.c_str()},
                   {("names: {a: " + typed + "}\n").c_str(), {}, "names.a", text.c_str()},
                   {kYat, {"+names.a=" + typed}, "names.a", text.c_str()},
                   {("title: " + typed + "\n").c_str(), {"~title=" + typed}, "title", R"("untitled")"}});
  }
  check_schemas({
      {"title: null\n", {}, "", "'title' must be string, found null\n  at: exp/main.yaml:1:8\n  why: shown above tables"},
      {"arms: {a: 1.10}\n", {}, "arms.a", "1.1"},
      {"trainer: {lr: 1e-3, shuffle: yes}\n", {}, "trainer", R"({"lr": 0.001, "shuffle": true, "epochs": 5, "betas": [0.9, 0.999]})"},
      {kYat,
       {"trainer.epochs=99999999999999999999"},
       "",
       "'trainer.epochs' must be integer > 0, found float 1e+20\n  at: command line (trainer.epochs=99999999999999999999)\n"
       "  why: integers have 64 bits: passes over the data"},
  });
  const TempTree files(schema_tree("title: 1.10\nnames: {a: '${title}', b: 'v${title}', c: '${seeds}'}\nseeds: 1e5\n"));
  Node resolved = resolve(compose_layers({}).config);
  root_schema().read_texts(resolved);
  CHECK(show(resolved.at("names")) == R"({"a": "1.10", "b": "v1.10", "c": "1e5"})");
}

TEST_CASE("option names cannot lead out of the group's folder") {
  const auto refused = [](const std::string& name, const std::string& where) {
    return "'" + name + "' is not an option of the group 'kernel'\n  at: " + where +
           "\n  why: an option is a file in the folder of the group: its name must not contain '..' or begin with '/'\n  try: options: ";
  };
  const auto error = [](const std::string& primary, const std::vector<std::string>& overrides) {
    auto tree = schema_tree(primary);
    tree.push_back({"elsewhere/kernel.yaml", "name: yat\nepsilon: 7.0\n"});
    const TempTree files(tree);
    return error_of([&] { compose_layers({{"command line", overrides}}); });
  };
  const std::string out = "../../elsewhere/kernel";
  CHECK(holds(error(kYat, {"kernel=" + out}), refused(out, "command line (kernel=" + out + ")")));
  CHECK(holds(error("second: null\n", {"kernel=" + out}), refused(out, "command line (kernel=" + out + ")")));
  CHECK(holds(error(kYat, {"kernel=" + out + ".yaml"}), refused(out, "command line (kernel=" + out + ".yaml)")));
  CHECK(holds(error("title: t\n", {"+kernel=[yat," + out + "]"}), refused(out, "command line (+kernel=[yat," + out + "])")));
  CHECK(holds(error(kYat, {"net.gate=" + out}), "not an option of the group"));
  CHECK(holds(error("kernel: " + out + "\n", {}), refused(out, "exp/main.yaml:1:9")));
  CHECK(holds(error("defaults: [{/kernel: [" + out + "]}]\n", {}), refused(out, "exp/main.yaml:1:23")));
  CHECK(holds(error(kYat, {"kernel=/yat"}), refused("/yat", "command line (kernel=/yat)")));
  CHECK(error(kYat, {"kernel=yat_small"}) == "no error");
}

TEST_CASE("unknown keys and wrong types are rejected with suggestions") {
  check_schemas({
      {"titel: t\n", {}, "", "unknown key 'titel'\n  at: exp/main.yaml:1:8\n  try: did you mean 'title'?"},
      {"epochs: 3\n", {}, "", "unknown key 'epochs'\n  at: exp/main.yaml:1:9\n  try: 'epochs' belongs to trainer.epochs"},
      {"trainer: {max_epochs: 3}\n",
       {},
       "",
       "unknown key 'trainer.max_epochs'\n  at: exp/main.yaml:1:23\n  try: write trainer: {epochs: 3}"},
      {"wandb: {mode: offline}\n",
       {},
       "",
       "unknown key 'wandb'\n  at: exp/main.yaml:1:8\n  try: write tracker: {name: wandb, mode: offline}"},
      {"epsilon: 3\n", {}, "", "unknown key 'epsilon'\n  at: exp/main.yaml:1:10\n  try: 'epsilon' belongs to kernel.epsilon"},
      {"zzzzzz: 3\n",
       {},
       "",
       "unknown key 'zzzzzz'\n  at: exp/main.yaml:1:9\n"
       "  try: keys here: title, seeds, kernel, second, net, trainer, arms, names, analyses"},
      {"trainer: {epoch: 3}\n", {}, "", "unknown key 'trainer.epoch'\n  at: exp/main.yaml:1:18\n  try: did you mean 'trainer.epochs'?"},
      {"trainer: {epsilon: 3}\n",
       {},
       "",
       "unknown key 'trainer.epsilon'\n  at: exp/main.yaml:1:20\n  try: 'epsilon' belongs to kernel.epsilon"},
      {"kernel: {name: yat, epsilom: 3}\n",
       {},
       "",
       "unknown key 'kernel.epsilom'\n  at: exp/main.yaml:1:30\n  why: kernel 'yat' has no such parameter\n"
       "  try: did you mean 'kernel.epsilon'?"},
      {"kernel: {name: dot, epsilon: 3}\n",
       {},
       "",
       "unknown key 'kernel.epsilon'\n  at: exp/main.yaml:1:30\n  why: kernel 'dot' has no such parameter\n"
       "  try: kernel 'dot' takes no parameters"},
      {"net: {init: {name: uniform, std: 1}}\n",
       {},
       "",
       "unknown key 'net.init.std'\n  at: exp/main.yaml:1:34\n  why: weights 'uniform' has no such parameter\n"
       "  try: keys here: low, high"},
      {"kernel: {name: yat, epsilon: 1}\n",
       {"kernel.name=dot"},
       "",
       "unknown key 'kernel.epsilon'\n  at: exp/main.yaml:1:30\n  why: kernel 'dot' has no such parameter\n"
       "  try: kernel 'dot' takes no parameters; to replace the component with its values write 'kernel={name: dot}'"},
      {"trainer: {epochs: many}\n",
       {},
       "",
       "'trainer.epochs' must be integer > 0, found string many\n  at: exp/main.yaml:1:19\n  why: passes over the data"},
      {"trainer: 5\n", {}, "", "'trainer' must be group, found integer 5\n  at: exp/main.yaml:1:10\n  why: training"},
      {kYat,
       {"kernel.epsilon=0"},
       "",
       "'kernel.epsilon' is 0.0, but must be > 0\n  at: command line (kernel.epsilon=0)\n  why: added to the squared distance"},
      {kYat,
       {"kernel.epsilon=abc"},
       "",
       "'kernel.epsilon' must be float > 0, found string abc\n  at: command line (kernel.epsilon=abc)\n"
       "  why: added to the squared distance"},
      {kYat,
       {"kernel.bias=insid"},
       "",
       "'kernel.bias' cannot be 'insid'\n  at: command line (kernel.bias=insid)\n  try: did you mean 'inside'?"},
      {kYat,
       {"trainer.epochs=1.5"},
       "",
       "'trainer.epochs' must be integer > 0, found float 1.5\n  at: command line (trainer.epochs=1.5)\n  why: passes over the data"},
      {kYat,
       {"trainer.epoch=1"},
       "",
       "cannot change 'trainer.epoch'\n  at: command line (trainer.epoch=1)\n  why: 'trainer' has no key 'epoch'\n"
       "  try: did you mean 'trainer.epochs'?"},
      {kYat,
       {"epochs=1"},
       "",
       "cannot change 'epochs'\n  at: command line (epochs=1)\n  why: there is no key 'epochs'\n  try: write trainer.epochs=1"},
      {kYat, {"+epochs=1"}, "", "unknown key 'epochs'\n  at: command line (+epochs=1)\n  try: write trainer.epochs=1"},
      {kYat,
       {"kernal.epsilon=1"},
       "",
       "cannot change 'kernal.epsilon'\n  at: command line (kernal.epsilon=1)\n  why: there is no key 'kernal'\n"
       "  try: did you mean 'kernel.epsilon'?"},
      {kYat,
       {"kernel=dott"},
       "",
       "'dott' is not an option of the group 'kernel'\n  at: command line (kernel=dott)\n"
       "  why: looked in exp, configs; options: cosine, dot, yat, yat_after, yat_small\n  try: did you mean 'dot'?"},
      {kYat,
       {"net.init=normall"},
       "",
       "'normall' is not an option of the group 'weights'\n  at: command line (net.init=normall)\n"
       "  why: looked in exp, configs; options: narrow, normal, uniform\n  try: did you mean 'normal'?"},
      {"kernel: yatt\n",
       {},
       "",
       "'yatt' is not an option of the group 'kernel'\n  at: exp/main.yaml:1:9\n"
       "  why: looked in exp, configs; options: cosine, dot, yat, yat_after, yat_small\n  try: did you mean 'yat'?"},
      {"kernel: {name: yatt}\n",
       {},
       "",
       "unknown kernel 'yatt'\n  at: exp/main.yaml:1:16\n  try: did you mean 'yat'? ('yatlab list kernel' shows all)"},
      {kYat,
       {"kernel.std=1"},
       "",
       "cannot change 'kernel.std'\n  at: command line (kernel.std=1)\n  why: 'kernel' has no key 'std' (it is 'yat')\n  try: 'std' exists "
       "at net.init.std"},
      {kYat,
       {"second.epsilon=1"},
       "",
       "cannot change 'second.epsilon'\n  at: command line (second.epsilon=1)\n  why: 'second' is null\n"
       "  try: 'epsilon' is a parameter of the kernel cosine, yat"},
      {kYat,
       {"weights=normal"},
       "",
       "cannot change the choice of 'weights'\n  at: command line (weights=normal)\n  why: the group is not in a defaults list\n  try: "
       "write net.init=normal"},
  });
  const TempTree files{{"exp/main.yaml", "defaults:\n  - /kernel: mine\n"}, {"configs/kernel/mine.yaml", "epsilon: 1\n"}};
  CHECK(error_of([] { compose_layers({}); }) ==
        "'configs/kernel/mine.yaml' does not say which kernel it configures\n  at: configs/kernel/mine.yaml:1:1\n  why: it has no 'name', "
        "and there is no kernel 'mine'\n  try: add 'name: ...'; registered: cosine, dot, yat");
}

TEST_CASE("layers skip overrides that do not apply but not typos") {
  const TempTree files(schema_tree(kYat));
  const auto with = [](const std::string& arm, const std::string& o) {
    return compose_layers({{"arm x", {arm}}, {"command line", {o}, true}});
  };
  const auto kept = with("kernel=yat", "kernel.epsilon=0.5");
  CHECK(kept.config.find_path("kernel.epsilon")->as_double() == 0.5);
  CHECK(kept.skipped.empty());
  const auto skipped = with("kernel=dot", "kernel.epsilon=0.5");
  CHECK(show(skipped.config.at("kernel")) == R"({"name": "dot"})");
  CHECK(skipped.skipped == std::vector<std::string>{"kernel.epsilon=0.5"});
  CHECK(with("net.init=uniform", "net.init.std=1").skipped == std::vector<std::string>{"net.init.std=1"});
  CHECK(with("kernel=dot", "second.epsilon=1").skipped == std::vector<std::string>{"second.epsilon=1"});
  CHECK(with("kernel=dot", "~kernel.epsilon").skipped == std::vector<std::string>{"~kernel.epsilon"});
  CHECK(with("kernel=dot", "weights=normal").skipped == std::vector<std::string>{"weights=normal"});
  // no kernel has such a parameter
  CHECK(error_of([&] { with("kernel=dot", "kernel.epsilom=0.5"); }) ==
        "cannot change 'kernel.epsilom'\n  at: command line (kernel.epsilom=0.5)\n"
        "  why: 'kernel' has no key 'epsilom' (it is 'dot')\n"
        "  try: did you mean 'kernel.epsilon'? (kernel 'cosine' has it)");
  CHECK(error_of([&] { with("kernel=dot", "trainer.epoch=1"); }).find("did you mean 'trainer.epochs'?") != std::string::npos);
  CHECK(error_of([&] { with("kernel=yat", "kernel.epsilon=-1"); }).find("must be > 0") != std::string::npos);
  // without the flag it is an error
  CHECK(error_of([] { compose_layers({{"arm x", {"kernel=dot", "kernel.epsilon=0.5"}}}); }).find("cannot change 'kernel.epsilon'") == 0);
}

TEST_CASE("changing a group's option drops values of the old option with a notice") {
  const auto composed = [](const std::string& primary, const std::vector<std::string>& overrides, const std::vector<File>& more = {}) {
    auto all = schema_tree(primary);
    all.insert(all.end(), more.begin(), more.end());
    const TempTree files(all);
    return compose_layers({{"command line", overrides}});
  };
  const std::string file = "defaults:\n  - /kernel: yat\n  - _self_\nkernel: {epsilon: 2, bias: after}\n";
  const auto dot = composed(file, {"kernel=dot"});
  CHECK(show(dot.config.at("kernel")) == R"({"name": "dot"})");
  CHECK(dot.warnings == std::vector<std::string>{"kernel=dot ignores what was set for a different kernel: kernel.epsilon=2 "
                                                 "(exp/main.yaml:4:19), kernel.bias=after (exp/main.yaml:4:28)"});
  // Values that the new choice also has stay, and so does everything if the choice is the same.
  const auto cosine = composed(file, {"kernel=cosine"});
  CHECK(show(cosine.config.at("kernel")) == R"({"name": "cosine", "epsilon": 2.0})");
  CHECK(cosine.warnings ==
        std::vector<std::string>{"kernel=cosine ignores what was set for a different kernel: kernel.bias=after (exp/main.yaml:4:28)"});
  CHECK(composed(file, {"kernel=yat"}).warnings.empty());
  CHECK(composed(file, {"kernel=yat_small"}).warnings.empty());
  CHECK(composed(kYat, {"kernel=dot"}).warnings.empty());
  // Values from the command line are never dropped.
  CHECK(error_of([&] { composed(file, {"kernel=dot", "kernel.epsilon=1"}); }).find("cannot change 'kernel.epsilon'") == 0);
  CHECK(error_of([&] { composed(file, {"kernel=dot", "+kernel.epsilon=1"}); }).find("unknown key 'kernel.epsilon'") == 0);
  // No kernel has it: a typing error.
  const std::string slip = "defaults:\n  - /kernel: yat\n  - _self_\nkernel: {epsilom: 2}\n";
  CHECK(error_of([&] { composed(slip, {"kernel=dot"}); }).find("unknown key 'kernel.epsilom'") == 0);
  // A file may also change the choice; the values that it sets are for its own choice.
  const std::string extends = "defaults:\n  - base\n  - override /kernel: dot\n  - _self_\n";
  const std::vector<File> base = {{"exp/base.yaml", file}};
  CHECK(composed(extends, {}, base).warnings ==
        std::vector<std::string>{"kernel=dot ignores what was set for a different kernel: kernel.epsilon=2 (exp/base.yaml:4:19), "
                                 "kernel.bias=after (exp/base.yaml:4:28)"});
  CHECK(error_of([&] { composed(extends + "kernel: {epsilon: 1}\n", {}, base); }).find("unknown key 'kernel.epsilon'") == 0);
  CHECK(show(composed(extends, {"kernel=yat"}, base).config.at("kernel")) == R"({"name": "yat", "epsilon": 2.0, "bias": "after"})");
}

TEST_CASE("a component may accept undeclared keys") {
  const TempTree files{{"exp/main.yaml", "voice: spoken\n"}};
  static const Schema root = Schema::of<VoiceRoot>();
  const auto with = [](const std::string& arm, const std::string& o) {
    return Composer({}, &root).compose("exp/main.yaml", {{"arm x", {arm}}, {"command line", {o}, true}});
  };
  CHECK(show(with("voice.loud=1", "voice.text=b").config.at("voice")) == R"({"name": "spoken", "text": "b", "numbers": {}, "loud": 1})");
  // A value for all arms reaches those whose text contains the word, or which have the key.
  for (const char* arm : {"voice.text='a + loud'", "voice.loud=1"}) {
    const auto reached = with(arm, "voice.loud=2");
    CHECK(reached.config.find_path("voice.loud")->as_int() == 2);
  }
  for (const char* text : {"a + louder", "a.loud", "loud_a"}) {
    const auto skipped = with("voice.text='" + std::string(text) + "'", "voice.loud=2");
    CHECK(skipped.skipped == std::vector<std::string>{"voice.loud=2"});
    CHECK(skipped.config.find_path("voice.loud") == nullptr);
  }
  CHECK(with("voice={name: silent}", "voice.loud=2").skipped == std::vector<std::string>{"voice.loud=2"});
  // A path into a scalar, a deletion and a component without such a key are errors.
  CHECK(error_of([&] { with("voice.loud.most=1", "voice.text=b"); }).find("cannot change 'voice.loud.most'") == 0);
  CHECK(error_of([&] { with("~voice.loud", "voice.text=b"); }).find("cannot delete 'voice.loud'") == 0);
  CHECK(error_of([&] { with("voice={name: silent, loud: 1}", "voice.text=b"); }).find("unknown key 'voice.loud'") == 0);
}

TEST_CASE("explain reports which layer set a value") {
  const TempTree files(schema_tree("defaults:\n  - /kernel: yat\n  - _self_\ntrainer:\n  epochs: 3\n"));
  const Composer composer({"configs"}, &root_schema());
  const auto c = composer.compose("exp/main.yaml", {{"scale smoke", {"trainer.epochs=1"}},
                                                    {"arm yat", {"kernel=ⵟ", "kernel.epsilon=0.5"}},
                                                    {"command line", {"trainer.epochs=2", "kernel.bias=after"}}});
  CHECK(composer.explain(c, "trainer.epochs") ==
        "trainer.epochs = 2\n  set by: command line (trainer.epochs=2)\n  replaced: 1 from scale smoke (trainer.epochs=1)\n"
        "  replaced: 3 from exp/main.yaml:5:11\n  type: integer > 0\n  meaning: passes over the data\n");
  CHECK(composer.explain(c, "trainer.lr") ==
        "trainer.lr = 0.001\n  set by: default of the experiment.trainer\n  type: float > 0\n  meaning: learning rate\n");
  CHECK(composer.explain(c, "kernel.epsilon") ==
        "kernel.epsilon = 0.5\n  set by: arm yat (kernel.epsilon=0.5)\n  chosen by: arm yat (kernel=ⵟ)\n"
        "  replaced: 0.001 from configs/kernel/yat.yaml:1:10\n  type: float > 0\n  meaning: added to the squared distance\n");
  CHECK(composer.explain(c, "kernel.bias") ==
        "kernel.bias = after\n  set by: command line (kernel.bias=after)\n  chosen by: arm yat (kernel=ⵟ)\n"
        "  replaced: inside from default of kernel/yat\n  type: one of inside, after\n  meaning: where the bias goes\n");
  CHECK(composer.explain(c, "kernel") ==
        "kernel = {name: yat, epsilon: 0.5, bias: after}\n  set by:\n    name: configs/kernel/yat.yaml:1:1\n"
        "    epsilon: arm yat (kernel.epsilon=0.5)\n    bias: command line (kernel.bias=after)\n"
        "  chosen by: arm yat (kernel=ⵟ)\n  type: kernel\n  meaning: the kernel under test\n");
  CHECK(composer.explain(c, "title") ==
        "title = untitled\n  set by: default of the experiment\n  type: string\n  meaning: shown above tables\n");
  CHECK(error_of([&] { composer.explain(c, "trainer.epoch"); }) ==
        "there is no key 'trainer.epoch'\n  try: did you mean 'trainer.epochs'?");
  CHECK(c.choices == std::vector<std::pair<std::string, std::string>>{{"kernel", "yat"}});
}

TEST_CASE("a composed config resolves to values of the declared types") {
  const TempTree files(
      schema_tree("trainer: {epochs: 7, lr: '${oc.decode:${oc.env:YATLAB_TEST_NO_SUCH,2}}', betas: [1, 0.5]}\n"
                  "title: run of ${trainer.epochs}\nsecond: ${kernel}\n"));
  const auto c = Composer({"configs"}, &root_schema()).compose("exp/main.yaml", {{"command line", {"kernel=cosine"}}});
  CHECK(c.config.at("second").is_interpolation());
  const Node resolved = resolve(c.config);
  CHECK(show(resolved.at("second")) == R"({"name": "cosine", "epsilon": 1e-08})");
  CHECK(show(resolved.at("title")) == R"("run of 7")");
  CHECK(show(resolved.at("trainer")) == R"({"epochs": 7, "lr": 2, "betas": [1.0, 0.5], "shuffle": true})");
}

TEST_CASE("a deleted nullable key is null whatever its default is") {
  struct Clipped {
    std::optional<double> clip = 1.0;
    static void declare(Fields& f, Clipped& p) { f.field("clip", p.clip, "norm to clip at; null: none"); }
  };
  const auto schema = Schema::of<Clipped>();
  const TempTree files{{"main.yaml", "{}\n"}};
  const auto c = Composer({}, &schema).compose("main.yaml", {{"command line", {"~clip"}}});
  CHECK(show(c.config) == R"({"clip": null})");
  CHECK(c.config.at("clip").origin().describe() == "command line (~clip)");
}

TEST_CASE("keys that hold dots are reached by their path") {
  const char* arms = "arms: {yat_0.01: [kernel=yat], dot: []}\n";
  check_schemas({
      {arms, {"arms.yat_0.01=[kernel=dot]"}, "arms", R"({"yat_0.01": ["kernel=dot"], "dot": []})"},
      {arms, {"arms.yat_0.01.0='kernel=dot'"}, "arms", R"({"yat_0.01": ["kernel=dot"], "dot": []})"},
      {arms, {"~arms.yat_0.01"}, "arms", R"({"dot": []})"},
      {arms, {"++arms.yat_0.01=[]"}, "arms", R"({"yat_0.01": [], "dot": []})"},
      {arms,
       {"~arms.yat_0.02"},
       "",
       "cannot delete 'arms.yat_0.02'\n  at: command line (~arms.yat_0.02)\n  why: 'arms' has no key 'yat_0'\n"
       "  try: did you mean 'arms.yat_0.01'?"},
  });
}

TEST_CASE("a mandatory value may be added") {
  check_schemas({{"trainer: {epochs: '?\?\?'}\n", {"+trainer.epochs=3"}, "trainer.epochs", "3"}});
}

TEST_CASE("options list files and components") {
  const TempTree files(schema_tree(kYat));
  const Composer composer({"configs"}, &root_schema());
  CHECK(composer.options("kernel") == std::vector<std::string>{"cosine", "dot", "yat", "yat_after", "yat_small"});
  CHECK(composer.options("nosuch").empty());
}

TEST_CASE("composition is deterministic") {
  const TempTree files(schema_tree(kYat));
  const Composer composer({"configs"}, &root_schema());
  const auto once = composer.compose("exp/main.yaml", {{"arm", {"net.init=uniform", "trainer.epochs=2"}}});
  const auto twice = composer.compose("exp/main.yaml", {{"arm", {"net.init=uniform", "trainer.epochs=2"}}});
  CHECK(show(once.config) == show(twice.config));
}

TEST_CASE("composing many jobs of an experiment is fast") {
  const TempTree files(
      schema_tree("defaults:\n  - /kernel: yat\n  - _self_\ntrainer: {epochs: 3}\narms: {a: [kernel=dot], b: [kernel=yat]}\n"));
  const Composer composer({"configs"}, &root_schema());
  constexpr int kJobs = 1000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kJobs; ++i) {
    const auto c = composer.compose("exp/main.yaml", {{"arm a", {"kernel=yat", "net.init=uniform"}},
                                                      {"point", {fmt::format("kernel.epsilon={}", 1 + i)}},
                                                      {"command line", {"trainer.epochs=2"}}});
    if (c.config.find_path("kernel.epsilon")->as_double() != 1 + i) FAIL("job " << i << " has the wrong value");
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  std::cout << fmt::format("{} compositions: {:.0f} microseconds each\n", kJobs, took.count() / kJobs);
}

TEST_CASE("a map that names another component replaces the present one whole") {
  const char* narrow = "net: {init: {name: normal, std: 0.1}}\n";
  check_schemas({
      {narrow, {"net.init={name: uniform, high: 2.0}"}, "net.init", R"({"name": "uniform", "high": 2.0, "low": 0.0})"},
      {narrow, {"net.init={name: normal}"}, "net.init", R"({"name": "normal", "std": 0.1})"},
      {narrow, {"net.init={std: 0.7}"}, "net.init", R"({"name": "normal", "std": 0.7})"},
      // the same between files: a network's own config, then the experiment's content
      {"defaults:\n  - /net: wide\n  - _self_\nnet: {init: {name: uniform}}\n",
       {},
       "net.init",
       R"({"name": "uniform", "low": 0.0, "high": 0.5})"},
      {"defaults:\n  - /net: wide\n  - _self_\nnet: {init: {std: 2.0}}\n", {}, "net.init", R"({"name": "normal", "std": 2.0})"},
  });
}
