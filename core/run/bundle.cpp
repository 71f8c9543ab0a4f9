#include "core/run/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/manifest.h"
#include "core/base/text.h"
#include "core/compose/identity.h"
#include "core/data/catalog.h"
#include "core/data/locate.h"
#include "core/record/made_with.h"
#include "core/record/recorded_data.h"
#include "core/system/shell.h"
#include "core/table/table.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

/// "2026-11-29" of a run's id; "" for other names.
std::string day_of(const std::string& run_id) {
  const std::string day = run_id.substr(0, 10);
  const bool is_day = day.size() == 10 && day[4] == '-' && day[7] == '-' &&
                      std::all_of(day.begin(), day.end(), [](char c) { return is_digit(c) || c == '-'; });
  return is_day ? day : "";
}

/// Whether a file of a run belongs into a bundle: not what only the machine needed that ran it.
bool is_wanted(const std::string& name, bool checkpoints) {
  static const std::set<std::string> kLeftOut = {"heartbeat.json", "log.txt", "output.txt", "lock"};
  const auto parts = split(name, '/');
  if (parts.front() == "trackers" || kLeftOut.count(parts.back())) return false;
  if (std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.empty() || part[0] == '.'; })) return false;
  return checkpoints || std::find(parts.begin(), parts.end() - 1, "checkpoints") == parts.end() - 1;
}

/// The bundle, as it is gathered.
class Gathering {
 public:
  explicit Gathering(const BundleRequest& request) : request_(request) {}

  Bundle all() {
    for (const auto& file : request_.sources) files_.push_back(file);
    for (const auto& experiment : request_.experiments) add_experiment(experiment);
    if (!request_.pages.empty()) {
      for (const auto& file : entries_if_there(request_.pages)) {
        const auto name = file.filename().string();
        if (is_file(file) && file.extension() != ".tmp" && is_wanted(name, false)) add(request_.recorded + "/" + name, file);
      }
    }
    const auto revision = recorded_revision();
    if (!request_.license.empty()) files_.push_back({"LICENSE", request_.license});
    if (!request_.citation.empty())
      files_.push_back({"CITATION.cff", with_reference(request_.citation, request_.paper, request_.link, request_.authors)});
    // VERDICT.md and SCORECARD.md link to ../../docs/results.md.
    const auto rules = (fs::path(request_.recorded) / "../../docs/results.md").lexically_normal().generic_string();
    if (!request_.pages.empty() && !request_.rules.empty() && rules.rfind("..", 0) != 0) files_.push_back({rules, request_.rules});
    files_.push_back({"environment.json", dump_json_replacing(environment(revision), 2) + "\n"});
    files_.push_back({"data.json", dump_json_replacing(data(), 2) + "\n"});
    std::vector<std::string> experiments;
    for (const auto& experiment : request_.experiments) experiments.push_back(experiment.file);
    files_.push_back({"reproduce.sh", reproduce_script(request_.recorded, experiments, revision.revision, request_.repository), {}, true});
    files_.push_back({"README.md", readme(revision)});
    const auto by_name = [](const PackedFile& a, const PackedFile& b) { return a.name < b.name; };
    std::sort(files_.begin(), files_.end(), by_name);
    files_.push_back({"ro-crate-metadata.json", dump_json_replacing(ro_crate(crate(revision), files_), 2) + "\n"});
    std::sort(files_.begin(), files_.end(), by_name);
    return {std::move(files_), revision};
  }

 private:
  const BundleRequest& request_;
  std::vector<PackedFile> files_;
  std::vector<Json> summaries_;  ///< of the experiments, in their order

  void add(const std::string& name, const fs::path& from) { files_.push_back({name, {}, from}); }
  void add_folder(const fs::path& folder, const std::string& place) {
    for (const auto& name : files_below(folder)) {
      if (!is_wanted(name, request_.checkpoints)) continue;
      const auto environment = fs::path(name).filename() == "environment.json" ? environment_of(folder / name) : Json();
      if (environment.is_object()) {
        files_.push_back({place + "/" + name, dump_json_replacing(public_environment(environment), 2) + "\n"});
      } else {
        add(place + "/" + name, folder / name);
      }
    }
  }
  static Json environment_of(const fs::path& file) { return is_there(file) ? parse_ordered_json(read_json_text(file), false) : Json(); }

  void add_experiment(const BundledExperiment& experiment) {
    const auto path = experiment.recorded / "summary.json";
    if (!is_there(path)) {
      throw data_error(fmt::format("'{}' has no summary.json", experiment.recorded.string()), {}, "a bundle holds results",
                       "write it: yatlab report " + shell_word(experiment.recorded.string()));
    }
    auto summary = parse_ordered_json(read_json_text(path), false);
    if (!summary.is_object() || !summary.contains("run_id")) {
      throw data_error("a recorded result cannot be read", path.string(), {},
                       "take the file from version control again, or run the experiment");
    }
    summaries_.push_back(std::move(summary));
    add_folder(experiment.recorded, experiment.place);
    if (!experiment.run.empty()) add_folder(experiment.run, experiment.run_at);
  }

  std::optional<MadeWith> made_of(std::size_t i) const {
    const auto made = summaries_[i].find("made");
    return made == summaries_[i].end() ? std::nullopt : made_with_of(*made);
  }

  /// That of the only run; of several runs, the present program's, which their report is compared with.
  SourceRevision recorded_revision() const {
    if (summaries_.size() == 1) {
      if (const auto made = made_of(0); made && !made->revision.empty()) return {made->revision, made->changed};
    }
    return source_revision();
  }

  Json environment(const SourceRevision& revision) const {
    Json runs = Json::array();
    for (std::size_t i = 0; i < summaries_.size(); ++i) {
      const auto& experiment = request_.experiments[i];
      Json entry = {{"experiment", experiment.name}, {"run", text_in(summaries_[i], "run_id")}};
      const auto folder = experiment.run.empty() ? experiment.recorded : experiment.run;
      if (const auto whole = environment_of(folder / "environment.json"); whole.is_object()) {
        entry["environment"] = public_environment(whole);
      } else if (const auto made = made_of(i)) {
        entry["environment"] = made_with_json(*made);
      }
      runs.push_back(std::move(entry));
    }
    return {
        {"schema", 1},
        {"program", {{"name", "yatlab"}, {"version", request_.version}, {"revision", revision.revision}, {"changed", revision.changed}}},
        {"runs", std::move(runs)}};
  }

  /// Data that the runs used, and how others get them.
  struct UsedData {
    RecordedData data;
    std::vector<DataFile> files;  ///< empty where the catalogue does not have them
    bool generated() const { return data.use.tier == "embedded"; }
    bool has_addresses() const {
      return !files.empty() && std::all_of(files.begin(), files.end(), [](const DataFile& file) { return !file.urls.empty(); });
    }
    const char* available() const {
      return generated() ? "generated by the program" : has_addresses() ? "downloaded from its addresses" : "no address is known";
    }
  };

  /// Each once.
  std::vector<UsedData> used_data() const {
    std::vector<UsedData> out;
    for (const auto& summary : summaries_) {
      for (auto& data : recorded_data(summary)) {
        const bool known = std::any_of(out.begin(), out.end(), [&](const UsedData& o) {
          return o.data.use.name == data.use.name && o.data.use.sha256 == data.use.sha256;
        });
        if (!known) out.push_back({std::move(data), {}});
      }
    }
    for (auto& used : out) {
      for (const auto& node : request_.catalogue) {
        if (node.at("name") == Node(used.data.use.name) && used.files.empty()) used.files = declared_files(node).files;
      }
    }
    return out;
  }

  Json data() const {
    Json out = Json::array();
    for (const auto& used : used_data()) {
      Json entry = {{"name", used.data.use.name}};
      if (used.data.title != used.data.use.name) entry["title"] = used.data.title;
      entry["sha256"] = used.data.use.sha256;
      entry["available"] = used.available();
      entry["files"] = Json::array();
      for (const auto& file : used.files) {
        Json listed = {{"file", file.file}};
        if (file.bytes > 0) listed["bytes"] = file.bytes;
        if (!file.identity().empty()) listed["identity"] = file.identity();
        if (!file.urls.empty()) listed["addresses"] = file.urls;
        entry["files"].push_back(std::move(listed));
      }
      out.push_back(std::move(entry));
    }
    return {{"schema", 1}, {"data", std::move(out)}};
  }

  /// Data for the metadata.
  std::vector<Crate::Data> crate_data() const {
    std::vector<Crate::Data> out;
    for (const auto& used : used_data()) {
      out.push_back({used.data.title, used.data.use.sha256, {}});
      auto& addresses = out.back().addresses;
      for (const auto& file : used.files) {
        for (const auto& url : file.urls) {
          if (std::find(addresses.begin(), addresses.end(), url) == addresses.end()) addresses.push_back(url);
        }
      }
    }
    return out;
  }

  std::string description() const {
    std::size_t jobs = 0;
    for (const auto& summary : summaries_) {
      const auto arms = summary.value("arms", Json::object());
      for (const auto& [arm, entry] : arms.items()) {
        const auto points = entry.value("points", Json::array({entry}));
        for (const auto& point : points) jobs += point.value("jobs", Json::array()).size();
      }
    }
    return fmt::format("{} of {} experiment{} with {} jobs{}; reproduce.sh runs them again.",
                       request_.paper.empty() ? "Results" : "Recorded results", summaries_.size(), summaries_.size() == 1 ? "" : "s", jobs,
                       request_.paper.empty() ? "" : ", compared with the paper's claims and numbers");
  }

  std::string readme(const SourceRevision& revision) const {
    std::string out = fmt::format(
        "# {}\n\n{}\n\n```bash\n./reproduce.sh          # one job of each experiment again: the same numbers?\n"
        "./reproduce.sh --all    # every job\n```\n\n",
        markdown_text(request_.title), description());
    out += fmt::format("It uses Yatlab {}{}{}: `YATLAB=path/to/run.sh`, a clone beside this folder, or a new clone.\n", request_.version,
                       revision.revision.empty() ? "" : ", revision " + revision.revision, revision.changed ? " with changes" : "");
    out += "Data are not in here: `data.json` has their SHA-256 and addresses, and the program downloads those that have one.\n";
    std::vector<std::string> missing;
    for (const auto& used : used_data()) {
      if (!used.generated() && !used.has_addresses()) missing.push_back(markdown_text(used.data.title));
    }
    if (!missing.empty()) {
      out += fmt::format("No address is known of: {}. Without your own copy of these files, `reproduce.sh` ends with exit code 3.\n",
                         join(missing, ", "));
    }
    return out + "Every file with its SHA-256: `ro-crate-metadata.json` (RO-Crate 1.2).\n";
  }

  Crate crate(const SourceRevision& revision) const {
    Crate out;
    out.name = request_.title;
    out.description = description();
    out.version = request_.version;
    out.revision = revision.revision;
    out.repository = request_.repository;
    out.paper = request_.paper;
    out.paper_authors = request_.authors;
    out.link = request_.link;
    out.data = crate_data();
    for (std::size_t i = 0; i < summaries_.size(); ++i) {
      const auto& experiment = request_.experiments[i];
      const auto id = text_in(summaries_[i], "run_id");
      out.date = std::max(out.date, day_of(id));
      out.made.push_back({experiment.name + "/" + id, experiment.file, experiment.place + "/summary.json"});
    }
    if (out.date.empty()) out.date = "1970-01-01";  // no run's name has its time
    return out;
  }
};

}  // namespace

Bundle make_bundle(const BundleRequest& request) { return Gathering(request).all(); }

std::string with_reference(const std::string& citation, const std::string& paper, const std::string& link,
                           const std::vector<std::string>& authors) {
  if (paper.empty() || citation.find(paper) != std::string::npos) return citation;
  constexpr std::string_view kKey = "references:";
  auto lines = split(trim(citation), '\n');
  auto at = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.rfind(kKey, 0) == 0; });
  if (at != lines.end() && trim(*at) != kKey) return citation;
  if (at == lines.end()) at = lines.insert(lines.end(), std::string(kKey));
  // As its other entries are indented.
  const auto first = std::next(at) == lines.end() ? std::string::npos : std::next(at)->find("- ");
  const std::string indent(first == std::string::npos ? 2 : first, ' ');
  std::vector<std::string> entry = {indent + "- type: generic", indent + "  title: " + dump_json(Json(paper)), indent + "  authors:"};
  if (authors.empty()) entry.push_back(indent + "    - name: \"The paper's authors\"");
  for (const auto& author : authors) {
    const auto name = split_name(author);
    if (!name.given.empty()) entry.push_back(indent + "    - given-names: " + dump_json(Json(name.given)));
    entry.push_back(indent + (name.given.empty() ? "    - name: " : "      family-names: ") + dump_json(Json(name.family)));
  }
  if (!link.empty()) entry.push_back(indent + "  url: " + dump_json(Json(link)));
  entry.push_back(indent + "  notes: \"These results reproduce it.\"");
  lines.insert(std::next(at), entry.begin(), entry.end());
  return join(lines, "\n") + "\n";
}

Json public_environment(Json environment) {
  environment.erase("host");
  if (const auto variables = environment.find("variables"); variables != environment.end() && variables->is_object()) {
    variables->erase("YATLAB_DATA");
    if (variables->empty()) environment.erase("variables");
  }
  return environment;
}

std::string no_repository_text(const std::string& origin) {
  if (origin.empty()) return "no address to clone the program from is known";
  return fmt::format("git's origin, '{}', is a local path, which others cannot clone, so it is not used", visible(origin));
}

std::string public_address(const std::string& remote) {
  const auto scheme = remote.find("://");
  if (scheme == std::string::npos) {  // git@host:path, as ssh takes it
    const auto at = remote.find('@'), colon = remote.find(':'), slash = remote.find('/');
    return at != std::string::npos && at < colon && colon < slash && colon != std::string::npos ? remote : "";
  }
  if (remote.rfind("file://", 0) == 0) return {};
  const auto host = scheme + 3, end = std::min(remote.find('/', host), remote.size());
  const auto at = remote.rfind('@', end);
  if (at == std::string::npos || at < host) return remote;
  // ssh needs its user's name; others have passwords or tokens there.
  const bool plain_user = remote.rfind("ssh://", 0) == 0 && remote.substr(host, at - host).find(':') == std::string::npos;
  return plain_user ? remote : remote.substr(0, host) + remote.substr(at + 1);
}

std::string reproduce_script(const std::string& recorded, const std::vector<std::string>& experiments, const std::string& revision,
                             const std::string& repository) {
  constexpr const char* kHead = R"sh(#!/usr/bin/env bash
# Runs recorded jobs again, and says for each experiment whether they give the recorded numbers.
#
#   ./reproduce.sh          one job of each experiment
#   ./reproduce.sh --all    every job
#
# Program: YATLAB=path/to/run.sh, else a clone beside or above this folder at the recorded revision, else a new one of REPOSITORY=address
# Exit code: 0 every number is the same to six digits, 1 some number differs, 2 no program or wrong usage, 3 data are unavailable
set -euo pipefail
)sh";
  constexpr const char* kRest = R"sh(
say() { printf '%s\n' "$*" >&2; }
fail() {
  say "error: $1"
  say "  try: $2"
  exit 2
}
jobs=1
case ${1:-} in
  '') ;;
  --all) jobs=all ;;
  -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0" && exit 0 ;;
  *) fail "reproduce.sh has no option '$1'" "./reproduce.sh, or ./reproduce.sh --all" ;;
esac
if [ -n "${YATLAB:-}" ]; then
  program=$(command -v -- "$YATLAB") || fail "YATLAB=$YATLAB is not a program" "YATLAB=path/to/run.sh ./reproduce.sh"
  program=$(cd "$(dirname -- "$program")" && pwd)/$(basename -- "$program")
fi
cd "$(dirname -- "${BASH_SOURCE[0]}")"

# A folder with the program at the recorded revision.
is_program() { [ -x "$1/run.sh" ] && [ -n "$revision" ] && [ "$(git -C "$1" rev-parse HEAD 2>/dev/null)" = "$revision" ]; }
if [ -z "${program:-}" ]; then
  for folder in program ../yatlab .. ../..; do
    if is_program "$folder"; then
      program=$(cd "$folder" && pwd)/run.sh
      break
    fi
  done
fi
if [ -z "${program:-}" ]; then
  [ -n "$revision" ] || fail "the program's revision is not recorded" "YATLAB=path/to/run.sh ./reproduce.sh"
  hint="YATLAB=path/to/run.sh ./reproduce.sh, or REPOSITORY=address ./reproduce.sh"
  [ -n "$repository" ] || fail "no address to clone the program from is recorded" "$hint"
  say "cloning $repository at $revision into program/"
  rm -rf program.new
  { git clone --quiet --no-checkout -- "$repository" program.new && git -C program.new checkout --quiet --detach "$revision"; } ||
    fail "the program cannot be cloned" "$hint"
  rm -rf program
  mv program.new program
  program=$PWD/program/run.sh
fi

# Programs before this option accept what seeds explain: then the lines that say so are looked for.
strict=()
case $("$program" repeat --help) in *--same*) strict=(--same) ;; esac
worst=0
for experiment in "${experiments[@]}"; do
  status=0
  output=$("$program" repeat "$experiment" --recorded "$recorded" --jobs "$jobs" --out repeated --quiet "${strict[@]}") || status=$?
  [ -z "$output" ] || printf '%s\n' "$output"
  if [ "$status" = 0 ] && grep -qE '^  (within|unknown|BEYOND) |a search is not repeated' <<<"$output"; then status=1; fi
  what=
  if [ "$status" -le 1 ] && grep -q '^  OTHER ' <<<"$output"; then status=3 what="its data are not here, data.json has their addresses"; fi
  case $status in
    0) echo "same: $experiment" ;;
    1) echo "different: $experiment" ;;
    *) echo "not repeated: $experiment (${what:-exit code $status})" ;;
  esac
  if [ "$status" -gt 128 ]; then exit "$status"; fi
  if [ "$status" -gt "$worst" ]; then worst=$status; fi
done
exit "$worst"
)sh";
  std::vector<std::string> words;
  for (const auto& experiment : experiments) words.push_back(shell_word(experiment));
  const auto quoted = [](const std::string& text) { return text.empty() ? std::string("''") : shell_word(text); };
  return fmt::format(
      "{}revision={}\nrepository=${{REPOSITORY:-}}\n[ -n \"$repository\" ] || repository={}\nrecorded={}\nexperiments=({})\n{}", kHead,
      quoted(revision), quoted(repository), quoted(recorded), join(words, " "), kRest);
}

}  // namespace yatlab
