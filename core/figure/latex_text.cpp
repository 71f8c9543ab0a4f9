#include "core/figure/latex_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

namespace yatlab {
namespace {

// Symbols as LaTeX macros (math mode) and in Unicode. The first spelling of a symbol is the one used for output.
struct Symbol {
  const char* unicode;
  const char* macro;
};
constexpr Symbol kSymbols[] = {
    {"α", "\\alpha"},
    {"β", "\\beta"},
    {"γ", "\\gamma"},
    {"δ", "\\delta"},
    {"ε", "\\varepsilon"},
    {"ε", "\\epsilon"},
    {"η", "\\eta"},
    {"θ", "\\theta"},
    {"κ", "\\kappa"},
    {"λ", "\\lambda"},
    {"μ", "\\mu"},
    {"π", "\\pi"},
    {"ρ", "\\rho"},
    {"σ", "\\sigma"},
    {"τ", "\\tau"},
    {"φ", "\\varphi"},
    {"φ", "\\phi"},
    {"ω", "\\omega"},
    {"Δ", "\\Delta"},
    {"Σ", "\\Sigma"},
    {"Ω", "\\Omega"},
    {"Φ", "\\Phi"},
    {"‖", "\\|"},
    {"‖", "\\lVert"},
    {"‖", "\\rVert"},
    {"±", "\\pm"},
    {"×", "\\times"},
    {"·", "\\cdot"},
    {"→", "\\to"},
    {"→", "\\rightarrow"},
    {"≤", "\\leq"},
    {"≤", "\\le"},
    {"≥", "\\geq"},
    {"≥", "\\ge"},
    {"≠", "\\neq"},
    {"≈", "\\approx"},
    {"∞", "\\infty"},
    {"√", "\\surd"},
    {"√", "\\sqrt"},
    {"−", "-"},
    {"∅", "\\emptyset"},
    {"²", "^{2}"},
    {"³", "^{3}"},
    {"¹", "^{1}"},
    {"°", "^{\\circ}"},
    {"∈", "\\in"},
    {"Π", "\\Pi"},
    {"Λ", "\\Lambda"},
    {"Γ", "\\Gamma"},
    {"ψ", "\\psi"},
    {"⟨", "\\langle"},
    {"⟩", "\\rangle"},
    {"∇", "\\nabla"},
    {"⊥", "\\perp"},
    {"∝", "\\propto"},
    {"∩", "\\cap"},
    {"∪", "\\cup"},
    {"⊂", "\\subset"},
    {"∑", "\\sum"},
    {"∫", "\\int"},
    {"≪", "\\ll"},
    {"≫", "\\gg"},
    {"∀", "\\forall"},
    {"∃", "\\exists"},
    {"∂", "\\partial"},
    {"⇒", "\\Rightarrow"},
    {"⇔", "\\Leftrightarrow"},
    {"⊙", "\\odot"},
    {"⊗", "\\otimes"},
    {"≡", "\\equiv"},
    {"∥", "\\|"},
    {"ξ", "\\xi"},
    {"χ", "\\chi"},
    {"ν", "\\nu"},
    {"Θ", "\\Theta"},
    {"Ψ", "\\Psi"},
    {"ℓ", "\\ell"},
    {"∘", "\\circ"},
    {"≻", "\\succ"},
    {"⪰", "\\succeq"},
    {"ℝ", "\\mathbf{R}"},
    {"⁰", "^{0}"},
    {"⁴", "^{4}"},
    {"⁵", "^{5}"},
    {"⁶", "^{6}"},
    {"⁷", "^{7}"},
    {"⁸", "^{8}"},
    {"⁹", "^{9}"},
    {"⁻", "^{-}"},
    {"ⁿ", "^{n}"},
    {"ᵀ", "^{T}"},
    {"₀", "_{0}"},
    {"₁", "_{1}"},
    {"₂", "_{2}"},
    {"₃", "_{3}"},
    {"₄", "_{4}"},
    {"ᵢ", "_{i}"},
    {"ⱼ", "_{j}"},
    {"ₙ", "_{n}"},
    {"ₖ", "_{k}"},
    {"ₓ", "_{x}"},
    {"₊", "_{+}"},
    {"ᵈ", "^{d}"},
    {"½", "\\frac{1}{2}"},
    {"ℋ", "\\mathcal{H}"},
    {"∉", "\\notin"},
    {"⟂", "\\perp"},
    {"…", "\\dots"},
    {"↦", "\\mapsto"},
    {"⁺", "^{+}"},
    {"′", "^{\\prime}"},
    {"✗", "\\times"},
    {"◐", "\\odot"},
    {"𝔼", "\\mathbf{E}"},
};

// Marks missing from plain LaTeX's fonts: signs of AMS's first font, which every LaTeX includes and which needs no package.
struct AmsSign {
  const char* unicode;
  int place;
};
constexpr AmsSign kAmsSigns[] = {{"▼", 72}, {"▲", 78}, {"✓", 88}};

// Combining accents, which follow their letter. Those without a math macro use the text macro.
struct Accent {
  unsigned code;
  const char* text;  ///< macro
  const char* math;  ///< "" if there is none
};
constexpr Accent kAccents[] = {{0x300, "`", "grave"}, {0x301, "'", "acute"},    {0x302, "^", "hat"},   {0x303, "~", "tilde"},
                               {0x304, "=", "bar"},   {0x305, "=", "bar"},      {0x306, "u", "breve"}, {0x307, ".", "dot"},
                               {0x308, "\"", "ddot"}, {0x30A, "r", "mathring"}, {0x30C, "v", "check"}, {0x20D7, "", "vec"},
                               {0x323, "d", ""},      {0x327, "c", ""},         {0x331, "b", ""}};

const std::map<std::string, std::string, std::less<>>& to_macro() {
  static const auto table = [] {
    std::map<std::string, std::string, std::less<>> out;
    for (const auto& s : kSymbols) out.emplace(s.unicode, s.macro);
    return out;
  }();
  return table;
}

const std::map<std::string, std::string, std::less<>>& to_unicode() {
  static const auto table = [] {
    std::map<std::string, std::string, std::less<>> out;
    for (const auto& s : kSymbols) {
      if (s.macro[0] == '\\') out.emplace(s.macro + 1, s.unicode);
    }
    return out;
  }();
  return table;
}

// Bytes of the UTF-8 character at `i` (1 for a stray byte).
std::size_t character_length(std::string_view text, std::size_t i) {
  const auto c = static_cast<unsigned char>(text[i]);
  const std::size_t want = c < 0x80 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
  for (std::size_t k = 1; k < want; ++k) {
    if (i + k >= text.size() || (static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return 1;
  }
  return want;
}

unsigned code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(character[i])); };
  switch (character.size()) {
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    case 4:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    default:
      return byte(0);
  }
}

// The LaTeX code of one character outside math.
std::string latex_character(std::string_view c, bool math) {
  if (c.size() == 1) {
    const auto u = static_cast<unsigned char>(c[0]);
    if (math) return u < 0x20 || u >= 0x7F ? " " : std::string(c);  // not nothing: "^", a dropped character, "^" would become "^^"
    switch (c[0]) {
      case '\\':
        return "\\textbackslash{}";
      case '{':
        return "\\{";
      case '}':
        return "\\}";
      case '$':
        return "\\$";
      case '&':
        return "\\&";
      case '#':
        return "\\#";
      case '_':
        return "\\_";
      case '%':
        return "\\%";
      case '~':
        return "\\textasciitilde{}";
      case '^':
        return "\\textasciicircum{}";
      case '<':
        return "\\textless{}";
      case '>':
        return "\\textgreater{}";
      case '|':
        return "\\textbar{}";
      case '"':
        return "{\\textquotedblright}";
      default:
        return u < 0x20 ? " " : u >= 0x7F ? "?" : std::string(c);
    }
  }
  if (c == "ⵟ") return math ? "\\mbox{\\yat}" : "\\yat{}";
  if (const auto found = to_macro().find(c); found != to_macro().end()) {
    return math ? found->second + (found->second[0] == '\\' ? " " : "") : "$" + found->second + "$";
  }
  for (const auto& sign : kAmsSigns) {
    if (c == sign.unicode) return fmt::format("{}{{\\usefont{{U}}{{msa}}{{m}}{{n}}\\char{}}}", math ? "\\mbox" : "", sign.place);
  }
  if (c == "–") return math ? "-" : "--";
  if (c == "—") return math ? "-" : "---";
  if (c == "“") return "``";
  if (c == "”") return "''";
  if (c == "’") return "'";
  if (c == "‘") return "`";
  if (c == "…") return "\\dots{}";
  if (c == "\u00a0") return "~";
  // Every LaTeX since 2018 has accented Latin letters; others would stop pdflatex.
  const unsigned code = code_point(c);
  const bool letter = code >= 0xC0 && code <= 0x17E && code != 0xD7 && code != 0xF7;
  if (letter) return math ? fmt::format("\\mbox{{{}}}", c) : std::string(c);
  return math ? "?" : fmt::format("\\texttt{{U+{:04X}}}", code);
}

const Accent* accent_at(std::string_view text, std::size_t i) {
  if (i >= text.size()) return nullptr;
  const unsigned code = code_point(text.substr(i, character_length(text, i)));
  const auto found = std::find_if(std::begin(kAccents), std::end(kAccents), [&](const Accent& accent) { return accent.code == code; });
  return found == std::end(kAccents) ? nullptr : found;
}

/// `set`, the LaTeX code of one character (or none), with an accent on top.
std::string accented(const std::string& set, const Accent& accent, bool math) {
  const bool symbol = !math && set.size() > 2 && set.front() == '$' && set.back() == '$';
  const auto in_math = [&](const std::string& base) {
    // In braces: it may follow a '^'.
    return *accent.math ? fmt::format("{{\\{}{{{}}}}}", accent.math, base) : fmt::format("{{\\mbox{{\\{}{{${}$}}}}}}", accent.text, base);
  };
  if (math) return in_math(set);
  if (symbol) return "$" + in_math(set.substr(1, set.size() - 2)) + "$";
  // Text accents go on letters only.
  const bool letter =
      set.empty() || static_cast<unsigned char>(set[0]) >= 0x80 || (set.size() == 1 && std::isalnum(static_cast<unsigned char>(set[0])));
  return *accent.text && letter ? fmt::format("\\{}{{{}}}", accent.text, set) : "$" + in_math("\\mbox{" + set + "}") + "$";
}

/// Whether the letter at `i` belongs to a macro's name.
bool in_macro_name(std::string_view text, std::size_t i) {
  while (std::isalpha(static_cast<unsigned char>(text[i]))) {
    if (i == 0) return false;
    --i;
  }
  return text[i] == '\\';
}

// The allowed macros in formulas, besides those of symbols. Other macros may read or write files or run commands, and titles may come from anyone.
bool is_math_macro(std::string_view name) {
  static const std::set<std::string_view> kWords = {"frac",
                                                    "tfrac",
                                                    "dfrac",
                                                    "sqrt",
                                                    "binom",
                                                    "left",
                                                    "right",
                                                    "big",
                                                    "Big",
                                                    "bigg",
                                                    "Bigg",
                                                    "bigl",
                                                    "bigr",
                                                    "Bigl",
                                                    "Bigr",
                                                    "mid",
                                                    "middle",
                                                    "mathrm",
                                                    "mathbf",
                                                    "mathit",
                                                    "mathsf",
                                                    "mathtt",
                                                    "mathcal",
                                                    "mathbb",
                                                    "mathfrak",
                                                    "mathscr",
                                                    "boldsymbol",
                                                    "bm",
                                                    "operatorname",
                                                    "text",
                                                    "textrm",
                                                    "textbf",
                                                    "textit",
                                                    "textsf",
                                                    "texttt",
                                                    "mathop",
                                                    "mathbin",
                                                    "mathrel",
                                                    "limits",
                                                    "nolimits",
                                                    "displaystyle",
                                                    "textstyle",
                                                    "scriptstyle",
                                                    "hat",
                                                    "widehat",
                                                    "tilde",
                                                    "widetilde",
                                                    "bar",
                                                    "overline",
                                                    "underline",
                                                    "vec",
                                                    "dot",
                                                    "ddot",
                                                    "acute",
                                                    "grave",
                                                    "check",
                                                    "breve",
                                                    "mathring",
                                                    "overbrace",
                                                    "underbrace",
                                                    "overset",
                                                    "underset",
                                                    "stackrel",
                                                    "quad",
                                                    "qquad",
                                                    "thinspace",
                                                    "sin",
                                                    "cos",
                                                    "tan",
                                                    "cot",
                                                    "sec",
                                                    "csc",
                                                    "sinh",
                                                    "cosh",
                                                    "tanh",
                                                    "arcsin",
                                                    "arccos",
                                                    "arctan",
                                                    "exp",
                                                    "log",
                                                    "ln",
                                                    "lg",
                                                    "min",
                                                    "max",
                                                    "inf",
                                                    "sup",
                                                    "lim",
                                                    "liminf",
                                                    "limsup",
                                                    "arg",
                                                    "det",
                                                    "dim",
                                                    "ker",
                                                    "deg",
                                                    "gcd",
                                                    "Pr",
                                                    "prod",
                                                    "coprod",
                                                    "iint",
                                                    "oint",
                                                    "bigcup",
                                                    "bigcap",
                                                    "bigoplus",
                                                    "bigotimes",
                                                    "lvert",
                                                    "rvert",
                                                    "lbrace",
                                                    "rbrace",
                                                    "lbrack",
                                                    "rbrack",
                                                    "lfloor",
                                                    "rfloor",
                                                    "lceil",
                                                    "rceil",
                                                    "vert",
                                                    "Vert",
                                                    "dots",
                                                    "ldots",
                                                    "cdots",
                                                    "vdots",
                                                    "ddots",
                                                    "div",
                                                    "mp",
                                                    "ast",
                                                    "star",
                                                    "bullet",
                                                    "oplus",
                                                    "ominus",
                                                    "wedge",
                                                    "vee",
                                                    "neg",
                                                    "lnot",
                                                    "land",
                                                    "lor",
                                                    "ne",
                                                    "sim",
                                                    "simeq",
                                                    "cong",
                                                    "propto",
                                                    "prec",
                                                    "preceq",
                                                    "supset",
                                                    "subseteq",
                                                    "supseteq",
                                                    "ni",
                                                    "setminus",
                                                    "gets",
                                                    "leftarrow",
                                                    "leftrightarrow",
                                                    "Leftarrow",
                                                    "mapsto",
                                                    "longrightarrow",
                                                    "uparrow",
                                                    "downarrow",
                                                    "implies",
                                                    "iff",
                                                    "Re",
                                                    "Im",
                                                    "aleph",
                                                    "hbar",
                                                    "imath",
                                                    "jmath",
                                                    "wp",
                                                    "zeta",
                                                    "iota",
                                                    "upsilon",
                                                    "vartheta",
                                                    "varpi",
                                                    "varrho",
                                                    "varsigma",
                                                    "Xi",
                                                    "Upsilon",
                                                    "prime",
                                                    "backslash",
                                                    "colon",
                                                    "not",
                                                    "parallel",
                                                    "top",
                                                    "bot",
                                                    "vdash",
                                                    "models",
                                                    "angle",
                                                    "triangle",
                                                    "square",
                                                    "yat"};
  return kWords.count(name) > 0 || to_unicode().count(std::string(name)) > 0;
}

// Whether the backslash at `i` begins an allowed macro.
bool is_harmless_macro(std::string_view text, std::size_t i) {
  std::size_t end = i + 1;
  while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
  if (end > i + 1) return is_math_macro(text.substr(i + 1, end - i - 1));
  return end < text.size() && std::string_view(",;:! |{}_%#&$\\").find(text[end]) != std::string_view::npos;
}

// [begin, end) of `text` alternate between text and $math$. False if dollars or braces do not match, or the math contains more than formulas: then
// the whole text is shown as typed.
bool has_sound_math(std::string_view text) {
  int depth = 0, dollars = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && dollars % 2 == 1) {  // outside math it is text, and a dollar after it is a dollar sign
      if (!is_harmless_macro(text, i)) return false;
      ++i;
    } else if (text[i] == '^' && dollars % 2 == 1 && text.substr(i, 2) == "^^") {
      return false;  // an alternative spelling of any character
    } else if (text[i] == '$') {
      ++dollars;
      if (depth != 0) return false;
    } else if (dollars % 2 == 1) {
      if (text[i] == '{') ++depth;
      if (text[i] == '}' && --depth < 0) return false;
      if (text[i] == '%' || text[i] == '#' || text[i] == '&') return false;  // illegal there
    }
  }
  return dollars > 0 && dollars % 2 == 0;
}

std::string superscript(char digit) {
  static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  return digit >= '0' && digit <= '9' ? kDigits[digit - '0'] : digit == '-' ? "⁻" : std::string(1, digit);
}

// One math span as Unicode: macros become symbols; font macros and braces are removed.
std::string plain_math(std::string_view math) {
  std::string out;
  bool raise = false;
  int raised_depth = -1, depth = 0;
  for (std::size_t i = 0; i < math.size(); ++i) {
    const char c = math[i];
    if (c == '\\') {
      std::size_t end = i + 1;
      while (end < math.size() && std::isalpha(static_cast<unsigned char>(math[end]))) ++end;
      if (end == i + 1 && end < math.size()) ++end;  // \| \, \%
      const std::string name(math.substr(i + 1, end - i - 1));
      const auto found = to_unicode().find(name);
      if (found != to_unicode().end()) {
        out += found->second;
      } else if (name == "%" || name == "#" || name == "&" || name == "_" || name == "$" || name == "{" || name == "}") {
        out += name;
      } else if (name == "," || name == " " || name == ";" || name == ":" || name == "quad") {
        out += ' ';
      } else if (name == "log" || name == "ln" || name == "exp" || name == "max" || name == "min") {
        out += name;
      } else if (name == "yat" || name == "E") {
        out += "ⵟ";
      }
      i = end - 1;
      // A blank between a macro and a letter or another macro only ends the macro.
      const auto next = math.find_first_not_of(' ', i + 1);
      if (next != std::string_view::npos && !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
          (std::isalnum(static_cast<unsigned char>(math[next])) || math[next] == '\\')) {
        i = next - 1;
      }
    } else if (c == '{') {
      if (raise) {
        raised_depth = depth;
        raise = false;
      }
      ++depth;
    } else if (c == '}') {
      --depth;
      if (depth == raised_depth) raised_depth = -1;
    } else if (c == '^') {
      raise = true;
    } else if (c == '_') {
      out += '_';
    } else if (raise || raised_depth >= 0) {
      out += superscript(c);
      raise = false;
    } else if (c == '-') {
      out += "−";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string latex_text(std::string_view text) {
  const bool sound = has_sound_math(text);
  std::string out;
  bool math = false;
  for (std::size_t i = 0; i < text.size();) {
    if (sound && text[i] == '\\' && i + 1 < text.size() && math) {
      out += text.substr(i, 2);  // keep escaped characters
      i += 2;
      continue;
    }
    if (sound && text[i] == '$') {
      math = !math;
      out += '$';
      ++i;
      continue;
    }
    const std::size_t n = character_length(text, i);
    if (const Accent* alone = accent_at(text, i)) {
      out += accented("", *alone, math);
      i += n;
      continue;
    }
    auto character = latex_character(text.substr(i, n), math);
    const bool markup = math && n == 1 && (std::string_view("^_{}").find(text[i]) != std::string_view::npos || in_macro_name(text, i));
    if (const Accent* accent = markup || text[i] == '$' ? nullptr : accent_at(text, i + n)) {
      i += n;
      for (; accent; accent = accent_at(text, i)) {
        character = accented(character, *accent, math);
        i += character_length(text, i);
      }
      out += character;
      continue;
    }
    const bool script = math && n > 1 && !character.empty() && (character[0] == '^' || character[0] == '_');
    const bool again = script && !out.empty() && (out.back() == '^' || out.back() == '_');  // ^² must not become ^^
    out += again ? "{" + character + "}" : character;
    i += n;
  }
  return out;
}

std::string plain_text(std::string_view text) {
  if (!has_sound_math(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const auto open = text.find('$');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = text.find('$', open + 1);
    out += plain_math(text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace yatlab
