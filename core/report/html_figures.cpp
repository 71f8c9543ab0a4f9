#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/figure/latex_text.h"
#include "core/report/html_parts.h"

namespace yatlab::html {
namespace {

// Drawings with more bytes are embedded as PNGs if that is smaller.
constexpr std::size_t kLargeDrawing = 200 * 1024;
// Text of 8 points is small on a screen.
constexpr double kZoom = 1.5;

// Points: the first `width="486pt"` of a drawing.
std::optional<double> drawn_width(const std::string& svg) {
  const auto at = svg.find("width=\"");
  if (at == std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double width = std::strtod(svg.c_str() + at + 7, &end);
  if (width <= 0 || std::string_view(end).substr(0, 2) != "pt") return std::nullopt;
  return width;
}

std::string figure_html(const DrawnFigure& figure, const fs::path& folder, const std::string& files) {
  const fs::path svg_path = folder / (figure.stem + ".svg"), png_path = folder / (figure.stem + ".png");
  const std::string svg = is_there(svg_path) ? read_file(svg_path) : "";
  const std::string png = is_there(png_path) && (svg.empty() || svg.size() > kLargeDrawing) ? read_file(png_path) : "";
  const bool picture = !png.empty() && (svg.empty() || png.size() < svg.size());
  const std::string caption = plain_text(figure.caption);
  std::string out = fmt::format("<figure class=\"drawing\" id=\"{}\">\n", identifier(figure.id));
  if (svg.empty() && png.empty()) {
    out += "<p>Not drawn as svg or png.</p>\n";
  } else {
    const auto width = drawn_width(svg);
    out += fmt::format("<div class=\"paper-sheet\"><img src=\"data:image/{};base64,{}\" alt=\"{}\"{}></div>\n", picture ? "png" : "svg+xml",
                       base64(picture ? png : svg), text(caption.empty() ? figure.id : caption),
                       width ? fmt::format(" width=\"{:.0f}\"", *width * kZoom) : "");
  }
  const std::string note = figure.note.empty() ? "" : fmt::format("<span class=\"note\">{}</span> ", text(plain_text(figure.note)));
  out += fmt::format("<figcaption>{} {}<span class=\"files\">", text(caption), note);
  for (const char* format : {"pdf", "svg", "png", "pgf", "csv"}) {
    if (is_there(folder / (figure.stem + "." + format))) {
      out += fmt::format("<a href=\"{}.{}\">{}</a> ", link(files + figure.stem), format, format);
    }
  }
  return trim(out) + "</span></figcaption>\n</figure>\n";
}

}  // namespace

std::string figures(const std::vector<DrawnFigure>& all, const fs::path& folder, const std::string& files) {
  std::string out;
  for (const auto& figure : all) out += figure_html(figure, folder, files);
  return out;
}

}  // namespace yatlab::html
