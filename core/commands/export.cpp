#include <fmt/format.h>
#include <unistd.h>

#include <set>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/find_run.h"
#include "core/cli/out_folder.h"
#include "core/library/export_runs.h"
#include "core/record/run_folders.h"
#include "core/system/stop.h"

namespace yatlab::cli {
namespace po = boost::program_options;
namespace {

/// "csv" or "jsonl": --format, else by the ending of --out.
std::string export_format(const Arguments& args) {
  if (args.has("format")) return args.text("format");
  if (!args.has("out")) return "csv";
  const auto ending = fs::path(args.text("out")).extension().string();
  return ending.empty() ? "csv" : ending.substr(1);
}

std::vector<fs::path> runs_to_export(const Arguments& args) {
  const fs::path results = args.text("results");
  const auto all = run_folders(results);
  std::vector<fs::path> found;
  for (const auto& word : args.words) {
    const auto before = found.size();
    if (args.flag("all")) {
      for (const auto& run : all) {
        if (run.experiment == word) found.push_back(run.path);
      }
    }
    if (found.size() == before) found.push_back(find_run(word, results));
  }
  std::vector<fs::path> out;
  std::set<fs::path> seen;
  for (const auto& run : found) {
    if (seen.insert(fs::canonical(run)).second) out.push_back(run);
  }
  return out;
}

}  // namespace

void export_options(po::options_description& options) {
  options.add_options()("format", po::value<std::string>(), "csv or jsonl (default: as --out ends, else csv)")(
      "per", po::value<std::string>()->default_value("job"), "a row for each job, or for each logged step")(
      "out", po::value<std::string>(), "file (default: standard output)")("config", po::bool_switch(),
                                                                          "every setting of each job as a column, not only what was swept")(
      "all", po::bool_switch(), "all runs of the named experiments, not only the latest")(
      "results", po::value<std::string>()->default_value("results"), "folder of the runs");
}

int export_command(const Command& self, const std::vector<std::string>& arguments) {
  const SavesWhenStopped saves;
  const auto args = parse_arguments(self, arguments);
  if (args.help) return 0;
  if (args.words.empty()) throw config_error("no run given", "command line", {}, self.example);
  const auto format = export_format(args);
  if (format == "parquet") {
    throw config_error("Parquet cannot be written", "--format", "Debian has no Parquet library for C++",
                       "write CSV and let pandas convert it: pandas.read_csv('jobs.csv').to_parquet('jobs.parquet')");
  }
  if (format != "csv" && format != "jsonl")
    throw config_error(fmt::format("--format cannot be '{}'", shortened(format)), "--format", {}, suggestion(format, {"csv", "jsonl"}));
  const auto per = args.text("per");
  if (per != "job" && per != "step")
    throw config_error(fmt::format("--per cannot be '{}'", shortened(per)), "--per", {}, suggestion(per, {"job", "step"}));
  if (args.has("out")) require_file_name(args.text("out"), per == "job" ? "jobs." + format : "steps." + format);
  const auto runs = runs_to_export(args);
  if (args.flag("config") && per != "job") throw config_error("--config needs one row per job", "command line", {}, "remove --per step");
  const auto rows = per == "step" ? ExportRows::kSteps : args.flag("config") ? ExportRows::kJobsWithSettings : ExportRows::kJobs;
  const auto kind = format == "csv" ? ExportFormat::kCsv : ExportFormat::kJsonLines;
  const auto stop = [] { return stop_signal() != 0; };
  Exported done;
  if (args.has("out")) {
    const fs::path path = args.text("out");
    if (path.has_parent_path()) make_folders(path.parent_path());
    // The file gets its name only once it is complete.
    const fs::path temporary = path.parent_path() / fmt::format(".{}.{}.0.tmp", path.filename().string(), ::getpid());
    try {
      OutputFile file(temporary, OutputFile::Mode::kEmpty, path);
      done = export_runs(
          runs, rows, kind, [&](std::string_view piece) { file.write(piece); }, stop);
      file.sync();
      if (!stop()) rename_path(temporary, path);
    } catch (...) {
      std::error_code ignored;
      fs::remove(temporary, ignored);
      throw;
    }
    if (stop()) remove_tree(temporary);
  } else {
    done = export_runs(
        runs, rows, kind, [](std::string_view piece) { print_data(stdout, piece); }, stop);
  }
  for (const auto& note : done.notes) say_error("note: {}\n", visible(note));
  if (stop_signal() != 0) return 128 + stop_signal();
  say_error("{} row{}, {} columns of {} run{}{}\n", done.rows, done.rows == 1 ? "" : "s", done.columns, runs.size(),
            runs.size() == 1 ? "" : "s", args.has("out") ? " -> " + args.text("out") : "");
  return 0;
}

}  // namespace yatlab::cli
