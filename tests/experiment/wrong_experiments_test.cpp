// Invalid experiments, each refused in planning, with the error, its place and a remedy. Nothing is loaded or
// trained. A proposed override is applied and must help.
#include <algorithm>
#include <regex>

#include "catch.h"
#include "experiment/support.h"

namespace yatlab {
namespace {

using testing::kTiny;
using testing::Workspace;
using Strings = std::vector<std::string>;

const char* const kImageSet = kTiny;

const char* const kTexts = R"(name: tiny
defaults:
  - /dataset: generated_text
  - /architecture: gpt2
  - /size: nano
  - /task: language_modeling
  - _self_
dataset: {train_stories: 20, test_stories: 4, context: 32}
trainer: {epochs: 1}
seeds: [0]
trackers: []
arms: {gpt2: [operator=dot]}
)";

const char* const kLabelSet = R"(name: tiny
defaults:
  - /dataset: synthetic_xc
  - /architecture: label_prototypes
  - /task: multilabel
  - _self_
dataset: {train_size: 20, test_size: 10, features: 50, labels: 20}
trainer: {epochs: 1}
seeds: [0]
trackers: []
arms: {yat: [operator=yat]}
)";

const char* const kPlaneSet = R"(name: tiny
defaults:
  - /dataset: moons
  - /architecture: prototype_classifier
  - _self_
trainer: {epochs: 1}
seeds: [0]
trackers: []
arms: {yat: [operator=yat]}
)";

const char* const kStudied = R"(name: tiny
seeds: [0]
trackers: []
arms: {yat: [operator=yat]}
)";

const char* const kClaimed = R"(name: tiny
defaults:
  - /operator: yat
  - _self_
seeds: [0]
trackers: []
claims: [thm:mercer]
)";

struct Wrong {
  const char* base;
  std::string lines;  ///< added to the file
  Strings overrides;
  std::string what;    ///< contained in the first line
  std::string where;   ///< contained in the line "at:"
  std::string remedy;  ///< contained in the text: mostly in the line "try:"
  bool multirun = false;
};

std::vector<Wrong> all_wrong() {
  const std::string table = "tables: {t: {columns: [test/accuracy]}}\n";
  return {
      // ---- components that do not exist, parameters that they do not have ----
      {kImageSet, "", {"optimizer=adan"}, "adan", "command line", "did you mean 'adam'"},
      {kImageSet, "", {"arms.yat=['operator=yatt']"}, "yatt", "arm yat", "did you mean 'yat'"},
      {kImageSet, "", {"dataset=mnis"}, "mnis", "command line", "did you mean 'mnist'"},
      {kImageSet, "", {"schedule=cosin"}, "cosin", "command line", "did you mean 'cosine'"},
      {kImageSet, "", {"architecture=prototypes"}, "prototypes", "command line", "prototype_classifier"},
      {kImageSet, "", {"task=classify"}, "classify", "command line", "classification"},
      {kImageSet, "", {"launcher=kubernetes"}, "kubernetes", "command line", "local"},
      {kImageSet, "", {"sweeper=gird"}, "gird", "command line", "did you mean 'grid'"},
      {kImageSet, "", {"tracker=wandbb"}, "wandbb", "command line", "did you mean 'wandb'"},
      {kImageSet, "trackres: [console]\n", {}, "trackres", "~/tiny.yaml", "did you mean 'trackers'"},
      {kImageSet, "", {"trainer.epoch=3"}, "trainer.epoch", "command line", "did you mean 'trainer.epochs'"},
      {kImageSet, "", {"operator.epsilom=3"}, "operator.epsilom", "command line", "epsilon"},
      {kImageSet, "", {"optimizer.momentum=0.9"}, "optimizer.momentum", "command line", "sgd"},
      {kImageSet, "", {"architecture.init=nromal"}, "nromal", "command line", "did you mean 'normal'"},
      {kImageSet, "", {"analyses=[prototype_norm]"}, "prototype_norm", "command line", "did you mean 'prototype_norms'"},
      {kImageSet, "", {"analyses=[{name: prototype_inversion, spilt: test}]"}, "spilt", "command line", "did you mean"},
      // ---- values out of range or of the wrong type ----
      {kImageSet, "", {"trainer.epochs=0"}, "trainer.epochs", "command line", "> 0"},
      {kImageSet, "", {"trainer.batch_size=-1"}, "trainer.batch_size", "command line", "> 0"},
      {kImageSet, "", {"trainer.epochs=many"}, "trainer.epochs", "command line", "integer"},
      {kImageSet, "", {"trainer.shuffle=perhaps"}, "trainer.shuffle", "command line", "bool"},
      {kImageSet, "", {"operator.epsilon=-1"}, "epsilon", "command line", ""},
      {kImageSet, "", {"optimizer.lr=0"}, "optimizer.lr", "command line", "> 0"},
      {kImageSet, "", {"architecture.per_class=0"}, "architecture.per_class", "command line", ">= 1"},
      {kImageSet, "", {"architecture.combine=mean"}, "architecture.combine", "command line", "max"},
      {kImageSet, "", {"task.label_smoothing=1.5"}, "task.label_smoothing", "command line", "1"},
      {kImageSet, "", {"seeds=[]"}, "no seeds", "command line", "seeds"},
      {kImageSet, "", {"seeds=[0,0]"}, "twice", "command line", "remove one"},
      {kImageSet, "", {"seeds=[-1]"}, "negative", "command line", "seeds"},
      {kImageSet, "", {"trainer.checkpoint_seconds=0"}, "trainer.checkpoint_seconds", "command line", "> 0"},
      {kImageSet, "", {"launcher.workers=-2"}, "launcher.workers", "command line", ">= 0"},
      // ---- parameters that are incompatible: detected by constructing the component ----
      {kImageSet,
       "",
       {"architecture.init={name: uniform, low: 1, high: 0}"},
       "uniform needs low <= high",
       "architecture.init",
       "low is 1.0, high is 0.0"},
      {kTexts, "", {"architecture.heads=7"}, "is not divisible by 7 heads", "command line (architecture.heads=7)", "multiple of heads"},
      {kPlaneSet, "", {"dataset.shift=[1, 2, 3]"}, "must have two coordinates", "command line (dataset.shift=[1, 2, 3])", ""},
      {kPlaneSet, "", {"analyses=[{name: prototype_similarity, pair: [0, 1, 2]}]"}, "must name two classes", "command line", ""},
      {kPlaneSet, "", {"analyses=[{name: response_table, weight: [1, 2, 3]}]"}, "differ in length", "command line", ""},
      {kStudied, "studies: [{name: epsilon_shape, from: 2, to: 1}]\n", {}, "must be below", "tiny.yaml", ""},
      {kStudied, "studies: [{name: ray_response, radius_min: 2, radius_max: 1}]\n", {}, "must be below", "tiny.yaml", ""},
      {kStudied, "studies: [{name: decision_regions, prototypes: [[1, 2, 3], [1, 2]]}]\n", {}, "is not a pair", "tiny.yaml", ""},
      {kStudied, "studies: [{name: response_field, weight: [1]}]\n", {}, "must have two coordinates", "tiny.yaml", ""},
      // ---- an arm that cannot work as a whole ----
      {kImageSet, "", {"~architecture"}, "has no architecture", "", "architecture"},
      {kImageSet, "", {"~dataset"}, "'dataset' has no 'name'", "~/tiny.yaml:6", "yatlab list dataset"},
      {kImageSet, "", {"arms.linear=[]"}, "needs an operator", "arm 'linear'", "operator=yat"},
      {kImageSet,
       "",
       {"normalizer=softermax"},
       "normalizer 'softermax' does not support the scores of operator 'dot'",
       "command line",
       "softmax"},
      {kImageSet, "", {"arms.linear=['operator=dot', 'normalizer=softermax']"}, "arm 'linear'", "arm linear", "softmax"},
      {kImageSet, "", {"~arms.linear", "normalizer=soft_sigmoid"}, "weights that sum to 1", "arm 'yat'", "normalizer=softmax"},
      {kImageSet, "", {"~arms.linear", "normalizer=soft_tanh"}, "weights that sum to 1", "arm 'yat'", "normalizer=softmax"},
      {kImageSet,
       "",
       {"~arms.linear", "normalizer=softermax", "architecture.scale=multiply"},
       "can be negative",
       "command line",
       "normalizer=softmax"},
      {kImageSet, "", {"architecture=single_unit"}, "needs two classes", "arm 'linear'", "dataset=xor"},
      {kImageSet, "", {"task=multilabel"}, "several labels per sample", "arm 'linear'", "task=classification"},
      {kImageSet, "", {"task=language_modeling"}, "needs a data set of text", "arm 'linear'", "task=classification"},
      {kImageSet, "", {"architecture=gpt2"}, "", "arm 'linear'", ""},
      {kTexts, "", {"task=classification"}, "one class for each sample", "arm 'gpt2'", "task=language_modeling"},
      {kTexts, "", {"architecture=mlp"}, "needs a model that predicts tokens", "arm 'gpt2'", "architecture=gpt2"},
      {kTexts, "", {"architecture=mlp", "~size"}, "needs a model that predicts tokens", "arm 'gpt2'", "architecture=gpt2"},
      {kTexts, "", {"dataset.context=5000"}, "do not fit a context", "size/nano.yaml:6:10", "architecture.context=5000"},
      {kTexts, "", {"architecture.attention.normalizer=softermax"}, "cannot be used with this operator's scores", "arm 'gpt2'", "softmax"},
      {kTexts, "", {"arms.gpt2=[]"}, "needs an operator", "arm 'gpt2'", "operator=dot"},
      {kLabelSet, "", {"task=classification"}, "one class for each sample", "arm 'yat'", "task=multilabel"},
      {kLabelSet,
       "",
       {"arms.yat=['operator=dot']", "architecture.logits=log"},
       "never negative",
       "architecture.logits",
       "architecture.logits=raw"},
      {kLabelSet, "", {"normalizer=soft_sigmoid"}, "sum to 1 over the labels", "arm 'yat'", "normalizer"},
      {kLabelSet, "", {"task.loss=one_vs_all", "normalizer=softermax"}, "maps each score separately", "arm 'yat'", "soft_sigmoid"},
      {kLabelSet, "", {"normalizer=softermax", "task.block=8"}, "task.block works for", "task.block", "normalizer=null"},
      {kLabelSet, "", {"trainer.device=cuda", "optimizer.lazy=true"}, "needs trainer.device=cpu", "optimizer.lazy", "optimizer.lazy=false"},
      {kLabelSet,
       "",
       {"trainer.device=cuda", "architecture=nearest_neighbours"},
       "works on the CPU only",
       "trainer.device",
       "trainer.device=cpu"},
      {kLabelSet,
       "",
       {"+arms.two=['operator=yat', 'operator.epsilon=0.5', 'trainer.device=cuda', 'optimizer.lazy=true']"},
       "needs trainer.device=cpu",
       "arm 'two'",
       "optimizer.lazy=false"},
      // ---- devices ----
      {kImageSet, "", {"trainer.device=gpu"}, "'gpu' is not a device", "command line (trainer.device=gpu)", "cuda:0"},
      {kImageSet, "", {"trainer.device=cuda:x"}, "is not a device", "command line", "cuda:0"},
      {kImageSet, "arms: {}\n", {}, "cannot read", "~/tiny.yaml:14:1", "given twice"},
      {kPlaneSet, "", {"trainer.device=''"}, "is not a device", "command line", "cpu"},
      // ---- analyses that the arm cannot serve ----
      {kImageSet,
       "",
       {"architecture=mlp", "analyses=[prototype_norms]"},
       "'prototype_norms' needs an architecture with prototypes",
       "arm 'linear'",
       "architecture=prototype_classifier"},
      {kImageSet,
       "",
       {"architecture=mlp", "analyses=[prototype_inversion]"},
       "'prototype_inversion' needs an architecture with prototypes",
       "arm 'linear'",
       "architecture=prototype_classifier"},
      {kImageSet,
       "",
       {"architecture=mlp", "analyses=[prototype_images]"},
       "'prototype_images' needs an architecture with prototypes",
       "arm 'linear'",
       "architecture=prototype_classifier"},
      {kImageSet,
       "",
       {"architecture=mlp", "analyses=[prototype_similarity]"},
       "'prototype_similarity' needs an architecture with prototypes",
       "arm 'linear'",
       "architecture=prototype_classifier"},
      {kImageSet, "", {"analyses=[{name: prototype_similarity, operators: [yatt]}]"}, "yatt", "arm 'linear'", "did you mean 'yat'"},
      {kImageSet,
       "",
       {"analyses=[{name: prototype_inversion, split: validation}]"},
       "no split 'validation'",
       "arm 'linear'",
       "dataset.validation=0.1"},
      {kImageSet,
       "",
       {"analyses=[{name: calibration, temperature: validation}]"},
       "no split 'validation'",
       "arm 'linear'",
       "dataset.validation=0.1"},
      {kTexts, "", {"analyses=[{name: calibration, temperature: test}]"}, "for classifiers only", "arm 'gpt2'", "remove 'temperature'"},
      {kImageSet,
       "",
       {"analyses=[{name: out_of_distribution, dataset: moons}]"},
       "samples of 'moons' have shape [2], the arm's have [28, 28]",
       "arm 'linear'",
       "write dataset: mnist"},
      {kImageSet, "", {"analyses=[{name: out_of_distribution, dataset: mnst}]"}, "mnst", "", "did you mean 'mnist'"},
      {kImageSet,
       "",
       {"analyses=[{name: out_of_distribution, dataset: mnist, split: tset}]"},
       "'mnist' has no split 'tset'",
       "arm 'linear'",
       "it has train, test"},
      {kImageSet, "", {"analyses=[activation_statistics]"}, "needs a model that predicts tokens", "arm 'linear'", "remove it"},
      {kImageSet, "", {"analyses=[decision_map]"}, "needs inputs of two numbers", "arm 'linear'", "dataset=moons"},
      {kTexts, "", {"analyses=[{name: calibration, split: validation}]"}, "no split 'validation'", "arm 'gpt2'", ""},
      {kTexts, "", {"analyses=[{name: step_memory, split: tset}]"}, "no split 'tset'", "arm 'gpt2'", "did you mean 'test'"},
      {kTexts, "", {"analyses=[prototype_norms]"}, "needs an architecture with prototypes", "arm 'gpt2'", "remove the analysis"},
      {kImageSet, "", {"analyses=[prototype_norms, prototype_norms]"}, "already exists", "arm 'linear'", "remove one of them"},
      {kStudied, "studies: [ntk_spectrum]\n", {}, "needs a model", "arm 'yat'", "architecture=one_hidden_layer"},
      {kStudied, "studies: [squashing]\n", {}, "needs a normalizer", "arm 'yat'", "normalizer=softermax"},
      {kStudied, "studies: [ray_response]\n", {"arms.yat=[]"}, "needs an operator", "arm 'yat'", "operator=yat"},
      {kStudied,
       "studies: [response_field, {name: response_field, weight: [2, 0]}]\n",
       {},
       "already exists",
       "arm 'yat'",
       "parameter 'artifact'"},
      {kStudied, "studies: [rays]\n", {}, "rays", "tiny.yaml", "ray_response"},
      {kStudied,
       "studies: [ray_response]\n",
       {"+dataset=moons", "+architecture=prototype_classifier"},
       "both a dataset and studies",
       "",
       "analyses"},
      {kClaimed, "", {"claims=[thm:mercr]"}, "thm:mercr", "command line", "did you mean 'thm:mercer'"},
      {kClaimed, "", {"claims=some"}, "neither a list nor all", "command line", "all"},
      {kClaimed, "", {"~operator"}, "has no operator", "", "operator"},
      {kClaimed, "", {"effort=0"}, "effort", "command line", "in (0, 1000]"},
      // ---- rules of stopping ----
      {kImageSet,
       "",
       {"trainer.early_stopping.metric=validation/accuracy"},
       "no evaluation measures 'validation/accuracy'",
       "command line",
       "dataset.validation=0.1"},
      {kImageSet,
       "",
       {"trainer.early_stopping.metric=test/acuracy"},
       "no evaluation measures 'test/acuracy'",
       "command line",
       "did you mean 'test/accuracy'"},
      {kImageSet,
       "",
       {"trainer.early_stopping.metric=test/loss"},
       "lower values of 'test/loss' are better",
       "command line",
       "trainer.early_stopping.better=lower"},
      {kImageSet,
       "",
       {"trainer.target.metric=train/accuracy"},
       "no evaluation measures 'train/accuracy'",
       "command line",
       "trainer.eval_train=true"},
      {kImageSet,
       "",
       {"trainer.target.metric=train/loss"},
       "lower values of 'train/loss' are better",
       "command line",
       "trainer.target.at_most=0.1"},
      {kLabelSet, "", {"trainer.early_stopping.metric=test/accuracy"}, "no evaluation measures", "command line", "test/P@1"},
      // ---- tables, comparisons, numbers of the paper, figures ----
      {kImageSet,
       "tables: {t: {columns: [test/acuracy]}}\n",
       {},
       "no arm produces the metric 'test/acuracy'",
       "~/tiny.yaml:14:24",
       "did you mean 'test/accuracy'"},
      {kImageSet,
       "tables: {t: {columns: [test/loss, test/accuracy, test/acuracy]}}\n",
       {},
       "no arm produces the metric 'test/acuracy'",
       "~/tiny.yaml:14:50",
       "did you mean 'test/accuracy'"},
      {kImageSet,
       "tables: {t: {columns: [{metric: inverted/accuracy, header: x}]}}\n",
       {},
       "inverted/accuracy",
       "~/tiny.yaml:14",
       "stay empty"},
      {kImageSet, "tables: {t: {columns: [train/accuracy]}}\n", {}, "train/accuracy", "~/tiny.yaml:14", "test/accuracy"},
      {kImageSet, "tables: {t: {columns: [train/lr]}}\n", {}, "train/lr", "~/tiny.yaml:14", ""},
      {kImageSet,
       "tables: {t: {columns: [test/accuracy], compare: {metric: test/los, baseline: linear}}}\n",
       {},
       "test/los",
       "~/tiny.yaml:14",
       "did you mean 'test/loss'"},
      {kImageSet,
       "tables: {t: {columns: [test/accuracy], compare: {metric: test/loss, baseline: liner}}}\n",
       {},
       "refers to an unknown arm",
       "~/tiny.yaml:14",
       "did you mean 'linear'"},
      {kImageSet,
       "tables: {t: {columns: [test/accuracy], arms: [yta]}}\n",
       {},
       "refers to an unknown arm",
       "~/tiny.yaml:14",
       "did you mean 'yat'"},
      {kImageSet, "tables: {t: {colums: [test/accuracy]}}\n", {}, "colums", "~/tiny.yaml:14", "did you mean 'columns'"},
      {kImageSet, "tables: {t: {columns: []}}\n", {}, "has no columns", "~/tiny.yaml:14", "test/accuracy"},
      {kImageSet,
       "tables: {t: {columns: [{metric: test/accuracy, format: per_cent}]}}\n",
       {},
       "per_cent",
       "~/tiny.yaml:14",
       "did you mean 'percent'"},
      {kImageSet,
       table + "paper: {yat: {test/acc: 0.9}, tolerance: {test/acc: 0.1}}\n",
       {},
       "test/acc",
       "~/tiny.yaml:15",
       "did you mean 'test/accuracy'"},
      {kImageSet, table + "paper: {yat: {test/accuracy: 0.9}}\n", {}, "has no tolerance", "~/tiny.yaml:15", "paper.tolerance"},
      {kImageSet,
       table + "paper: {yta: {test/accuracy: 0.9}, tolerance: {test/accuracy: 0.1}}\n",
       {},
       "refers to an unknown arm",
       "~/tiny.yaml:15",
       "did you mean 'yat'"},
      {kImageSet, "labels: {lineal: Linear}\n", {}, "refers to an unknown arm", "~/tiny.yaml:14", "did you mean 'linear'"},
      {kImageSet, "figures: {f: {plot: learning_curve}}\n", {}, "learning_curve", "~/tiny.yaml:14", "did you mean 'learning_curves'"},
      {kImageSet,
       "figures: {f: {plot: learning_curves, metrics: [test/los]}}\n",
       {},
       "test/los",
       "~/tiny.yaml:14",
       "did you mean 'test/loss'"},
      {kImageSet,
       "figures: {f: {plot: learning_curves, metrics: [train/gradient_norm]}}\n",
       {},
       "train/gradient_norm",
       "~/tiny.yaml:14",
       ""},
      {kImageSet,
       "figures: {f: {plot: learning_curves, metrics: [test/loss], arms: [yta]}}\n",
       {},
       "refers to an unknown arm",
       "~/tiny.yaml:14",
       "did you mean 'yat'"},
      {kImageSet,
       "figures: {f: {plot: prototypes}}\n",
       {},
       "no arm produces the artifact 'prototypes'",
       "~/tiny.yaml:14",
       "no artifacts at all"},
      {kImageSet,
       "figures: {f: {plot: sweep_lines, x: optimizer.lr, metrics: [test/acc]}}\n",
       {},
       "test/acc",
       "~/tiny.yaml:14",
       "did you mean 'test/accuracy'"},
      {kImageSet, "figures: {f: {plot: reliability}}\n", {}, "artifact 'calibration'", "~/tiny.yaml:14", ""},
      {kImageSet, "figures: {f: {caption: x}}\n", {}, "has no 'plot'", "~/tiny.yaml:14", "yatlab list figure"},
      {kStudied,
       "studies: [ray_response]\nfigures: {f: {plot: rays, artifact: ray_respons}}\n",
       {},
       "artifact 'ray_respons'",
       "~/tiny.yaml:6",
       "did you mean 'ray_response'"},
      {kClaimed, "tables: {t: {columns: [test/accuracy]}}\n", {}, "test/accuracy", "~/tiny.yaml:8", "checks"},
      // ---- trackers ----
      {kImageSet, "", {"tracker=wandb", "tracker.mode=sometimes"}, "'sometimes' is not a W&B mode", "tracker.mode", "offline"},
  };
}

/// The part of an error's text that begins with `label`, up to the next one.
std::string part(const std::string& text, const std::string& label) {
  const auto begin = text.find("\n  " + label + ": ");
  if (begin == std::string::npos) return {};
  const auto end = text.find("\n  ", begin + 1);
  return text.substr(begin + 5 + label.size(), end == std::string::npos ? end : end - begin - 5 - label.size());
}

}  // namespace

TEST_CASE("a hundred invalid experiments are rejected when planned", "[check][wrong]") {
  const auto all = all_wrong();
  CHECK(all.size() >= 100);
  for (const auto& wrong : all) {
    const Workspace w(wrong.base + wrong.lines);
    const auto error = w.error(wrong.overrides, wrong.multirun);
    INFO(wrong.lines << (wrong.overrides.empty() ? "" : wrong.overrides.back()) << "\n" << error);
    CHECK(error != "no error");
    CHECK(error.find("not a config error") == std::string::npos);
    CHECK(error.substr(0, error.find('\n')).find(wrong.what) != std::string::npos);
    if (!wrong.where.empty()) CHECK(part(error, "at").find(wrong.where) != std::string::npos);
    CHECK(error.find(wrong.remedy) != std::string::npos);
    // The message must help the user.
    CHECK(!(part(error, "why") + part(error, "try")).empty());
  }
}

TEST_CASE("no error suggests a key that the data set lacks", "[check][wrong]") {
  for (const auto* base : {kTexts, kPlaneSet}) {
    for (const Strings& overrides : {Strings{"trainer.early_stopping.metric=validation/loss", "trainer.early_stopping.better=lower"},
                                     Strings{"analyses=[{name: step_memory, split: validation}]"}}) {
      const auto error = Workspace(base).error(overrides);
      INFO(error);
      CHECK(error.find("validation") != std::string::npos);
      CHECK(error.find("dataset.validation") == std::string::npos);
    }
  }
}

TEST_CASE("suggestions in errors of planning work", "[check][wrong]") {
  struct Case {
    const char* base;
    Strings overrides;
  };
  const std::vector<Case> cases = {
      {kImageSet, {"trainer.early_stopping.metric=validation/accuracy"}},
      {kImageSet, {"trainer.early_stopping.metric=test/loss"}},
      {kImageSet, {"trainer.target.metric=train/accuracy"}},
      {kImageSet, {"trainer.target.metric=train/loss"}},
      {kImageSet, {"analyses=[{name: prototype_inversion, split: validation}]"}},
      {kImageSet, {"architecture=mlp", "analyses=[prototype_norms]"}},
      {kTexts, {"dataset.context=5000"}},
      {kTexts, {"architecture=mlp", "~size"}},
      {kLabelSet, {"trainer.device=cuda", "optimizer.lazy=true"}},
      {kLabelSet, {"arms.yat=['operator=dot']", "architecture.logits=log"}},
  };
  for (const auto& c : cases) {
    const Workspace w(c.base);
    const auto error = w.error(c.overrides);
    INFO(error);
    std::smatch found;
    const auto hint = part(error, "try");
    REQUIRE(std::regex_search(hint, found, std::regex(R"(([a-z_]+(\.[a-z_]+)*)=([A-Za-z0-9_.]+[A-Za-z0-9]))")));
    Strings mended = c.overrides;
    const std::string key = found[1];
    mended.erase(std::remove_if(mended.begin(), mended.end(), [&](const std::string& o) { return o.rfind(key + "=", 0) == 0; }),
                 mended.end());
    mended.push_back(found[0]);
    if (key == "architecture" && mended.front() == "~size") mended.front() = "size=nano";
    INFO("tried: " << found[0]);
    CHECK(w.error(mended) == "no error");
  }
}

TEST_CASE("a table that only this run's overrides leave empty is a notice", "[check]") {
  const Workspace w(std::string(kImageSet) +
                    "analyses: [prototype_norms]\ntables: {t: {columns: [prototypes/norm_change, test/accuracy]}}\n"
                    "figures: {f: {plot: learning_curves, metrics: [test/loss]}}\n");
  CHECK(w.plan().notices.empty());
  CHECK(w.plan({"analyses=[]"}).notices == Strings{"tables.t.columns: nothing in this run produces prototypes/norm_change"});
  // Errors of the file itself remain errors, whatever is overridden.
  CHECK(Workspace(std::string(kImageSet) + "tables: {t: {columns: [test/acc]}}\n")
            .error({"trainer.epochs=1"})
            .find("no arm produces the metric 'test/acc'") != std::string::npos);
}

TEST_CASE("the valid base of each invalid experiment is planned", "[check]") {
  for (const auto* base : {kImageSet, kTexts, kLabelSet, kPlaneSet, kClaimed}) CHECK(Workspace(base).error() == "no error");
  CHECK(Workspace(std::string(kStudied) + "studies: [ray_response]\n").error() == "no error");
}

}  // namespace yatlab
