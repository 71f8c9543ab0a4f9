#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/registry/fields.h"
#include "core/report/config.h"
#include "core/train/trainer_params.h"

namespace yatlab {

/// `data:` in a config: where data sets are looked for.
struct DataParams {
  std::string root = "data";
  std::vector<std::string> search_path;
  bool require_real = false;
  bool offline = false;
  static void declare(Fields& f, DataParams& p) {
    f.field("root", p.root, "folder that holds downloaded data");
    f.field("search_path", p.search_path, "more folders to look in, before $YATLAB_DATA and ../shared/data");
    f.field("require_real", p.require_real, "an embedded substitute is an error (exit code 3)");
    f.field("offline", p.offline, "never download");
  }
};

/// `plugins:` in a config: libraries built outside the tree.
struct PluginParams {
  std::vector<std::string> path;
  static void declare(Fields& f, PluginParams& p) { f.field("path", p.path, "plugin libraries (.so), or folders of them"); }
};

/// `resources:` in a config: what one job needs of a cluster. Arms may differ; results do not depend on it.
struct ResourceParams {
  std::optional<std::string> time, memory;
  std::optional<std::int64_t> cpus, gpus;
  static void declare(Fields& f, ResourceParams& p) {
    f.field("time", p.time,
            "how long a job may take before it saves and goes to the end of the queue: 90 (minutes), \"2:30:00\", 1-12 (days-hours); null: "
            "the partition's limit");
    f.field("memory", p.memory, "memory of a job on its node: 4G; null: the partition's default");
    f.field("cpus", p.cpus, "cores of a job; null: trainer.threads").positive();
    f.field("gpus", p.gpus, "GPUs of a job; null: one where trainer.device is cuda, else none").non_negative();
  }
};

/// An experiment file, whole: what may stand at the top level of a config.
struct ExperimentParams {
  std::string name;
  std::string title;
  std::string paper_section;
  std::string notes;
  std::optional<std::string> scale;
  Node seeds = Node("range(0, 5)");
  ComponentRef op, normalizer, architecture, dataset, optimizer = "adam", schedule = "constant", task = "classification";
  TrainerParams trainer;
  Node arms, families, labels, parameters, sweep, scales, metrics, tables, figures, paper;
  std::vector<Node> analyses, studies;
  Node claims;
  double effort = 1;
  std::vector<Node> trackers = {Node("console")};
  ComponentRef tracker, launcher = "local", sweeper = "grid";
  ResourceParams resources;
  DataParams data;
  PluginParams plugins;
  ReportParams report;
  std::string results = "results";
  std::optional<bool> latest;

  static void declare(Fields& f, ExperimentParams& p) {
    if (p.figures.is_null()) p.figures.set("format", Node(Node::List{Node("svg"), Node("pdf"), Node("png")}));
    f.field("name", p.name, "names the run directory").required();
    f.field("title", p.title, "one line for tables and pages");
    f.field("paper_section", p.paper_section, "where in the paper the results stand");
    f.field("notes", p.notes, "what a reader should know about the protocol");
    f.field("scale", p.scale, "one of `scales`; null runs the experiment as it is");
    f.field("seeds", p.seeds, "root seeds, one job each: a list, a number or range(first, end)");
    f.component("operator", p.op, "operator", "the kernel between inputs and weights");
    f.component("normalizer", p.normalizer, "normalizer", "turns scores into weights; null: softmax");
    f.component("architecture", p.architecture, "architecture", "the model");
    f.component("dataset", p.dataset, "dataset", "what is learned");
    f.component("task", p.task, "task", "loss and metrics");
    f.component("optimizer", p.optimizer, "optimizer", "updates parameters");
    f.component("schedule", p.schedule, "schedule", "learning rate over time");
    f.group("trainer", p.trainer, "the training loop");
    f.map("arms", p.arms,
          "what is compared: name -> list of overrides, and of names of other arms or of `families`, whose overrides it has too");
    f.map("families", p.families, "overrides that several arms share: name -> list of overrides");
    f.map("labels", p.labels, "how tables and figures call the arms: name -> text").of_texts();
    f.map("parameters", p.parameters, "how tables and figures call parameters: key (operator.epsilon) -> text (ε)").of_texts();
    f.map("sweep", p.sweep, "what to vary: key of an override (optimizer.lr, dataset, +size) -> values; where: a condition on them");
    f.map("scales", p.scales, "named variants of the experiment: name -> list of overrides");
    f.field("analyses", p.analyses, "what is measured on every trained arm");
    f.field("studies", p.studies, "what is measured on each arm's components with nothing trained; such arms need no dataset");
    f.field("claims", p.claims, "statements of the paper to check for each arm's operator: a list, or all");
    f.field("effort", p.effort, "how long claims are searched for counterexamples; 1 is in full").positive().max(1000);
    f.map("metrics", p.metrics, "how metrics are shown: name -> {better, format, title}");
    f.map("tables", p.tables, "tables to draw");
    f.map("figures", p.figures, "figures to draw; `format` among them is what all are written as: svg, pdf, png, pgf, or a list");
    f.group("report", p.report, "how results are written down");
    f.map("paper", p.paper, "the paper's numbers to hold results against");
    f.field("trackers", p.trackers, "where a run is mirrored while it goes on");
    f.component("tracker", p.tracker, "tracker", "one more, beside `trackers`: tracker=wandb");
    f.component("launcher", p.launcher, "launcher", "where jobs run");
    f.group("resources", p.resources, "what a job needs, where a launcher asks a cluster for it");
    f.component("sweeper", p.sweeper, "sweeper", "how sweep points are chosen");
    f.group("data", p.data, "where data sets are");
    f.group("plugins", p.plugins, "libraries of further components");
    f.field("results", p.results, "folder that runs write to");
    f.field("latest", p.latest,
            "whether `latest` points to this run; null: if it is the experiment as its file has it, or no such run is there");
  }
};

/// Checked when configs are composed.
const Schema& experiment_schema();

/// A composed experiment with its interpolations resolved and its texts as they were typed. What its arms, families and scales say stays: an override is
/// resolved where it is applied.
Node resolved_experiment(const Node& config);

}  // namespace yatlab
