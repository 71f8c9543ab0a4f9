#pragma once

#include <string>

#include "core/figure/figure.h"

namespace yatlab {

/// The figure as a `tikzpicture`, for `\input` in a document with `\usepackage{pgfplots}` (or tikz): lines and places are those of the drawing, letters are
/// the document's, at `\footnotesize`. Needs nothing else, neither files nor packages; pdfLaTeX, XeLaTeX and LuaLaTeX.
std::string pgf_picture(const Figure& figure);

}  // namespace yatlab
