#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/override.h"
#include "core/data/byte_stream.h"
#include "core/data/checked_text.h"
#include "core/data/locate.h"
#include "core/system/shell.h"
#include "plugins/kernels/datasets/csv_file.h"
#include "plugins/kernels/datasets/number_text.h"
#include "plugins/kernels/datasets/own_data.h"

namespace yatlab {
namespace {

/// Words for a missing value.
bool is_missing(const std::string& text) {
  static const std::set<std::string> kWords = {"", "?", "na", "n/a", "nan", "null", "none"};
  return kWords.count(lower(text)) > 0;
}

/// The shell word that sets this key to this value.
std::string typed(const std::string& key, const Node& value) { return shell_word(format_override(key, value)); }

/// A code, such as 01234: a number has no leading zero.
bool is_code(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return text.size() > 1 && text.front() == '0' && std::all_of(text.begin(), text.end(), is_digit);
}

/// A number in a human format that programs do not write: "1,5", "1.234,5", "1 234", "-45 %", "$5". Not a date (2020-01-31) or a version (1.2.3).
bool is_like_a_number(std::string_view text) {
  const auto take = [&](std::initializer_list<std::string_view> words) {
    for (const auto word : words) {
      if (text.substr(0, word.size()) != word) continue;
      text.remove_prefix(word.size());
      return true;
    }
    return false;
  };
  const auto around = [&] {
    while (take({"+", "-", "\u2212", " ", "\u00a0", "%", "$", "\u20ac", "\u00a3", "\u00a5"})) {
    }
  };
  const auto digits = [&] {
    const auto end = std::min(text.size(), text.find_first_not_of("0123456789"));
    text.remove_prefix(end);
    return end;
  };
  around();
  std::size_t points = 0, shortest = 3;  // fewest digits between points; thousands have three
  if (digits() == 0 && text.substr(0, 1) != "," && text.substr(0, 1) != ".") return false;
  while (!text.empty()) {
    const bool point = text.front() == '.';
    const auto before = text;
    if (!take({".", ",", "'", " ", "\u00a0", "\u202f"})) break;
    const auto count = digits();
    if (count == 0) {
      text = before;
      break;
    }
    points += point;
    if (point) shortest = std::min(shortest, count);
  }
  around();
  return text.empty() && (points < 2 || shortest == 3);
}

/// "1,5": a number with a decimal comma.
bool has_decimal_comma(std::string_view text) {
  std::string point(text);
  if (std::count(point.begin(), point.end(), ',') != 1 || point.find('.') != std::string::npos) return false;
  std::replace(point.begin(), point.end(), ',', '.');
  return number_in<double>(point).has_value();
}

/// Usual names of columns that number the rows.
bool is_called_like_an_index(const std::string& name) {
  static const std::set<std::string> kIndexNames = {"id",       "index",      "idx",       "row", "rowid", "row_id",
                                                    "rownames", "unnamed: 0", "unnamed_0", "nr",  "no"};
  return kIndexNames.count(lower(name)) > 0;
}

bool are_whole(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double v) { return v == std::floor(v); });
}

bool are_different(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

/// Whether the numbers are whole, all different, and without gaps between the smallest and the largest.
bool counts_on(const std::vector<double>& numbers) {
  constexpr std::size_t kFew = 10;  // fewer may do that by chance
  if (numbers.size() < kFew || !are_whole(numbers) || !are_different(numbers)) return false;
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  return *most - *least == static_cast<double>(numbers.size() - 1);
}

/// A column that becomes inputs: a number, or a one-hot encoding of its words.
struct Column {
  std::size_t index = 0;  // in the file
  std::string name;
  std::vector<std::string> words;  // empty: a number
};

/// The user's table: a row is a sample, a column its class.
class Table final : public OwnData {
 public:
  enum class Kind { kNumber, kCategory, kSkip };
  enum class Decimal { kPoint, kComma };
  struct Params {
    std::string title;
    std::string file, label;
    std::optional<std::string> test_file, split_column;
    std::string separator;
    Decimal decimal = Decimal::kPoint;
    bool header = true;
    Node columns = Node::map();
    std::int64_t most_words = 32;
    OwnShaping shaping;
    static void declare(Fields& f, Params& p) {
      f.field("title", p.title, "name of the data set in tables and captions; empty: the file's name");
      f.field("file", p.file, "file of comma-separated values; may be compressed (.gz, .xz, .zst)").required();
      f.field("label", p.label, "column that holds the class: its name, or its number from 0 if there is no header").required();
      f.field("test_file", p.test_file, "file with the same columns for split 'test'; null: a share of the samples is held out");
      f.field("split_column", p.split_column, "column that says train, validation or test; null: none");
      f.field("separator", p.separator, "field separator; empty: a tab in .tsv files, else a comma");
      f.choice("decimal", p.decimal, {{"point", Decimal::kPoint}, {"comma", Decimal::kComma}}, "decimal separator of numbers");
      f.field("header", p.header, "the first line names the columns");
      f.map("columns", p.columns,
            "type of each column: number, category (one input for each word) or skip; default: inferred from the values");
      f.field("most_words", p.most_words, "maximum number of different words in a column of words, unless declared a category").positive();
      OwnShaping::declare(f, p.shaping);
    }
  };
  explicit Table(const Params& p) : p_(p) {
    for (const auto& [name, kind] : p.columns.as_map()) kinds_[name] = kind_of(name, kind);
    if (p.separator.size() > 1 && p.separator != "\\t") {
      throw config_error(fmt::format("'dataset.separator' cannot be '{}'", p.separator), {}, "it must be one character; for a tab, \\t",
                         typed("dataset.separator", "\\t"));
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
      const auto bytes = read_unpacked(path);
      check_separator(checked_rows(bytes, path.string()), path);
      tables[split] = parse_csv(bytes, path.string(), separator(path), p_.header);
      paths[split] = path.string();
      add_file(path);
    };
    read("train", "dataset.file", p_.file);
    if (p_.test_file) read("test", "dataset.test_file", *p_.test_file);
    for (auto& [split, table] : tables) {
      if (table.rows.empty()) throw data_error(fmt::format("'{}' has no rows", paths.at(split)));
      drop_nameless(table, paths.at(split), context);
    }
    const auto& names = tables.at("train").columns;
    for (auto& [split, table] : tables) arrange(table, names, paths.at(split));
    const auto label = index_of(names, p_.label, "dataset.label");
    const auto divided = p_.split_column ? std::optional(index_of(names, *p_.split_column, "dataset.split_column")) : std::nullopt;
    const std::unordered_set<std::string> known(names.begin(), names.end());
    for (const auto& [name, kind] : kinds_) {
      if (known.count(name) == 0) index_of(names, name, "dataset.columns");
    }
    columns_.clear();
    std::vector<ColumnProblem> problems;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i == label || i == divided) continue;
      if (auto column_problem = describe_column(i, names[i], tables, paths, context)) problems.push_back(std::move(*column_problem));
    }
    if (!problems.empty()) throw error_of(problems);
    if (columns_.empty())
      throw data_error(fmt::format("{} has no inputs", called()), paths.at("train"), "no column except the label remains");
    std::map<std::string, OwnSamples> parts;
    for (const auto& [split, table] : tables) {
      for (auto& [to, samples] : samples_of(split, table, paths.at(split), label, divided)) {
        if (parts.count(to))
          throw data_error(fmt::format("'{}' also contains {} samples", paths.at(split), to), {}, {},
                           "remove dataset.test_file or dataset.split_column");
        parts[to] = std::move(samples);
      }
    }
    if (!parts.count("train"))
      throw data_error(fmt::format("'{}' contains no training samples", paths.at("train")), "dataset.split_column",
                       "no row contains train");
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

  /// A problem of a column, and its remedy.
  struct ColumnProblem {
    std::string name, what, where, why;
    std::string kind;          // the kind to set for it in dataset.columns
    std::string instead = {};  // describes all such columns
  };

  /// An error with the first problem, a list of the others, and one remedy for all.
  Error error_of(const std::vector<ColumnProblem>& problems) const {
    constexpr std::size_t kShown = 5;
    const auto& first = problems.front();
    auto why = first.why;
    for (std::size_t i = 1; i < std::min(problems.size(), kShown); ++i) why += "; " + problems[i].what;
    if (problems.size() > kShown) why += fmt::format("; and {} more", problems.size() - kShown);
    std::map<std::string, std::string> kinds_to_set;
    std::string hint;
    for (const auto& c : problems) {
      if (c.instead.empty()) kinds_to_set[c.name] = c.kind;
      if (hint.empty()) hint = c.instead;
    }
    if (!kinds_to_set.empty() || hint.empty()) {
      Node::Map kinds;
      for (const auto& [name, kind] : p_.columns.as_map()) {
        if (kinds_to_set.count(name) == 0) kinds.emplace_back(name, kind);
      }
      for (const auto& c : problems) {
        if (c.instead.empty()) kinds.emplace_back(c.name, c.kind);
      }
      hint += (hint.empty() ? "" : " ") + typed("dataset.columns", Node(std::move(kinds)));
    }
    return data_error(first.what, first.where, why, hint);
  }

  void check_separator(std::string_view text, const std::filesystem::path& path) const {
    const char used = separator(path), found = separator_in(text);
    const auto first = text.substr(0, text.find('\n'));
    if (found == 0 || found == used || first.find(used) != std::string_view::npos) return;
    const auto called = [](char c) { return c == '\t' ? std::string("tab") : fmt::format("'{}'", c); };
    throw data_error(fmt::format("'{}' is not separated by {}", path.string(), called(used)), path.string() + ":1",
                     fmt::format("every row has the same number of {} outside quotes", called(found)),
                     typed("dataset.separator", found == '\t' ? std::string("\\t") : std::string(1, found)));
  }

  /// Drops columns without a name, such as pandas' index and those from separators at line ends, and notifies the user.
  void drop_nameless(CsvTable& table, const std::string& path, const DataContext& context) const {
    std::vector<std::string> empty_ones;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!table.columns[i].empty()) {
        kept.push_back(i);
        continue;
      }
      std::vector<double> numbers;
      bool empty = true;
      for (const auto& row : table.rows) {
        empty = empty && row[i].empty();
        if (const auto number = number_in<double>(row[i])) numbers.push_back(*number);
      }
      const bool index = i == 0 && numbers.size() == table.rows.size() && are_whole(numbers) && are_different(numbers);
      if (!empty && !index) {
        throw data_error(fmt::format("column {} has no name", i + 1), path + ":1", {}, "name it in the first line of the file");
      }
      if (empty) {
        empty_ones.push_back(std::to_string(i + 1));
      } else {
        tell(context, fmt::format("{}: column 1 has no name and contains row numbers: ignored", called()));
      }
    }
    if (empty_ones.size() == 1) {
      tell(context, fmt::format("{}: column {} has no name and is empty: ignored", called(), empty_ones[0]));
    } else if (!empty_ones.empty()) {
      tell(context, fmt::format("{}: columns {} have no names and are empty: ignored", called(), shortened(join(empty_ones, ", "))));
    }
    choose(table, kept);
  }

  /// The table with these columns, in this order.
  static void choose(CsvTable& table, const std::vector<std::size_t>& columns) {
    const auto chosen = [&](std::vector<std::string>& row) {
      std::vector<std::string> out;
      out.reserve(columns.size());
      for (const auto i : columns) out.push_back(std::move(row[i]));
      row = std::move(out);
    };
    chosen(table.columns);
    for (auto& row : table.rows) chosen(row);
  }

  std::optional<double> number_of(const std::string& text) const {
    if (p_.decimal == Decimal::kPoint) return number_in<double>(text);
    if (text.find('.') != std::string::npos) return {};
    std::string point = text;
    std::replace(point.begin(), point.end(), ',', '.');
    return number_in<double>(point);
  }

  char separator(const std::filesystem::path& path) const {
    if (p_.separator == "\\t") return '\t';
    if (!p_.separator.empty()) return p_.separator.front();
    return path.filename().string().find(".tsv") != std::string::npos ? '\t' : ',';
  }

  std::size_t index_of(const std::vector<std::string>& names, const std::string& name, const std::string& key) const {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) {
      if (p_.header && number_in<std::int64_t>(name)) {
        throw config_error(
            fmt::format("there is no column '{}'", name), key,
            fmt::format("the columns are {}; columns have numbers only if the first line is not a header", shortened(join(names, ", "))),
            "dataset.header=false");
      }
      throw config_error(fmt::format("there is no column '{}'", name), key, fmt::format("the columns are {}", shortened(join(names, ", "))),
                         suggestion(name, names));
    }
    return static_cast<std::size_t>(it - names.begin());
  }

  /// Reorders a table's columns like the training table's.
  static void arrange(CsvTable& table, const std::vector<std::string>& names, const std::string& path) {
    if (table.columns == names) return;
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < table.columns.size(); ++i) places[table.columns[i]] = i;
    std::vector<std::size_t> from;
    for (const auto& name : names) {
      const auto it = places.find(name);
      if (it == places.end())
        throw data_error(fmt::format("'{}' has no column '{}'", path, name), path + ":1", "the training file has it",
                         "add it to this file, or remove it from the training file");
      from.push_back(it->second);
    }
    const std::unordered_set<std::string> known(names.begin(), names.end());
    for (const auto& name : table.columns) {
      if (known.count(name) == 0)
        throw data_error(fmt::format("'{}' has a column '{}'", path, name), path + ":1", "the training file does not have it",
                         "remove it from this file, or add it to the training file");
    }
    choose(table, from);
  }

  /// Whether some number has a decimal point: then the file does not use decimal commas.
  static bool has_points(const std::map<std::string, CsvTable>& tables) {
    const auto pointed = [](const std::string& text) { return text.find('.') != std::string::npos && number_in<double>(text).has_value(); };
    return std::any_of(tables.begin(), tables.end(), [&](const auto& entry) {
      const auto& rows = entry.second.rows;
      return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return std::any_of(row.begin(), row.end(), pointed); });
    });
  }

  /// Turns a column into inputs, or returns the reason why not.
  std::optional<ColumnProblem> describe_column(std::size_t index, const std::string& name, const std::map<std::string, CsvTable>& tables,
                                               const std::map<std::string, std::string>& paths, const DataContext& context) {
    const auto declared = kinds_.find(name);
    if (declared != kinds_.end() && declared->second == Kind::kSkip) return {};
    const bool number = declared != kinds_.end() && declared->second == Kind::kNumber,
               category = declared != kinds_.end() && declared->second == Kind::kCategory;
    std::set<std::string> words;
    std::vector<double> numbers, train_numbers;
    std::size_t texts = 0, like_numbers = 0;
    std::string text, where, like, like_where, code, code_where;  // the first non-number, almost-number and code
    bool commas = true;
    for (const auto& [split, table] : tables) {
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const auto& value = table.rows[r][index];
        if (is_missing(value)) continue;
        const auto here = [&, split = split, &table = table] { return fmt::format("{}:{}", paths.at(split), table.lines[r]); };
        words.insert(value);
        if (is_code(value) && code.empty()) code = value, code_where = here();
        if (const auto is_number = number_of(value)) {
          numbers.push_back(*is_number);
          if (split == "train") train_numbers.push_back(*is_number);
          continue;
        }
        ++texts;
        if (where.empty()) text = value, where = here();
        if (!is_like_a_number(value)) continue;
        ++like_numbers;
        commas = commas && has_decimal_comma(value);
        if (like_where.empty()) like = value, like_where = here();
      }
    }
    const auto column = fmt::format("column '{}'", shortened(name, 60));
    const bool many = words.size() > static_cast<std::size_t>(p_.most_words);
    const std::string as_words = many ? "skip" : "category", kinds = "category makes an input of every word, skip ignores the column";
    if (category) {
      columns_.push_back({index, name, {words.begin(), words.end()}});
      return {};
    }
    if (like_numbers > 0 && (number || numbers.size() + like_numbers > texts - like_numbers)) {
      const auto what = fmt::format("{} contains '{}', which cannot be read as a number", column, shortened(like, 60));
      if (commas && p_.decimal == Decimal::kPoint && !has_points(tables))
        return ColumnProblem{
            name,       what,
            like_where, "if the comma is a decimal comma, set dataset.decimal=comma; if it separates thousands, remove it from the file",
            as_words,   "dataset.decimal=comma"};
      return ColumnProblem{name, what, like_where,
                           (commas ? "other numbers have decimal points: write all numbers the same way; "
                                   : "remove everything that is not a digit, point or sign; ") +
                               kinds,
                           as_words};
    }
    if (texts > 0 && (number || numbers.size() > texts)) {
      return ColumnProblem{name, fmt::format("{} contains numbers and '{}'", column, shortened(text, 60)), where,
                           "correct the file; " + kinds, as_words};
    }
    if (texts > 0) {
      if (many) return ColumnProblem{name, fmt::format("{} contains {} different words", column, words.size()), where, kinds, "skip"};
      columns_.push_back({index, name, {words.begin(), words.end()}});
      return {};
    }
    if (!number && !code.empty()) {
      return ColumnProblem{name, fmt::format("{} contains '{}'", column, shortened(code, 60)), code_where,
                           "a leading zero means a code, not a quantity; number reads it as a quantity, " + kinds, as_words};
    }
    const bool numbered = is_called_like_an_index(name) && words.size() == numbers.size() && words.size() >= 10 && are_whole(numbers);
    if (!number && (counts_on(numbers) || counts_on(train_numbers) || numbered)) {
      return ColumnProblem{name, fmt::format("{} contains row numbers", column), paths.at("train") + ":1",
                           "if rows are sorted by class, it reveals the class; number keeps it as an input, skip ignores it", "skip"};
    }
    warn_of_rounding(column, numbers, context);
    columns_.push_back({index, name, {}});
    return {};
  }

  /// float32 has 24 bits of precision: larger whole numbers are rounded and may become equal.
  void warn_of_rounding(const std::string& column, std::vector<double> numbers, const DataContext& context) const {
    const auto large = [](double v) { return std::abs(v) > 16777216 && v == std::floor(v); };
    if (std::none_of(numbers.begin(), numbers.end(), large)) return;
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::size_t alike = 0;
    for (std::size_t i = 1; i < numbers.size(); ++i) alike += static_cast<float>(numbers[i]) == static_cast<float>(numbers[i - 1]);
    if (alike > 0)
      tell(context, fmt::format("{}: inputs are float32, in which {} of the {} different numbers of {} equal a different one: subtract a "
                                "constant from all of them",
                                called(), alike, numbers.size(), column));
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
          throw data_error(fmt::format("column '{}' contains '{}'", *p_.split_column, shortened(table.rows[r][*divided], 60)), at, {},
                           "the splits are train, validation and test");
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
          *to = static_cast<float>(*number_of(text));
        } else {
          to[std::lower_bound(column.words.begin(), column.words.end(), text) - column.words.begin()] = 1;
        }
        to += inputs;
      }
    }
    std::vector<std::int64_t> lines;
    for (const auto r : rows) lines.push_back(table.lines[r]);
    out.place = [path, lines, names, of_label = p_.label](std::int64_t sample, std::int64_t value) {
      return fmt::format("{}:{}, column '{}'", path, lines[static_cast<std::size_t>(sample)],
                         value < 0 ? of_label : names[static_cast<std::size_t>(value)]);
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
