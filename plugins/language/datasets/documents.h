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
  kLines,       ///< every line that is not empty is a document
  kJsonLines    ///< every line is a JSON object whose `text` is the document
};

/// Reads the documents of a file (plain, gzip, xz or zstd) one at a time, with at most one in memory. They are UTF-8, without the file's byte order
/// mark; in JSON, lone surrogates (\ud83d alone) become U+FFFD.
class DocumentReader {
 public:
  /// `json_field`: the key of the text for kJsonLines. Data errors name file and line: invalid UTF-8 (check_utf8), invalid JSON, or no text.
  DocumentReader(const std::filesystem::path& path, DocumentRule rule, std::string json_field = "text");
  ~DocumentReader();
  DocumentReader(DocumentReader&&) noexcept;

  /// The next document; nothing at the end. Skips documents without any character.
  std::optional<std::string> next();
  std::size_t line() const;      ///< lines read so far
  std::size_t replaced() const;  ///< lone surrogates replaced so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yatlab
