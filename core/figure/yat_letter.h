#pragma once

#include <string>

namespace yatlab {

/// The letter U+2D5F, as UTF-8.
constexpr const char* kYat = "\u2d5f";
/// The letter is drawn this much larger than the text around it: at the same size, the short stroke that distinguishes it from an E closes up in
/// print.
constexpr double kYatScale = 1.2;

/// A TrueType font with only this letter, in the shape of DejaVu Sans (which is in the public domain), as base64. For drawings and pages read on
/// systems whose fonts lack it.
const std::string& yat_font();

/// "@font-face {...}" with that font, under the family name "Yat".
std::string yat_font_face(double scale = 1);

/// LaTeX that defines `\yat` unless the document does: drawn with five rules, so that it works with any engine and font, in text, in `\mbox` and in
/// moving arguments (captions).
std::string yat_latex();

}  // namespace yatlab
