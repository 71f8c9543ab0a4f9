#pragma once

#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/figure/figure.h"

namespace yatlab {

/// A self-contained script: `gnuplot -c NAME.gp svg` (or `pdf`, `png`) writes `NAME.svg` beside it. `name` is a plain file name. User text is quoted
/// so that gnuplot neither expands nor runs any of it.
std::string gnuplot_script(const Figure& figure, const std::string& name);

/// Writes `NAME.gp`, `NAME.csv`, `NAME.txt` (the caption, if any) and one file per format ("svg", "pdf", "png", "pgf") into `directory`. The same
/// figure gives the same bytes. Returns the paths. Throws a job error when gnuplot is missing or fails.
std::vector<fs::path> render_figure(const Figure& figure, const fs::path& directory,
                                    const std::vector<std::string>& formats = {"svg", "pdf", "png"});

/// The same figure as SVG, leaving no files behind.
std::string figure_svg(const Figure& figure);

/// Text for gnuplot's enhanced mode inside single quotes, quotes included.
std::string gnuplot_quote(std::string_view text);

}  // namespace yatlab
