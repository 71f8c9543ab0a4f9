#pragma once

#include <string>

#include "core/figure/figure.h"

namespace yatlab {

/// The figure as a `tikzpicture`, for `\input` in a document with `\usepackage{pgfplots}` (or tikz): lines and positions are those of the drawing,
/// the font is the document's, at `\footnotesize`. Needs no other files or packages; for pdfLaTeX, XeLaTeX and LuaLaTeX.
std::string pgf_picture(const Figure& figure);

}  // namespace yatlab
