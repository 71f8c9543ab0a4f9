#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/tokenizer.h"

namespace yatlab {

/// Every byte is a token; 256 precedes each document. Needs no files and works for every language.
class ByteTokenizer final : public Tokenizer {
 public:
  void encode(std::string_view text, std::vector<Token>& out) const override {
    out.reserve(out.size() + text.size());
    for (const char c : text) out.push_back(static_cast<unsigned char>(c));
  }
  std::string decode(const std::vector<Token>& tokens) const override {
    std::string out;
    for (const Token token : tokens) {
      if (token > kEndOfText) throw data_error(fmt::format("token {} is out of range for a vocabulary of {}", token, vocabulary()));
      out += token == kEndOfText ? std::string("<|endoftext|>") : std::string(1, static_cast<char>(token));
    }
    return out;
  }
  std::size_t vocabulary() const override { return kEndOfText + 1; }
  Token end_of_text() const override { return kEndOfText; }

 private:
  static constexpr Token kEndOfText = 256;
};

YATLAB_REGISTER(Tokenizer, ByteTokenizer, "bytes", "every byte is a token");

}  // namespace yatlab
