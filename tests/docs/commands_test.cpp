// README and docs/ tell their readers to type these commands, and each must work. They run in order, one page after the
// other, in a copy of the tree, without network. Only these things are changed:
//   - trainings take `scale=smoke`, and draw their figures in one format; a job's folder with another name at that scale is looked up;
//   - EXPERIMENT.yaml, KIND/NAME and similar are replaced by real ones (`kPlaceholders`);
//   - a W&B key is left out (there is no server), and `sync` only lists what it would send;
//   - external models (`model import`, `generate models/gpt2`, `evaluate gpt2`) need weights that the tree does not hold: tests/cli tries them;
//   - the library of docs/plugins.md is in my_kernels/build; it is built from the page's own CMake text and the operator of
//     docs/getting_started.md, which the program itself does not have;
//   - `serve` is ended by Ctrl-C's signal after three seconds;
//   - `./run.sh test`, `bench` and `fuzz` are not run, but their arguments must exist; site_test.cpp runs `./run.sh docs`.

#include "docs/markdown.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "core/base/process.h"
#include "data/own_files.h"
#include "holds.h"
#include "quick_starts/quick_starts.h"
#include "slurm_cluster.h"
#include "temporary_folder.h"

namespace yatlab::testing {
namespace {

const fs::path kTree = YATLAB_SOURCE_DIR;

/// Replacements of placeholders in prose.
const std::vector<std::pair<std::string, std::string>> kPlaceholders = {
    {"EXPERIMENT.yaml", "experiments/mnist_inversion.yaml"},
    {"EXPERIMENT", "mnist_inversion"},
    {" KEY", " operator.epsilon"},
    {"KIND/NAME", "operator/yat"},
    {"KIND NAME", "operator sample_from_docs"},
    {"my.jsonl.zst", "my.jsonl"},
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

/// The page's first block of a language.
std::string fenced(const std::string& page, const std::string& language) {
  const std::string opening = "\n```" + language + "\n";
  const auto begin = page.find(opening);
  INFO(language);
  REQUIRE(begin != std::string::npos);
  return page.substr(begin + opening.size(), page.find("\n```", begin + opening.size()) + 1 - begin - opening.size());
}

/// A copy of the tree with the data beside it, the built program, and a temporary home.
class Reader {
 public:
  Reader() {
    fs::create_directories(tree() / "build");
    fs::create_directories(folder_.path() / "home");
    for (const char* name : {"configs", "experiments", "docs", "plugins", "tests"})
      fs::copy(kTree / name, tree() / name, fs::copy_options::recursive);
    for (const char* name : {"run.sh", "README.md"}) fs::copy(kTree / name, tree() / name);
    for (const auto& entry : fs::directory_iterator(kTree / "results/paper")) {  // for `repeat` and `verdict`
      const fs::path summary = fs::path("results/paper") / entry.path().filename() / "summary.json";
      if (!fs::exists(kTree / summary)) continue;
      fs::create_directories((tree() / summary).parent_path());
      fs::copy(kTree / summary, tree() / summary);
    }
    fs::create_directory_symlink(YATLAB_BINARY_DIR, tree() / "build" / fs::path(YATLAB_BINARY_DIR).filename());
    std::ofstream texts(tree() / "my.jsonl");
    for (int i = 0; i < 100; ++i) texts << "{\"text\": \"document " << i << "\"}\n";
    texts.close();
    make_own_data();
    std::error_code ignored;
    const fs::path data = fs::canonical(kTree / "../shared/data", ignored);
    if (!ignored) {
      fs::create_directories(folder_.path() / "shared");
      fs::create_directory_symlink(data, folder_.path() / "shared/data");
      has_data_ = true;
    }
    has_data_ = has_data_ || std::getenv("YATLAB_DATA");
  }
  fs::path tree() const { return folder_.path() / "yatlab"; }
  bool has_data() const { return has_data_; }

  /// Builds the library of docs/plugins.md as described there, from the page's text and the operator of docs/getting_started.md.
  void build_library() const {
    const fs::path folder = tree() / "my_kernels";
    fs::create_directories(folder);
    const std::string page = read_file(kTree / "docs/plugins.md");
    std::ofstream(folder / "CMakeLists.txt") << fenced(page, "cmake");
    std::ofstream(folder / "my_kernel.cpp") << fenced(read_file(kTree / "docs/getting_started.md"), "cpp") << fenced(page, "cpp");
    fs::create_directories(folder / "configs/operator");
    std::ofstream(folder / "configs/operator/rational_quadratic.yaml") << "name: rational_quadratic\n";
    const auto result = type("cmake --install build/" + fs::path(YATLAB_BINARY_DIR).filename().string() +
                             " --prefix ~/yatlab && cd my_kernels && "
                             "cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH=~/yatlab && cmake --build build");
    INFO(result.output);
    REQUIRE(result.status == 0);
  }

  /// The inputs of docs/data.md: a table, an archive of arrays, a folder of images.
  void make_own_data() const {
    std::ofstream table(tree() / "flowers.csv");
    table << "length,width,species\n";
    std::vector<float> inputs;
    std::vector<std::int64_t> classes;
    for (int i = 0; i < 60; ++i) {
      table << 4 + i % 7 + 2 * (i % 3) << ',' << 1 + i % 5 - i % 3 << ','
            << (i % 3 == 0   ? "setosa"
                : i % 3 == 1 ? "versicolor"
                             : "virginica")
            << '\n';
      for (int k = 0; k < 16; ++k) inputs.push_back(static_cast<float>((i * 7 + k * 5) % 11));
      classes.push_back(i % 3);
      const fs::path folder = tree() / "leaves" / (i % 2 ? "oak" : "elm");
      fs::create_directories(folder);
      std::ofstream(folder / (std::to_string(i) + ".png"), std::ios::binary)
          << png(9, 7, static_cast<std::uint8_t>(4 * i), static_cast<std::uint8_t>(i % 2 ? 200 : 20), 10);
    }
    std::ofstream(tree() / "digits.npz", std::ios::binary)
        << zip({{"x.npy", npy("<f4", "60, 4, 4", bytes_of_numbers(inputs))}, {"y.npy", npy("<i8", "60,", bytes_of_numbers(classes))}});
  }

  ProcessResult type(const std::string& command) const {
    const std::string preset = fs::path(YATLAB_BINARY_DIR).filename().string();
    const std::string setting = "export SHELL=/bin/bash HOME=" + (folder_.path() / "home").string() +
                                " YATLAB_BUILD=skip YATLAB_PRESET=" + preset +
                                " http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9; unset no_proxy WANDB_API_KEY WANDB_MODE\n" +
                                quick_starts().exports() + "\n";
    return run_process({"bash", "-c", setting + command}, tree());
  }

  /// The command as run by this test; empty when it is not run (see the top of this file).
  std::string adapted(const DocumentedCommand& documented) const {
    std::string text = documented.text;
    for (const auto& [from, to] : kPlaceholders) text = replaced(text, from, to);
    text = replaced(text, "build/release", "build/" + fs::path(YATLAB_BINARY_DIR).filename().string());
    static const std::regex key("WANDB_API_KEY=\\S+ "), comment("\\s+#.*$"), ellipsis("\\.\\.\\.");
    text = std::regex_replace(std::regex_replace(text, key, ""), comment, "");
    if (std::regex_search(text, ellipsis)) return "";
    std::istringstream stream(text);
    std::string program, first;
    stream >> program >> first;
    if (program != "./run.sh") return text;
    if (holds(text, "build/my_kernels.so")) text = replaced(text, "operator=my_kernel'", "operator=rational_quadratic'");
    text = replaced(text, "build/my_kernels.so", "my_kernels/build/my_kernels.so");
    if (holds(text, "rational_quadratic")) text += " --plugin my_kernels/build/my_kernels.so";
    if (first == "sync") text += " --dry-run";
    if (first == "serve") return "timeout --preserve-status -s INT 3 " + text;
    std::string experiment = first;
    while (!experiment.empty() && experiment[0] == '-' && stream >> experiment) {
    }
    const bool file = experiment.size() > 5 && experiment.substr(experiment.size() - 5) == ".yaml";
    const bool trains = file || fs::exists(tree() / "experiments" / (experiment + ".yaml"));
    if (trains && !holds(text, "scale=")) text += " scale=smoke";
    if (trains && !holds(text, "figures.format=")) text += " ++figures.format=svg";
    // A job's folder at this scale.
    static const std::regex job("(results/[^/ ]+/latest/jobs/[^/ ]+)/[^ ]+");
    std::smatch found;
    if (std::regex_search(text, found, job) && !fs::exists(tree() / found.str())) {
      const std::string arm = found[1];
      INFO(arm);
      REQUIRE(fs::is_directory(tree() / arm));
      text = replaced(text, found.str(), arm + "/" + fs::directory_iterator(tree() / arm)->path().filename().string());
    }
    return text;
  }

 private:
  TemporaryFolder folder_;
  bool has_data_ = false;
};

/// The words after `./run.sh test`, `bench` or `fuzz` that are neither options nor numbers.
std::vector<std::string> names_after(const std::string& text, const std::string& command) {
  std::istringstream stream(text.substr(0, text.find(" #")));
  std::vector<std::string> out;
  std::string word;
  stream >> word >> word;
  if (word != command) return {};
  while (stream >> word) {
    if (word[0] != '-' && word[0] != '[' && !std::isdigit(static_cast<unsigned char>(word[0]))) out.push_back(word);
  }
  return out;
}

/// True for `./run.sh` followed by `command`, perhaps with further words.
bool is(const std::string& text, const std::string& command) {
  return text == "./run.sh " + command || text.rfind("./run.sh " + command + " ", 0) == 0;
}

std::vector<DocumentedCommand> all_commands() {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(kTree / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(fs::relative(entry.path(), kTree));
  }
  std::sort(pages.begin(), pages.end());
  pages.insert(pages.begin(), {"README.md", "CONTRIBUTING.md"});
  std::vector<DocumentedCommand> out;
  for (const auto& page : pages) {
    for (auto& c : documented_commands(page.string(), read_file(kTree / page))) out.push_back(std::move(c));
  }
  return out;
}

}  // namespace

TEST_CASE("commands are found in Markdown blocks and inline code", "[docs]") {
  const auto found = documented_commands(
      "x.md",
      "Type `./run.sh list`.\n```bash\n./run.sh a \\\n  b\n\n./run.sh c   # why\n```\n```\n./run.sh d\nnot ./run.sh\n```\n`./run.sh`\n");
  REQUIRE(found.size() == 4);
  CHECK(found[0].text == "./run.sh list");
  CHECK_FALSE(found[0].block);
  CHECK(found[1].text == "./run.sh a   b");
  CHECK(found[1].line == 3);
  CHECK(found[1].block);
  CHECK(found[2].text == "./run.sh c   # why");
  CHECK(found[2].line == 6);
  CHECK(found[3].text == "./run.sh d");
}

TEST_CASE("names of tests, benchmarks and fuzz targets in the docs exist", "[docs]") {
  std::size_t seen = 0;
  for (const auto& c : all_commands()) {
    INFO(c.page << ":" << c.line << ": " << c.text);
    seen += is(c.text, "test") || is(c.text, "bench") || is(c.text, "fuzz");
    for (const auto& name : names_after(c.text, "test")) CHECK(fs::is_directory(kTree / "tests" / name));
    for (const auto& name : names_after(c.text, "bench")) CHECK(fs::is_regular_file(kTree / "bench" / (name + "_bench.cpp")));
    for (const auto& name : names_after(c.text, "fuzz")) CHECK(fs::is_regular_file(kTree / "tests/fuzz" / (name + ".cpp")));
  }
  CHECK(seen >= 6);
}

TEST_CASE("every command in README and docs works as described", "[docs][slow]") {
  const Reader reader;
  reader.build_library();
  if (!reader.has_data()) WARN("skipped: `data fetch`, without a data folder; other commands use substitutes");
  std::size_t typed = 0;
  std::vector<std::string> done;
  for (const auto& c : all_commands()) {
    if (is(c.text, "test") || is(c.text, "bench") || is(c.text, "fuzz") || is(c.text, "docs") || is(c.text, "model import") ||
        is(c.text, "evaluate gpt2") || is(c.text, "generate models/gpt2") || (!reader.has_data() && is(c.text, "data fetch")))
      continue;
    const std::string command = reader.adapted(c);
    if (holds(command, "launcher=slurm") && !SlurmCluster::get()) {
      WARN("skipped: " + command + ": Slurm is not installed (packages slurm-wlm and munge)");
      continue;
    }
    if (command.empty() || std::find(done.begin(), done.end(), command) != done.end()) continue;
    done.push_back(command);
    INFO(c.page << ":" << c.line << ": " << c.text);
    INFO("typed as: " << command);
    const auto result = reader.type(command);
    INFO(result.output);
    CHECK(result.status == 0);
    CHECK_FALSE(holds(result.output, "this is a bug in Yatlab"));
    ++typed;
  }
  CHECK(typed >= 25);
}

}  // namespace yatlab::testing
