#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// Damerau-Levenshtein distance (insert, delete, replace, swap neighbours), in bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or "" if none is near enough to suggest.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean 'epsilon'?" or, if nothing is near, "choices: a, b, c".
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string trim(std::string_view text);
std::string lower(std::string_view text);
/// Why a user's name cannot be the name of a subfolder: "it begins with '.'", "it holds '/'", ...; empty if it can.
std::string why_no_folder_name(std::string_view name);
/// At most this many bytes of a text for a message, cut between characters, with "..." if it was cut.
std::string shortened(std::string_view utf8, std::size_t bytes = 400);
/// Foreign text made safe for a terminal: control characters are escaped ("\\n", "\\x1b").
std::string visible(std::string_view text);
/// ASCII, independent of the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Columns that UTF-8 text takes in a terminal (one per code point, none for combining marks).
std::size_t display_width(std::string_view utf8);
/// `utf8` padded with blanks to `width` columns; negative width aligns to the right.
std::string pad(std::string_view utf8, int width);

/// Text wrapped at blanks into lines of at most `width` columns (longer words stay whole), each ending in a
/// newline; the first line begins with `indent`, further ones with twice that.
std::string wrapped(std::string_view indent, std::string_view text, std::size_t width);

/// "0:07", "3:25", "1:02:03"; "-:--" when not finite
std::string format_duration(double seconds);
/// "940", "41k", "3.2M"
std::string format_count(double value);

/// Quotes a CSV field where RFC 4180 asks for it.
std::string csv_field(std::string_view text);

}  // namespace yatlab
