#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace yatlab {

/// Where one document of a text file ends and the next begins.
enum class DocumentRule {
  kFile,        ///< a file is one document
  kBlankLines,  ///< documents are separated by empty lines
  kLines,       ///< every line that is not empty is one
  kJsonLines    ///< every line is a JSON object whose `text` is the document
};

/// The documents of a file (plain, gzip, xz or zstd), one at a time, with never more than one in memory. They are UTF-8, without the file's byte order
/// mark; in JSON, halves of a character (a lone \ud83d) become U+FFFD.
class DocumentReader {
 public:
  /// `json_field`: where kJsonLines finds the text. Data errors name file and line: what is not UTF-8 (check_utf8), not JSON, or has no text.
  DocumentReader(const std::filesystem::path& path, DocumentRule rule, std::string json_field = "text");
  ~DocumentReader();
  DocumentReader(DocumentReader&&) noexcept;

  /// The next document; nothing at the end. Documents without any character are passed over.
  std::optional<std::string> next();
  std::size_t line() const;      ///< lines read so far
  std::size_t replaced() const;  ///< halves of characters so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yatlab
