#include "core/report/reproducibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/figure/yat_letter.h"
#include "core/report/html_parts.h"
#include "core/table/table.h"

namespace yatlab {
namespace {

/// A part of the page: sentences, then a list.
struct Part {
  std::string head, text;
  std::vector<std::string> items = {};
  bool numbered = false;
};

std::string text_under(const Node& node, const char* key) {
  const Node* const found = node.find(key);
  return found && found->is_string() ? found->as_string() : "";
}

/// Machines that differ in nothing but the number of cores.
struct Machine {
  std::string cpu, gpu, libtorch;
  std::set<int> cores = {};
  std::string text() const {
    std::vector<std::string> numbers, words;
    for (const int n : cores) numbers.push_back(std::to_string(n));
    const auto count = numbers.empty() ? "" : join(numbers, " or ") + (numbers == std::vector<std::string>{"1"} ? " core" : " cores");
    for (const auto& word : {cpu, count, gpu, libtorch.empty() ? "" : "LibTorch " + libtorch}) {
      if (!word.empty()) words.push_back(word);
    }
    return join(words, ", ");
  }
};

void add_machine(std::vector<Machine>& machines, const MadeWith& made) {
  auto known = std::find_if(machines.begin(), machines.end(),
                            [&](const Machine& m) { return m.cpu == made.cpu && m.gpu == made.gpu && m.libtorch == made.libtorch; });
  if (known == machines.end()) known = machines.insert(known, Machine{made.cpu, made.gpu, made.libtorch});
  if (made.cores > 0) known->cores.insert(made.cores);
}

/// "3 min", "5.2 h"
std::string time_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

Part scope(const Node& claims, const std::vector<PaperClaim>& judged) {
  const auto title = text_under(claims, "title"), link = text_under(claims, "link");
  Part out{"Scope of Reproducibility", fmt::format("{} of {}{} {} checked:", html::counted(judged.size(), "claim", "claims"),
                                                   title.empty() ? "the paper" : "\"" + title + "\"", link.empty() ? "" : " (" + link + ")",
                                                   judged.size() == 1 ? "is" : "are")};
  for (const auto& claim : judged) out.items.push_back(claim.where.empty() ? claim.says : fmt::format("{} ({})", claim.says, claim.where));
  out.numbered = true;
  return out;
}

Part methodology(const std::vector<ReproducedExperiment>& experiments) {
  std::size_t recorded = 0, jobs = 0, fewest = 0, most = 0, timed = 0;
  double seconds = 0;
  std::vector<std::string> data, missing, machine_texts;
  std::vector<Machine> machines;
  const auto add = [](std::vector<std::string>& list, const std::string& word) {
    if (!word.empty() && std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
  };
  for (const auto& experiment : experiments) {
    if (!experiment.recorded) {
      missing.push_back(experiment.name);
      continue;
    }
    fewest = recorded == 0 ? experiment.fewest_seeds : std::min(fewest, experiment.fewest_seeds);
    most = std::max(most, experiment.most_seeds);
    ++recorded;
    jobs += experiment.jobs;
    for (const auto& used : experiment.datasets) {
      add(data, used.name + (used.substituted_for.empty() ? "" : " in place of " + used.substituted_for) +
                    (used.tier == "embedded" ? " (generated)" : ""));
    }
    if (experiment.made) add_machine(machines, *experiment.made);
    if (experiment.seconds) {
      seconds += *experiment.seconds;
      ++timed;
    }
  }
  Part out{"Methodology", {}};
  out.text = fmt::format("{} of Yatlab (C++17 on LibTorch) with {}.", html::counted(recorded, "experiment", "experiments"),
                         html::counted(jobs, "job", "jobs"));
  if (recorded == 0) out.text = "No results are recorded yet.";
  if (recorded > 0) {
    out.items.push_back(fewest == most ? fmt::format("Seeds: {} for each arm.", most)
                                       : fmt::format("Seeds: {} to {} for each arm, by experiment.", fewest, most));
    out.items.push_back("Data: " + (data.empty() ? std::string("none, the statements are checked numerically") : join(data, "; ")) + ".");
    for (const auto& machine : machines) add(machine_texts, machine.text());
    out.items.push_back("Machines: " + (machine_texts.empty() ? std::string("not recorded") : join(machine_texts, "; ")) + ".");
    if (timed > 0) {
      out.items.push_back(
          fmt::format("Compute: {} of job time{}.", time_text(seconds),
                      timed == recorded ? "" : fmt::format(", for the {} of {} experiments that recorded it", timed, recorded)));
    } else {
      out.items.emplace_back("Compute: not recorded.");
    }
  }
  if (!missing.empty()) out.items.push_back("Not run yet: " + join(missing, ", ") + ".");
  return out;
}

Part results(const std::vector<PaperClaim>& judged, const std::string& tally) {
  struct Mark {
    const char *mark, *head, *one, *many;
  };
  static const Mark kMarks[] = {
      {"✓", "Holds", "holds", "hold"},
      {kInPart, "Holds in part or under a condition", "holds in part or under a condition", "hold in part or under a condition"},
      {"✗", "Does not hold", "does not hold", "do not hold"},
      {"?", "Open", "is open", "are open"}};
  Part out{"Results", {}};
  std::vector<std::string> counts;
  for (const auto& [mark, head, one, many] : kMarks) {
    std::vector<std::string> own;  // numbers of claims, as in the first part and on VERDICT.md
    for (std::size_t i = 0; i < judged.size(); ++i) {
      if (judged[i].mark == mark) own.push_back(std::to_string(i + 1));
    }
    counts.push_back(fmt::format("{} {}", own.size(), own.size() == 1 ? one : many));
    if (!own.empty()) out.items.push_back(fmt::format("{}: {}.", head, join(own, ", ")));
  }
  out.text = fmt::format("Of {} {}. Numbers that the paper prints: {}", html::counted(judged.size(), "claim", "claims"), join(counts, ", "),
                         tally);
  return out;
}

std::vector<Part> parts_of(const Node& claims, const std::vector<PaperClaim>& judged, const std::string& tally,
                           const std::vector<ReproducedExperiment>& experiments) {
  static const std::vector<std::pair<const char*, const char*>> kWritten = {
      {"easy", "What was easy"}, {"difficult", "What was difficult"}, {"communication", "Communication with original authors"}};
  std::vector<Part> out = {scope(claims, judged), methodology(experiments), results(judged, tally)};
  const Node* const written = claims.find("reproducibility");
  if (written && !written->is_map()) {
    throw config_error("'reproducibility' of a paper must be a map", written->origin().describe(), {},
                       "reproducibility: {easy: ..., difficult: ..., communication: ...}");
  }
  for (const auto& [key, value] : written ? written->as_map() : Node::Map{}) {
    const bool known = std::any_of(kWritten.begin(), kWritten.end(), [&, name = key](const auto& part) { return name == part.first; });
    if (!known)
      throw config_error(fmt::format("unknown key 'reproducibility.{}'", key), value.origin().describe(), {},
                         suggestion(key, {"easy", "difficult", "communication"}));
    if (!value.is_string()) throw config_error(fmt::format("'reproducibility.{}' must be a text", key), value.origin().describe());
  }
  for (const auto& [key, head] : kWritten) {
    const auto text = written ? trim(text_under(*written, key)) : "";
    out.push_back(
        {head, text.empty()
                   ? fmt::format("Not written yet: add reproducibility: {{{}: ...}} to the paper's paper.yaml, see docs/papers.md.", key)
                   : text});
  }
  return out;
}

std::string to_markdown_page(const std::vector<Part>& parts) {
  std::string out = "# Reproducibility Summary\n";
  for (const auto& part : parts) {
    out += fmt::format("\n## {}\n\n{}\n", part.head, markdown_text(part.text));
    if (!part.items.empty()) out += "\n";
    std::size_t i = 0;
    for (const auto& item : part.items) out += (part.numbered ? std::to_string(++i) + ". " : "- ") + markdown_text(item) + "\n";
  }
  return out +
         "\nWritten by `yatlab report`. Every claim with its rows: [VERDICT.md](VERDICT.md); every number: [SCORECARD.md](SCORECARD.md).\n";
}

/// LaTeX with quotes that open and close; what a text has of them is straight.
std::string quoted_latex(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool opens = i == 0 || text[i - 1] == ' ' || text[i - 1] == '(' || text[i - 1] == '[';
    out += text[i] == '"' ? (opens ? "“" : "”") : std::string(1, text[i]);
  }
  return latex_text(out);
}

std::string to_latex_page(const std::vector<Part>& parts) {
  std::string out =
      "% Reproducibility Summary, written by yatlab; compiles with pdflatex.\n\\documentclass[10pt]{article}\n"
      "\\usepackage[margin=0.8in]{geometry}\n" +
      yat_latex() +
      "\\setlength{\\parindent}{0pt}\n\\sloppy\n\\begin{document}\n\\footnotesize\n\\section*{\\centering Reproducibility Summary}\n";
  for (const auto& part : parts) {
    out += fmt::format("\n\\medskip\\textbf{{\\small {}}}\\par\\smallskip\n{}\n", latex_text(part.head), quoted_latex(part.text));
    if (part.items.empty()) continue;
    const char* const list = part.numbered ? "enumerate" : "itemize";
    out += fmt::format("\\begin{{{}}}\\setlength{{\\itemsep}}{{0pt}}\\setlength{{\\parskip}}{{0pt}}\\setlength{{\\parsep}}{{0pt}}\n", list);
    for (const auto& item : part.items) out += "\\item {}" + quoted_latex(item) + "\n";  // {}: an item may begin with '['
    out += fmt::format("\\end{{{}}}\n", list);
  }
  return out + "\\end{document}\n";
}

}  // namespace

ReproducedExperiment reproduced_experiment(const RunView& run, const ReportConfig& config, std::optional<double> seconds) {
  ReproducedExperiment out;
  out.name = run.experiment;
  out.recorded = true;
  out.jobs = run.jobs.size();
  out.datasets = run.datasets();
  std::set<std::string> papers;
  if (!config.paper_dataset.empty()) papers.insert(config.paper_dataset);
  for (const auto& number : config.paper) {
    if (!number.dataset.empty()) papers.insert(number.dataset);
  }
  if (out.datasets.size() == 1 && out.datasets[0].substituted_for.empty() && papers.count(out.datasets[0].name) == 0)
    out.datasets[0].substituted_for = join({papers.begin(), papers.end()}, " and ");
  for (auto& other : run.other_datasets()) out.datasets.push_back(std::move(other));
  out.made = run.made;
  out.seconds = seconds;
  for (const auto& arm : run.arms) {
    for (const auto& point : run.points_of(arm)) {
      const auto n = run.jobs_of(arm, point).size();
      if (n == 0) continue;
      out.fewest_seeds = out.fewest_seeds == 0 ? n : std::min(out.fewest_seeds, n);
      out.most_seeds = std::max(out.most_seeds, n);
    }
  }
  return out;
}

ReproducibilitySummary reproducibility_summary(const Node& claims, const std::vector<PaperClaim>& judged, const std::string& tally,
                                               const std::vector<ReproducedExperiment>& experiments) {
  const auto parts = parts_of(claims, judged, tally, experiments);
  return {to_markdown_page(parts), to_latex_page(parts)};
}

}  // namespace yatlab
