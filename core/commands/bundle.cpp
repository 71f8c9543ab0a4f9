#include "core/run/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/manifest.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/catalogue.h"
#include "core/cli/command.h"
#include "core/cli/experiments.h"
#include "core/cli/find_run.h"
#include "core/cli/out_folder.h"
#include "core/cli/papers.h"
#include "core/config/yaml.h"
#include "core/record/run_view.h"
#include "core/system/git.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// The contents of this file: the user's own, else the one that comes with the program; "" if there is none.
std::string text_of(const char* name) {
  const auto program = program_directory();
  for (const auto& path : {fs::path(name), program / "../../.." / name, program / "../share/yatlab" / name}) {
    if (is_file(path)) return read_file(path);
  }
  return {};
}

/// A relative path that stays below its folder; "" for others.
std::string inner_path(const fs::path& path) {
  const auto normal = path.lexically_normal();
  const bool leaves = normal.empty() || normal.is_absolute() || *normal.begin() == ".." || normal == ".";
  return leaves ? "" : normal.generic_string();
}

/// The file's name in the bundle, and the folder of experiments that contains it.
std::pair<std::string, fs::path> place_of(const fs::path& file) {
  for (const auto& root : experiment_roots()) {
    const auto inside = file.lexically_normal().lexically_relative(root);
    if (const auto inner = inner_path(inside); !inner.empty()) return {"experiments/" + inner, root};
  }
  return {"experiments/" + file.filename().string(), file.parent_path()};
}

/// Adds the paper's file, its experiments, other files in their folders, and the configs that they use.
void add_sources(const Paper& paper, BundleRequest& request) {
  const auto [place, root] = place_of(paper.file);
  const auto folder = paper.file.parent_path();
  const auto others = paper_files(root);
  const auto is_others = [&](const fs::path& file) {
    return std::any_of(others.begin(), others.end(), [&](const fs::path& other) {
      return other.lexically_normal() != paper.file.lexically_normal() && other.parent_path() != folder &&
             !inner_path(file.lexically_relative(other.parent_path())).empty() &&
             inner_path(folder.lexically_relative(other.parent_path())).empty();
    });
  };
  for (const auto& name : files_below(folder)) {
    const auto file = folder / name;
    if (file.extension() == ".yaml" && !is_others(file)) request.sources.push_back({place_of(file).first, {}, file});
  }
  std::map<std::string, fs::path> configs;
  for (const auto& root_of_configs : config_path(paper.file)) {
    for (const auto& name : files_below(root_of_configs)) configs.emplace(name, root_of_configs / name);
  }
  for (const auto& [name, file] : configs) {
    if (file.extension() == ".yaml") request.sources.push_back({"configs/" + name, {}, file});
  }
}

void gather_paper(const Paper& paper, const fs::path& runs, BundleRequest& request) {
  const Node content = load_yaml(paper.file);
  request.title = request.paper = paper.title.empty() ? paper.id : paper.title;
  if (const Node* link = content.find("link"); link && link->is_string()) request.link = link->as_string();
  if (const Node* authors = content.find("authors"); authors && authors->is_list()) {
    for (const auto& author : authors->as_list()) {
      if (author.is_string()) request.authors.push_back(author.as_string());
    }
  }
  const auto inner = inner_path(paper.results);
  request.recorded = inner.empty() ? "results/" + paper.id : inner;
  request.pages = paper.results;
  add_sources(paper, request);
  for (const auto& file : experiments_of(paper)) {
    const auto name = experiment_name(file);
    BundledExperiment experiment{name, place_of(file).first, paper.results / safe_file_name(name),
                                 request.recorded + "/" + safe_file_name(name)};
    if (!is_there(experiment.recorded / "summary.json")) continue;
    const auto summary = parse_ordered_json(read_json_text(experiment.recorded / "summary.json"), false);
    const auto id = summary.is_object() ? text_in(summary, "run_id") : "";
    if (why_no_folder_name(id).empty() && why_no_folder_name(name).empty() && is_there(runs / name / id / "plan.json")) {
      experiment.run = runs / name / id;
      experiment.run_at = "results/" + name + "/" + id;
    }
    request.experiments.push_back(std::move(experiment));
  }
  if (request.experiments.empty()) {
    throw config_error(fmt::format("nothing is recorded in '{}'", paper.results.string()), "command line", {},
                       "run its experiments, then write the record: yatlab report " + paper.id);
  }
}

/// Adds a run's config.yaml, which contains the whole composed experiment.
std::string gather_run(const fs::path& folder, BundleRequest& request) {
  const auto run = RunView::planned(folder);
  const auto name = safe_file_name(run.experiment);
  request.title = run.title.empty() ? run.experiment : run.title;
  request.recorded = "results";
  BundledExperiment experiment{run.experiment, "experiments/" + name + ".yaml", folder, "results/" + name};
  request.sources.push_back({experiment.file, {}, folder / "config.yaml"});
  request.experiments.push_back(std::move(experiment));
  return safe_file_name(run.experiment + "-" + run.run_id);
}

/// That reproduce.sh cannot get the program that is bundled with.
std::string changed_program_text(const std::string& revision, bool paper) {
  return fmt::format(
      "warning: others cannot get the program of this bundle: it is revision {} with changes\n"
      "  why: reproduce.sh checks out that revision, without the changes, and its numbers may differ\n"
      "  try: commit the changes and build{}; then bundle again\n",
      revision.substr(0, 10), paper ? "" : ", and run the experiment again");
}

std::string origin_of_program() { return git_answer(program_directory() / "../../..", {"remote", "get-url", "origin"}); }

}  // namespace

void bundle_options(po::options_description& options) {
  options.add_options()("out", po::value<std::string>(), "the archive (default: the paper's or run's name .zip)")(
      "with-checkpoints", po::bool_switch(), "with the checkpoints of the run's jobs")(
      "results", po::value<std::string>()->default_value("results"), "folder of the runs")(
      "repository", po::value<std::string>(), "address from which the program can be cloned (default: git's origin)");
}

int bundle_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.size() != 1) throw config_error("name one run or one paper", "command line", {}, self.example);
  if (args.has("out")) require_file_name(args.text("out"), "bundle.zip");
  BundleRequest request;
  request.version = YATLAB_VERSION;
  request.checkpoints = args.flag("with-checkpoints");
  const auto origin = args.has("repository") ? std::string() : origin_of_program();
  request.repository = args.has("repository") ? args.text("repository") : public_address(origin);
  request.license = text_of("LICENSE");
  request.citation = text_of("CITATION.cff");
  request.rules = text_of("docs/results.md");
  for (auto& [name, node] : declared_datasets()) {
    if (node.has("name") && node.has("files")) request.catalogue.push_back(node);
  }
  const auto& word = args.words.front();
  std::string name;
  if (!is_there(word) && is_paper(word)) {  // a run's folder takes precedence over a paper's name
    const auto paper = find_paper(word);
    gather_paper(paper, args.text("results"), request);
    name = paper.id;
  } else {
    name = gather_run(find_run(word, args.text("results")), request);
  }
  const fs::path out = args.has("out") ? args.text("out") : name + ".zip";
  const auto bundle = make_bundle(request);
  write_zip(out, bundle.files);
  say("{} files, {} bytes -> {}\n", bundle.files.size(), size_of_file(out), out.string());
  if (bundle.revision.changed) say_error("{}", changed_program_text(bundle.revision.revision, !request.paper.empty()));
  if (request.repository.empty()) say("{}: add an address to reproduce.sh with --repository ADDRESS\n", no_repository_text(origin));
  return 0;
}

}  // namespace yatlab::cli
