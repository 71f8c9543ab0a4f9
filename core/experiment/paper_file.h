#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/registry/fields.h"

namespace yatlab {

/// paper.yaml: `claims.N.rows.N`, a recorded row that decides a claim. The kinds are explained in docs/results.md.
struct ClaimRowParams {
  std::string kind, experiment, metric, arm, baseline, baseline_metric, contrast, says, name, over, format = "number", because, note;
  std::vector<std::string> arms, baselines, ids, labels;
  std::vector<double> range;
  std::optional<double> margin, margin_share, paper, tolerance, above;
  Node at = Node::map();
  bool numbered = false, share = false, also = false, average = false;
  static void declare(Fields& f, ClaimRowParams& p);
};

/// paper.yaml: `claims.N`.
struct ClaimParams {
  std::string id, says, where, data, general;
  bool each = false;
  std::vector<Node> rows;
  static void declare(Fields& f, ClaimParams& p);
};

/// paper.yaml: `short.N`, a sentence of the short answer.
struct ShortAnswerParams {
  std::string says;
  Node marks = Node::map();  ///< `if`
  static void declare(Fields& f, ShortAnswerParams& p);
};

/// paper.yaml: `after.N`, a paragraph below the table of claims.
struct ParagraphParams {
  std::string head, text;
  static void declare(Fields& f, ParagraphParams& p);
};

/// paper.yaml: `reproducibility`, the texts of REPRODUCIBILITY.md.
struct ReproducibilityParams {
  std::string easy, difficult, communication;
  static void declare(Fields& f, ReproducibilityParams& p);
};

/// A whole paper.yaml.
struct PaperFileParams {
  std::string id, title, link, question, results;
  std::vector<std::string> authors;
  std::vector<Node> shorts, itself, claims, answers, after;
  ReproducibilityParams reproducibility;
  static void declare(Fields& f, PaperFileParams& p);
};

/// Checks all keys, types and choices of a parsed paper.yaml. Throws a config error that names the key's path and the nearest known key.
void check_paper_file(const Node& paper);

/// The rows that an entry of `rows` stands for, with their names: one for each value in a list under `at` and each of its `baselines`.
std::vector<Node> single_rows(const Node& row);

}  // namespace yatlab
