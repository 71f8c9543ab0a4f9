#include "core/data/byte_pairs.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace yatlab {
namespace {

constexpr const char* kEndOfText = "<|endoftext|>";
// GPT-2's split pattern, but with white space written out as Unicode's White_Space property: PCRE2's \s also has U+180E, which is
// not white space since Unicode 6.3. \p{L} and \p{N} follow PCRE2's Unicode version.
#define YATLAB_WHITE R"(\t-\r\x{85}\p{Z})"
constexpr const char* kPieces = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^" YATLAB_WHITE "\\p{L}\\p{N}]+|[" YATLAB_WHITE
                                "]+(?![^" YATLAB_WHITE "])|[" YATLAB_WHITE "]+";

/// Bytes in the order of GPT-2's first 256 tokens: printable ones first.
std::array<unsigned char, 256> byte_order() {
  std::array<unsigned char, 256> out{};
  std::size_t n = 0;
  const auto printable = [](int b) { return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255); };
  for (int b = 0; b < 256; ++b) {
    if (printable(b)) out[n++] = static_cast<unsigned char>(b);
  }
  for (int b = 0; b < 256; ++b) {
    if (!printable(b)) out[n++] = static_cast<unsigned char>(b);
  }
  return out;
}

std::string utf8(unsigned code) {
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

// Pieces of up to this many bytes are encoded in rounds over all their pairs, which is fastest for words. Longer ones use PendingPairs, which takes
// linear time.
constexpr std::size_t kShort = 32;
// Pieces of these lengths are cached with their tokens: encoding shorter ones is as fast as a lookup, longer ones hardly repeat.
constexpr std::size_t kKeptFrom = 4, kKeptTo = 64;

constexpr Token kNone = std::numeric_limits<Token>::max();

/// Positions of pairs that wait to be joined, grouped by the resulting token. A token is a part of later tokens only, and a pair exists
/// once both of its tokens do. So tokens are processed in ascending order, and each then has all its positions.
class PendingPairs {
 public:
  PendingPairs() : places_(kNone) {}
  void add(Token token, std::size_t at) {
    if (token == kNone) return;
    places_[token].push_back(static_cast<std::uint32_t>(at));
    some_[token / 64] |= std::uint64_t{1} << token % 64;
  }
  /// The first token that has positions, which are moved to `out`; kNone if there is none left.
  Token take(std::vector<std::uint32_t>& out) {
    out.clear();
    for (; word_ < some_.size(); ++word_) {
      if (some_[word_] == 0) continue;
      const auto token = 64 * word_ + static_cast<std::size_t>(__builtin_ctzll(some_[word_]));
      some_[word_] &= some_[word_] - 1;
      places_[token].swap(out);
      if (places_[token].capacity() > kMostKept) places_[token] = {};  // keep small buffers for the next piece
      return static_cast<Token>(token);
    }
    return kNone;
  }
  /// Resets it, also after an exception.
  void clear() {
    std::vector<std::uint32_t> dropped;
    for (word_ = 0; take(dropped) != kNone;) {
    }
    word_ = 0;
  }

 private:
  static constexpr std::size_t kMostKept = 64;
  std::vector<std::vector<std::uint32_t>> places_;
  std::array<std::uint64_t, 1024> some_{};  // one bit per token
  std::size_t word_ = 0;
};

/// The result of joining each pair. An open-addressing table: it is read for every pair of every text, and stays in the cache.
class Merges {
 public:
  explicit Merges(std::size_t most) {
    while ((std::size_t{1} << bits_) < 2 * most) ++bits_;
    slots_.resize(std::size_t{1} << bits_);
  }
  /// kNone if the pair is never joined.
  Token find(Token left, Token right) const {
    const auto key = std::uint32_t{left} << 16 | right;
    for (auto at = place(key);; at = (at + 1) & (slots_.size() - 1)) {
      const auto& slot = slots_[at];
      if (slot.joined == kNone || slot.key == key) return slot.joined;
    }
  }
  /// The first of equal pairs wins.
  void add(Token left, Token right, Token joined) {
    const auto key = std::uint32_t{left} << 16 | right;
    auto at = place(key);
    while (slots_[at].joined != kNone && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at].joined == kNone) slots_[at] = {key, joined};
  }

 private:
  struct Slot {
    std::uint32_t key = 0;
    Token joined = kNone;
  };
  std::size_t place(std::uint32_t key) const { return static_cast<std::size_t>(key * std::uint64_t{0x9E3779B97F4A7C15} >> (64 - bits_)); }
  unsigned bits_ = 4;
  std::vector<Slot> slots_;
};

struct Code {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct MatchData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

/// The length of the UTF-8 character at the start of `text`; 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto c = static_cast<unsigned char>(text[0]);
  const std::size_t length = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  const auto second = length > 1 ? static_cast<unsigned char>(text[1]) : 0;
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((c == 0xE0 && second < 0xA0) || (c == 0xED && second > 0x9F) || (c == 0xF0 && second < 0x90) || (c == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

}  // namespace

std::string byte_letter(unsigned char byte) {
  static const auto letters = [] {
    std::array<std::string, 256> out;
    unsigned next = 256;
    const auto order = byte_order();
    for (std::size_t i = 0; i < 256; ++i) out[order[i]] = utf8(i < 188 ? order[i] : next++);
    return out;
  }();
  return letters[byte];
}

struct BytePairs::Tables {
  std::vector<std::string> bytes;  // by token
  struct Join {
    std::uint32_t bytes = 1;
    Token left = kNone, right = kNone;
  };
  std::vector<Join> joins{256};  // length of each token, and its two parts
  std::array<Token, 256> of_byte{};
  Merges merges{kNone};  // pair -> joined; earlier merges have smaller tokens
  std::unique_ptr<pcre2_code, Code> pieces;
  const std::uint64_t id = next_id();  // distinguishes tables that had the same address

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  void compile() {
    int error = 0;
    PCRE2_SIZE offset = 0;
    pieces.reset(
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(kPieces), PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr));
    if (!pieces) throw Error(ErrorKind::kInternal, "PCRE2 does not accept GPT-2's pattern", {}, "was it built with Unicode?");
    pcre2_jit_compile(pieces.get(), PCRE2_JIT_COMPLETE);  // without JIT, matching is slower
  }

  /// Joins pairs in a piece, the earliest merge first.
  void encode_piece(std::string_view piece, std::vector<Token>& out) const {
    piece.size() <= kShort ? encode_short(piece, out) : encode_long(piece, out);
  }

  void encode_long(std::string_view piece, std::vector<Token>& out) const {
    const auto n = piece.size();
    if (n > std::numeric_limits<std::uint32_t>::max()) throw data_error("a word is longer than 4 GiB", {}, {}, "is this text?");
    thread_local PendingPairs waiting;
    waiting.clear();
    // A token is stored at its first and last byte, and where its right part began, so that a part is never found there again.
    std::vector<Token> tokens(n);
    for (std::size_t i = 0; i < n; ++i) tokens[i] = of_byte[static_cast<unsigned char>(piece[i])];
    for (std::size_t i = 0; i + 1 < n; ++i) waiting.add(merges.find(tokens[i], tokens[i + 1]), i);
    std::vector<std::uint32_t> places;
    for (auto token = waiting.take(places); token != kNone; token = waiting.take(places)) {
      const auto& joined = joins[token];
      for (const std::size_t at : places) {
        const auto middle = at + joins[joined.left].bytes, next = at + joined.bytes;
        if (tokens[at] != joined.left || tokens[middle] != joined.right) continue;  // one of them has been joined already
        tokens[at] = tokens[middle] = tokens[next - 1] = token;
        if (at > 0) waiting.add(merges.find(tokens[at - 1], token), at - joins[tokens[at - 1]].bytes);
        if (next < n) waiting.add(merges.find(token, tokens[next]), at);
      }
    }
    for (std::size_t i = 0; i < n; i += joins[tokens[i]].bytes) out.push_back(tokens[i]);
  }

  void encode_short(std::string_view piece, std::vector<Token>& out) const {
    thread_local std::vector<Token> tokens;
    tokens.clear();
    for (const char c : piece) tokens.push_back(of_byte[static_cast<unsigned char>(c)]);
    while (tokens.size() > 1) {
      Token best = kNone;
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        best = std::min(best, merges.find(tokens[i], tokens[i + 1]));
      }
      if (best == kNone) break;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i + 1 < tokens.size() && merges.find(tokens[i], tokens[i + 1]) == best) {
          tokens[kept++] = best;
          ++i;
          continue;
        }
        tokens[kept++] = tokens[i];
      }
      tokens.resize(kept);
    }
    out.insert(out.end(), tokens.begin(), tokens.end());
  }
};

BytePairs::BytePairs(std::unique_ptr<Tables> tables) : tables_(std::move(tables)) {}
BytePairs::BytePairs(BytePairs&&) noexcept = default;
BytePairs& BytePairs::operator=(BytePairs&&) noexcept = default;
BytePairs::~BytePairs() = default;

BytePairs BytePairs::load(const std::filesystem::path& merges) {
  auto tables = std::make_unique<Tables>();
  std::unordered_map<std::string, Token> by_letters;  // tokens as the file spells them
  for (const unsigned char b : byte_order()) {
    tables->of_byte[b] = static_cast<Token>(tables->bytes.size());
    by_letters.emplace(byte_letter(b), tables->of_byte[b]);
    tables->bytes.emplace_back(1, static_cast<char>(b));
  }
  const std::string text = read_file(merges);
  std::size_t begin = 0, line = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const std::string_view entry(text.data() + begin, end - begin);
    begin = end + 1;
    ++line;
    if (entry.empty() || (line == 1 && entry.rfind("#version", 0) == 0)) continue;
    const auto blank = entry.find(' ');
    const auto left = blank == std::string_view::npos ? by_letters.end() : by_letters.find(std::string(entry.substr(0, blank)));
    const auto right = blank == std::string_view::npos ? by_letters.end() : by_letters.find(std::string(entry.substr(blank + 1)));
    if (left == by_letters.end() || right == by_letters.end()) {
      throw data_error(fmt::format("'{}' is not a merge of two earlier tokens", shortened(entry, 100)),
                       fmt::format("{}:{}", merges.string(), line), {}, "is this GPT-2's vocab.bpe (merges.txt)?");
    }
    if (tables->bytes.size() + 2 > std::numeric_limits<Token>::max()) {
      throw data_error("too many merges for 16-bit tokens", fmt::format("{}:{}", merges.string(), line));
    }
    const auto token = static_cast<Token>(tables->bytes.size());
    tables->merges.add(left->second, right->second, token);
    tables->bytes.push_back(tables->bytes[left->second] + tables->bytes[right->second]);
    tables->joins.push_back({static_cast<std::uint32_t>(tables->bytes.back().size()), left->second, right->second});
    by_letters.emplace(left->first + right->first, token);
  }
  if (tables->bytes.size() == 256) throw data_error("this file has no merges", merges.string());
  tables->bytes.emplace_back(kEndOfText);
  tables->compile();
  return BytePairs(std::move(tables));
}

void BytePairs::encode(std::string_view text, std::vector<Token>& out) const {
  const auto& t = *tables_;
  // Words repeat: each thread caches pieces, and drops the cache when it is large or belongs to other tables.
  struct Cache {
    std::uint64_t of = 0;
    std::unordered_map<std::string, std::vector<Token>> pieces;
  };
  thread_local Cache cache;
  if (cache.of != t.id || cache.pieces.size() > 250'000) cache = {t.id, {}};
  thread_local std::unique_ptr<pcre2_match_data, MatchData> match(pcre2_match_data_create(1, nullptr));
  thread_local std::string key;

  const auto piece = [&](std::string_view p) {
    if (p.size() < kKeptFrom || p.size() > kKeptTo) return t.encode_piece(p, out);
    key.assign(p);
    auto [found, fresh] = cache.pieces.try_emplace(key);
    if (fresh) t.encode_piece(p, found->second);
    out.insert(out.end(), found->second.begin(), found->second.end());
  };
  const auto valid = [&](std::string_view part) {  // well-formed UTF-8
    std::size_t at = 0;
    while (at < part.size()) {
      const int found = pcre2_match(t.pieces.get(), reinterpret_cast<PCRE2_SPTR>(part.data()), part.size(), at,
                                    PCRE2_NO_UTF_CHECK | PCRE2_ANCHORED, match.get(), nullptr);
      const PCRE2_SIZE* span = pcre2_get_ovector_pointer(match.get());
      if (found < 0 || span[1] <= at) throw Error(ErrorKind::kInternal, "GPT-2's pattern does not match the whole text");
      piece(part.substr(at, span[1] - at));
      at = span[1];
    }
  };
  // Invalid UTF-8 bytes between well-formed stretches are encoded one by one.
  std::size_t begin = 0, at = 0;
  while (at < text.size()) {
    const std::size_t n = character_length(text.substr(at));
    if (n > 0) {
      at += n;
      continue;
    }
    valid(text.substr(begin, at - begin));
    out.push_back(t.of_byte[static_cast<unsigned char>(text[at])]);
    begin = ++at;
  }
  valid(text.substr(begin));
}

std::string_view BytePairs::bytes(std::size_t token) const {
  if (token >= tables_->bytes.size()) {
    throw data_error(fmt::format("token {} is outside the vocabulary of {}", token, tables_->bytes.size()));
  }
  return tables_->bytes[token];
}

std::string BytePairs::decode(const std::vector<Token>& tokens) const {
  std::string out;
  for (const Token token : tokens) out += bytes(token);
  return out;
}

std::size_t BytePairs::vocabulary() const { return tables_->bytes.size(); }
Token BytePairs::end_of_text() const { return static_cast<Token>(tables_->bytes.size() - 1); }

}  // namespace yatlab
