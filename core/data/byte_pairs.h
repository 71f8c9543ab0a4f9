#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yatlab {

/// A token's number. GPT-2's vocabulary of 50,257 fits.
using Token = std::uint16_t;

/// GPT-2's byte-pair encoding, exact: the same tokens as OpenAI's own code. Text is split into
/// pieces (words with their leading blank, numbers, punctuation, white space). In each piece the
/// neighbouring pair that is earliest in the merge list is joined until none is left. Any bytes can be
/// encoded; decoding returns them.
///
/// Letters and numbers follow the Unicode version of the linked PCRE2 (10.42: 14.0); characters assigned later count as
/// punctuation. OpenAI's encoder depends on the version of Python's `regex` in the same way. White space is the same in all versions.
class BytePairs {
 public:
  /// `merges`: the file vocab.bpe ("#version" line, then one merge per line). Throws a data error that
  /// names file and line.
  static BytePairs load(const std::filesystem::path& merges);

  BytePairs(BytePairs&&) noexcept;
  BytePairs& operator=(BytePairs&&) noexcept;
  ~BytePairs();

  /// Appends the tokens of `text`. Thread-safe. "<|endoftext|>" in the text is
  /// treated like any other text.
  void encode(std::string_view text, std::vector<Token>& out) const;
  /// The bytes of one token; "<|endoftext|>" for `end_of_text()`. Throws for a number beyond the vocabulary.
  std::string_view bytes(std::size_t token) const;
  std::string decode(const std::vector<Token>& tokens) const;

  std::size_t vocabulary() const;  ///< 50,257
  Token end_of_text() const;       ///< 50,256: the last

 private:
  struct Tables;
  explicit BytePairs(std::unique_ptr<Tables> tables);
  std::unique_ptr<Tables> tables_;
};

/// The letter for a byte in GPT-2's files: the byte itself if printable, else a letter from U+0100 on.
std::string byte_letter(unsigned char byte);

}  // namespace yatlab
