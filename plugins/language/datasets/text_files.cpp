#include "plugins/language/datasets/text_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/data/substitute.h"
#include "core/data/token_shard.h"
#include "plugins/language/tokenizers/tokenize.h"

namespace yatlab {
namespace {

bool is_shard(const std::filesystem::path& path) { return path.extension() == ".bin"; }

TokenRun run_of(const TokenShard& shard) { return {shard.data(), shard.size(), shard.mapping()}; }

const char* rule_name(DocumentRule rule) {
  switch (rule) {
    case DocumentRule::kFile:
      return "file";
    case DocumentRule::kBlankLines:
      return "blank_lines";
    case DocumentRule::kLines:
      return "lines";
    case DocumentRule::kJsonLines:
      break;
  }
  return "jsonl";
}

constexpr std::size_t kLongestShard = 0x7FFFFFFF;  // its header counts tokens in int32

/// The tokens that an earlier `read` stored in `folder`: training and validation. Throws a data error unless they are complete and below
/// `vocabulary`. `tell` receives a message about replaced characters.
std::pair<TokenRun, TokenRun> kept_tokens(const fs::path& folder, std::size_t vocabulary,
                                          const std::function<void(const std::string&)>& tell) {
  std::istringstream counts(read_file(folder / "counts"));
  std::size_t train = 0, validation = 0, replaced = 0;
  if (!(counts >> train >> validation >> replaced)) throw data_error(fmt::format("'{}' contains no counts", (folder / "counts").string()));
  const auto part = [&](const char* name, std::size_t expected) {
    if (expected == 0) return TokenRun();
    const auto shard = TokenShard::open(folder / name);
    if (shard.size() != expected)
      throw data_error(fmt::format("'{}' has {} tokens, not {}", (folder / name).string(), shard.size(), expected));
    if (shard.highest() >= vocabulary) throw data_error(fmt::format("'{}' contains token {}", (folder / name).string(), shard.highest()));
    return run_of(shard);
  };
  std::pair out = {part("text_train_000001.bin", train), part("text_val_000000.bin", validation)};
  if (replaced > 0) tell(replaced_text(replaced));
  return out;
}

}  // namespace

void TextFiles::Params::declare(Fields& f, Params& p) {
  f.map("files", p.files, "key -> {file:, sha256:, urls:}; keys: validation, and any that begin with train");
  f.field("folder", p.folder, "folder below data.root; empty: the set's name");
  f.field("mirrors", p.mirrors, "URLs of folders that hold the files");
  f.component("tokenizer", p.tokenizer, "tokenizer", "turns text into tokens; token shards must have been made with the same one")
      .required();
  f.component("substitute", p.substitute, "dataset",
              "dataset to use instead, with a warning, when the files cannot be had; null: an error");
  f.choice("documents", p.documents,
           {{"file", DocumentRule::kFile},
            {"blank_lines", DocumentRule::kBlankLines},
            {"lines", DocumentRule::kLines},
            {"jsonl", DocumentRule::kJsonLines}},
           "where documents of a text file end");
  f.field("validation_every", p.validation_every, "without a validation file: hold out every k-th training document; 0: none")
      .non_negative();
  f.field("validation_share", p.validation_share,
          "without a validation file: hold out this share of the training tokens, the last ones; 0: none")
      .range(0, 0.9);
  f.field("context", p.context, "tokens per sample").positive();
  f.choice("order", p.order, {{"file", Order::kFile}, {"documents", Order::kDocuments}},
           "training tokens in the files' order, no sample across two files; or whole documents of all files in an order drawn "
           "from order_seed, cut into samples. trainer.shuffle also shuffles the samples of either");
  f.field("order_seed", p.order_seed, "seed of order=documents; the order is the same for every seed of the experiment")
      .non_negative()
      .unlimited();
  f.field("whole_batches", p.whole_batches,
          "at the end of every training file, drop what does not fill a batch of this size, as llm.c does; null: use all. "
          "Batches are llm.c's with order=file, trainer.shuffle=false and this equal to trainer.batch_size (or micro_batch)")
      .positive();
  f.field("limit", p.limit, "maximum number of training samples").positive();
  f.field("test_limit", p.test_limit, "maximum number of validation samples").positive();
}

std::pair<TokenRun, TokenRun> TextFiles::read(const DataFile& file, const fs::path& path, bool split, const Tokenizer& tokenizer,
                                              const DataContext& context) const {
  if (is_shard(path)) {
    const auto shard = TokenShard::open(path);
    if (const auto highest = shard.highest(); highest >= tokenizer.vocabulary()) {
      throw data_error(fmt::format("'{}' contains token {}, but the tokenizer has {}", name_, highest, tokenizer.vocabulary()), {},
                       fmt::format("'{}' was made by a different tokenizer", path.string()), "set dataset.tokenizer");
    }
    return {run_of(shard), {}};
  }
  const auto every = split ? params_.validation_every : 0;
  const auto identity = sha256(
      fmt::format("tokens 3\n{}\n{}\n{}\n{}", file.identity(), params_.tokenizer.node.to_flow(), rule_name(params_.documents), every));
  const auto folder = context.root / ".cache" / "tokens" / identity.substr(0, 32);
  const auto tell_of_file = [&](const std::string& text) {
    tell(context, fmt::format("{}: {}: {}", name_, path.filename().string(), text));
  };
  if (fs::exists(folder)) {
    try {
      return kept_tokens(folder, tokenizer.vocabulary(), tell_of_file);
    } catch (const Error& e) {
      tell(context,
           fmt::format("{}: the cached tokens in {} are damaged ({}); they are created again", name_, folder.string(), e.message()));
    }
  }
  require_writable_folder(folder.parent_path(), "data.root", "tokens are cached there: use a writable folder, data.root=FOLDER");
  tell(context, fmt::format("{}: tokenizing {}, once", name_, path.filename().string()));
  TokenizeOptions o;
  o.documents = params_.documents;
  o.name = "text";
  o.validation_every = every;
  o.one_part_is_enough = true;  // other files may hold the other part
  o.tokens_per_shard = kLongestShard;
  o.threads = std::max(1u, std::thread::hardware_concurrency());
  // Other processes may tokenize the same file: each writes its own folder, and a finished one is renamed into place.
  remove_stale_temporaries(folder.parent_path());
  const fs::path own = temporary_name(folder);
  try {
    const auto result = tokenize_files({path}, own, tokenizer, o);
    if (result.train_tokens > kLongestShard || result.validation_tokens > kLongestShard) {
      throw data_error(fmt::format("'{}' has more tokens than fit into one shard", path.string()), {}, {},
                       "split it, or create shards with 'yatlab data tokenize'");
    }
    write_file_atomic(own / "counts", fmt::format("{} {} {}\n", result.train_tokens, result.validation_tokens, result.replaced));
  } catch (const std::exception&) {
    std::error_code ignored;
    fs::remove_all(own, ignored);
    throw;
  }
  remove_tree(folder);
  std::error_code taken;
  fs::rename(own, folder, taken);
  if (taken) remove_tree(own);  // another process finished first
  return kept_tokens(folder, tokenizer.vocabulary(), tell_of_file);
}

DataShape TextFiles::shape() const {
  return {DataShape::Inputs::kTokens, DataShape::Targets::kTokens, input_shape(), 0, DataShape::usual_splits()};
}

std::map<std::string, Split> TextFiles::load(const DataContext& context) {
  auto set = declare_files(name_, params_.files, params_.mirrors, {}, "dataset", params_.folder);
  for (const auto& file : set.files) {
    if (file.key.rfind("train", 0) != 0 && file.key.rfind("validation", 0) != 0) {
      throw config_error(fmt::format("unknown key 'dataset.files.{}'", file.key), params_.files.origin().describe(), {},
                         "call it train, train2, ... or validation");
    }
  }
  const auto located = locate(set, context);
  if (!located.missing.empty()) {
    if (context.require_real || params_.substitute.empty()) throw missing_error(set, context, located.missing);
    ComponentRef substitute = params_.substitute;
    if (substitute.node.find("context")) substitute.node.set("context", params_.context);
    auto stand_in = load_substitute(name_, substitute, context, located.missing, "generated text");
    if (stand_in.dataset->input_shape() != input_shape()) {
      throw unfit_substitute(name_, substitute, fmt::format("its samples are not {} tokens long", params_.context));
    }
    vocabulary_ = stand_in.dataset->num_classes();
    provenance_ = stand_in.provenance;
    return std::move(stand_in.splits);
  }

  for (auto& file : set.files) {
    if (!file.identity().empty()) continue;
    file.sha256 = sha256_file(located.paths.at(file.key));  // only its size was published: record the hash of the file in use
  }

  const auto tokenizer = Registry<Tokenizer>::create(params_.tokenizer);
  tokenizer->prepare(context);
  vocabulary_ = static_cast<std::int64_t>(tokenizer->vocabulary());
  const bool has_validation =
      std::any_of(set.files.begin(), set.files.end(), [](const DataFile& f) { return f.key.rfind("validation", 0) == 0; });
  std::vector<TokenRun> train_runs, validation_runs;
  for (const auto& file : set.files) {
    const bool held_out = file.key.rfind("validation", 0) == 0;
    auto [train, validation] = read(file, located.paths.at(file.key), !has_validation, *tokenizer, context);
    if (train.size > 0) (held_out ? validation_runs : train_runs).push_back(train);
    if (validation.size > 0) validation_runs.push_back(validation);
  }
  if (train_runs.empty()) {
    throw config_error(fmt::format("'{}' has no training text", name_), params_.files.origin().describe(), {},
                       params_.validation_every == 1 ? "every document is for validation: set dataset.validation_every=10, for example"
                                                     : "declare a file 'train' in dataset.files");
  }
  if (validation_runs.empty()) {
    double tokens = 0;
    for (const auto& run : train_runs) tokens += static_cast<double>(run.size);
    validation_runs = cut_off_end(train_runs, static_cast<std::size_t>(params_.validation_share * tokens));
  }
  if (validation_runs.empty()) {
    throw config_error(fmt::format("'{}' has no validation text", name_), "dataset", {},
                       "set dataset.validation_share or dataset.validation_every, or declare a file 'validation'");
  }
  const bool documents = params_.order == Order::kDocuments;
  if (documents && params_.whole_batches) {
    throw config_error("dataset.whole_batches needs dataset.order=file", "dataset.whole_batches", {}, "remove one of them");
  }
  provenance_ = {name_, combined_sha256(set), located.tier, {}, {}};
  for (const auto& [key, path] : located.paths) provenance_.files.push_back(path.string());
  const auto seed = context.seed + static_cast<std::uint64_t>(params_.order_seed);
  return {{"train", documents ? windows_of_documents(train_runs, tokenizer->end_of_text(), seed, params_.context, params_.limit)
                              : windows_of_runs(train_runs, params_.context, params_.limit, params_.whole_batches.value_or(1))},
          {"test", token_windows(joined(validation_runs), params_.context, params_.test_limit)}};
}

}  // namespace yatlab
