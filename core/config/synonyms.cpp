#include "core/config/synonyms.h"

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
      {"logger", {"tracker={}"}},
      {"loggers", {"tracker={}"}},
      {"report_to", {"tracker={}"}},
      {"callbacks", {"tracker={}"}},
      {"wandb.mode", {"tracker=wandb", "tracker.mode={}"}},
      {"wandb.project", {"tracker=wandb", "tracker.project={}"}},
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
      {"trainer.gpus", {"trainer.device=cuda"}},
      {"gpus", {"trainer.device=cuda"}},
      {"gpu", {"trainer.device=cuda"}},
      {"cuda", {"trainer.device=cuda"}},
      {"trainer.accelerator", {"trainer.device=cuda"}},
      {"accelerator", {"trainer.device=cuda"}},
      {"trainer.precision", {"architecture.precision={}"}},
      {"seed", {"seeds={}"}},
      {"random_seed", {"seeds={}"}},
      {"trainer.seed", {"seeds={}"}},
      {"file", {"dataset.file={}"}},
      {"folder", {"dataset.folder={}"}},
      {"label", {"dataset.label={}"}},
      {"label_column", {"dataset.label={}"}},
      {"target_column", {"dataset.label={}"}},
      {"output_dir", {"results={}"}},
      {"log_dir", {"results={}"}},
      {"num_workers", {"launcher.workers={}"}},
      {"n_jobs", {"launcher.workers={}"}},
  };
  return kAll;
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
    {"train", "run"},     {"fit", "run"},          {"start", "run"},           {"launch", "run"},
    {"resume", "run"},    {"exec", "run"},         {"eval", "evaluate"},       {"predict", "evaluate"},
    {"ls", "list"},       {"show", "describe"},    {"info", "describe"},       {"explain", "describe"},
    {"ps", "status"},     {"watch", "status"},     {"logs", "status"},         {"diff", "compare"},
    {"rm", "prune"},      {"clean", "prune"},      {"delete", "prune"},        {"plot", "report"},
    {"draw", "report"},   {"check", "plan"},       {"validate", "plan"},       {"dry-run", "plan"},
    {"upload", "sync"},   {"reproduce", "repeat"}, {"download", "data fetch"}, {"fetch", "data fetch"},
    {"new", "plugin new"}};

std::string filled(const std::string& text, const std::string& value) {
  const auto at = text.find("{}");
  return at == std::string::npos ? text : text.substr(0, at) + value + text.substr(at + 2);
}

std::vector<std::string> overrides_for(const std::string& key, const std::string& value) {
  std::vector<std::string> out;
  const auto& all = key_synonyms();
  const auto row = std::find_if(all.begin(), all.end(), [&](const KeySynonym& s) { return key == s.theirs; });
  if (row == all.end()) return out;
  for (const char* ours : row->ours) out.push_back(filled(ours, value));
  return out;
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
  const auto overrides = overrides_for(key, value.empty() ? "..." : value);
  const auto words = overrides.empty() ? option_synonym(key, value) : shell_command(overrides);
  return words.empty() ? "" : "write " + words;
}

std::string command_synonym(const std::string& command) {
  const auto row = std::find_if(kCommands.begin(), kCommands.end(), [&](const auto& c) { return lower(command) == c.first; });
  return row == kCommands.end() ? "" : row->second;
}

}  // namespace yatlab
