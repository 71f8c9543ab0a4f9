// Every character that the program can print has a LaTeX form: collected from its own sources, set by pdflatex.
#include <fmt/format.h>

#include <map>
#include <regex>
#include <set>

#include "catch.h"
#include "core/base/process.h"
#include "core/figure/latex_text.h"
#include "core/figure/yat_letter.h"
#include "core/report/claims_report.h"
#include "core/table/table.h"
#include "core/verdict/verdict.h"
#include "holds.h"
#include "temporary_folder.h"

namespace yatlab::testing {
namespace {

std::string utf8(unsigned code) {
  std::string out;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    tail(6);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    tail(12);
    tail(6);
  }
  tail(0);
  return out;
}

/// Characters beyond ASCII in a file, literal or escaped, each with a file that contains it.
void collect(const std::string& text, const std::string& file, std::map<std::string, std::string>& out) {
  for (std::size_t i = 0; i < text.size();) {
    const auto u = static_cast<unsigned char>(text[i]);
    const std::size_t n = u < 0x80 ? 1 : u >= 0xF0 ? 4 : u >= 0xE0 ? 3 : 2;
    if (n > 1) out.emplace(text.substr(i, n), file);
    i += n;
  }
  static const std::regex escape(R"(\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8}))");
  for (std::sregex_iterator it(text.begin(), text.end(), escape), none; it != none; ++it) {
    const auto code = static_cast<unsigned>(std::stoul((*it)[1].matched ? (*it)[1].str() : (*it)[2].str(), nullptr, 16));
    if (code >= 0x80) out.emplace(utf8(code), file);
  }
}

std::map<std::string, std::string> marks() {
  std::map<std::string, std::string> out;
  const fs::path source = YATLAB_SOURCE_DIR;
  for (const char* folder : {"core", "plugins", "experiments", "configs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      const auto extension = entry.path().extension();
      const auto name = fs::relative(entry.path(), source).string();
      // base prints progress bars to terminals; the others parse user input.
      static const std::set<std::string> kOthers = {"core/data",
                                                    "plugins/serve/page",
                                                    "core/config",
                                                    "core/cli",
                                                    "plugins/kernels/datasets",
                                                    "plugins/extreme/datasets",
                                                    "plugins/language/datasets",
                                                    "plugins/language/tokenizers",
                                                    "plugins/language/commands",
                                                    "plugins/formula/commands",
                                                    "plugins/wandb/commands"};
      if (!entry.is_regular_file() || name == "plugins/local/trackers/console.cpp" || name.rfind("core/report/verdict_page.", 0) == 0 ||
          kOthers.count(fs::path(name).parent_path().string()) > 0)
        continue;
      if (extension == ".cpp" || extension == ".h" || extension == ".cu" || extension == ".yaml" || extension == ".js" ||
          extension == ".html")
        collect(read_file(entry.path()), name, out);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("every mark in the sources has a LaTeX form", "[latex_marks]") {
  const auto all = marks();
  CHECK(all.size() > 100);
  // The marks of statements are among them.
  for (const auto status : {ClaimStatus::kHolds, ClaimStatus::kCaveat, ClaimStatus::kInexact, ClaimStatus::kRefuted}) {
    const std::string sign = mark(status);
    if (sign.size() > 1) CHECK(all.count(sign) == 1);
  }
  for (const auto& [sign, file] : all) {
    INFO(sign << " in " << file);
    CHECK_FALSE(holds(latex_text("a" + sign + "b"), "U+"));
    const auto formula = latex_text("$a" + sign + "b$");
    CHECK_FALSE(holds(formula, "U+"));
    CHECK_FALSE(holds(formula, "?"));
  }
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(YATLAB_SOURCE_DIR) / "results/paper")) {
    if (entry.path().extension() != ".tex") continue;
    INFO(entry.path());
    CHECK_FALSE(holds(read_file(entry.path()), "\\texttt{U+"));
  }
}

TEST_CASE("pdflatex typesets every mark in text, formulas, captions and cells", "[latex_marks][slow][latex]") {
  std::string text, cells, formulas;
  for (const auto& [sign, file] : marks()) {
    // Alone, after a letter, after a symbol, and with an accent above.
    for (const auto& typed : {sign, "x" + sign, "ε" + sign, sign + "\u0302", sign + "\u0323\u0302"}) {
      text += latex_text(typed) + "\n";
      cells += latex_text(typed) + " \\\\\n";
      formulas += latex_text("$y " + typed + "$") + "\n";
    }
  }
  std::string accents;
  for (const unsigned code :
       {0x300u, 0x301u, 0x302u, 0x303u, 0x304u, 0x305u, 0x306u, 0x307u, 0x308u, 0x30Au, 0x30Cu, 0x20D7u, 0x323u, 0x327u, 0x331u}) {
    for (const std::string base : {"x", "i", "ⵟ", "%", "{", "α", "²", "é", "✓", ""}) {
      accents += latex_text(base + utf8(code)) + "\n";
      if (base != "%" && base != "{") accents += latex_text("$a^2 " + base + utf8(code) + "$") + "\n";
    }
  }
  const TemporaryFolder scratch;
  const std::string document = "\\documentclass{article}\n" + yat_latex() + "\\begin{document}\n" + text + "\n\n" + formulas + "\n\n" +
                               accents + "\\begin{table}\\caption{" + latex_text("▲ ▼ ✓ ✗ ≈ q\u0302 𝔼 ↦ $▲ x\u0302$") + "}\\end{table}\n" +
                               "\\section{" + latex_text("▲ q\u0302") + "}\n\\begin{center}\\tiny\\begin{tabular}{l}" +
                               cells.substr(0, 3000).substr(0, cells.substr(0, 3000).rfind("\\\\")) +
                               "\\end{tabular}\\end{center}\n\\end{document}\n";
  write_file_unsynced(scratch.path() / "t.tex", document);
  const auto result = run_process({"pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"}, scratch.path());
  INFO(result.output);
  CHECK(result.status == 0);
  const auto log = read_file(scratch.path() / "t.log");
  CHECK_FALSE(holds(log, "Missing character"));
}

}  // namespace yatlab::testing
