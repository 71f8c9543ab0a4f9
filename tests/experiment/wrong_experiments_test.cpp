// Experiments that cannot work, each refused when it is planned: with what is wrong, where it stands and what to do. Nothing is loaded or
// trained. What is proposed as an override is taken and must help.
#include <algorithm>
#include <regex>

#include "catch.h"
#include "experiment/support.h"

namespace yatlab {
namespace {

using testing::kTiny;
using testing::Workspace;
using Strings = std::vector<std::string>;

const char* const kImages = kTiny;

const char* const kText = R"(name: tiny
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

const char* const kLabels = R"(name: tiny
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

const char* const kPlane = R"(name: tiny
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
  std::string what;   ///< in the first line
  std::string where;  ///< in the line "at:"
  std::string remedy; ///< in the lines "why:" and "try:"
  bool multirun = false;
};

std::vector<Wrong> all_wrong() {
  const std::string table = "tables: {t: {columns: [test/accuracy]}}\n";
  return {
      // ---- components that are not there, parameters that they do not have ----
      {kImages, "", {"optimizer=adan"}, "adan", "command line", "did you mean 'adam'"},
      {kImages, "", {"arms.yat=['operator=yatt']"}, "yatt", "arm yat", "did you mean 'yat'"},
      {kImages, "", {"dataset=mnis"}, "mnis", "command line", "did you mean 'mnist'"},
      {kImages, "", {"schedule=cosin"}, "cosin", "command line", "did you mean 'cosine'"},
      {kImages, "", {"architecture=prototypes"}, "prototypes", "command line", "'prototype_classifier'"},
      {kImages, "", {"task=classify"}, "classify", "command line", "'classification'"},
      {kImages, "", {"launcher=slurm"}, "slurm", "command line", "local"},
      {kImages, "", {"sweeper=gird"}, "gird", "command line", "did you mean 'grid'"},
      {kImages, "", {"tracker=wandbb"}, "wandbb", "command line", "did you mean 'wandb'"},
      {kImages, "trackres: [console]\n", {}, "trackres", "~/tiny.yaml", "did you mean 'trackers'"},
      {kImages, "", {"trainer.epoch=3"}, "trainer.epoch", "command line", "did you mean 'trainer.epochs'"},
      {kImages, "", {"operator.epsilom=3"}, "operator.epsilom", "command line", "epsilon"},
      {kImages, "", {"optimizer.momentum=0.9"}, "optimizer.momentum", "command line", "sgd"},
      {kImages, "", {"architecture.init=nromal"}, "nromal", "command line", "did you mean 'normal'"},
      {kImages, "", {"analyses=[prototype_norm]"}, "prototype_norm", "command line", "did you mean 'prototype_norms'"},
      {kImages, "", {"analyses=[{name: prototype_inversion, spilt: test}]"}, "spilt", "command line", "did you mean"},
      // ---- values out of range or of the wrong type ----
      {kImages, "", {"trainer.epochs=0"}, "trainer.epochs", "command line", "> 0"},
      {kImages, "", {"trainer.batch_size=-1"}, "trainer.batch_size", "command line", "> 0"},
      {kImages, "", {"trainer.epochs=many"}, "trainer.epochs", "command line", "integer"},
      {kImages, "", {"trainer.shuffle=perhaps"}, "trainer.shuffle", "command line", "bool"},
      {kImages, "", {"operator.epsilon=-1"}, "epsilon", "command line", ""},
      {kImages, "", {"optimizer.lr=0"}, "optimizer.lr", "command line", "> 0"},
      {kImages, "", {"architecture.per_class=0"}, "architecture.per_class", "command line", ">= 1"},
      {kImages, "", {"architecture.combine=mean"}, "architecture.combine", "command line", "max"},
      {kImages, "", {"task.label_smoothing=1.5"}, "task.label_smoothing", "command line", "1"},
      {kImages, "", {"seeds=[]"}, "no seeds", "command line", "seeds"},
      {kImages, "", {"seeds=[0,0]"}, "twice", "command line", "drop one"},
      {kImages, "", {"seeds=[-1]"}, "negative", "command line", "seeds"},
      {kImages, "", {"trainer.checkpoint_seconds=0"}, "trainer.checkpoint_seconds", "command line", "> 0"},
      {kImages, "", {"launcher.workers=-2"}, "launcher.workers", "command line", ">= 0"},
      // ---- parameters that do not fit together: seen by constructing the component ----
      {kImages, "", {"architecture.init={name: uniform, low: 1, high: 0}"}, "uniform needs low <= high", "architecture.init", "low is 1.0, high is 0.0"},
      {kText, "", {"architecture.heads=7"}, "cannot be shared by 7 heads", "architecture.heads", "multiple of heads"},
      {kPlane, "", {"dataset.shift=[1, 2, 3]"}, "must have two coordinates", "dataset.shift", ""},
      {kPlane, "", {"analyses=[{name: prototype_similarity, pair: [0, 1, 2]}]"}, "must name two classes", "command line", ""},
      {kPlane, "", {"analyses=[{name: response_table, weight: [1, 2, 3]}]"}, "differ in length", "command line", ""},
      {kStudied, "studies: [{name: epsilon_shape, from: 2, to: 1}]\n", {}, "must be below", "tiny.yaml", ""},
      {kStudied, "studies: [{name: ray_response, radius_min: 2, radius_max: 1}]\n", {}, "must be below", "tiny.yaml", ""},
      {kStudied, "studies: [{name: decision_regions, prototypes: [[1, 2, 3], [1, 2]]}]\n", {}, "is no pair", "tiny.yaml", ""},
      {kStudied, "studies: [{name: response_field, weight: [1]}]\n", {}, "must have two coordinates", "tiny.yaml", ""},
      // ---- an arm that cannot work as a whole ----
      {kImages, "", {"~architecture"}, "has no architecture", "", "architecture"},
      {kImages, "", {"~dataset"}, "has no dataset", "", "dataset"},
      {kImages, "arms: {}\n", {}, "given twice", "tiny.yaml", ""},
      {kImages, "", {"arms.linear=[]"}, "needs an operator", "arm 'linear'", "operator=yat"},
      {kImages, "", {"normalizer=softermax"}, "normalizer 'softermax' cannot take the scores of operator 'dot'", "command line", "softmax"},
      {kImages, "", {"arms.linear=['operator=dot', 'normalizer=softermax']"}, "arm 'linear'", "arm linear", "softmax"},
      {kImages, "", {"~arms.linear", "normalizer=soft_sigmoid"}, "weights that sum to 1", "arm 'yat'", "normalizer=softmax"},
      {kImages, "", {"~arms.linear", "normalizer=soft_tanh"}, "weights that sum to 1", "arm 'yat'", "normalizer=softmax"},
      {kImages, "", {"~arms.linear", "normalizer=softermax", "architecture.scale=multiply"}, "can be negative", "command line", "normalizer=softmax"},
      {kImages, "", {"architecture=single_unit"}, "tells two classes apart", "arm 'linear'", "dataset=xor"},
      {kImages, "", {"task=multilabel"}, "several labels a sample", "arm 'linear'", "task=classification"},
      {kImages, "", {"task=language_modeling"}, "needs a data set of text", "arm 'linear'", "task=classification"},
      {kImages, "", {"architecture=gpt2"}, "", "arm 'linear'", ""},
      {kText, "", {"task=classification"}, "one class for each sample", "arm 'gpt2'", "task=language_modeling"},
      {kText, "", {"architecture=mlp"}, "needs a model that predicts tokens", "arm 'gpt2'", "architecture=gpt2"},
      {kText, "", {"dataset.context=5000"}, "do not fit a context", "architecture.context", "architecture.context=5000"},
      {kText, "", {"architecture.attention.normalizer=softermax"}, "cannot take this operator's scores", "arm 'gpt2'", "softmax"},
      {kText, "", {"arms.gpt2=[]"}, "needs an operator", "arm 'gpt2'", "operator=dot"},
      {kLabels, "", {"task=classification"}, "one class for each sample", "arm 'yat'", "task=multilabel"},
      {kLabels, "", {"arms.yat=['operator=dot']", "architecture.logits=log"}, "never negative", "architecture.logits", "architecture.logits=raw"},
      {kLabels, "", {"normalizer=soft_sigmoid"}, "sum to 1 over the labels", "arm 'yat'", "normalizer"},
      {kLabels, "", {"task.loss=one_vs_all", "normalizer=softermax"}, "works on each score alone", "arm 'yat'", "soft_sigmoid"},
      {kLabels, "", {"normalizer=softermax", "task.block=8"}, "task.block works for", "task.block", "normalizer=null"},
      {kLabels, "", {"trainer.device=cuda"}, "works on the CPU only", "trainer.device", "trainer.device=cpu"},
      // ---- devices ----
      {kImages, "", {"trainer.device=gpu"}, "'gpu' is not a device", "command line (trainer.device=gpu)", "cuda:0"},
      {kImages, "", {"trainer.device=cuda:x"}, "is not a device", "command line", "cuda:0"},
      {kImages, "trainer: {device: tpu}\n", {}, "given twice", "tiny.yaml", ""},
      {kPlane, "", {"trainer.device=''"}, "is not a device", "command line", "cpu"},
      // ---- analyses that the arm cannot serve ----
      {kImages, "", {"architecture=mlp", "analyses=[prototype_norms]"}, "'prototype_norms' needs an architecture with prototypes", "arm 'linear'", "architecture=prototype_classifier"},
      {kImages, "", {"architecture=mlp", "analyses=[prototype_inversion]"}, "'prototype_inversion' needs an architecture with prototypes", "arm 'linear'", "architecture=prototype_classifier"},
      {kImages, "", {"architecture=mlp", "analyses=[prototype_images]"}, "'prototype_images' needs an architecture with prototypes", "arm 'linear'", "architecture=prototype_classifier"},
      {kImages, "", {"architecture=mlp", "analyses=[prototype_similarity]"}, "'prototype_similarity' needs an architecture with prototypes", "arm 'linear'", "architecture=prototype_classifier"},
      {kImages, "", {"analyses=[{name: prototype_similarity, operators: [yatt]}]"}, "yatt", "arm 'linear'", "did you mean 'yat'"},
      {kImages, "", {"analyses=[{name: prototype_inversion, split: validation}]"}, "no split 'validation'", "arm 'linear'", "dataset.validation=0.1"},
      {kImages, "", {"analyses=[calibration]"}, "needs a model that predicts tokens", "arm 'linear'", "take it out"},
      {kImages, "", {"analyses=[activation_statistics]"}, "needs a model that predicts tokens", "arm 'linear'", "take it out"},
      {kImages, "", {"analyses=[decision_map]"}, "needs inputs of two numbers", "arm 'linear'", "dataset=moons"},
      {kText, "", {"analyses=[{name: calibration, split: validation}]"}, "no split 'validation'", "arm 'gpt2'", ""},
      {kText, "", {"analyses=[{name: step_memory, split: tset}]"}, "no split 'tset'", "arm 'gpt2'", "did you mean 'test'"},
      {kText, "", {"analyses=[prototype_norms]"}, "needs an architecture with prototypes", "arm 'gpt2'", "take the analysis out"},
      {kImages, "", {"analyses=[prototype_norms, prototype_norms]"}, "is there already", "arm 'linear'", "take one of them out"},
      {kStudied, "studies: [ntk_spectrum]\n", {}, "needs a model", "arm 'yat'", "architecture=one_hidden_layer"},
      {kStudied, "studies: [squashing]\n", {}, "needs a normalizer", "arm 'yat'", "normalizer=softermax"},
      {kStudied, "studies: [ray_response]\n", {"arms.yat=[]"}, "needs an operator", "arm 'yat'", "operator=yat"},
      {kStudied, "studies: [response_field, {name: response_field, weight: [2, 0]}]\n", {}, "is there already", "arm 'yat'", "artifact="},
      {kStudied, "studies: [rays]\n", {}, "rays", "tiny.yaml", "ray_response"},
      {kStudied, "studies: [ray_response]\n", {"+dataset=moons", "+architecture=prototype_classifier"}, "both a dataset and studies", "", "analyses"},
      {kClaimed, "", {"claims=[thm:mercr]"}, "thm:mercr", "command line", "did you mean 'thm:mercer'"},
      {kClaimed, "", {"claims=some"}, "neither a list nor all", "command line", "all"},
      {kClaimed, "", {"~operator"}, "has no operator", "", "operator"},
      {kClaimed, "", {"effort=0"}, "effort", "command line", "> 0"},
      // ---- rules of stopping ----
      {kImages, "", {"trainer.early_stopping.metric=validation/accuracy"}, "no evaluation measures 'validation/accuracy'", "command line", "dataset.validation=0.1"},
      {kImages, "", {"trainer.early_stopping.metric=test/acuracy"}, "no evaluation measures 'test/acuracy'", "command line", "did you mean 'test/accuracy'"},
      {kImages, "", {"trainer.early_stopping.metric=test/loss"}, "lower values are better", "command line", "trainer.early_stopping.better=lower"},
      {kImages, "", {"trainer.target.metric=train/accuracy"}, "no evaluation measures 'train/accuracy'", "command line", "trainer.eval_train=true"},
      {kImages, "", {"trainer.target.metric=train/loss"}, "lower values are better", "command line", "trainer.target.at_most=0.1"},
      {kLabels, "", {"trainer.early_stopping.metric=test/accuracy"}, "no evaluation measures", "command line", "test/P@1"},
      // ---- tables, comparisons, numbers of the paper, figures ----
      {kImages, "tables: {t: {columns: [test/acuracy]}}\n", {}, "no arm makes the metric 'test/acuracy'", "~/tiny.yaml:14:25", "did you mean 'test/accuracy'"},
      {kImages, "tables: {t: {columns: [{metric: inverted/accuracy, header: x}]}}\n", {}, "inverted/accuracy", "~/tiny.yaml:14", "stay empty"},
      {kImages, "tables: {t: {columns: [train/accuracy]}}\n", {}, "train/accuracy", "~/tiny.yaml:14", "test/accuracy"},
      {kImages, "tables: {t: {columns: [train/lr]}}\n", {}, "train/lr", "~/tiny.yaml:14", ""},
      {kImages, "tables: {t: {columns: [test/accuracy], compare: {metric: test/los, baseline: linear}}}\n", {}, "test/los", "~/tiny.yaml:14", "did you mean 'test/loss'"},
      {kImages, "tables: {t: {columns: [test/accuracy], compare: {metric: test/loss, baseline: liner}}}\n", {}, "names no arm", "~/tiny.yaml:14", "did you mean 'linear'"},
      {kImages, "tables: {t: {columns: [test/accuracy], arms: [yta]}}\n", {}, "names no arm", "~/tiny.yaml:14", "did you mean 'yat'"},
      {kImages, "tables: {t: {colums: [test/accuracy]}}\n", {}, "colums", "~/tiny.yaml:14", "did you mean 'columns'"},
      {kImages, "tables: {t: {columns: []}}\n", {}, "has no columns", "~/tiny.yaml:14", "test/accuracy"},
      {kImages, "tables: {t: {columns: [{metric: test/accuracy, format: per_cent}]}}\n", {}, "per_cent", "~/tiny.yaml:14", "did you mean 'percent'"},
      {kImages, table + "paper: {yat: {test/acc: 0.9}, tolerance: {test/acc: 0.1}}\n", {}, "test/acc", "~/tiny.yaml:15", "did you mean 'test/accuracy'"},
      {kImages, table + "paper: {yat: {test/accuracy: 0.9}}\n", {}, "has no tolerance", "~/tiny.yaml:15", "paper.tolerance"},
      {kImages, table + "paper: {yta: {test/accuracy: 0.9}, tolerance: {test/accuracy: 0.1}}\n", {}, "names no arm", "~/tiny.yaml:15", "did you mean 'yat'"},
      {kImages, "labels: {lineal: Linear}\n", {}, "names no arm", "~/tiny.yaml:14", "did you mean 'linear'"},
      {kImages, "figures: {f: {plot: learning_curve}}\n", {}, "learning_curve", "~/tiny.yaml:14", "did you mean 'learning_curves'"},
      {kImages, "figures: {f: {plot: learning_curves, metrics: [test/los]}}\n", {}, "test/los", "~/tiny.yaml:14", "did you mean 'test/loss'"},
      {kImages, "figures: {f: {plot: learning_curves, metrics: [train/gradient_norm]}}\n", {}, "train/gradient_norm", "~/tiny.yaml:14", ""},
      {kImages, "figures: {f: {plot: learning_curves, metrics: [test/loss], arms: [yta]}}\n", {}, "names no arm", "~/tiny.yaml:14", "did you mean 'yat'"},
      {kImages, "figures: {f: {plot: prototypes}}\n", {}, "no arm makes the artifact 'prototypes'", "~/tiny.yaml:14", "no artifacts at all"},
      {kImages, "figures: {f: {plot: sweep_lines, x: optimizer.lr, metrics: [test/acc]}}\n", {}, "test/acc", "~/tiny.yaml:14", "did you mean 'test/accuracy'"},
      {kImages, "figures: {f: {plot: reliability}}\n", {}, "artifact 'calibration'", "~/tiny.yaml:14", ""},
      {kImages, "figures: {f: {caption: x}}\n", {}, "has no 'plot'", "~/tiny.yaml:14", "yatlab list figure"},
      {kStudied, "studies: [ray_response]\nfigures: {f: {plot: rays, artifact: ray_respons}}\n", {}, "artifact 'ray_respons'", "~/tiny.yaml:6", "did you mean 'ray_response'"},
      {kClaimed, "tables: {t: {columns: [test/accuracy]}}\n", {}, "test/accuracy", "~/tiny.yaml:9", "checks"},
      // ---- trackers ----
      {kImages, "", {"tracker=wandb", "tracker.mode=sometimes"}, "'sometimes' is no mode of W&B", "tracker.mode", "offline"},
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

TEST_CASE("a hundred experiments that cannot work are refused when they are planned", "[check][wrong]") {
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
    CHECK((part(error, "why") + part(error, "try")).find(wrong.remedy) != std::string::npos);
    // Somebody can do something about it.
    CHECK(!(part(error, "why") + part(error, "try")).empty());
  }
}

TEST_CASE("what a refusal proposes helps", "[check][wrong]") {
  struct Case {
    const char* base;
    Strings overrides;
  };
  const std::vector<Case> cases = {
      {kImages, {"trainer.early_stopping.metric=validation/accuracy"}},
      {kImages, {"trainer.early_stopping.metric=test/loss"}},
      {kImages, {"trainer.target.metric=train/accuracy"}},
      {kImages, {"trainer.target.metric=train/loss"}},
      {kImages, {"analyses=[{name: prototype_inversion, split: validation}]"}},
      {kImages, {"architecture=mlp", "analyses=[prototype_norms]"}},
      {kText, {"dataset.context=5000"}},
      {kText, {"architecture=mlp"}},
      {kLabels, {"trainer.device=cuda"}},
      {kLabels, {"arms.yat=['operator=dot']", "architecture.logits=log"}},
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
    mended.erase(std::remove_if(mended.begin(), mended.end(), [&](const std::string& o) { return o.rfind(key + "=", 0) == 0; }), mended.end());
    mended.push_back(found[0]);
    INFO("tried: " << found[0]);
    CHECK(w.error(mended) == "no error");
  }
}

TEST_CASE("what works is planned: each of the hundred's foundations", "[check]") {
  for (const auto* base : {kImages, kText, kLabels, kPlane, kClaimed}) CHECK(Workspace(base).error() == "no error");
  CHECK(Workspace(std::string(kStudied) + "studies: [ray_response]\n").error() == "no error");
}

}  // namespace yatlab
