#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/data/byte_pairs.h"
#include "core/data/dataset.h"

namespace yatlab {

/// Tokens in memory or in a memory-mapped file.
struct TokenRun {
  const Token* data = nullptr;
  std::size_t size = 0;
  std::shared_ptr<const void> keep;  ///< owner of the tokens
};

/// Consecutive samples of `context` tokens; targets are shifted by one token. Both are [N, context] of
/// int16 (the bits of uint16, see `token_numbers`) and view the tokens themselves. Read in order with B samples a batch they equal what
/// llm.c's loader gives one process. An incomplete last sample is left out. `limit`: maximum number of samples. Throws a data error when
/// there is not one sample.
Split token_windows(const TokenRun& tokens, std::int64_t context, std::optional<std::int64_t> limit = {});

/// Windows of several runs (files), one run after another. As in llm.c, no window spans two runs: each run leaves out an incomplete last
/// sample and, when `whole_batches` is more than 1, an incomplete last batch of `whole_batches` samples. When one run gives
/// all samples they are `token_windows` of it; otherwise nothing is copied, and the split has `rows`.
Split windows_of_runs(const std::vector<TokenRun>& runs, std::int64_t context, std::optional<std::int64_t> limit = {},
                      std::int64_t whole_batches = 1);

/// Windows of the same runs' documents in an order drawn from `seed`, over all runs. Each document begins with `end_of_text` and continues in the
/// next run unless that begins with it. A single run is copied in that order; several are not copied, and the split has `rows`: 16 bytes per
/// document.
Split windows_of_documents(const std::vector<TokenRun>& runs, Token end_of_text, std::uint64_t seed, std::int64_t context,
                           std::optional<std::int64_t> limit = {});

/// Several runs as one: the run itself when there is only one, else a copy.
TokenRun joined(const std::vector<TokenRun>& runs);
TokenRun token_run(std::vector<Token> tokens);

/// Removes the last `count` tokens from `runs` and returns them.
std::vector<TokenRun> cut_off_end(std::vector<TokenRun>& runs, std::size_t count);

/// The documents (each begins with `end_of_text`) in an order drawn from `seed`.
TokenRun shuffled_documents(const TokenRun& tokens, Token end_of_text, std::uint64_t seed);

}  // namespace yatlab
