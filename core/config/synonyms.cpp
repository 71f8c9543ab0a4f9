#include "core/config/synonyms.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/system/shell.h"

namespace yatlab {
namespace {

/// A key of Lightning, Hugging Face, Keras or a paper's script, and the equivalent overrides, with {} for the value.
struct KeySynonym {
  const char* theirs;
  std::vector<const char*> ours;
};

const std::vector<KeySynonym>& key_synonyms() {
  static const std::vector<KeySynonym> kAll = {
      {"model", {"architecture={}"}},
      {"network", {"architecture={}"}},
      {"net", {"architecture={}"}},
      {"kernel", {"operator={}"}},
      {"optim", {"optimizer={}"}},
      {"scheduler", {"schedule={}"}},
      {"lr_scheduler", {"schedule={}"}},
      {"optimizer.scheduler", {"schedule={}"}},
      {"warmup_steps", {"schedule=cosine", "schedule.warmup_steps={}"}},
      {"logger", {"tracker={}"}},
      {"loggers", {"tracker={}"}},
      {"trainer.logger", {"tracker={}"}},
      {"report_to", {"tracker={}"}},
      {"wandb.mode", {"tracker=wandb", "tracker.mode={}"}},
      {"wandb.project", {"tracker=wandb", "tracker.project={}"}},
      {"wandb.entity", {"tracker=wandb", "tracker.entity={}"}},
      {"wandb.name", {"tracker=wandb", "tracker.run_name={}"}},
      {"wandb.group", {"tracker=wandb", "tracker.group={}"}},
      {"wandb.tags", {"tracker=wandb", "tracker.tags={}"}},
      {"wandb.offline", {"tracker=wandb", "tracker.mode=offline"}},
      {"tracker.offline", {"tracker=wandb", "tracker.mode=offline"}},
      {"offline", {"tracker=wandb", "tracker.mode=offline"}},
      {"wandb_project", {"tracker=wandb", "tracker.project={}"}},
      {"project", {"tracker=wandb", "tracker.project={}"}},
      {"entity", {"tracker=wandb", "tracker.entity={}"}},
      {"run_name", {"tracker=wandb", "tracker.run_name={}"}},
      {"wandb", {"tracker=wandb"}},
      {"tensorboard", {"tracker=tensorboard"}},
      {"trainer.max_epochs", {"trainer.epochs={}"}},
      {"trainer.num_epochs", {"trainer.epochs={}"}},
      {"trainer.n_epochs", {"trainer.epochs={}"}},
      {"max_epochs", {"trainer.epochs={}"}},
      {"num_epochs", {"trainer.epochs={}"}},
      {"n_epochs", {"trainer.epochs={}"}},
      {"num_train_epochs", {"trainer.epochs={}"}},
      {"trainer.max_steps", {"trainer.steps={}"}},
      {"max_steps", {"trainer.steps={}"}},
      {"max_iters", {"trainer.steps={}"}},
      {"optimizer.learning_rate", {"optimizer.lr={}"}},
      {"learning_rate", {"optimizer.lr={}"}},
      {"trainer.lr", {"optimizer.lr={}"}},
      {"trainer.learning_rate", {"optimizer.lr={}"}},
      {"optimizer.wd", {"optimizer.weight_decay={}"}},
      {"wd", {"optimizer.weight_decay={}"}},
      {"optimizer.eps", {"optimizer.epsilon={}"}},
      {"batchsize", {"trainer.batch_size={}"}},
      {"bs", {"trainer.batch_size={}"}},
      {"train_batch_size", {"trainer.batch_size={}"}},
      {"per_device_train_batch_size", {"trainer.batch_size={}"}},
      {"dataset.batch_size", {"trainer.batch_size={}"}},
      {"data.batch_size", {"trainer.batch_size={}"}},
      {"gradient_clip_val", {"trainer.grad_clip={}"}},
      {"trainer.gradient_clip_val", {"trainer.grad_clip={}"}},
      {"max_grad_norm", {"trainer.grad_clip={}"}},
      {"trainer.log_every_n_steps", {"trainer.log_every={}"}},
      {"log_every_n_steps", {"trainer.log_every={}"}},
      {"logging_steps", {"trainer.log_every={}"}},
      {"trainer.check_val_every_n_epoch", {"trainer.eval_every={}"}},
      {"trainer.fast_dev_run", {"scale=smoke"}},
      {"fast_dev_run", {"scale=smoke"}},
      {"early_stopping", {"trainer.early_stopping.metric=test/accuracy"}},
      {"trainer.gpus", {"trainer.device={}"}},
      {"gpus", {"trainer.device={}"}},
      {"gpu", {"trainer.device={}"}},
      {"cuda", {"trainer.device={}"}},
      {"trainer.accelerator", {"trainer.device={}"}},
      {"accelerator", {"trainer.device={}"}},
      {"trainer.devices", {"launcher=processes", "launcher.ranks={}"}},
      {"devices", {"launcher=processes", "launcher.ranks={}"}},
      {"num_gpus", {"launcher=processes", "launcher.ranks={}"}},
      {"trainer.strategy", {"launcher=processes", "launcher.ranks=2"}},
      {"strategy", {"launcher=processes", "launcher.ranks=2"}},
      {"trainer.precision", {"architecture.precision={}"}},
      {"precision", {"architecture.precision={}"}},
      {"mixed_precision", {"architecture.precision={}"}},
      {"dtype", {"architecture.precision={}"}},
      {"fp16", {"architecture.precision=bfloat16"}},
      {"bf16", {"architecture.precision=bfloat16"}},
      {"amp", {"architecture.precision=bfloat16"}},
      {"n_seeds", {"seeds=range(0,{})"}},
      {"num_seeds", {"seeds=range(0,{})"}},
      {"seed", {"seeds={}"}},
      {"random_seed", {"seeds={}"}},
      {"trainer.seed", {"seeds={}"}},
      {"datamodule", {"dataset={}"}},
      {"data_dir", {"data.root={}"}},
      {"data_path", {"data.root={}"}},
      {"data.dir", {"data.root={}"}},
      {"data.path", {"data.root={}"}},
      {"dataset.path", {"data.root={}"}},
      {"dataset.root", {"data.root={}"}},
      {"file", {"dataset.file={}"}},
      {"folder", {"dataset.folder={}"}},
      {"label", {"dataset.label={}"}},
      {"label_column", {"dataset.label={}"}},
      {"target_column", {"dataset.label={}"}},
      {"output_dir", {"results={}"}},
      {"log_dir", {"results={}"}},
      {"out", {"results={}"}},
      {"save_dir", {"results={}"}},
      {"trainer.default_root_dir", {"results={}"}},
      {"launcher.ranks", {"launcher=processes", "launcher.ranks={}"}},
      {"num_workers", {"launcher.workers={}"}},
      {"n_jobs", {"launcher.workers={}"}},
      {"launcher.n_jobs", {"launcher.workers={}"}},
      {"n_trials", {"sweeper=tpe", "sweeper.trials={}"}},
      {"sweeper.n_trials", {"sweeper=tpe", "sweeper.trials={}"}},
  };
  return kAll;
}

/// Keys that no override replaces, and what to do instead.
const std::vector<std::pair<const char*, const char*>> kAnswers = {
    {"resume", "leave it out: the same command continues a run"},
    {"checkpoint", "leave it out: the same command continues a run from its checkpoints"},
    {"ckpt_path", "leave it out: the same command continues a run from its checkpoints"},
    {"resume_from_checkpoint", "leave it out: the same command continues a run from its checkpoints"},
    {"trainer.resume_from_checkpoint", "leave it out: the same command continues a run from its checkpoints"},
    {"callbacks", "for early stopping write trainer.early_stopping.metric=test/accuracy; to log a run, tracker=wandb"},
    {"trainer.callbacks", "for early stopping write trainer.early_stopping.metric=test/accuracy; to log a run, tracker=wandb"},
    {"trainer.accumulate_grad_batches", "set trainer.micro_batch, the samples of one forward and backward pass"},
    {"gradient_accumulation_steps", "set trainer.micro_batch, the samples of one forward and backward pass"},
    {"trainer.val_check_interval", "set trainer.eval_steps, the updates between evaluations"},
    {"trainer.limit_train_batches", "set dataset.limit, the number of training samples"},
    {"trainer.num_nodes", "several machines need Slurm: launcher=slurm, and launcher.ranks for the number of processes"},
    {"trainer.deterministic", "leave it out: a job gives the same results each time on the same kind of machine"},
    {"trainer.num_workers", "leave it out; launcher.workers is the number of jobs that run in parallel"},
    {"data.num_workers", "leave it out; launcher.workers is the number of jobs that run in parallel"},
    {"loss", "the loss belongs to the task: yatlab list task"},
    {"criterion", "the loss belongs to the task: yatlab list task"},
    {"method", "choose the search with sweeper=tpe, sweeper=random or sweeper=grid"},
    {"hydra", "'yatlab help hydra' lists Hydra's keys and what to use here"},
    {"_partial_", "leave it out: components are created from their name and settings"},
    {"_recursive_", "leave it out: components are created from their name and settings"},
    {"_convert_", "leave it out: components are created from their name and settings"},
    {"dry_run", "to list the jobs without running them: yatlab plan EXPERIMENT"},
    {"debug", "leave it out: the log is log.txt in the run's folder"},
    {"verbose", "leave it out: the log is log.txt in the run's folder"},
};

/// Values that other programs write for a key or a group of ours.
struct ValueSynonym {
  const char* key;
  std::vector<const char*> theirs;
  const char* ours;
};

const std::vector<ValueSynonym>& value_synonyms() {
  static const std::vector<ValueSynonym> kAll = {
      {"trainer.device", {"cpu", "0", "false", "none", "null"}, "cpu"},
      {"architecture.precision", {"16", "bf16", "fp16", "16-mixed", "bf16-mixed", "bf16-true", "half", "float16"}, "bfloat16"},
      {"sweeper", {"optuna", "bayes", "ax", "nevergrad"}, "tpe"},
      {"launcher", {"submitit", "submitit_slurm"}, "slurm"},
      {"architecture.precision", {"32", "32-true", "fp32", "full", "no"}, "float32"},
  };
  return kAll;
}

std::string value_here(const std::string& key, const std::string& value) {
  for (const auto& row : value_synonyms()) {
    const auto same = [&](const char* theirs) { return lower(value) == theirs; };
    if (key == row.key && std::any_of(row.theirs.begin(), row.theirs.end(), same)) return row.ours;
  }
  return key == "trainer.device" && value.rfind("cuda", 0) != 0 ? "cuda" : value;
}

/// Keys that people write as options, without their group.
const std::vector<std::pair<const char*, const char*>> kOptions = {{"epochs", "trainer.epochs"},
                                                                   {"steps", "trainer.steps"},
                                                                   {"lr", "optimizer.lr"},
                                                                   {"batch_size", "trainer.batch_size"},
                                                                   {"device", "trainer.device"},
                                                                   {"seeds", "seeds"},
                                                                   {"operator", "operator"},
                                                                   {"optimizer", "optimizer"},
                                                                   {"dataset", "dataset"},
                                                                   {"data", "dataset"},
                                                                   {"architecture", "architecture"},
                                                                   {"scale", "scale"},
                                                                   {"name", "name"},
                                                                   {"results", "results"},
                                                                   {"tracker", "tracker"},
                                                                   {"launcher", "launcher"},
                                                                   {"weight_decay", "optimizer.weight_decay"},
                                                                   {"workers", "launcher.workers"},
                                                                   {"threads", "trainer.threads"}};

const std::vector<std::pair<const char*, const char*>> kCommands = {
    {"train", "run"},         {"fit", "run"},          {"start", "run"},
    {"launch", "run"},        {"resume", "run"},       {"exec", "run"},
    {"eval", "evaluate"},     {"predict", "evaluate"}, {"ls", "list"},
    {"show", "describe"},     {"info", "describe"},    {"explain", "describe"},
    {"ps", "status"},         {"watch", "status"},     {"logs", "status"},
    {"diff", "compare"},      {"rm", "prune"},         {"clean", "prune"},
    {"delete", "prune"},      {"plot", "report"},      {"draw", "report"},
    {"check", "plan"},        {"validate", "plan"},    {"dry-run", "plan"},
    {"upload", "sync"},       {"reproduce", "repeat"}, {"download", "data fetch"},
    {"fetch", "data fetch"},  {"new", "plugin new"},   {"experiments", "list experiments"},
    {"results", "runs"},      {"history", "runs"},     {"ui", "serve"},
    {"version", "--version"}, {"dashboard", "serve"},  {"sweep", "run -m"},
    {"tune", "run -m"}};

const std::vector<std::pair<const char*, const char*>> kCommandAnswers = {
    {"login", "there is no login: the W&B tracker reads the key from WANDB_API_KEY, else from ~/.netrc"},
    {"logout", "there is no login: the W&B tracker reads the key from WANDB_API_KEY, else from ~/.netrc"},
    {"init", "an experiment is a .yaml file: 'yatlab list experiments' shows examples"},
    {"stop", "stop a run with Ctrl-C, or a job with 's' in yatlab status --follow"},
};

const std::vector<std::pair<const char*, const char*>> kKinds = {
    {"model", "architecture"},    {"models", "architecture"}, {"network", "architecture"}, {"networks", "architecture"},
    {"data", "dataset"},          {"kernel", "operator"},     {"kernels", "operator"},     {"loss", "task"},
    {"losses", "task"},           {"scheduler", "schedule"},  {"schedulers", "schedule"},  {"lr_scheduler", "schedule"},
    {"logger", "tracker"},        {"loggers", "tracker"},     {"callbacks", "tracker"},    {"sampler", "sweeper"},
    {"samplers", "sweeper"},      {"optim", "optimizer"},     {"init", "initializer"},     {"plots", "figure"},
    {"activations", "normalizer"}};

/// The second of the pair whose first is `word`, in any case; "" if there is none.
std::string other_name(const std::vector<std::pair<const char*, const char*>>& names, const std::string& word) {
  const auto row = std::find_if(names.begin(), names.end(), [&](const auto& name) { return lower(word) == name.first; });
  return row == names.end() ? "" : row->second;
}

std::string filled(const std::string& text, const std::string& value) {
  const auto at = text.find("{}");
  if (at == std::string::npos) return text;
  const auto key = text.substr(0, text.find('='));
  std::vector<std::string> values{value};  // of a sweep: lr=0.1,0.2
  if (value.find_first_of("([{'\"") == std::string::npos) values = split(value, ',');
  for (auto& each : values) each = value_here(key, each);
  return text.substr(0, at) + join(values, ",") + text.substr(at + 2);
}

/// "write optimizer=adam: ..." for optimizer._target_=torch.optim.Adam, Hydra's way to choose a class; "" for other keys.
std::string target_answer(const std::string& key, const std::string& value, bool typed) {
  const std::string mark = "_target_";
  if (key == mark) return "components are chosen by name, as in optimizer=adam: 'yatlab list' shows them";
  if (key.size() <= mark.size() + 1 || key.compare(key.size() - mark.size() - 1, mark.size() + 1, "." + mark) != 0) return {};
  const auto group = key.substr(0, key.size() - mark.size() - 1);
  const auto name = lower(value.substr(value.rfind('.') + 1));
  return fmt::format(
      fmt::runtime(typed ? "write {0}={1}; 'yatlab list {2}' shows the names" : "write {0}: {1}; 'yatlab list {2}' shows the names"), group,
      name.empty() ? "NAME" : shell_word(name), group.substr(group.rfind('.') + 1));
}

std::vector<std::string> overrides_for(const std::string& key, const std::string& value) {
  std::vector<std::string> out;
  const auto& all = key_synonyms();
  const auto row = std::find_if(all.begin(), all.end(), [&](const KeySynonym& s) { return key == s.theirs; });
  if (key == "tracker.name") {  // a run's name, or a tracker where none is chosen
    const bool tracker = value == "wandb" || value == "tensorboard" || value == "console";
    return tracker ? std::vector<std::string>{"tracker=" + value} : std::vector<std::string>{"tracker=wandb", "tracker.run_name=" + value};
  }
  if (row == all.end()) return out;
  for (const char* ours : row->ours) out.push_back(filled(ours, value));
  return out;
}

std::string answer_for(const std::string& key, const std::string& value, bool typed) {
  if (auto answer = target_answer(key, value, typed); !answer.empty()) return answer;
  return other_name(kAnswers, key);
}

}  // namespace

std::string option_synonym(const std::string& option, const std::string& value) {
  auto key = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  std::replace(key.begin(), key.end(), '-', '_');
  const auto row = std::find_if(kOptions.begin(), kOptions.end(), [&](const auto& o) { return key == o.first; });
  const auto shown = value.empty() ? std::string("...") : value;
  if (row != kOptions.end()) return shell_word(std::string(row->second) + "=" + shown);
  return shell_command(overrides_for(key, shown));
}

std::string key_synonym(const std::string& key, const std::string& value) {
  if (auto answer = answer_for(key, value, true); !answer.empty()) return answer;
  const auto overrides = overrides_for(key, value.empty() ? "..." : value);
  const auto words = overrides.empty() ? option_synonym(key, value) : shell_command(overrides);
  return words.empty() ? "" : "write " + words;
}

std::string file_key_synonym(const std::string& key, const std::string& value) {
  if (auto answer = answer_for(key, value, false); !answer.empty()) return answer;
  const auto overrides = overrides_for(key, value.empty() ? "..." : value);
  if (overrides.empty()) return {};
  // {"tracker=wandb", "tracker.mode=offline"} are tracker: {name: wandb, mode: offline}.
  std::vector<std::string> inside;
  std::string parent;
  for (const auto& text : overrides) {
    const auto equal = text.find('=');
    const auto dot = text.find('.');
    const bool nested = dot < equal;
    parent = text.substr(0, std::min(dot, equal));
    if (!nested && overrides.size() == 1) return "write " + parent + ": " + text.substr(equal + 1);
    auto path = nested ? text.substr(dot + 1, equal - dot - 1) : std::string("name");
    std::string closing;
    for (auto at = path.find('.'); at != std::string::npos; at = path.find('.', at)) {
      path.replace(at, 1, ": {");
      closing += '}';
    }
    inside.push_back(path + ": " + text.substr(equal + 1) + closing);
  }
  return "write " + parent + ": {" + join(inside, ", ") + "}";
}

std::string value_synonym(const std::string& key, const std::string& value, bool typed) {
  if (key == "data") return "write " + (typed ? shell_word("dataset=" + value) : "dataset: " + value);
  if (key == "trainer.early_stopping") {
    if (value == "false") return "leave it out: without trainer.early_stopping.metric nothing stops early";
    return typed ? "set trainer.early_stopping.metric=test/accuracy" : "write early_stopping: {metric: test/accuracy}";
  }
  if (key == "arms") {
    return typed ? "'+arms.NAME=[operator=cosine]' adds an arm, '~arms.NAME' leaves one out"
                 : "write arms: {NAME: [operator=cosine]}, with the overrides of each arm";
  }
  return {};
}

std::string map_synonym(const std::string& key, const std::vector<std::pair<std::string, std::string>>& settings, bool typed) {
  if (key != "wandb" && key != "logger" && key != "tensorboard") return {};
  std::vector<std::string> inside{"name: " + (key == "logger" ? std::string("wandb") : key)};
  for (const auto& [name, value] : settings) inside.push_back((name == "name" ? "run_name" : name) + ": " + value);
  const auto map = "{" + join(inside, ", ") + "}";
  return "write " + (typed ? shell_word("tracker=" + map) : "tracker: " + map);
}

std::string choice_synonym(const std::string& group, const std::string& option) {
  const auto here = value_here(group, option);
  return here == option ? "" : here;
}

std::string command_synonym(const std::string& command) { return other_name(kCommands, command); }

std::string command_answer(const std::string& command) { return other_name(kCommandAnswers, command); }

std::string kind_synonym(const std::string& word) { return other_name(kKinds, word); }

}  // namespace yatlab
