#include "core/experiment/paper_file.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/experiment/report_config.h"

namespace yatlab {
namespace {

/// Choices of a text, in the order of an editor's list.
std::vector<std::pair<std::string, std::string>> texts(const std::vector<std::string>& all) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& text : all) out.emplace_back(text, text);
  return out;
}

template <class P>
void check_part(Node part, const std::string& path) {
  static const Schema schema = Schema::of<P>();
  schema.read_texts(part);
  schema.check(part, path, true);
  for (const auto& field : schema.fields) {
    if (!field.default_value.is_missing() || part.has(field.name)) continue;
    throw config_error(fmt::format("'{}' has no '{}'", path, field.name), part.origin().describe(), field.doc,
                       "'yatlab describe paper.yaml' shows the keys");
  }
}

const std::vector<Node>& items(const Node& map, const char* key) {
  static const std::vector<Node> none;
  const Node* found = map.find(key);
  return found && found->is_list() ? found->as_list() : none;
}

}  // namespace

void ClaimRowParams::declare(Fields& f, ClaimRowParams& p) {
  f.choice("kind", p.kind,
           texts({"direction", "contrast", "no_worse", "equal", "within", "protocols", "diverges", "numbers", "seeds", "value",
                  "statements", "missing"}),
           "how the row is judged: docs/results.md, The verdict on a paper")
      .required();
  f.field("experiment", p.experiment, "the experiment whose record decides; default: claims, for statements");
  f.field("metric", p.metric, "the metric that is compared or shown");
  f.field("arm", p.arm, "the arm that the paper speaks of");
  f.field("baseline", p.baseline, "the arm that it is compared with");
  f.field("baseline_metric", p.baseline_metric, "its metric; default: the arm's");
  f.field("baselines", p.baselines, "several of them: a row for each");
  f.field("contrast", p.contrast, "contrast: the name of a weighted sum of arms, from `compare.contrasts` of a table");
  f.field("arms", p.arms, "several arms: of protocols and value");
  f.map("at", p.at, "the points of a sweep: {parameter: value}; for each value of a list there is a row");
  f.field("average", p.average, "direction, no_worse, equal, within: true for one row, of each seed's mean over the points");
  f.choice("says", p.says, texts({"higher", "lower"}), "the direction that the paper gives");
  f.field("margin", p.margin, "the largest difference that counts as none: of no_worse and equal, and of a direction that must be larger")
      .non_negative();
  f.field("margin_share", p.margin_share, "the same as a share of the baseline's mean").non_negative();
  f.field("because", p.because, "why this margin or range");
  f.field("range", p.range, "within: lowest and highest relative change that the paper gives");
  f.field("ids", p.ids, "numbers: ids or beginnings of ids in the scorecard");
  f.field("labels", p.labels, "statements: their labels");
  f.field("numbered", p.numbered, "statements: true for all numbered ones");
  f.field("paper", p.paper, "protocols, seeds: the number that the paper prints");
  f.field("tolerance", p.tolerance, "protocols, seeds: how far from it still counts as the same").non_negative();
  f.field("over", p.over, "protocols: what differs from point to point, in words; default: protocols");
  f.field("above", p.above, "protocols: the limit that the paper gives instead of a number");
  f.field("share", p.share, "value: true if each seed's value is 0 or 1");
  f.field("also", p.also, "true: shown, but it does not decide");
  f.field("name", p.name, "how the row is called; default: the metric, or the values and the baseline of one row of several");
  std::vector<std::string> formats;
  for (const auto& each : number_formats()) formats.push_back(each.first);
  f.choice("format", p.format, texts(formats), "how values are printed");
  f.field("note", p.note, "a remark, shown after the row");
}

void ClaimParams::declare(Fields& f, ClaimParams& p) {
  f.field("id", p.id, "its name").required();
  f.field("says", p.says, "what the paper says, in your own words").required();
  f.field("where", p.where, "where the paper says it").required();
  f.choice("data", p.data, texts({"paper", "substitute", "mathematics"}),
           "what the verdict is based on: the paper's own data and size, other data or another size, or mathematics")
      .required();
  f.field("general", p.general, "why the paper claims it for every model: then substitute data can refute it, too");
  f.field("each", p.each, "true: the paper claims every row, so one that contradicts refutes the claim");
  f.field("rows", p.rows, "the recorded rows that decide it").required();
}

void ShortAnswerParams::declare(Fields& f, ShortAnswerParams& p) {
  f.field("says", p.says, "the sentence; {ID} in it is the row of that claim").required();
  f.map("if", p.marks, "it is printed while these claims have these marks: {ID: ✓, ◐, ✗ or ?}");
}

void ParagraphParams::declare(Fields& f, ParagraphParams& p) {
  f.field("head", p.head, "its first words, in bold").required();
  f.field("text", p.text, "its text").required();
}

void ReproducibilityParams::declare(Fields& f, ReproducibilityParams& p) {
  f.field("easy", p.easy, "what was easy");
  f.field("difficult", p.difficult, "what was difficult");
  f.field("communication", p.communication, "communication with the authors");
}

void PaperFileParams::declare(Fields& f, PaperFileParams& p) {
  f.field("id", p.id, "its name in commands; default: the folder's name");
  f.field("title", p.title, "title of the paper");
  f.field("authors", p.authors, "its authors, each as Given Family, or as Family, Given");
  f.field("link", p.link, "address of the paper");
  f.field("question", p.question, "heading of the page; default: the title");
  f.field("results", p.results, "folder of the report; default: results/ID");
  f.field("short", p.shorts, "the answer in words");
  f.field("itself", p.itself, "numbers of the paper against others that it prints");
  f.field("claims", p.claims, "what the paper claims, one entry for each sentence").required();
  f.field("answers", p.answers,
          "answers to questions that the paper does not ask: rows like those of claims, shown with their experiments");
  f.field("after", p.after, "paragraphs below the table of claims");
  f.group("reproducibility", p.reproducibility, "texts of REPRODUCIBILITY.md");
}

void check_paper_file(const Node& paper) {
  check_part<PaperFileParams>(paper, "paper.yaml");
  std::vector<PaperCheck> checks;
  add_paper_checks(paper, "itself", "", checks);
  std::size_t i = 0;
  for (const auto& claim : items(paper, "claims")) {
    const auto path = fmt::format("claims.{}", i++);
    check_part<ClaimParams>(claim, path);
    std::size_t row = 0;
    for (const auto& each : items(claim, "rows")) check_part<ClaimRowParams>(each, fmt::format("{}.rows.{}", path, row++));
  }
  i = 0;
  for (const auto& row : items(paper, "answers")) check_part<ClaimRowParams>(row, fmt::format("answers.{}", i++));
  i = 0;
  for (const auto& part : items(paper, "short")) check_part<ShortAnswerParams>(part, fmt::format("short.{}", i++));
  i = 0;
  for (const auto& part : items(paper, "after")) check_part<ParagraphParams>(part, fmt::format("after.{}", i++));
}

std::vector<Node> single_rows(const Node& row) {
  struct Single {
    Node row;
    std::vector<std::string> words;
  };
  std::vector<Single> all = {{row, {}}};
  if (const Node* name = row.find("name")) all[0].words.push_back(name->as_string());
  const auto for_each = [&](const Node& values, const auto& put) {
    if (values.size() == 0)
      throw config_error("this list of a claim's row is empty", values.origin().describe(), "", "write at least one value");
    std::vector<Single> next;
    for (const auto& single : all) {
      for (const auto& value : values.as_list()) {
        next.push_back(single);
        put(next.back(), value);
      }
    }
    all = std::move(next);
  };
  const auto kind = row.at("kind").as_string();
  const bool compares = kind == "direction" || kind == "no_worse" || kind == "equal" || kind == "within";
  const Node *at = row.find("at"), *average = row.find("average"), *baselines = row.find("baselines");
  if (at && compares && !(average && average->as_bool())) {
    for (const auto& [key, values] : at->as_map()) {
      if (!values.is_list()) continue;
      for_each(values, [name = key](Single& single, const Node& value) {
        single.row.find("at")->set(name, value);
        single.words.push_back(text_of_scalar(value));
      });
    }
  }
  if (baselines) {
    for_each(*baselines, [](Single& single, const Node& value) {
      single.row.erase("baselines");
      single.row.set("baseline", value);
      single.words.push_back("against " + value.as_string());
    });
  }
  std::vector<Node> out;
  for (auto& single : all) {
    if (!single.words.empty()) single.row.set("name", join(single.words, ", "));
    out.push_back(std::move(single.row));
  }
  return out;
}

}  // namespace yatlab
