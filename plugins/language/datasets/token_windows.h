#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/data/byte_pairs.h"
#include "core/data/dataset.h"

namespace yatlab {

/// Tokens in memory, or mapped into it.
struct TokenRun {
  const Token* data = nullptr;
  std::size_t size = 0;
  std::shared_ptr<const void> keep;  ///< what owns them
};

/// Samples of `context` tokens, one behind the other, with the same places one token further on as targets: both [N, context] of
/// int16 (the bits of uint16, see `token_numbers`), views of the tokens themselves. Read in order with B samples a batch they are what
/// llm.c's loader gives one process. What does not fill a sample is left out. `limit`: at most so many samples. Throws a data error when
/// there is not one sample.
Split token_windows(const TokenRun& tokens, std::int64_t context, std::optional<std::int64_t> limit = {});

/// Windows of several runs (files), one run behind the other. As in llm.c none reaches from one run into the next: what does not fill a
/// sample is left out of each, and so is what does not fill a batch of `whole_batches` samples, when that is more than 1. When one run gives
/// all samples they are `token_windows` of it; else nothing is copied, and the split has `rows`.
Split windows_of_runs(const std::vector<TokenRun>& runs, std::int64_t context, std::optional<std::int64_t> limit = {},
                      std::int64_t whole_batches = 1);

/// Windows of the same runs' documents (each begun by `end_of_text`, and going on in the next run if that does not begin with it) in an
/// order drawn from `seed`, over all runs. One run is copied in that order; of several nothing is, and the split has `rows`: 16 bytes for
/// each document.
Split windows_of_documents(const std::vector<TokenRun>& runs, Token end_of_text, std::uint64_t seed, std::int64_t context,
                           std::optional<std::int64_t> limit = {});

/// Several runs as one: the first itself when it is alone, else a copy.
TokenRun joined(const std::vector<TokenRun>& runs);
TokenRun token_run(std::vector<Token> tokens);

/// Takes the last `count` tokens away from `runs`.
std::vector<TokenRun> cut_off_end(std::vector<TokenRun>& runs, std::size_t count);

/// The documents (each begun by `end_of_text`) in an order drawn from `seed`.
TokenRun shuffled_documents(const TokenRun& tokens, Token end_of_text, std::uint64_t seed);

}  // namespace yatlab
