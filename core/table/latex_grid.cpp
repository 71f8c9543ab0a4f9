#include "core/table/latex_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/text.h"

namespace yatlab {
namespace {

struct LatexSize {
  const char* macro;
  double factor;    // relative to widths at ten points: small letters of Computer Modern are a little wider
  double baseline;  // distance of lines in points
};
constexpr std::array<LatexSize, 4> kSizes = {
    {{"", 1.0, 12.0}, {"\\small", 0.925, 11.0}, {"\\footnotesize", 0.85, 9.5}, {"\\scriptsize", 0.797, 8.0}}};
constexpr int kFootnote = 2;
constexpr double kBold = 1.16;
// Widths are estimates.
constexpr double kSpare = 0.985;
// The minimum width of wrapped keys, at ten points.
constexpr double kNarrowKey = 60;

// Widths of cmr10 for ' ' to '~', in thousandths of the size.
constexpr std::array<int, 95> kWidths = {333, 278, 500, 833, 500, 833, 778, 278, 389, 389, 500, 778, 278, 333, 278, 500, 500,  500,  500,
                                         500, 500, 500, 500, 500, 500, 500, 278, 278, 778, 778, 778, 472, 778, 750, 708, 722,  764,  681,
                                         653, 785, 750, 361, 514, 778, 625, 917, 750, 778, 681, 778, 736, 556, 722, 750, 750,  1028, 750,
                                         750, 611, 278, 500, 278, 500, 333, 278, 500, 556, 444, 556, 444, 306, 500, 556, 278,  306,  528,
                                         278, 833, 556, 500, 556, 528, 392, 394, 389, 556, 528, 722, 528, 528, 444, 500, 1000, 500,  500};

// At ten points. Binary signs include the spaces around them.
double macro_width(const std::string& name) {
  static const std::map<std::string, double> known = {
      {"yat", 7.1},  {"pm", 12.3},      {"times", 12.3},      {"cdot", 7.3},    {"to", 15.6},         {"leq", 13.4},
      {"geq", 13.4}, {"approx", 13.4},  {"neq", 13.4},        {"Delta", 8.4},   {"Rightarrow", 15.6}, {"quad", 10},
      {"qquad", 20}, {"textless", 7.8}, {"textgreater", 7.8}, {"textbar", 2.8}, {"textbackslash", 5}, {"|", 5},
      {",", 1.7},    {"%", 8.4},        {"_", 3.7},           {"&", 7.8},       {"#", 8.4},           {"$", 5},
      {"{", 5},      {"}", 5}};
  static const char* const kSilent[] = {
      "boldmath", "bfseries", "footnotesize", "itshape", "mbox",  "mathrm", "mathbf",   "mathcal", "text",
      "left",     "right",    "allowbreak",   "hat",     "grave", "acute",  "tilde",    "bar",     "breve",
      "dot",      "ddot",     "check",        "vec",     "`",     "'",      "mathring", "^",       "~",
      "=",        ".",        "\"",           "u",       "v",     "r",      "b",        "c",       "d"};
  if (const auto found = known.find(name); found != known.end()) return found->second;
  return std::any_of(std::begin(kSilent), std::end(kSilent), [&](const char* s) { return name == s; }) ? 0 : 7;
}

double cell_width(const LatexCell& cell) {
  double w = 0;
  for (const auto& word : cell.words) w += latex_width(word);
  if (!cell.words.empty()) w += 3.4 * static_cast<double>(cell.words.size() - 1);
  return cell.bold ? kBold * w : w;
}

double longest_word(const LatexCell& cell) {
  double w = 0;
  for (const auto& word : cell.words) w = std::max(w, latex_width(word));
  return cell.bold ? kBold * w : w;
}

/// The words in as few lines as fit `width`.
std::vector<std::string> lines_of(const LatexCell& cell, double width) {
  std::vector<std::string> lines;
  double used = 0;
  for (const auto& word : cell.words) {
    const double w = latex_width(word) * (cell.bold ? kBold : 1);
    if (lines.empty() || used + 3.4 + w > width + 0.01) {
      lines.push_back(word);
      used = w;
    } else {
      lines.back() += " " + word;
      used += 3.4 + w;
    }
  }
  return lines;
}

/// The width of a column, at ten points.
double column_width(const LatexGrid& grid, std::size_t c, const LatexSetting& s) {
  const bool key = c < grid.keys;
  double width = s.wrapped ? longest_word(grid.head[c]) : cell_width(grid.head[c]);
  for (const auto& row : grid.rows) {
    const bool wraps = s.stacked && row.minor && !key;
    const double small = row.minor && s.size < kFootnote ? kSizes[kFootnote].factor / kSizes[static_cast<std::size_t>(s.size)].factor : 1;
    double w = (wraps ? longest_word(row.cells[c]) : cell_width(row.cells[c])) * small;
    if (key && s.key_width > 0) w = std::min(w, s.key_width);
    width = std::max(width, w);
  }
  return width;
}

double block_width(const LatexGrid& grid, const std::vector<std::size_t>& columns, const LatexSetting& s) {
  double width = 0;
  for (const auto c : columns) width += column_width(grid, c, s);
  return width * kSizes[static_cast<std::size_t>(s.size)].factor + 2 * s.gap * static_cast<double>(columns.size() - 1);
}

/// Sets the width to which keys must be wrapped; false if wrapping does not make the block fit.
bool wrap_keys(const LatexGrid& grid, const std::vector<std::size_t>& columns, LatexSetting& s, double width) {
  double longest = 0, widest = 0;
  for (std::size_t k = 0; k < grid.keys; ++k) {
    for (const auto& row : grid.rows) {
      longest = std::max(longest, longest_word(row.cells[k]));
      widest = std::max(widest, cell_width(row.cells[k]));
    }
  }
  for (double w = widest; w > std::max(longest, kNarrowKey); w -= 5) {
    s.key_width = std::max(w - 5, std::max(longest, kNarrowKey));
    if (block_width(grid, columns, s) <= width) return true;
  }
  return false;
}

std::string points(double v) {
  std::string text = fmt::format("{:.1f}", v);
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text + "pt";
}

/// The number of lines of a cell, and its LaTeX code.
std::size_t set_cell(const LatexGrid& grid, const LatexCell& cell, std::size_t c, const LatexSetting& s, double column, bool head,
                     bool minor, std::string* out) {
  const bool small = minor && s.size < kFootnote;
  const char* const size = small ? "\\footnotesize " : "";
  const bool key = c < grid.keys && !head;
  const double width = cell_width(cell);
  if (key && s.key_width > 0 && width > s.key_width) {
    if (out) {
      *out +=
          fmt::format("\\parbox[t]{{{}}}{{\\raggedright {}{}\\strut}}",
                      points(s.key_width * kSizes[static_cast<std::size_t>(s.size)].factor / kSpare + 0.5), size, join(cell.words, " "));
    }
    return lines_of(cell, 0.97 * s.key_width).size();
  }
  const bool stacked = s.stacked && minor && c >= grid.keys;
  const auto lines = stacked ? cell.words : s.wrapped && head ? lines_of(cell, column) : std::vector<std::string>{join(cell.words, " ")};
  if (!out) return lines.size();
  if (lines.size() > 1) {
    std::vector<std::string> each;
    for (const auto& line : lines) each.push_back(size + line);
    *out += fmt::format("\\shortstack[{}]{{{}}}", grid.align[c], join(each, "\\\\"));
  } else if (!lines.front().empty()) {
    // \boldmath affects the digits, which are in math mode.
    *out += cell.bold ? "{\\boldmath\\bfseries " + lines.front() + "}" : size + lines.front();
  }
  return lines.size();
}

std::string set_row(const LatexGrid& grid, const std::vector<LatexCell>& cells, const std::vector<std::size_t>& columns,
                    const std::vector<double>& widths, const LatexSetting& s, bool head, bool minor) {
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out += " & ";
    set_cell(grid, cells[columns[i]], columns[i], s, widths[i], head, minor, &out);
  }
  return out + " \\\\\n";
}

std::vector<double> widths_of(const LatexGrid& grid, const std::vector<std::size_t>& columns, const LatexSetting& s) {
  std::vector<double> out;
  for (const auto c : columns) out.push_back(column_width(grid, c, s));
  return out;
}

std::string alignment(const LatexGrid& grid, const std::vector<std::size_t>& columns) {
  std::string out;
  for (const auto c : columns) out += grid.align[c];
  return "@{}" + out + "@{}";
}

std::string set_rows(const LatexGrid& grid, const std::vector<std::size_t>& columns, const std::vector<double>& widths,
                     const LatexSetting& s, bool may_break) {
  std::string out;
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const auto& row = grid.rows[r];
    if (row.space) out += "\\addlinespace\n";
    std::string text = set_row(grid, row.cells, columns, widths, s, false, row.minor);
    // No page break between a row and its minor rows.
    const bool joined = may_break && r + 1 < grid.rows.size() && grid.rows[r + 1].minor;
    if (joined) text.insert(text.size() - 1, "*");
    out += text;
  }
  return out;
}

}  // namespace

double latex_width(std::string_view tex) {
  double width = 0;
  bool math = false;
  for (std::size_t i = 0; i < tex.size();) {
    const auto u = static_cast<unsigned char>(tex[i]);
    if (u == '\\' && i + 1 < tex.size()) {
      std::size_t end = i + 1;
      while (end < tex.size() && std::isalpha(static_cast<unsigned char>(tex[end]))) ++end;
      if (end == i + 1) ++end;
      const std::string name(tex.substr(i + 1, end - i - 1));
      if (name == "usefont") {  // one sign from another font: "\usefont{U}{msa}{m}{n}\char88"
        end = std::min(tex.find("\\char", end), tex.size());
        end = std::min(tex.find_first_not_of("0123456789", std::min(end + 5, tex.size())), tex.size());
        width += 8.3;
        i = end;
        continue;
      }
      width += macro_width(name);
      i = end;
      if (std::isalpha(static_cast<unsigned char>(name[0])) && i < tex.size() && tex[i] == ' ') ++i;
      continue;
    }
    if (math && (u == '^' || u == '_')) {
      // Superscripts are smaller.
      std::size_t end = i + 1;
      if (end < tex.size() && tex[end] == '{') end = std::min(tex.find('}', end), tex.size() - 1);
      width += 0.72 * latex_width("$" + std::string(tex.substr(i + 1, end - i)) + "$") + 0.5;
      i = end + 1;
      continue;
    }
    if (u == '$') {
      math = !math;
    } else if (u == '~') {
      width += 3.4;
    } else if (math && u == ' ') {
    } else if (math && u == '-') {
      width += 7.8;
    } else if (u >= 0x80) {
      if ((u & 0xC0) != 0x80) width += 5.6;  // not a continuation byte
    } else if (u >= 0x20 && u != '{' && u != '}') {
      width += kWidths[u - 0x20] / 100.0;
    }
    ++i;
  }
  return width;
}

LatexCell latex_cell(std::string_view tex) {
  LatexCell out;
  int depth = 0;
  bool math = false;
  std::string word;
  for (std::size_t i = 0; i < tex.size(); ++i) {
    const char c = tex[i];
    if (c == '\\' && i + 1 < tex.size()) {
      word += c;
      word += tex[++i];
      continue;
    }
    if (c == '$') math = !math;
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ' ' && depth == 0 && !math) {
      if (!word.empty()) out.words.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty() || out.words.empty()) out.words.push_back(std::move(word));
  return out;
}

LatexSetting fit_latex(const LatexGrid& grid, double width) {
  width *= kSpare;
  std::vector<std::size_t> all(grid.head.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  LatexSetting s;
  if (all.empty()) return s;
  s.blocks = {all};
  const auto with = [&](int size, double gap, bool wrapped, bool stacked = false) {
    s.size = size;
    s.gap = gap;
    s.wrapped = wrapped;
    s.stacked = stacked;
    s.key_width = 0;
    return block_width(grid, all, s) <= width;
  };
  if (with(0, 6, false) || with(0, 5, true) || with(1, 5, false) || with(1, 4, true) || with(kFootnote, 4, false) ||
      with(kFootnote, 3, true) || with(kFootnote, 3, true, true)) {
    return s;
  }
  if (wrap_keys(grid, all, s, width) || with(3, 3, true, true) || with(3, 2, true, true) || wrap_keys(grid, all, s, width)) return s;
  // Blocks with as many columns as fit beside the keys, which take at most half of the width.
  with(kFootnote, 3, true, true);
  s.blocks.clear();
  std::vector<std::size_t> keys(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(grid.keys));
  if (block_width(grid, keys, s) > 0.5 * width) wrap_keys(grid, keys, s, 0.5 * width);
  for (std::size_t c = grid.keys; c < all.size(); ++c) {
    if (!s.blocks.empty()) {
      auto more = s.blocks.back();
      more.push_back(c);
      if (block_width(grid, more, s) <= width) {
        s.blocks.back() = std::move(more);
        continue;
      }
    }
    s.blocks.push_back(keys);
    s.blocks.back().push_back(c);
  }
  if (s.blocks.empty()) s.blocks = {all};
  return s;
}

double latex_height(const LatexGrid& grid, const LatexSetting& s) {
  const double line = kSizes[static_cast<std::size_t>(s.size)].baseline;
  double height = 0;
  for (const auto& columns : s.blocks) {
    const auto widths = widths_of(grid, columns, s);
    const auto lines = [&](const std::vector<LatexCell>& cells, bool head, bool minor) {
      std::size_t most = 1;
      for (std::size_t i = 0; i < columns.size(); ++i)
        most = std::max(most, set_cell(grid, cells[columns[i]], columns[i], s, widths[i], head, minor, nullptr));
      return static_cast<double>(most) * line;
    };
    height += 15 + lines(grid.head, true, false);  // rules and the space around them
    for (const auto& row : grid.rows) height += lines(row.cells, false, row.minor) + (row.space ? 5 : 0);
  }
  return height;
}

std::string latex_type(const LatexSetting& s) {
  std::string out = kSizes[static_cast<std::size_t>(s.size)].macro;
  if (s.gap != LatexSetting().gap) out += fmt::format("\\setlength{{\\tabcolsep}}{{{}}}", points(s.gap));
  return out.empty() ? out : out + "\n";
}

std::string latex_tabulars(const LatexGrid& grid, const LatexSetting& s) {
  std::string out;
  for (const auto& columns : s.blocks) {
    const auto widths = widths_of(grid, columns, s);
    if (!out.empty()) out += "\\par\\medskip\n";
    out += "\\begin{tabular}{" + alignment(grid, columns) + "}\n\\toprule\n" + set_row(grid, grid.head, columns, widths, s, true, false) +
           "\\midrule\n" + set_rows(grid, columns, widths, s, false) + "\\bottomrule\n\\end{tabular}\n";
  }
  return out;
}

std::string latex_longtables(const LatexGrid& grid, const LatexSetting& s, const std::string& caption) {
  std::string out;
  for (const auto& columns : s.blocks) {
    const auto widths = widths_of(grid, columns, s);
    const std::string head = "\\toprule\n" + set_row(grid, grid.head, columns, widths, s, true, false) + "\\midrule\n";
    const bool first = out.empty() && !caption.empty();
    out += "\\begin{longtable}{" + alignment(grid, columns) + "}\n" + (first ? caption + "\\\\\n" : "") + head + "\\endfirsthead\n" + head +
           "\\endhead\n\\bottomrule\n\\endfoot\n" + set_rows(grid, columns, widths, s, true) + "\\end{longtable}\n";
    if (!first) out += "\\addtocounter{table}{-1}\n";  // every longtable increases the counter
  }
  return out;
}

std::string on_one_column(const std::string& tex) {
  return "% longtable does not work in two columns: a two-column document puts this table on one-column pages.\n"
         "\\par\\csname if@twocolumn\\endcsname\\onecolumn\\def\\yatcolumns{\\twocolumn}\\else\\def\\yatcolumns{}\\fi\n" +
         tex + "\\yatcolumns\n";
}

}  // namespace yatlab
