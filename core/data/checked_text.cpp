#include "core/data/checked_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/system/shell.h"

namespace yatlab {
namespace {

/// The command that writes the filtered text to a file: "iconv ... < t.csv > t.utf8.csv", or "gzip -dc t.csv.gz | iconv ... > t.utf8.csv".
std::string converted(const std::string& name, const std::string& filter) {
  std::filesystem::path path(name);
  std::string from = fmt::format("{} < {}", filter, shell_word(name));
  const auto ending = lower(path.extension().string());
  for (const auto& [packed, unpack] : {std::pair{".gz", "gzip"}, std::pair{".xz", "xz"}, std::pair{".zst", "zstd"}}) {
    if (ending != packed) continue;
    from = fmt::format("{} -dc {} | {}", unpack, shell_word(name), filter);
    path.replace_extension();
  }
  const auto extension = path.extension().string();
  path.replace_extension(".utf8" + extension);
  return fmt::format("{} > {}", from, shell_word(path.string()));
}

/// The position of a byte of the text: "name:line:column".
std::string place_in(std::string_view text, std::size_t at, const std::string& name, std::int64_t first_line) {
  const auto before = text.substr(0, at);
  const auto line = first_line + std::count(before.begin(), before.end(), '\n');
  return fmt::format("{}:{}:{}", name, line, count_characters(before.substr(before.rfind('\n') + 1)) + 1);  // npos + 1 is 0
}

bool begins_with(std::string_view text, std::string_view what) { return text.substr(0, what.size()) == what; }

/// "UTF-16LE", ... by its first bytes, or by the zero bytes of plain letters; empty for neither.
std::string wide_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (begins_with(text, "\xFF\xFE\0\0"sv) || begins_with(text, "\0\0\xFE\xFF"sv)) return "UTF-32";
  if (begins_with(text, "\xFF\xFE"sv) || begins_with(text, "\xFE\xFF"sv)) return "UTF-16";
  const auto head = text.substr(0, 1000);
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < head.size(); ++i) zeros[i % 2] += head[i] == '\0';
  if (head.size() >= 4 && zeros[1] > head.size() / 4 && zeros[0] == 0) return "UTF-16LE";
  if (head.size() >= 4 && zeros[0] > head.size() / 4 && zeros[1] == 0) return "UTF-16BE";
  return {};
}

/// The likely type of a file that is not text, by its first bytes; empty if unknown.
std::string binary_kind(std::string_view text) {
  using namespace std::string_view_literals;
  if (begins_with(text, "PK\3\4"sv)) return "a zip archive (so are workbooks, .xlsx): save the sheet as CSV in UTF-8, or unpack it";
  if (begins_with(text, "\xD0\xCF\x11\xE0"sv)) return "a workbook (.xls): save the sheet as CSV in UTF-8";
  if (begins_with(text, "PAR1"sv)) return "a Parquet file: pandas.read_parquet(FILE).to_csv('t.csv', index=False) converts it to CSV";
  if (begins_with(text, "\x89HDF"sv)) return "an HDF5 file: np.savez(FILE, x=..., y=...) saves its arrays for dataset=arrays";
  if (begins_with(text, "\x93NUMPY"sv)) return "a NumPy array: dataset=arrays reads it";
  return {};
}

}  // namespace

void check_utf8(std::string_view text, const std::string& name, std::int64_t first_line) {
  const auto bad = first_invalid_utf8(text);
  const auto wrong = std::min(bad, text.find('\0'));
  if (wrong == std::string_view::npos) return;
  const auto where = place_in(text, wrong, name, first_line);
  const auto refuse = [&](const std::string& why, const std::string& hint) {
    return data_error(fmt::format("'{}' is not text in UTF-8", name), where, why, hint);
  };
  if (const auto kind = first_line == 1 ? binary_kind(text) : ""; !kind.empty()) {
    const auto colon = kind.find(": ");
    throw refuse("it looks like " + kind.substr(0, colon), kind.substr(colon + 2));
  }
  if (const auto encoding = wide_encoding(text); !encoding.empty())
    throw refuse("it looks like " + encoding, converted(name, fmt::format("iconv -f {} -t UTF-8", encoding)));
  if (wrong != bad) throw refuse("there is a NUL character; the command removes all of them", converted(name, "tr -d '\\000'"));
  const auto byte = fmt::format("there is the byte 0x{:02x}", static_cast<unsigned char>(text[bad]));
  const bool damaged = std::any_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad),
                                   [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (damaged)
    throw refuse(byte + ", but UTF-8 before it, so the text is damaged; the command removes what is not UTF-8",
                 converted(name, "iconv -c -f UTF-8 -t UTF-8"));
  throw refuse(byte + "; the command is for Western European text (Windows-1252, ISO 8859-1); 'iconv -l' lists other encodings",
               converted(name, "iconv -f WINDOWS-1252 -t UTF-8"));
}

std::string_view checked_rows(std::string_view text, const std::string& name) {
  check_utf8(text, name);
  if (begins_with(text, kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
  });
  if (control == text.end()) return text;
  const auto at = static_cast<std::size_t>(control - text.begin());
  throw data_error(fmt::format("'{}' contains a control character", name), place_in(text, at, name, 1),
                   fmt::format("there is the byte 0x{:02x}; the command removes such bytes", static_cast<unsigned char>(*control)),
                   converted(name, "tr -d '\\000-\\010\\013\\014\\016-\\037\\177'"));
}

std::string why_no_class_name(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (first_invalid_utf8(name) != std::string_view::npos) return "it is not UTF-8";
  if (visible(name) != name) return "it contains a control character";
  return {};
}

}  // namespace yatlab
