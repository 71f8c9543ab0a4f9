// The letter U+2D5F in every format of results.
#include "core/figure/yat_letter.h"

#include <cmath>
#include <cstdint>

#include "browser.h"
#include "catch.h"
#include "core/base/process.h"
#include "core/figure/gnuplot.h"
#include "core/figure/latex_text.h"
#include "core/report/report.h"
#include "core/table/table.h"
#include "fake_figures.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

std::string decoded(const std::string& text) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    if (c == '=') break;
    REQUIRE(letters.find(c) != std::string::npos);
    bits = bits << 6 | static_cast<std::uint32_t>(letters.find(c));
    if ((have += 6) >= 8) out += static_cast<char>(bits >> (have -= 8) & 0xFF);
  }
  return out;
}

std::uint32_t number(const std::string& bytes, std::size_t at, int n) {
  std::uint32_t v = 0;
  for (int i = 0; i < n; ++i) v = v << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
  return v;
}

Figure lettered() {
  Figure figure;
  figure.id = "letters";
  Panel panel;
  panel.title = "ⵟ against E";
  panel.x.label = "score of ⵟ";
  panel.y.label = "ⵟ(w, x)";
  panel.x.ticks = {{0, "ⵟ"}, {1, "dot"}};
  panel.texts.push_back({"ⵟ wins", 0.5, 0.5});
  panel.texts.back().bold = true;
  Line line;
  line.label = "ⵟ, ε = 0.1";
  line.x = {0, 1};
  line.y = {0, 1};
  panel.lines.push_back(line);
  panel.legend = Legend::kTopLeft;
  figure.panels.push_back(panel);
  return figure;
}

}  // namespace

TEST_CASE("the letter's font is a valid TrueType file with one glyph") {
  const std::string font = decoded(yat_font());
  CHECK(number(font, 0, 4) == 0x10000);
  const auto n = number(font, 4, 2);
  REQUIRE(n == 10);
  std::string last;
  std::size_t cmap = 0, loca = 0, glyf = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::size_t entry = 12 + 16 * i;
    const std::string tag = font.substr(entry, 4);
    CHECK(last < tag);  // readers use binary search
    last = tag;
    const auto at = number(font, entry + 8, 4), length = number(font, entry + 12, 4);
    CHECK(at % 4 == 0);
    REQUIRE(at + length <= font.size());
    if (tag == "cmap") cmap = at;
    if (tag == "loca") loca = at;
    if (tag == "glyf") glyf = at;
    if (tag == "OS/2") CHECK(length == 96);
    if (tag == "head") CHECK(length == 54);
    if (tag == "hhea") CHECK(length == 36);
    if (tag == "maxp") CHECK(length == 32);
    if (tag == "post") CHECK(length == 32);
  }
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < font.size(); i += 4) sum += number(font + std::string(4, '\0'), i, 4);
  CHECK(sum == 0xB1B0AFBAu);
  // Format 4: the first segment is the letter and maps to glyph 1.
  CHECK(number(font, cmap + 12, 2) == 4);
  CHECK(number(font, cmap + 12 + 14, 2) == 0x2D5F);  // the segment ends
  CHECK(number(font, cmap + 12 + 20, 2) == 0x2D5F);  // and, after the padding, begins
  CHECK((number(font, cmap + 12 + 24, 2) + 0x2D5F) % 65536 == 1);
  CHECK(number(font, loca + 4, 4) == 0);  // .notdef is empty
  CHECK(number(font, glyf, 2) == 1);      // one outline
}

TEST_CASE("figures draw the letter larger than surrounding text") {
  CHECK(gnuplot_quote("ⵟ wins") == "'{/:Normal=9.6 ⵟ} wins'");
  const TemporaryFolder scratch;
  const auto files = render_figure(lettered(), scratch.path(), {"svg"});
  const std::string svg = read_file(files.back());
  std::size_t letters = 0;
  for (auto at = svg.find(kYat); at != std::string::npos; at = svg.find(kYat, at + 1)) {
    const auto open = svg.rfind('<', at);
    const std::string tag = svg.substr(open, at - open);
    if (tag == "<title>") continue;  // gnuplot's names of curves, which are not displayed
    ++letters;
    INFO(tag);
    CHECK(tag.find("font-size=\"9.6\"") != std::string::npos);
    CHECK(tag.find("\"Yat, DejaVu Sans\"") != std::string::npos);
    CHECK(tag.find("bold") == std::string::npos);
  }
  CHECK(letters == 6);
  CHECK(svg.find("<style>@font-face { font-family: Yat; src: url(data:font/ttf;base64,") != std::string::npos);
  // Without the letter no font is embedded.
  auto plain = lettered();
  plain.panels[0].title = plain.panels[0].x.label = plain.panels[0].y.label = "E";
  plain.panels[0].x.ticks[0].second = plain.panels[0].texts[0].text = plain.panels[0].lines[0].label = "E";
  CHECK(read_file(render_figure(plain, scratch.path() / "b", {"svg"}).back()).find("font-face") == std::string::npos);
}

TEST_CASE("LaTeX draws the letter, also in captions and lists of tables", "[slow][latex]") {
  CHECK(latex_text("ⵟ wins") == "\\yat{} wins");
  const TemporaryFolder scratch;
  const auto set = [&](const std::string& before) {
    write_file_atomic(scratch.path() / "t.tex",
                      "\\documentclass{article}\n" + before + "\\begin{document}\\listoftables\n" + yat_latex() +
                          "\\begin{table}\\caption{Of \\yat{} and $x^{\\mbox{\\yat}}$}\\end{table}\n\\end{document}\n");
    for (int i = 0; i < 2; ++i) {
      const auto result = run_process({"pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"}, scratch.path());
      INFO(result.output);
      REQUIRE(result.status == 0);
    }
    return read_file(scratch.path() / "t.lot");
  };
  CHECK(set("").find("\\hbox") != std::string::npos);  // the list is read before the definition
  // The document's own letter is kept.
  CHECK(set("\\DeclareRobustCommand{\\yat}{own}\n").find("\\yat") != std::string::npos);
}

TEST_CASE("the page embeds the letter's font", "[slow]") {
  if (Browser::program().empty()) {
    WARN("skipped: chromium is not installed");
    return;
  }
  const TemporaryFolder scratch;
  auto fake = mnist_run_with_artifacts();
  fake.config += "labels: {yat: ⵟ}\n";
  fake.write(scratch.path());
  write_report(scratch.path(), without_figures());
  Browser browser;
  browser.open(scratch.path() / "report.html");
  browser.eval("document.fonts.load('16px Yat', '\u2d5f').then(() => { window.loaded = true; }), 1");
  for (int i = 0; i < 50 && !browser.eval("window.loaded === true").get<bool>(); ++i) ::usleep(100000);
  CHECK(browser.eval("[...document.fonts].map(f => f.family + ' ' + f.status).join()") == "Yat loaded");
}
