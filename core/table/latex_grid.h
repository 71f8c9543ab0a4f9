// How the cells of a LaTeX table are set so that they fit a page. Not part of the public interface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// Widths of what a table stands in, in points: a column of two and the whole page of a plain `article`. The styles of conferences
/// have wider ones.
constexpr double kLatexColumn = 200, kLatexPage = 345;

/// Points that LaTeX text takes in Computer Modern of ten points; of macros unknown to it a guess.
double latex_width(std::string_view tex);

/// One cell: words that may stand below each other where room is short.
struct LatexCell {
  std::vector<std::string> words;
  bool bold = false;
};
/// LaTeX text as a cell, parted at its blanks.
LatexCell latex_cell(std::string_view tex);

struct LatexRow {
  std::vector<LatexCell> cells;
  bool minor = false;  ///< belongs to the row above it, and is set no larger than `\footnotesize`
  bool space = false;  ///< some room above it
};

struct LatexGrid {
  std::size_t keys = 1;  ///< columns on the left that say what a row is about; repeated where a grid is broken into blocks
  std::string align;     ///< 'l' or 'r' for each column
  std::vector<LatexCell> head;
  std::vector<LatexRow> rows;
};

/// How a grid is set.
struct LatexSetting {
  int size = 0;                                  ///< 0 `\normalsize`, 1 `\small`, 2 `\footnotesize`, 3 `\scriptsize`
  double gap = 6;                                ///< `\tabcolsep`
  bool wrapped = false;                          ///< heads take several lines where that makes their column narrower
  bool stacked = false;                          ///< so do cells of minor rows: each word is a line
  double key_width = 0;                          ///< points of ten-point text to which keys are wrapped; 0: they are not
  std::vector<std::vector<std::size_t>> blocks;  ///< columns of each block, keys included; blocks stand below each other
};

/// The largest type in which the grid is no wider than `width`: first heads are wrapped and the type gets smaller, then keys are
/// wrapped, and what is too wide still is broken into blocks.
LatexSetting fit_latex(const LatexGrid& grid, double width);

/// Points from the first line to the last, all blocks together.
double latex_height(const LatexGrid& grid, const LatexSetting& setting);

/// "\footnotesize\setlength{\tabcolsep}{3pt}\n"; empty where nothing is changed.
std::string latex_type(const LatexSetting& setting);

/// Each block as a `tabular`.
std::string latex_tabulars(const LatexGrid& grid, const LatexSetting& setting);

/// Each block as a `longtable`, the first with that caption (with its label) if there is one.
std::string latex_longtables(const LatexGrid& grid, const LatexSetting& setting, const std::string& caption);

/// What uses longtable, which knows no second column: in a document of two it stands on pages of one.
std::string on_one_column(const std::string& tex);

}  // namespace yatlab
