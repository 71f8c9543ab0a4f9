#include "core/library/verify_paper.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/catalogue.h"
#include "core/cli/command.h"
#include "core/cli/experiments.h"
#include "core/cli/out_folder.h"
#include "core/cli/papers.h"
#include "core/config/yaml.h"
#include "core/data/catalog.h"
#include "core/plan/plan.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

std::map<std::string, std::vector<std::string>> published_data() {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [file, node] : declared_datasets()) {
    const Node* const name = node.find("name");
    if (!name || !name->is_string() || !node.has("files")) continue;
    auto sums = published_sha256(node);
    auto& known = out[name->as_string()];  // several files may describe the same data
    known.insert(known.end(), sums.begin(), sums.end());
  }
  return out;
}

/// Runs some recorded jobs of each experiment again and adds a check for each experiment.
void repeat_jobs(const std::string& jobs, const Paper& paper, std::vector<CheckedCase>& cases) {
  for (const auto& file : experiments_of(paper)) {
    const auto name = experiment_name(file);
    if (!is_there(paper.results / safe_file_name(name) / "summary.json")) continue;
    const std::vector<std::string> words{file.string(), "--jobs", jobs, "--recorded", paper.results.string(), "--quiet"};
    CheckedCase again{name, "repeated jobs", CheckedCase::Result::kHolds, {}};
    try {
      const int code = repeat_command(*find_command("repeat"), words);
      if (code > 128) throw Error(ErrorKind::kJob, "the repetition was stopped");
      if (code != 0) again = {name, again.name, CheckedCase::Result::kFails, "some numbers differ by more than seeds explain: see above"};
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::kData) throw;
      again = {name, again.name, CheckedCase::Result::kOpen, e.what()};
    }
    cases.push_back(std::move(again));
  }
}

}  // namespace

void verify_options(po::options_description& options) {
  options.add_options()("junit", po::value<std::string>(), "also write the checks as JUnit XML")(
      "jobs", po::value<std::string>(), "also repeat this many recorded jobs of each experiment, or all")(
      "recorded", po::value<std::string>(), "folder of the paper's report (default: the paper's)")(
      "results", po::value<std::string>()->default_value("results"), "folder of the runs")("all", po::bool_switch(), "list every check");
}

int verify_command(const Command& self, const std::vector<std::string>& arguments) {
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.size() > 1) throw config_error("one paper is verified at a time", "command line", {}, self.example);
  if (args.has("junit")) require_file_name(args.text("junit"), "verify.xml");
  auto paper = find_paper(args.words.empty() ? "" : args.words[0]);
  if (args.has("recorded")) paper.results = args.text("recorded");
  PaperRecord record;
  record.id = paper.id;
  record.claims = load_yaml(paper.file);
  record.folder = paper.results;
  record.runs = args.text("results");
  record.published = published_data();
  for (const auto& [file, node] : declared_datasets()) {
    const Node* const name = node.find("name");
    if (const auto other = substitute_of(node); name && name->is_string() && !other.empty())
      record.substitutes.emplace(name->as_string(), other);
  }
  if (is_file("ro-crate-metadata.json") && is_file("data.json")) record.bundled_data = "data.json";
  for (const auto& file : experiments_of(paper)) {
    PlanRequest request;
    request.experiment = file;
    request.config_path = config_path(file);
    const auto plan = make_plan(request);
    record.experiments.push_back({plan.name, plan.experiment});
  }
  auto cases = verify_paper(record);
  if (args.has("jobs")) repeat_jobs(args.text("jobs"), paper, cases);
  say("{}: {}\n{}", paper.id, paper.results.string(), checked_text(cases, args.flag("all")));
  if (args.has("junit")) write_file_atomic(args.text("junit"), junit_xml(paper.id, cases));
  const auto fails = [](const CheckedCase& each) { return each.result == CheckedCase::Result::kFails; };
  return std::any_of(cases.begin(), cases.end(), fails) ? 1 : 0;
}

}  // namespace yatlab::cli
