#include "plugins/language/datasets/token_windows.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/data/permutation.h"

namespace yatlab {
namespace {

/// LibTorch 1.13 has no uint16, so the same bits are stored as int16.
constexpr auto kStored = at::kShort;

Error too_short(std::size_t tokens, std::int64_t context) {
  return data_error(fmt::format("{} tokens are too few for one sample of {}", tokens, context), "dataset.context", {},
                    "use a shorter context");
}

/// The number of samples in this many tokens; the last target needs one more token.
std::int64_t windows_in(std::size_t tokens, std::int64_t context) {
  return tokens > 0 ? (static_cast<std::int64_t>(tokens) - 1) / context : 0;
}

/// Advises the kernel to load these tokens if they are in a mapped file and not yet in memory.
void fetch_ahead(const Token* tokens, std::size_t count) {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(tokens), end = begin + count * sizeof(Token);
  const auto from = begin / page * page;
  ::madvise(reinterpret_cast<void*>(from), end - from, MADV_WILLNEED);  // only advice: its result does not matter
}

/// Runs of tokens from several places, concatenated without copying, and windows into the concatenation.
class ConcatenatedWindows final : public Rows {
 public:
  explicit ConcatenatedWindows(std::int64_t context) : context_(static_cast<std::size_t>(context)) {}

  void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }
  void append(const Token* tokens, std::size_t count) {
    pieces_.push_back({tokens, length_});
    length_ += count;
  }
  /// Adds `count` consecutive windows, starting at `position` of the concatenation.
  void add_windows(std::int64_t count, std::size_t position) {
    ranges_.push_back({size_, position});
    size_ += count;
  }
  void reserve(std::size_t pieces) { pieces_.reserve(pieces); }

  std::int64_t size() const override { return size_; }
  std::pair<Tensor, Tensor> buffers(std::int64_t n) const override {
    const auto one = [&] { return at::empty({n, static_cast<std::int64_t>(context_)}, kStored); };
    return {one(), one()};
  }
  void read(const std::vector<std::int64_t>& rows, const Tensor& inputs, const Tensor& targets) const override {
    auto *in = reinterpret_cast<Token*>(inputs.data_ptr<std::int16_t>()), *out = reinterpret_cast<Token*>(targets.data_ptr<std::int16_t>());
    const auto copy_to = [](Token*& to) { return [&to](const Token* tokens, std::size_t count) { to = std::copy_n(tokens, count, to); }; };
    for (const auto row : rows) {
      const auto position = position_of(row);
      visit(position, context_, copy_to(in));
      visit(position + 1, context_, copy_to(out));
    }
  }
  void expect(const std::vector<std::int64_t>& rows) const override {
    for (const auto row : rows) visit(position_of(row), context_ + 1, fetch_ahead);
  }

 private:
  struct Piece {
    const Token* tokens;
    std::size_t begin;  // in the concatenation
  };
  struct WindowRange {
    std::int64_t first;  // row number
    std::size_t begin;   // of that row's window, in the concatenation
  };

  std::size_t position_of(std::int64_t row) const {
    if (row < 0 || row >= size_) throw Error(ErrorKind::kInternal, fmt::format("sample {} of {}", row, size_));
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), row, [](std::int64_t r, const WindowRange& s) { return r < s.first; });
    const auto& in = *std::prev(after);
    return in.begin + static_cast<std::size_t>(row - in.first) * context_;
  }
  /// Calls see(tokens, count) for the tokens at position, position + 1, ..., piece by piece.
  template <class See>
  void visit(std::size_t position, std::size_t count, See&& see) const {
    const auto after =
        std::upper_bound(pieces_.begin(), pieces_.end(), position, [](std::size_t p, const Piece& piece) { return p < piece.begin; });
    for (auto piece = std::prev(after); count > 0; ++piece) {
      const auto end = std::next(piece) == pieces_.end() ? length_ : std::next(piece)->begin;
      const auto now = std::min(count, end - position);
      see(piece->tokens + (position - piece->begin), now);
      position += now;
      count -= now;
    }
  }

  std::size_t context_, length_ = 0;
  std::int64_t size_ = 0;
  std::vector<Piece> pieces_;        // in order; none is empty
  std::vector<WindowRange> ranges_;  // in order; none is empty
  std::vector<std::shared_ptr<const void>> owners_;
};

}  // namespace

Split token_windows(const TokenRun& tokens, std::int64_t context, std::optional<std::int64_t> limit) {
  std::int64_t samples = windows_in(tokens.size, context);
  if (limit) samples = std::min(samples, *limit);
  if (samples < 1) throw too_short(tokens.size, context);
  // LibTorch does not write to its inputs.
  auto* const data = const_cast<std::int16_t*>(reinterpret_cast<const std::int16_t*>(tokens.data));
  const auto view = [&](std::int16_t* from) {
    return at::from_blob(
        from, {samples, context}, [keep = tokens.keep](void*) {}, at::TensorOptions().dtype(kStored));
  };
  return {view(data), view(data + 1)};
}

Split windows_of_runs(const std::vector<TokenRun>& runs, std::int64_t context, std::optional<std::int64_t> limit,
                      std::int64_t whole_batches) {
  struct Part {
    const TokenRun* run;
    std::int64_t samples;
  };
  std::vector<Part> parts;
  std::size_t tokens = 0;
  std::int64_t left = limit.value_or(std::numeric_limits<std::int64_t>::max());
  for (const auto& run : runs) {
    const auto samples = std::min(left, windows_in(run.size, context) / whole_batches * whole_batches);
    if (samples > 0) parts.push_back({&run, samples});
    left -= samples;
    tokens += run.size;
  }
  if (parts.empty()) throw too_short(tokens, context * whole_batches);
  if (parts.size() == 1) return token_windows(*parts[0].run, context, parts[0].samples);
  auto rows = std::make_shared<ConcatenatedWindows>(context);
  std::size_t position = 0;
  for (const auto& [run, samples] : parts) {
    rows->append(run->data, run->size);
    rows->add_windows(samples, position);
    rows->keep(run->keep);
    position += run->size;
  }
  return {{}, {}, rows};
}

Split windows_of_documents(const std::vector<TokenRun>& runs, Token end_of_text, std::uint64_t seed, std::int64_t context,
                           std::optional<std::int64_t> limit) {
  if (runs.size() == 1) return token_windows(shuffled_documents(runs[0], end_of_text, seed), context, limit);
  // Positions where runs and documents begin, counted over all runs.
  std::vector<std::size_t> run_begins, begins;
  std::size_t size = 0;
  for (const auto& run : runs) {
    run_begins.push_back(size);
    for (std::size_t i = 0; i < run.size; ++i) {
      if (run.data[i] == end_of_text || size + i == 0) begins.push_back(size + i);
    }
    size += run.size;
  }
  auto samples = windows_in(size, context);
  if (limit) samples = std::min(samples, *limit);
  if (samples < 1) throw too_short(size, context);
  begins.push_back(size);
  auto rows = std::make_shared<ConcatenatedWindows>(context);
  rows->reserve(begins.size() + runs.size());
  for (const auto d : permutation(static_cast<std::int64_t>(begins.size()) - 1, seed)) {
    auto at = begins[static_cast<std::size_t>(d)];
    const auto end = begins[static_cast<std::size_t>(d) + 1];
    auto r = static_cast<std::size_t>(std::upper_bound(run_begins.begin(), run_begins.end(), at) - run_begins.begin()) - 1;
    for (; at < end; ++r) {  // more than once when the document continues in the next run
      const auto here = std::min(end, run_begins[r] + runs[r].size) - at;
      if (here > 0) rows->append(runs[r].data + (at - run_begins[r]), here);
      at += here;
    }
  }
  rows->add_windows(samples, 0);
  for (const auto& run : runs) rows->keep(run.keep);
  return {{}, {}, rows};
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

std::vector<TokenRun> cut_off_end(std::vector<TokenRun>& runs, std::size_t count) {
  std::vector<TokenRun> out;
  while (count > 0 && !runs.empty()) {
    auto& last = runs.back();
    const auto here = std::min(count, last.size);
    last.size -= here;
    out.insert(out.begin(), {last.data + last.size, here, last.keep});
    count -= here;
    if (last.size == 0) runs.pop_back();
  }
  return out;
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
