#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/csv_file.h"
#include "core/data/number_text.h"
#include "core/data/own_data.h"

namespace yatlab {
namespace {

/// Words that stand where there is no value.
bool is_missing(const std::string& text) {
  static const std::set<std::string> kWords = {"", "?", "na", "n/a", "nan", "null", "none"};
  return kWords.count(lower(text)) > 0;
}

/// A column that becomes inputs: a number, or a 1 in the place of its word.
struct Column {
  std::size_t index = 0;  // in the file
  std::string name;
  std::vector<std::string> words;  // none: a number
};

/// A table of one's own: a row is a sample, a column its class.
class Table final : public OwnData {
 public:
  enum class Kind { kNumber, kCategory, kSkip };
  struct Params {
    std::string title;
    std::string file, label;
    std::optional<std::string> test_file, split_column;
    std::string separator;
    bool header = true;
    Node columns = Node::map();
    std::int64_t most_words = 32;
    OwnShaping shaping;
    static void declare(Fields& f, Params& p) {
      f.field("title", p.title, "what tables and captions call the set; empty: the file's name");
      f.field("file", p.file, "comma-separated values, also packed (.gz, .xz, .zst)").required();
      f.field("label", p.label, "the column that holds the class: its name, or its number from 0 where there is no header").required();
      f.field("test_file", p.test_file, "the same columns for split 'test'; null: a share of the samples is held out");
      f.field("split_column", p.split_column, "a column that says train, validation or test; null: none does");
      f.field("separator", p.separator, "between fields; empty: a tab in .tsv files, else a comma");
      f.field("header", p.header, "the first line names the columns");
      f.map("columns", p.columns,
            "what a column holds: number, category (one input for each word) or skip; what is not named here shows it");
      f.field("most_words", p.most_words, "different words that a column of words may have, unless it is called a category").positive();
      OwnShaping::declare(f, p.shaping);
    }
  };
  explicit Table(const Params& p) : p_(p) {
    for (const auto& [name, kind] : p.columns.as_map()) kinds_[name] = kind_of(name, kind);
    if (p.separator.size() > 1 && p.separator != "\\t") {
      throw config_error(fmt::format("'dataset.separator' cannot be '{}'", p.separator), {}, "it is one character",
                         "for a tab: dataset.separator='\\t'");
    }
  }

  DataShape shape() const override {
    return {
        DataShape::Inputs::kDense, DataShape::Targets::kClasses, {}, 0, p_.split_column ? std::vector<std::string>() : p_.shaping.splits()};
  }

  std::map<std::string, Split> load(const DataContext& context) override {
    begin(p_.title, p_.file);
    std::map<std::string, CsvTable> tables;
    std::map<std::string, std::string> paths;
    const auto read = [&](const std::string& split, const std::string& key, const std::string& file) {
      const auto path = find_own_file(key, file, context);
      tables[split] = read_csv(path, separator(path), p_.header);
      paths[split] = path.string();
      add_file(path);
    };
    read("train", "dataset.file", p_.file);
    if (p_.test_file) read("test", "dataset.test_file", *p_.test_file);
    const auto& names = tables.at("train").columns;
    for (auto& [split, table] : tables) arrange(table, names, paths.at(split));
    const auto label = index_of(names, p_.label, "dataset.label");
    const auto divided = p_.split_column ? std::optional(index_of(names, *p_.split_column, "dataset.split_column")) : std::nullopt;
    for (const auto& [name, kind] : kinds_) index_of(names, name, "dataset.columns");
    columns_.clear();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i != label && i != divided) describe_column(i, names[i], tables, paths);
    }
    if (columns_.empty()) throw data_error(fmt::format("{} has no inputs", called()), paths.at("train"), "no column but the label is left");
    std::map<std::string, OwnSamples> parts;
    for (const auto& [split, table] : tables) {
      for (auto& [to, samples] : samples_of(split, table, paths.at(split), label, divided)) {
        if (parts.count(to))
          throw data_error(fmt::format("'{}' holds {} samples, too", paths.at(split), to), {}, {},
                           "leave dataset.test_file or dataset.split_column out");
        parts[to] = std::move(samples);
      }
    }
    if (!parts.count("train"))
      throw data_error(fmt::format("'{}' holds no training samples", paths.at("train")), "dataset.split_column", "no row says train");
    return finish(std::move(parts), p_.shaping, context);
  }

 private:
  static Kind kind_of(const std::string& name, const Node& kind) {
    const std::string text = kind.is_string() ? kind.as_string() : kind.to_flow();
    if (text == "number") return Kind::kNumber;
    if (text == "category") return Kind::kCategory;
    if (text == "skip") return Kind::kSkip;
    throw config_error(fmt::format("'dataset.columns.{}' cannot be {}", name, shortened(text)), kind.origin().describe(), {},
                       suggestion(text, {"number", "category", "skip"}));
  }

  char separator(const std::filesystem::path& path) const {
    if (p_.separator == "\\t") return '\t';
    if (!p_.separator.empty()) return p_.separator.front();
    return path.filename().string().find(".tsv") != std::string::npos ? '\t' : ',';
  }

  static std::size_t index_of(const std::vector<std::string>& names, const std::string& name, const std::string& key) {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) {
      throw config_error(fmt::format("there is no column '{}'", name), key, fmt::format("the columns are {}", shortened(join(names, ", "))),
                         suggestion(name, names));
    }
    return static_cast<std::size_t>(it - names.begin());
  }

  /// Brings a table's columns into the training table's order.
  static void arrange(CsvTable& table, const std::vector<std::string>& names, const std::string& path) {
    if (table.rows.empty()) throw data_error(fmt::format("'{}' holds no rows", path));
    if (table.columns == names) return;
    std::vector<std::size_t> from;
    for (const auto& name : names) {
      const auto it = std::find(table.columns.begin(), table.columns.end(), name);
      if (it == table.columns.end()) throw data_error(fmt::format("'{}' has no column '{}'", path, name), {}, "the training file has it");
      from.push_back(static_cast<std::size_t>(it - table.columns.begin()));
    }
    if (table.columns.size() != names.size()) throw data_error(fmt::format("'{}' has columns that the training file has not", path));
    table.columns = names;
    for (auto& row : table.rows) {
      std::vector<std::string> arranged;
      for (const auto i : from) arranged.push_back(std::move(row[i]));
      row = std::move(arranged);
    }
  }

  void describe_column(std::size_t index, const std::string& name, const std::map<std::string, CsvTable>& tables,
                       const std::map<std::string, std::string>& paths) {
    const auto said = kinds_.find(name);
    if (said != kinds_.end() && said->second == Kind::kSkip) return;
    const bool number = said != kinds_.end() && said->second == Kind::kNumber,
               category = said != kinds_.end() && said->second == Kind::kCategory;
    std::set<std::string> words;
    std::size_t numbers = 0, texts = 0;
    std::string text, where;  // the first that is no number
    for (const auto& [split, table] : tables) {
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const auto& value = table.rows[r][index];
        if (is_missing(value)) continue;
        const bool is_number = number_in<double>(value).has_value();
        ++(is_number ? numbers : texts);
        if (!is_number && where.empty()) {
          text = value;
          where = fmt::format("{}:{}", paths.at(split), table.lines[r]);
        }
        words.insert(value);
      }
    }
    const auto refuse = [&](const std::string& what, const std::string& hint) { return data_error(what, where, {}, hint); };
    if (!category && texts == 0) return columns_.push_back({index, name, {}});
    if (number || (!category && numbers > texts)) {
      throw refuse(fmt::format("column '{}' holds numbers, and '{}'", name, shortened(text, 60)),
                   fmt::format("mend it, or say what the column is: dataset.columns={{{}: category}} or skip", name));
    }
    if (!category && words.size() > static_cast<std::size_t>(p_.most_words)) {
      throw refuse(fmt::format("column '{}' holds {} different words", name, words.size()),
                   fmt::format("leave it out: dataset.columns={{{}: skip}}; category makes an input of every word", name));
    }
    columns_.push_back({index, name, {words.begin(), words.end()}});
  }

  /// A table's samples, by split.
  std::map<std::string, OwnSamples> samples_of(const std::string& split, const CsvTable& table, const std::string& path, std::size_t label,
                                               std::optional<std::size_t> divided) const {
    std::map<std::string, std::vector<std::size_t>> rows;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const auto at = fmt::format("{}:{}", path, table.lines[r]);
      if (is_missing(table.rows[r][label])) {
        throw data_error(fmt::format("a sample without a class: column '{}' is '{}'", p_.label, table.rows[r][label]), at, {},
                         "remove the row, or give it a class");
      }
      auto to = split;
      if (divided) {
        to = lower(table.rows[r][*divided]);
        if (to == "valid" || to == "val" || to == "dev") to = "validation";
        if (to != "train" && to != "test" && to != "validation") {
          throw data_error(fmt::format("column '{}' says '{}'", *p_.split_column, shortened(table.rows[r][*divided], 60)), at, {},
                           "train, validation and test are splits");
        }
      }
      rows[to].push_back(r);
    }
    std::map<std::string, OwnSamples> out;
    for (auto& [to, chosen] : rows) out[to] = values_of(table, path, label, chosen);
    return out;
  }

  OwnSamples values_of(const CsvTable& table, const std::string& path, std::size_t label, const std::vector<std::size_t>& rows) const {
    std::int64_t width = 0;
    std::vector<std::string> names;  // of each input's column
    for (const auto& column : columns_) {
      const auto inputs = std::max<std::size_t>(1, column.words.size());
      width += static_cast<std::int64_t>(inputs);
      names.insert(names.end(), inputs, column.name);
    }
    OwnSamples out;
    out.inputs = at::zeros({static_cast<std::int64_t>(rows.size()), width}, at::kFloat);
    auto* to = out.inputs.data_ptr<float>();
    constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
    for (const auto r : rows) {
      const auto& row = table.rows[r];
      out.labels.push_back(row[label]);
      for (const auto& column : columns_) {
        const auto& text = row[column.index];
        const auto inputs = std::max<std::size_t>(1, column.words.size());
        if (is_missing(text)) {
          std::fill(to, to + inputs, kNothing);
        } else if (column.words.empty()) {
          *to = static_cast<float>(*number_in<double>(text));
        } else {
          to[std::lower_bound(column.words.begin(), column.words.end(), text) - column.words.begin()] = 1;
        }
        to += inputs;
      }
    }
    std::vector<std::int64_t> lines;
    for (const auto r : rows) lines.push_back(table.lines[r]);
    out.place = [path, lines, names](std::int64_t sample, std::int64_t value) {
      return fmt::format("{}:{}, column '{}'", path, lines[static_cast<std::size_t>(sample)], names[static_cast<std::size_t>(value)]);
    };
    return out;
  }

  Params p_;
  std::map<std::string, Kind> kinds_;
  std::vector<Column> columns_;
};

YATLAB_REGISTER(Dataset, Table, "table", "your own table: comma-separated values, one column is the class");

}  // namespace
}  // namespace yatlab
