#pragma once

#include <string>

namespace yatlab {

/// The letter U+2D5F, as UTF-8.
constexpr const char* kYat = "\u2d5f";
/// How much larger than the text around it the letter is drawn: as large as the text, the short stroke that tells it
/// from an E closes up in print.
constexpr double kYatScale = 1.5;

/// A TrueType font that holds this one letter, in the shape that DejaVu Sans gives it (which is in the public domain), as base64.
/// For drawings and pages that are read where no font has it.
const std::string& yat_font();

/// "@font-face {...}" with that font, under the family name "Yat".
std::string yat_font_face(double scale = 1);

/// LaTeX that defines `\yat` unless the document has: drawn with five rules, so that any engine and any font will do, in text,
/// in `\mbox`, in moving arguments (captions).
std::string yat_latex();

}  // namespace yatlab
