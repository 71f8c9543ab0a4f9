#include <fmt/format.h>
#include <unistd.h>

#include <thread>

#include "core/base/failure.h"
#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/job/trained_language_model.h"
#include "core/system/stop.h"
#include "core/train/threads.h"
#include "plugins/language/commands/sample_tokens.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {
constexpr std::int64_t kMostThreads = 4096;
}  // namespace

static void generate_options(po::options_description& options) {
  options.add_options()("prompt", po::value<std::string>()->default_value(""),
                        "beginning of the text; empty: the model begins a new document")(
      "tokens", po::value<std::int64_t>()->default_value(200), "maximum number of new tokens; fewer if the document ends")(
      "temperature", po::value<double>()->default_value(0.8),
      "1: the model's own probabilities; lower: likelier tokens more often; 0: always the likeliest")(
      "top-k", po::value<std::int64_t>()->default_value(50), "draw only from the k likeliest tokens; 0: from all")(
      "seed", po::value<std::int64_t>()->default_value(0), "seed of the random draws")(
      "root", po::value<std::string>()->default_value("data"), "folder that holds downloaded data")(
      "threads", po::value<std::int64_t>()->default_value(0), "number of threads; 0: all cores");
}

static int generate_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.size() != 1) {
    throw config_error(args.words.empty() ? "no job given" : "generate takes only one job", "command line", {},
                       fmt::format("for example: {}", self.example));
  }
  SampleOptions o;
  o.tokens = args.options["tokens"].as<std::int64_t>();
  o.temperature = args.options["temperature"].as<double>();
  o.top_k = args.options["top-k"].as<std::int64_t>();
  o.seed = static_cast<std::uint64_t>(args.options["seed"].as<std::int64_t>());
  check_sampling(o);
  if (args.options["seed"].as<std::int64_t>() < 0) throw config_error("--seed must not be negative", "command line");
  const auto threads = args.options["threads"].as<std::int64_t>();
  if (threads < 0 || threads > kMostThreads)
    throw config_error(fmt::format("--threads must be from 0 to {}", kMostThreads), "command line");
  set_compute_threads(static_cast<int>(threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency())));

  const auto trained = load_language_model(args.words.front());
  DataContext data;
  data.root = args.text("root");
  data.stop = [] { return stop_signal() != 0; };
  const auto tokenizer = trained.tokenizer(data);
  o.context = trained.context;
  o.vocabulary = static_cast<std::int64_t>(tokenizer->vocabulary());
  o.stop = tokenizer->end_of_text();
  std::vector<Token> prompt;
  tokenizer->encode(args.text("prompt"), prompt);
  if (prompt.empty()) {
    prompt = {tokenizer->end_of_text()};
    say_error("no --prompt: the model writes a new document, from the token that begins each document\n");
  } else if (static_cast<std::int64_t>(prompt.size()) > o.context) {
    say_error("the prompt has {} tokens: the model sees the last {}\n", prompt.size(), o.context);
  }
  say("{}", args.text("prompt"));
  const auto print = [&](Token token) {
    say("{}", tokenizer->decode({token}));
    if (isatty(STDOUT_FILENO) != 0) std::fflush(stdout);
    return true;
  };
  in_component("architecture", trained.config.at("architecture").at("name").as_string(),
               [&] { sample_tokens(trained.language_model(), prompt, o, print); });
  say("\n");
  return 0;
}

YATLAB_COMMAND("generate", generate_command, generate_options);

}  // namespace yatlab::cli
