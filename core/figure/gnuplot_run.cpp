#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/figure/gnuplot.h"
#include "core/figure/layout.h"
#include "core/figure/pgf.h"
#include "core/figure/yat_letter.h"

namespace yatlab {
namespace {

/// A temporary folder next to the figure, removed by the destructor; the next report removes what a killed process leaves.
class DrawingFolder {
 public:
  DrawingFolder(const fs::path& directory, const std::string& name) : path_(temporary_name(directory / name)) { make_folders(path_); }
  ~DrawingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  DrawingFolder(const DrawingFolder&) = delete;
  DrawingFolder& operator=(const DrawingFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Overwrites the time in `/CreationDate (D:...)` in place, so that a PDF's offsets stay valid. cairo 1.18 and later compresses it; the time then
// stays, since CAIRO_DEBUG_PDF would disable all compression (five times the size).
void fix_pdf_date(std::string& pdf, std::string_view key) {
  for (auto at = pdf.find(key); at != std::string::npos; at = pdf.find(key, at + 1)) {
    const auto open = pdf.find("(D:", at);
    const auto close = pdf.find(')', at);
    if (open == std::string::npos || close == std::string::npos || open > close || close - at > 64) continue;
    const std::string fixed = "20000101000000Z";
    for (auto i = open + 3; i < close; ++i) {
      const auto k = i - open - 3;
      if (std::isdigit(static_cast<unsigned char>(pdf[i]))) pdf[i] = k < 14 ? fixed[k] : '0';
    }
  }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

void replace_first(std::string& text, std::string_view from, std::string_view to) {
  if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
}

void tidy(std::string& bytes, const std::string& format, const Figure& figure) {
  if (format == "pdf") {
    fix_pdf_date(bytes, "/CreationDate");
    fix_pdf_date(bytes, "/ModDate");
  } else if (format == "svg") {
    // Units are points, so that the drawing has its true size; pixels of images stay squares when enlarged.
    const auto layout = layout_of(figure);
    const auto w = std::lround(layout.width * 72), h = std::lround(layout.height * 72);
    replace_first(bytes, fmt::format("width=\"{}\" height=\"{}\"", w, h), fmt::format("width=\"{}pt\" height=\"{}pt\"", w, h));
    replace_all(bytes, "<image ", "<image style='image-rendering:pixelated' ");
    // Embed the letter's font: few machines have one with it, and readers would see a box.
    if (bytes.find(kYat) != std::string::npos) {
      replace_first(bytes, "<desc>", "<style>" + yat_font_face() + "</style>\n<desc>");
      const std::string size = fmt::format("  font-size=\"{:.1f}\">{}<", kYatScale * kFontSize, kYat);
      replace_all(bytes, "<tspan font-family=\"DejaVu Sans\"" + size, "<tspan font-family=\"Yat, DejaVu Sans\"" + size);
    }
  }
}

/// Runs the script in `folder`, and returns what it drew. `script`: its location for error messages.
std::string drawn(const Figure& figure, const fs::path& folder, const std::string& format, const fs::path& script) {
  ProcessResult result;
  try {
    result = run_process({"gnuplot", "-d", "-c", "figure.gp", format}, folder);
  } catch (const Error& e) {
    throw Error(ErrorKind::kJob, fmt::format("cannot draw figure '{}'", figure.id), {}, "gnuplot cannot be started: " + e.why(),
                "apt-get install gnuplot-nox fonts-dejavu-core");
  }
  const fs::path made = folder / (safe_file_name(figure.id) + "." + format);
  if (result.status != 0 || !fs::exists(made) || size_of_file(made) == 0) {
    throw Error(ErrorKind::kJob, fmt::format("cannot draw figure '{}'", figure.id), script.string(),
                fmt::format("gnuplot ended with status {}: {}", result.status, trim(result.output)),
                fmt::format("gnuplot -c {} {}", script.string(), format));
  }
  std::string bytes = read_file(made);
  tidy(bytes, format, figure);
  return bytes;
}

}  // namespace

std::string figure_svg(const Figure& figure) {
  const DrawingFolder folder(fs::temp_directory_path(), "yatlab-figure");
  const fs::path script = folder.path() / "figure.gp";
  write_file_atomic(script, gnuplot_script(figure, safe_file_name(figure.id)));
  return drawn(figure, folder.path(), "svg", script);
}

std::vector<fs::path> render_figure(const Figure& figure, const fs::path& directory, const std::vector<std::string>& formats) {
  const std::string name = safe_file_name(figure.id);
  const std::string script = gnuplot_script(figure, name);
  std::vector<fs::path> written = {directory / (name + ".gp"), directory / (name + ".csv")};
  write_file_atomic(written[0], script);
  write_file_atomic(written[1], figure_csv(figure));
  const std::string note = figure.note();
  if (!figure.caption.empty() || !note.empty()) {
    written.push_back(directory / (name + ".txt"));
    write_file_atomic(written.back(), figure.caption + "\n" + (note.empty() ? "" : "\n" + note + "\n"));
  }
  const DrawingFolder folder(directory, name);
  write_file_atomic(folder.path() / "figure.gp", script);
  for (const auto& format : formats) {
    if (format == "pgf") {  // TeX draws it
      written.push_back(directory / (name + ".pgf"));
      write_file_atomic(written.back(), pgf_picture(figure));
      continue;
    }
    const auto bytes = drawn(figure, folder.path(), format, written[0]);
    written.push_back(directory / (name + "." + format));
    write_file_atomic(written.back(), bytes);
  }
  return written;
}

}  // namespace yatlab
