#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiment/report_config.h"
#include "core/experiment/trainer_params.h"
#include "core/registry/fields.h"

namespace yatlab {

/// `data:` in a config: where to find datasets.
struct DataParams {
  std::string root = "data";
  std::vector<std::string> search_path;
  bool require_real = false;
  bool offline = false;
  static void declare(Fields& f, DataParams& p) {
    f.field("root", p.root, "folder that holds downloaded data");
    f.field("search_path", p.search_path, "more folders to search, before $YATLAB_DATA and ../shared/data");
    f.field("require_real", p.require_real, "fail (exit code 3) instead of using an embedded substitute");
    f.field("offline", p.offline, "never download");
  }
};

/// `plugins:` in a config: libraries built outside the tree.
struct PluginParams {
  std::vector<std::string> path;
  static void declare(Fields& f, PluginParams& p) { f.field("path", p.path, "plugin libraries (.so), or folders of them"); }
};

/// `resources:` in a config: what one job needs from a cluster. Arms may differ; results do not depend on it.
struct ResourceParams {
  std::optional<std::string> time, memory;
  std::optional<std::int64_t> cpus, gpus;
  static void declare(Fields& f, ResourceParams& p) {
    f.field("time", p.time,
            "how long a job may run before it saves and is queued again: 90 (minutes), \"2:30:00\", 1-12 (days-hours); null: the "
            "partition's limit");
    f.field("memory", p.memory, "memory of a job on its node: 4G; null: the partition's default");
    f.field("cpus", p.cpus, "cores of a job; null: trainer.threads").positive();
    f.field("gpus", p.gpus, "GPUs of a job; null: one where trainer.device is cuda, else none").non_negative();
  }
};

/// A whole experiment file: the keys that are allowed at the top level of a config.
struct ExperimentParams {
  std::string name;
  std::string title;
  std::string question;
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
    static const char* const kPage = "a run has one page and one set of tables";
    static const char* const kWords = "it has the same name in all tables and figures of a run";
    static const char* const kReport = "a run has one report for all its points";
    static const char* const kArm = "an arm is the same at every point; to compare variants, give each its own arm";
    if (p.figures.is_null()) {
      p.figures.set("format", Node(Node::List{Node("svg"), Node("pdf"), Node("png")}));
      p.figures.set("width", Node("text"));
    }
    f.field("name", p.name, "names the run directory").required().once("it names the run's folder").steers();
    f.field("title", p.title, "one-line title for tables and pages").shown(kPage);
    f.field("question", p.question, "what it asks, in one sentence: shown on pages").shown(kPage);
    f.field("paper_section", p.paper_section, "section of the paper with these results").shown(kPage);
    f.field("notes", p.notes, "what a reader should know about the protocol").shown(kPage);
    f.field("scale", p.scale, "one of `scales`; null runs the experiment as it is")
        .once("a scale is a variant of the whole experiment, with its own seeds and its own comparison with the paper");
    f.field("seeds", p.seeds, "root seeds, one job each: a list, a number or range(first, end)")
        .once("seeds are a dimension of every experiment already");
    f.component("operator", p.op, "operator", "the kernel between inputs and weights");
    f.component("normalizer", p.normalizer, "normalizer", "turns scores into weights; null: softmax");
    f.component("architecture", p.architecture, "architecture", "the model");
    f.component("dataset", p.dataset, "dataset", "data to train and evaluate on");
    f.component("task", p.task, "task", "loss and metrics");
    f.component("optimizer", p.optimizer, "optimizer", "updates parameters");
    f.component("schedule", p.schedule, "schedule", "learning rate over time");
    f.group("trainer", p.trainer, "the training loop");
    f.map("arms", p.arms, "what to compare: name -> list of overrides; names of other arms or of `families` in it add their overrides")
        .once(kArm);
    f.map("families", p.families, "overrides that several arms share: name -> list of overrides").once(kArm);
    f.map("labels", p.labels, "names of arms in tables and figures: name -> text").of_texts().shown(kWords);
    f.map("parameters", p.parameters, "names of parameters in tables and figures: key (operator.epsilon) -> text (ε)")
        .of_texts()
        .shown(kWords);
    f.map("sweep", p.sweep, "what to vary: key of an override (optimizer.lr, dataset, +size) -> values; where: a condition on them")
        .once("it is the sweep itself");
    f.map("scales", p.scales, "named variants of the experiment: name -> list of overrides")
        .once("it declares the variants of the whole experiment");
    f.field("analyses", p.analyses, "analyses to run on every trained arm")
        .once("they only measure trained models; they do not change the training");
    f.field("studies", p.studies, "studies to run on each arm's components without training; arms that train nothing need no dataset");
    f.field("claims", p.claims, "statements of the paper to check for each arm's operator: a list, or all")
        .once("claims are a dimension of their own already");
    f.field("effort", p.effort, "how long to search for counterexamples to claims; 1: the full search").positive().max(1000);
    f.map("metrics", p.metrics, "how metrics are shown: name -> {better, format, title}").shown(kWords);
    f.map("tables", p.tables, "tables to draw").shown(kReport);
    f.map("figures", p.figures,
          "figures to draw, and for all of them `format` (svg, pdf, png, pgf, or a list) and `width` (text, or column for one column of a "
          "two-column page)")
        .shown(kReport);
    f.group("report", p.report, "how to report results").shown(kReport);
    f.map("paper", p.paper, "the paper's numbers to compare results with").shown("all points are compared with the same numbers");
    f.field("trackers", p.trackers, "services that show a run while it is in progress").once("they show all jobs").steers();
    f.component("tracker", p.tracker, "tracker", "one more tracker, besides `trackers`: tracker=wandb")
        .once("it mirrors all jobs")
        .steers();
    f.component("launcher", p.launcher, "launcher", "where jobs run").once("it decides how all jobs are run").steers();
    f.group("resources", p.resources, "what to request for a job, if the launcher uses a cluster").steers();
    f.component("sweeper", p.sweeper, "sweeper", "how sweep points are chosen").once("it chooses the points");
    f.group("data", p.data, "where data sets are").once("it decides where data sets are searched for, for all jobs").steers();
    f.group("plugins", p.plugins, "libraries of further components").once("libraries are loaded once").steers();
    f.field("results", p.results, "folder that runs write to").once("it is the folder that the run writes to").steers();
    f.field("latest", p.latest,
            "point `latest` to this run; null: if it runs the experiment unchanged from its file, or no such run exists")
        .once("it is where `latest` points to")
        .steers();
  }
};

/// The declaration of an experiment's key, by its first word and, for `trainer`, its second; null if there is none.
const Field* experiment_field(const std::string& key);
/// The reason why a run has only one value of it (Field::once); null if it may vary.
const char* once_in_a_run(const std::string& key);
/// Whether the key only affects how results are shown.
bool only_shown(const std::string& key);
/// Whether another value may change results, or what they are compared with. Not the seeds: each seed has results of its own.
bool may_change_results(const std::string& key);
/// Whether it is part of an arm, not of the run. An arm may have its own analyses and claims, but a point may not.
bool belongs_to_an_arm(const std::string& key);

/// Checked when configs are composed.
const Schema& experiment_schema();

/// A composed experiment with its interpolations resolved and its texts as typed. Overrides in arms, families and scales stay unresolved, because an
/// override is resolved where it is applied.
Node resolved_experiment(const Node& config);

}  // namespace yatlab
