#include "core/compose/identity.h"

#include <algorithm>
#include <map>

#include "catch.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/compose/job_type.h"
#include "support.h"

namespace yatlab::testing {
namespace {

using Hashes = std::map<std::string, std::string>;

/// A copy of the project's sources, to be changed.
class Sources {
 public:
  Sources() {
    for (const char* name : {"core", "plugins"})
      fs::copy(fs::path(YATLAB_SOURCE_DIR) / name, folder_.path() / name, fs::copy_options::recursive);
  }
  Hashes hashes() const {
    const auto header = folder_.path() / "hashes.h";
    const auto done = run_process(
        {YATLAB_BINARY_DIR "/bin/yatlab_source_hashes", folder_.path().string(), header.string(), (folder_.path() / "packs.h").string()});
    REQUIRE(done.status == 0);
    Hashes out;
    for (const auto& line : split(read_file(header), '\n')) {
      const auto words = split(line, '"');
      if (words.size() == 5) out[words[1]] = words[3];
    }
    return out;
  }
  /// Sources whose hash changes with `change`, which is then undone.
  std::vector<std::string> after(const std::string& file, const std::function<std::string(std::string)>& change) const {
    const auto path = folder_.path() / file;
    const auto before = read_file(path), text = change(before);
    REQUIRE(text != before);
    const auto was = hashes();
    write_file_unsynced(path, text);
    const auto is = hashes();
    write_file_unsynced(path, before);
    std::vector<std::string> out;
    for (const auto& [source, hash] : is) {
      if (!was.count(source) || was.at(source) != hash) out.push_back(source);
    }
    return out;
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

std::string with_code(std::string text) { return text + "\nstatic const int kChanged = 1;\n"; }
std::string with_comments(std::string text) {
  const auto line = text.find("\nnamespace");
  return "// About this file.\n" + text.replace(line, 1, "  // why\n\n  /* and\n how */\n");
}
bool among(const std::vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

TEST_CASE("a component's hash changes exactly with the sources that it uses", "[identity]") {
  const Sources sources;

  SECTION("an operator's code changes the operator and its users by name") {
    const auto changed = sources.after("plugins/kernels/operators/cosine.cpp", with_code);
    CHECK(among(changed, "plugins/kernels/operators/cosine.cpp"));
    for (const auto& other : {"plugins/kernels/operators/yat.cpp", "plugins/kernels/operators/dot.cpp",
                              "plugins/kernels/architectures/prototype_classifier.cpp", "plugins/language/architectures/transformer.cpp",
                              "plugins/kernels/datasets/mnist.cpp", "core/job/training_job.cpp"}) {
      INFO(other);
      CHECK_FALSE(among(changed, other));
    }
  }
  SECTION("a claim depends on an operator that it creates by name") {
    const auto changed = sources.after("plugins/kernels/operators/dot.cpp", with_code);
    CHECK(among(changed, "plugins/claims/softmax_tessellation.cpp"));
    CHECK_FALSE(among(changed, "plugins/claims/mercer.cpp"));
  }
  SECTION("a kernel is used through a header included by another") {
    const auto changed = sources.after("core/ops/yat_kernel.cpp", with_code);
    CHECK(among(changed, "plugins/kernels/operators/yat.cpp"));
    CHECK_FALSE(among(changed, "plugins/kernels/operators/dot.cpp"));
    CHECK_FALSE(among(changed, "plugins/kernels/normalizers/softmax.cpp"));
    CHECK_FALSE(among(changed, "core/job/study_job.cpp"));
  }
  SECTION("a CUDA kernel changes what uses its operator") {
    for (const char* file : {"core/ops/cuda/yat_kernel_cuda.cu", "core/ops/cuda/yat_cuda.cpp", "core/ops/cuda/lanes.cuh"}) {
      const auto changed = sources.after(file, with_code);
      INFO(file);
      CHECK(among(changed, "plugins/kernels/operators/yat.cpp"));
      CHECK_FALSE(among(changed, "plugins/kernels/operators/dot.cpp"));
    }
    CHECK(among(sources.after("core/ops/cuda/causal_softmax_kernel_cuda.cu", with_code), "plugins/language/architectures/transformer.cpp"));
  }
  SECTION("a private header changes the claims that include it") {
    const auto changed = sources.after("plugins/claims/ntk.cpp", with_code);
    CHECK(among(changed, "plugins/claims/ntk_dynamics.cpp"));
    CHECK_FALSE(among(changed, "plugins/claims/mercer.cpp"));
  }
  SECTION("a claim's text changes the claim") {
    const auto changed = sources.after("plugins/claims/mercer.yaml", [](std::string text) { return text + "reading: more\n"; });
    CHECK(changed == std::vector<std::string>{"plugins/claims/mercer.cpp"});
  }
  SECTION("a local header and its implementation change their user") {
    const auto dot = sources.path() / "plugins/kernels/operators/dot.cpp";
    write_file_unsynced(dot, "#include \"my_helper.h\"\n" + read_file(dot));
    write_file_unsynced(sources.path() / "plugins/kernels/operators/my_helper.h", "inline double twice(double x) { return 2 * x; }\n");
    write_file_unsynced(sources.path() / "plugins/kernels/operators/my_helper.cpp", "#include \"my_helper.h\"\n");
    for (const char* file : {"plugins/kernels/operators/my_helper.h", "plugins/kernels/operators/my_helper.cpp"}) {
      const auto changed = sources.after(file, with_code);
      INFO(file);
      CHECK(among(changed, "plugins/kernels/operators/dot.cpp"));
      CHECK_FALSE(among(changed, "plugins/kernels/operators/yat.cpp"));
    }
  }
  SECTION("the training loop changes training but no claim or study") {
    const auto changed = sources.after("core/train/trainer.cpp", with_code);
    CHECK(among(changed, "core/job/training_job.cpp"));
    CHECK_FALSE(among(changed, "core/job/study_job.cpp"));
    CHECK_FALSE(among(changed, "core/job/claim_job.cpp"));
  }
  SECTION("seed derivation changes everything that draws random numbers") {
    const auto changed = sources.after("core/base/hash.cpp", with_code);
    for (const char* file : {"core/job/training_job.cpp", "plugins/kernels/datasets/synthetic_digits.cpp",
                             "plugins/kernels/architectures/prototype_classifier.cpp"}) {
      INFO(file);
      CHECK(among(changed, file));
    }
  }
  SECTION("comments and blank lines change nothing") {
    for (const char* file : {"plugins/kernels/operators/yat.cpp", "core/train/trainer.cpp", "core/base/hash.h"})
      CHECK(sources.after(file, with_comments).empty());
  }
  SECTION("the runner and planner and report change nothing") {
    for (const char* file :
         {"core/run/run.cpp", "core/plan/plan.cpp", "core/table/table.cpp", "core/config/yaml.cpp", "core/commands/main.cpp",
          "plugins/figures/prototypes.cpp", "plugins/local/trackers/console.cpp", "plugins/local/launchers/local.cpp"}) {
      INFO(file);
      CHECK(sources.after(file, with_code).empty());
    }
  }
  SECTION("a new operator changes only itself") {
    const auto before = sources.hashes();
    fs::create_directories(sources.path() / "plugins/lab/operators");
    fs::copy_file(sources.path() / "plugins/kernels/operators/dot.cpp", sources.path() / "plugins/lab/operators/mine.cpp");
    auto text = read_file(sources.path() / "plugins/lab/operators/mine.cpp");
    text.replace(text.find("\"dot\"", text.find("YATLAB_REGISTER")), 5, "\"mine\"");
    write_file_unsynced(sources.path() / "plugins/lab/operators/mine.cpp", text);
    auto after = sources.hashes();
    CHECK(after.erase("plugins/lab/operators/mine.cpp") == 1);
    CHECK(after == before);
  }
  SECTION("comment markers inside literals are code") {
    const auto literal = [](std::string text) {
      return text + "\nstatic const char* kAddress = \"http://a\"; static const char kSlash = '\"'; // c\n";
    };
    const auto other = [&](std::string text) {
      return literal(std::move(text)) + "\nstatic const char* kRaw = R\"x( // no comment )x\";\n";
    };
    CHECK(among(sources.after("plugins/kernels/operators/yat.cpp", literal), "plugins/kernels/operators/yat.cpp"));
    const auto path = sources.path() / "plugins/kernels/operators/yat.cpp";
    const auto text = read_file(path);
    write_file_unsynced(path, literal(text));
    const auto first = sources.hashes().at("plugins/kernels/operators/yat.cpp");
    auto altered = literal(text);
    altered.replace(altered.find("http://a"), 8, "http://b");
    write_file_unsynced(path, altered);
    CHECK(sources.hashes().at("plugins/kernels/operators/yat.cpp") != first);
    write_file_unsynced(path, other(text));
    const auto raw = sources.hashes().at("plugins/kernels/operators/yat.cpp");
    auto altered_raw = other(text);
    altered_raw.replace(altered_raw.find("no comment"), 10, "NO comment");
    write_file_unsynced(path, altered_raw);
    CHECK(sources.hashes().at("plugins/kernels/operators/yat.cpp") != raw);
  }
}

TEST_CASE("every computing component and every job type has a hash", "[identity]") {
  const auto hashes = Sources().hashes();
  std::size_t seen = 0;
  for (const auto& kind : component_kinds()) {
    for (const auto& component : component_table(kind).all()) {
      if (kind == "tracker" || kind == "launcher" || kind == "sweeper" || kind == "pruner" || kind == "figure" ||
          component.origin.find("tests/") != std::string::npos || component.origin.rfind("plugins/", 0) != 0) {
        continue;
      }
      ++seen;
      Node frozen = Node::map();
      Node spec = Node::map();
      spec.set("name", component.name);
      frozen.set(kind, spec);
      const auto uses = uses_of(training_job(), frozen);
      INFO(component.origin);
      CHECK(uses.at(kind + "/" + component.name).size() == 16);
      CHECK(hashes.count(component.source) == 1);
      CHECK(uses.at(kind + "/" + component.name) == hashes.at(component.source));
    }
  }
  CHECK(seen > 100);
  for (const auto* type : job_types()) {
    CHECK(uses_of(*type, Node::map()).at(type->name()).size() == 16);
    CHECK(hashes.count(type->source()) == 1);
  }
}

TEST_CASE("the pack index agrees with the registered components", "[identity][packs]") {
  const Sources sources;
  sources.hashes();
  std::map<std::string, std::vector<std::string>> index;  // "kind/name" -> the texts of its line
  for (const auto& line : split(read_file(sources.path() / "packs.h"), '\n')) {
    const auto words = split(line, '"');
    if (words.size() == 17) index[words[3] + "/" + words[7]] = words;
  }
  std::size_t seen = 0;
  for (const auto& kind : component_kinds()) {
    for (const auto& component : component_table(kind).all()) {
      if (component.origin.rfind("plugins/", 0) != 0) continue;
      const auto name = kind + "/" + component.name;
      INFO(name);
      const auto found = index.find(name);
      REQUIRE(found != index.end());
      const auto& line = found->second;
      CHECK(line[1] == split(component.source, '/')[1]);
      CHECK(line[5] == component_table(kind).doc());
      CHECK(line[9] == join(component.aliases, " "));
      CHECK(line[11] == component.doc);
      CHECK(line[13] == component.source);
      const auto parameters = split(line[15], ' ');
      for (const auto& field : component.schema.fields) {
        INFO(field.name);
        CHECK(among(parameters, field.name));
      }
      ++seen;
    }
  }
  CHECK(seen == index.size());
}

TEST_CASE("the hash of a component without known sources covers all code", "[identity]") {
  Node frozen = Node::map(), spec = Node::map();
  spec.set("name", Node("breaking"));  // of these tests
  frozen.set("analysis", spec);
  const auto hash = uses_of(analysis_job(), frozen).at("analysis/breaking");
  CHECK(hash.size() == 16);
  for (const auto& [source, other] : Sources().hashes()) CHECK(other != hash);
}

TEST_CASE("a job uses the components named in its config including parameters", "[identity]") {
  const Workspace w(with("analyses: [{name: prototype_similarity, operators: [yat, cosine]}]\n"));
  const auto plan = w.plan();
  const auto names_of = [](const JobSpec& job) {
    std::vector<std::string> out;
    for (const auto& [name, hash] : uses_of(*job.type, job.config)) out.push_back(name);
    return join(out, " ");
  };
  const auto& linear = plan.jobs.front();
  CHECK(names_of(linear) ==
        "architecture/prototype_classifier dataset/synthetic_digits initializer/normal initializer/zeros operator/dot "
        "optimizer/adam schedule/constant task/classification training");
  CHECK(names_of(linear.analyses.at(0)) == "analysis analysis/prototype_similarity operator/cosine operator/yat");
}

}  // namespace
}  // namespace yatlab::testing
