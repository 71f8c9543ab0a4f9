#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/out_folder.h"
#include "core/config/yaml.h"
#include "core/system/stop.h"
#include "plugins/language/tokenizers/tokenize.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

DocumentRule rule_of(const std::string& given, const std::vector<std::string>& inputs) {
  if (given == "file") return DocumentRule::kFile;
  if (given == "blank-lines") return DocumentRule::kBlankLines;
  if (given == "lines") return DocumentRule::kLines;
  if (given == "jsonl") return DocumentRule::kJsonLines;
  if (given != "auto") {
    throw config_error(fmt::format("--documents cannot be '{}'", given), "command line", {},
                       suggestion(given, {"auto", "file", "blank-lines", "lines", "jsonl"}));
  }
  // "a.jsonl.xz" has its format in the middle.
  for (const auto& input : inputs) {
    if (std::filesystem::path(input).filename().string().find(".jsonl") != std::string::npos) return DocumentRule::kJsonLines;
  }
  return DocumentRule::kFile;
}

/// The tokenizer with the settings in configs/tokenizer/<name>.yaml, if that exists.
std::shared_ptr<Tokenizer> tokenizer_called(const std::string& name) {
  for (const auto& root : config_path()) {
    const auto file = root / "tokenizer" / (name + ".yaml");
    if (std::filesystem::exists(file)) return Registry<Tokenizer>::create(load_yaml(file));
  }
  return Registry<Tokenizer>::create(Node(name));
}

}  // namespace

static void tokenize_options(po::options_description& options) {
  options.add_options()("root", po::value<std::string>()->default_value("data"), "folder that holds downloaded data")(
      "out", po::value<std::string>()->default_value("."), "folder to write to")("name", po::value<std::string>()->default_value("tokens"),
                                                                                 "files are NAME_train_000001.bin, NAME_val_000000.bin")(
      "tokenizer", po::value<std::string>()->default_value("gpt2"), "gpt2, bytes or another ('yatlab list tokenizer')")(
      "documents", po::value<std::string>()->default_value("auto"),
      "where documents end: file, blank-lines, lines, jsonl; auto: jsonl by name, else file")(
      "field", po::value<std::string>()->default_value("text"), "key of the text in a JSON line")(
      "val-every", po::value<std::int64_t>()->default_value(0), "every k-th document is for validation; 0: none")(
      "endoftext", po::value<std::string>()->default_value("text"),
      "how <|endoftext|> in a text is read: as text, like any other, or as the token that precedes documents")(
      "shard", po::value<std::int64_t>()->default_value(100'000'000), "maximum number of tokens per file")(
      "threads", po::value<std::int64_t>()->default_value(0), "number of threads; 0: all cores");
}

static int tokenize_command(const Command& self, const std::vector<std::string>& arguments) {
  const SavesWhenStopped saves;
  const auto args = parse_arguments(self, arguments, "options of tokenize");
  if (args.help) return 0;
  if (args.words.empty()) {
    throw config_error("no text given", "command line", {},
                       "for example: yatlab data tokenize books.jsonl.xz --out data/books --name books");
  }
  TokenizeOptions o;
  o.documents = rule_of(args.text("documents"), args.words);
  o.json_field = args.text("field");
  o.name = args.text("name");
  o.validation_every = args.options["val-every"].as<std::int64_t>();
  o.tokens_per_shard = args.options["shard"].as<std::int64_t>();
  if (o.validation_every < 0) throw config_error("--val-every must not be negative", "command line");
  if (o.tokens_per_shard < 1) throw config_error("--shard must be positive", "command line");
  const auto mark = args.text("endoftext");
  if (mark != "text" && mark != "token") {
    throw config_error(fmt::format("--endoftext cannot be '{}'", mark), "command line", {}, suggestion(mark, {"text", "token"}));
  }
  o.marks_are_tokens = mark == "token";
  const auto threads = args.options["threads"].as<std::int64_t>();
  o.threads = threads > 0 ? static_cast<std::size_t>(threads) : std::max(1u, std::thread::hardware_concurrency());

  require_folder_name(args.text("out"), fmt::format("its files are {}_train_000001.bin and so on: --name sets their prefix", o.name));
  require_writable_folder(args.text("out"), "--out", "use a different folder: --out FOLDER");
  const auto tokenizer = tokenizer_called(args.text("tokenizer"));
  DataContext context;
  context.root = args.text("root");
  context.stop = [] { return stop_signal() != 0; };
  tokenizer->prepare(context);

  const auto begin = std::chrono::steady_clock::now();
  const bool live = isatty(STDERR_FILENO) != 0;
  const auto rate = [&](std::size_t bytes) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(bytes) / 1e6 / std::max(spent.count(), 1e-9);
  };
  o.progress = [&](std::size_t documents, std::size_t tokens, std::size_t bytes) {
    if (!live) return;
    say_error("{}  {} documents, {} tokens, {:.1f} MB/s of text ", terminal_code("\r"), documents,
              format_count(static_cast<double>(tokens)), rate(bytes));
    std::fflush(stderr);
  };
  std::vector<std::filesystem::path> inputs(args.words.begin(), args.words.end());
  const auto result = tokenize_files(inputs, args.text("out"), *tokenizer, o);
  if (live) say_error("{}{}", terminal_code("\r"), terminal_code("[K"));
  say("{} documents, {:.1f} MB of text: {} training tokens, {} for validation ({} documents); {:.1f} MB/s\n", result.documents,
      static_cast<double>(result.bytes) / 1e6, result.train_tokens, result.validation_tokens, result.validation_documents,
      rate(result.bytes));
  if (result.marks > 0) {
    say("  note: {} occurs in the text {} time{}, and {}\n", kEndOfTextMark, result.marks, result.marks == 1 ? "" : "s",
        o.marks_are_tokens
            ? fmt::format("became the token {}", tokenizer->end_of_text())
            : fmt::format("was read as text; --endoftext token makes it the token {}, as GPT2Tokenizer does", tokenizer->end_of_text()));
  }
  if (result.replaced > 0) say_error("note: {}\n", replaced_text(result.replaced));
  for (const auto& file : result.files) say("  {}\n", file.string());
  return 0;
}

YATLAB_COMMAND("data tokenize", tokenize_command, tokenize_options);

}  // namespace yatlab::cli
