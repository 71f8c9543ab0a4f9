#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/byte_pairs.h"
#include "core/data/dataset.h"
#include "core/registry/registry.h"

namespace yatlab {

/// Converts text to tokens and tokens to text.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  /// Reads the files that it needs, after downloading if necessary. Called once, before anything else.
  virtual void prepare(const DataContext&) {}
  /// Appends the tokens of `text`. Thread-safe.
  virtual void encode(std::string_view text, std::vector<Token>& out) const = 0;
  virtual std::string decode(const std::vector<Token>& tokens) const = 0;
  virtual std::size_t vocabulary() const = 0;
  /// The token before every document.
  virtual Token end_of_text() const = 0;
};

YATLAB_KIND(Tokenizer, "tokenizer", "text to token numbers and back")

}  // namespace yatlab
