// Sets the cells of a LaTeX table so that they fit a page. Not part of the public interface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// Available widths, in points: one of two columns, and the whole page, of a plain `article`. Conference styles have wider ones.
constexpr double kLatexColumn = 200, kLatexPage = 345;

/// The width of LaTeX text in points, in Computer Modern at ten points; estimated for unknown macros.
double latex_width(std::string_view tex);

/// One cell: words that may be stacked where space is short.
struct LatexCell {
  std::vector<std::string> words;
  bool bold = false;
};
/// LaTeX text as a cell, split at its blanks.
LatexCell latex_cell(std::string_view tex);

struct LatexRow {
  std::vector<LatexCell> cells;
  bool minor = false;  ///< belongs to the row above it, and is set no larger than `\footnotesize`
  bool space = false;  ///< extra space above it
};

struct LatexGrid {
  std::size_t keys = 1;  ///< number of key columns on the left, which are repeated when a grid is split into blocks
  std::string align;     ///< 'l' or 'r' for each column
  std::vector<LatexCell> head;
  std::vector<LatexRow> rows;
};

/// The layout of a grid.
struct LatexSetting {
  int size = 0;                                  ///< 0 `\normalsize`, 1 `\small`, 2 `\footnotesize`, 3 `\scriptsize`
  double gap = 6;                                ///< `\tabcolsep`
  bool wrapped = false;                          ///< headers take several lines where that makes their column narrower
  bool stacked = false;                          ///< so do cells of minor rows, one word per line
  double key_width = 0;                          ///< width to which keys are wrapped, in points of ten-point text; 0: not wrapped
  std::vector<std::vector<std::size_t>> blocks;  ///< the columns of each block, keys included; blocks are stacked
};

/// The largest type in which the grid is no wider than `width`. First headers are wrapped and the type is reduced, then keys are wrapped; a grid that
/// is still too wide is split into blocks.
LatexSetting fit_latex(const LatexGrid& grid, double width);

/// The height of all blocks together, in points.
double latex_height(const LatexGrid& grid, const LatexSetting& setting);

/// "\footnotesize\setlength{\tabcolsep}{3pt}\n"; empty for the defaults.
std::string latex_type(const LatexSetting& setting);

/// Each block as a `tabular`.
std::string latex_tabulars(const LatexGrid& grid, const LatexSetting& setting);

/// Each block as a `longtable`, the first with the caption (including its label) unless it is empty.
std::string latex_longtables(const LatexGrid& grid, const LatexSetting& setting, const std::string& caption);

/// Wraps text with longtable, which does not support two columns: in a two-column document it is put on one-column pages.
std::string on_one_column(const std::string& tex);

}  // namespace yatlab
