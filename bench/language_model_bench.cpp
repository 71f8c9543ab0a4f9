// Tokens per second of GPT-2 and Aether-GPT2 in training (forward, backward, AdamW), and of the same GPT-2 in eager PyTorch
// (bench/language_model_pytorch.py), in one run: rounds in turn, medians. And the memory of attention in blocks.
//
//   bench_language_model [--sizes nano,mini] [--precisions float32,bfloat16] [--threads 1,2] [--vocabulary 50257] [--rounds 5]
//                        [--steps 3] [--pytorch python3] [--models gpt2,aether] [--clock wall|cpu]
//   bench_language_model --attention yat|dot [--context 16384] [--block 512]
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/yaml.h"
#include "core/system/freed_memory.h"
#include "core/train/optimizer.h"
#include "core/train/task.h"
#include "core/train/threads.h"
#include "plugins/language/architectures/attention.h"

namespace {
using namespace yatlab;

struct Size {
  std::int64_t layers, heads, width, context, batch;
};
// Batches of 2,048 tokens.
const std::map<std::string, Size> kSizes = {{"nano", {4, 4, 128, 256, 8}}, {"mini", {6, 6, 384, 512, 4}}, {"124m", {12, 12, 768, 1024, 2}}};

bool cpu_time = false;  // --clock cpu: the process's own seconds, for one thread on a machine that has other work

double seconds() {
  if (cpu_time) {
    struct timespec now {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One model with all that a training step needs.
class Training {
 public:
  Training(const std::string& model, const std::string& size, const std::string& precision, std::int64_t vocabulary)
      : size_(kSizes.at(size)) {
    const bool aether = model == "aether";
    Node spec = load_yaml(fs::path(YATLAB_SOURCE_DIR) / "configs/architecture" / (aether ? "aether_gpt2.yaml" : "gpt2.yaml"));
    spec.set("layers", size_.layers);
    spec.set("heads", size_.heads);
    spec.set("width", size_.width);
    spec.set("context", size_.context);
    spec.set("precision", precision);
    model_ = Registry<Architecture>::create(spec);
    BuildContext context;
    context.op = Registry<Operator>::create(aether ? "yat" : "dot");
    context.input_shape = {size_.context};
    context.num_classes = vocabulary;
    model_->build(context);
    optimizer_ = Registry<Optimizer>::create("adamw");
    optimizer_->attach(model_->parameters());
    tokens_ = at::randint(0, vocabulary, {size_.batch, size_.context + 1}, at::make_generator<at::CPUGeneratorImpl>(1),
                          at::TensorOptions().dtype(at::kLong));
  }

  /// -> tokens per second of `steps` steps
  double run(int steps) {
    const double begin = seconds();
    for (int i = 0; i < steps; ++i) {
      for (auto& p : model_->parameters()) p.mutable_grad().reset();
      task_->training_loss(*model_, tokens_.narrow(1, 0, size_.context), tokens_.narrow(1, 1, size_.context)).backward();
      optimizer_->step(1e-3);
    }
    return static_cast<double>(steps * size_.batch * size_.context) / (seconds() - begin);
  }

 private:
  Size size_;
  std::shared_ptr<Architecture> model_;
  std::shared_ptr<Optimizer> optimizer_;
  std::shared_ptr<Task> task_ = Registry<Task>::create("language_modeling");
  Tensor tokens_;
};

double pytorch(const std::string& python, const std::string& size, const std::string& precision, std::int64_t threads,
               std::int64_t vocabulary, int steps) {
  const auto& s = kSizes.at(size);
  const auto command = fmt::format(
      "OPENBLAS_NUM_THREADS={0} OMP_NUM_THREADS={0} {1} '{2}/bench/language_model_pytorch.py' {3} {4} {5} {6} {7} {8} {9} {0} {10} {11}",
      threads, python, YATLAB_SOURCE_DIR, s.layers, s.heads, s.width, s.context, s.batch, vocabulary, precision, steps,
      cpu_time ? "cpu" : "wall");
  std::FILE* pipe = ::popen(command.c_str(), "r");
  double rate = 0;
  const bool read = pipe && std::fscanf(pipe, "%lf", &rate) == 1;
  if (pipe) ::pclose(pipe);
  if (!read)
    throw Error(ErrorKind::kJob, "PyTorch's part of the benchmark failed", command, {},
                "apt-get install python3-torch, or leave --pytorch out");
  return rate;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.at(values.size() / 2);
}

/// Peak memory of one head's forward and backward pass, in MiB above what the process had before.
void attention_memory(const std::string& name, std::int64_t context, std::int64_t block) {
  const auto op = Registry<Operator>::create(name.c_str());
  const auto normalizer = Registry<Normalizer>::create("softmax");
  const auto peak = [] {
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
  };
  const auto run = [&](std::int64_t length) {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(1);
    std::vector<Tensor> parts;
    for (int i = 0; i < 3; ++i) parts.push_back((at::randn({1, 1, length, 64}, generator) * 0.5).requires_grad_(true));
    AttentionOptions o;
    o.block = block;
    attention(op, normalizer, parts[0], parts[1], parts[2], o).sum().backward();
  };
  run(64);  // what the libraries take for themselves
  const double before = peak(), begin = seconds();
  run(context);
  fmt::print("attention by {}, context {}, block {}: {:.1f} s, peak {:.0f} MiB above {:.0f} MiB\n", name, context, block, seconds() - begin,
             peak() - before, before);
}

using Options = std::map<std::string, std::string>;

/// These, with what `--name value` pairs say in their place. Anything else ends the program with all of them.
Options options_of(int argc, char** argv) {
  Options out{{"sizes", "nano,mini"}, {"precisions", "float32,bfloat16"},
              {"threads", "1,2"},     {"vocabulary", "50257"},
              {"rounds", "5"},        {"steps", "3"},
              {"pytorch", ""},        {"models", "gpt2,aether"},
              {"clock", "wall"},      {"attention", ""},
              {"context", "16384"},   {"block", "512"}};
  const Options standard = out;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const auto found = name.rfind("--", 0) == 0 ? out.find(name.substr(2)) : out.end();
    if (found == out.end() || i + 1 == argc) {
      const bool help = name == "--help";
      auto* const to = help ? stdout : stderr;
      if (!help) fmt::print(to, "{} '{}'\n", found == out.end() ? "unknown option" : "no value for", name);
      fmt::print(to, "options of {}, each with a value:\n", argv[0]);
      for (const auto& [option, value] : standard) fmt::print(to, "  --{} {}\n", option, value.empty() ? "''" : value);
      std::exit(help ? 0 : 2);
    }
    found->second = argv[i + 1];
  }
  return out;
}

void throughput(const Options& given) {
  keep_freed_memory();
  const auto python = given.at("pytorch");
  const std::int64_t vocabulary = std::stoll(given.at("vocabulary"));
  const int rounds = std::stoi(given.at("rounds")), steps = std::stoi(given.at("steps"));
  const auto models = split(given.at("models"), ',');
  for (const auto& size : split(given.at("sizes"), ',')) {
    for (const auto& precision : split(given.at("precisions"), ',')) {
      for (const auto& threads : split(given.at("threads"), ',')) {
        set_compute_threads(std::stoi(threads));
        std::map<std::string, std::vector<double>> rates;
        std::map<std::string, std::unique_ptr<Training>> trainings;
        for (const auto& model : models) {
          trainings[model] = std::make_unique<Training>(model, size, precision, vocabulary);
          trainings[model]->run(1);
        }
        for (int round = 0; round < rounds; ++round) {
          for (auto& [model, training] : trainings) rates[model].push_back(training->run(steps));
          if (!python.empty()) rates["pytorch"].push_back(pytorch(python, size, precision, std::stoll(threads), vocabulary, steps));
        }
        fmt::print("{:5} {:9} {} threads, vocabulary {}:", size, precision, threads, vocabulary);
        for (const auto& [model, values] : rates) fmt::print("  {} {:.0f} tokens/s", model, median(values));
        const auto ratio = [&](const char* a, const char* b) {
          if (rates.count(a) && rates.count(b)) fmt::print("  {}/{} {:.2f}", a, b, median(rates[a]) / median(rates[b]));
        };
        ratio("gpt2", "pytorch");
        ratio("aether", "gpt2");
        fmt::print("\n");
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto given = options_of(argc, argv);
    cpu_time = given.at("clock") == "cpu";
    const auto op = given.at("attention");
    if (op.empty()) {
      throughput(given);
    } else {
      attention_memory(op, std::stoll(given.at("context")), std::stoll(given.at("block")));
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
