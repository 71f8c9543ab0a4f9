#include "core/data/token_windows.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/data/permutation.h"

namespace yatlab {

Split token_windows(const TokenRun& tokens, std::int64_t context, std::optional<std::int64_t> limit) {
  // The last target needs one token more.
  std::int64_t samples = tokens.size > 0 ? (static_cast<std::int64_t>(tokens.size) - 1) / context : 0;
  if (limit) samples = std::min(samples, *limit);
  if (samples < 1) {
    throw data_error(fmt::format("{} tokens are not one sample of {}", tokens.size, context), "dataset.context", {},
                     "make the context shorter");
  }
  // LibTorch 1.13 has no uint16: the same bits as int16. It writes to no input.
  auto* const data = const_cast<std::int16_t*>(reinterpret_cast<const std::int16_t*>(tokens.data));
  const auto view = [&](std::int16_t* from) {
    return at::from_blob(from, {samples, context}, [keep = tokens.keep](void*) {}, at::TensorOptions().dtype(at::kShort));
  };
  return {view(data), view(data + 1)};
}

TokenRun token_run(std::vector<Token> tokens) {
  auto owner = std::make_shared<const std::vector<Token>>(std::move(tokens));
  return {owner->data(), owner->size(), owner};
}

TokenRun joined(const std::vector<TokenRun>& runs) {
  if (runs.size() == 1) return runs.front();
  std::vector<Token> all;
  for (const auto& run : runs) all.insert(all.end(), run.data, run.data + run.size);
  return token_run(std::move(all));
}

TokenRun shuffled_documents(const TokenRun& tokens, Token end_of_text, std::uint64_t seed) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < tokens.size; ++i) {
    if (i == 0 || tokens.data[i] == end_of_text) begins.push_back(i);
  }
  begins.push_back(tokens.size);
  std::vector<Token> out;
  out.reserve(tokens.size);
  for (const auto d : permutation(static_cast<std::int64_t>(begins.size()) - 1, seed)) {
    const auto i = static_cast<std::size_t>(d);
    out.insert(out.end(), tokens.data + begins[i], tokens.data + begins[i + 1]);
  }
  return token_run(std::move(out));
}

}  // namespace yatlab
