// Installs Yatlab, builds a plugin library against the installed files, and loads it. Runs a compiler,
// so it only runs when selected by its tag, as ctest does.

#include <ATen/ATen.h>

#include <algorithm>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/ops/operator.h"
#include "core/registry/plugin_library.h"
#include "temporary_folder.h"

namespace yatlab {
namespace {

std::string succeed(const std::vector<std::string>& argv, const fs::path& directory) {
  const auto result = run_process(argv, directory.string());
  INFO(result.output);
  REQUIRE(result.status == 0);
  return result.output;
}

}  // namespace

TEST_CASE("a plugin library is built against an installed Yatlab, and loads", "[slow][plugin_package]") {
  const TemporaryFolder folder;
  const fs::path prefix = folder.path() / "prefix", source = folder.path() / "source", build = folder.path() / "build";
  succeed({YATLAB_CMAKE, "--install", YATLAB_BINARY_DIR, "--prefix", prefix.string()}, folder.path());
  for (const char* file :
       {"include/yatlab/core/ops/operator.h", "include/yatlab/core/registry/plugin_api.h", "share/yatlab/configs/dataset/mnist.yaml"}) {
    INFO(file);
    CHECK(fs::is_regular_file(prefix / file));
  }
  // No installed file may refer to the source or build tree.
  for (const auto& entry : fs::recursive_directory_iterator(prefix)) {
    if (entry.path().extension() != ".cmake") continue;
    INFO(entry.path().string());
    const auto text = read_file(entry.path());
    CHECK(text.find(YATLAB_SOURCE_DIR) == std::string::npos);
    CHECK(text.find(YATLAB_BINARY_DIR) == std::string::npos);
  }
  CHECK(succeed({(prefix / "bin" / "yatlab").string(), "--version"}, folder.path()).rfind("yatlab ", 0) == 0);
  CHECK(succeed({(prefix / "bin" / "yatlab").string(), "list", "operator"}, folder.path()).find("  yat") !=
        std::string::npos);  // by yatlab-torch, beside it

  fs::copy(fs::path(YATLAB_SOURCE_DIR) / "tests/registry/out_of_tree", source, fs::copy_options::recursive);
  succeed({YATLAB_CMAKE, "-G", YATLAB_GENERATOR, "-S", source.string(), "-B", build.string(), "-DCMAKE_BUILD_TYPE=Release",
           "-DCMAKE_PREFIX_PATH=" + prefix.string(), "-DCMAKE_CXX_COMPILER=" YATLAB_COMPILER, "-DTorch_DIR=" YATLAB_TORCH_DIR},
          folder.path());
  succeed({YATLAB_CMAKE, "--build", build.string()}, folder.path());

  load_plugins({build / "rational.so"});
  const auto& plugin = loaded_plugins().back();
  CHECK(plugin.name == "rational_kernel");
  CHECK(plugin.components == std::vector<std::string>{"operator/rational"});
  const auto folders = plugin_config_dirs();
  REQUIRE(std::find(folders.begin(), folders.end(), fs::canonical(build / "configs")) != folders.end());
  CHECK(fs::is_regular_file(build / "configs" / "operator" / "rational.yaml"));

  Node spec = Node::map();
  spec.set("name", "rational");
  spec.set("scale", 2.0);
  const auto op = Registry<Operator>::create(spec);
  const auto score = op->scores(at::tensor({1.0, 0.0}, at::kDouble).view({1, 2}), at::tensor({-1.0, 0.0}, at::kDouble).view({1, 2}), {});
  CHECK(score.item<double>() == Approx(0.5));
  spec.set("scale", 0.0);
  CHECK_THROWS_WITH(Registry<Operator>::create(spec),
                    "'operator.scale' is 0.0, but must be > 0\n"
                    "  why: distance at which the score has halved");
}

}  // namespace yatlab
