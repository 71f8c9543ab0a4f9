#include "plugins/extreme/datasets/xc_text.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/byte_stream.h"
#include "core/data/checked_text.h"
#include "core/data/sparse_rows.h"

namespace yatlab {
namespace {

constexpr std::int64_t kMaxWidth = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxRows = std::numeric_limits<std::int64_t>::max() / 2;  // the line after the last has a number, too

struct Header {
  std::int64_t rows = 0, features = 0, labels = 0;
};

// What is wrong with a line; the file's name is added when the error is thrown.
struct LineError {
  std::int64_t line = 0, column = 0;  // 1-based; column 0: the line as a whole
  std::string what, why, hint;

  Error thrown(const std::string& name) const {
    return data_error(what, column > 0 ? fmt::format("{}:{}:{}", name, line, column) : fmt::format("{}:{}", name, line), why, hint);
  }
};

// Some whole lines.
struct Block {
  std::size_t index = 0;
  std::int64_t first_line = 0;
  std::string text;
};

// Numbers that are mostly small: one byte each, or five from 255 on.
class Counts {
 public:
  void reserve(std::size_t n) { bytes_.reserve(n); }
  void add(std::size_t count) {
    const bool small = count < kLarge;
    bytes_.push_back(small ? static_cast<unsigned char>(count) : kLarge);
    for (int shift = 0; !small && shift < 32; shift += 8) bytes_.push_back(static_cast<unsigned char>(count >> shift & 0xFF));
  }
  template <class Use>
  void each(Use use) const {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      std::int64_t count = bytes_[i];
      if (count == kLarge) {
        count = 0;
        for (int shift = 0; shift < 32; shift += 8) count |= std::int64_t{bytes_[++i]} << shift;
      }
      use(count);
    }
  }

 private:
  static constexpr unsigned char kLarge = 255;
  std::vector<unsigned char> bytes_;
};

// The rows of a block.
struct Parsed {
  Counts feature_counts, label_counts;  // per row; as bytes, since with many short rows they would be most of the memory
  std::vector<std::int32_t> features, labels;
  std::vector<float> values;
  std::optional<LineError> error;
};

// Up to 40 characters around the place of an error, without control characters.
std::string quoted(const char* from, const char* end) {
  std::string out;
  for (; from < end && *from != ' ' && out.size() < 40; ++from) out += *from >= 0x20 && *from < 0x7f ? *from : '?';
  return out;
}

class BlockParser {
 public:
  BlockParser(const Header& header, const Block& block, Parsed& out) : header_(header), out_(out), line_(block.first_line) {
    const char* p = block.text.data();
    const char* const end = p + block.text.size();
    // Typical of text data sets: ten characters an entry.
    out_.features.reserve(block.text.size() / 10);
    out_.values.reserve(block.text.size() / 10);
    const auto rows = static_cast<std::size_t>(std::count(p, end, '\n')) + 1;
    out_.feature_counts.reserve(rows);
    out_.label_counts.reserve(rows);
    out_.labels.reserve(rows);
    while (p < end && !out_.error) {
      const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
      const char* line_end = newline ? newline : end;
      row(p, line_end);
      p = line_end + 1;
      ++line_;
    }
    out_.labels.shrink_to_fit();  // the estimate is too high for some texts
    out_.features.shrink_to_fit();
    out_.values.shrink_to_fit();
  }

 private:
  void fail(const char* at, std::string what, std::string why, std::string hint) {
    out_.error = LineError{line_, at - begin_ + 1, std::move(what), std::move(why), std::move(hint)};
  }

  void row(const char* p, const char* end) {
    begin_ = p;
    if (p == end) {
      return fail(p, "an empty line", "every line is a row", "write a row without labels and features as one space, or delete the line");
    }
    if (end[-1] == '\r') {
      return fail(end - 1, "a line that ends in CR LF", "lines must end in LF only", "convert the file: tr -d '\\r'");
    }
    const auto first_label = out_.labels.size(), first_feature = out_.features.size();
    if (*p != ' ') {
      if (!labels(p, end)) return;
    }
    if (!features(p, end)) return;
    if (!order(out_.labels, nullptr, first_label, "label") || !order(out_.features, &out_.values, first_feature, "feature")) return;
    out_.label_counts.add(out_.labels.size() - first_label);
    out_.feature_counts.add(out_.features.size() - first_feature);
  }

  // Parses an index in [0, limit) at p, and moves p behind it.
  bool index(const char*& p, const char* end, std::int64_t limit, const char* kind, std::int32_t& out) {
    std::int64_t value = 0;
    const auto [rest, code] = std::from_chars(p, end, value);
    if (code == std::errc::invalid_argument) {
      fail(p, fmt::format("a {} index that is not a number", kind), fmt::format("found '{}'", quoted(p, end)),
           "a row is 'label,label,... feature:value feature:value ...'");
      return false;
    }
    if (code != std::errc() || value < 0 || value >= limit) {
      fail(p, fmt::format("a {} index out of range", kind),
           fmt::format("found {}; the header says {} {}s, so 0 to {}", quoted(p, rest), limit, kind, limit - 1),
           "indices begin at 0; correct the line or the header");
      return false;
    }
    out = static_cast<std::int32_t>(value);
    p = rest;
    return true;
  }

  bool labels(const char*& p, const char* end) {
    for (;;) {
      const char* at = p;
      std::int32_t label = 0;
      if (!index(p, end, header_.labels, "label", label)) {
        // "12:0.5" at the beginning of a line: most likely the leading blank of a row without labels is missing.
        const char* colon = std::find_if_not(at, end, [](char c) { return c >= '0' && c <= '9'; });
        if (colon != end && *colon == ':') features_first(at, end);
        return false;
      }
      if (p < end && *p == ':') {
        features_first(at, end);
        return false;
      }
      out_.labels.push_back(label);
      if (p == end || *p == ' ') return true;
      if (*p != ',') {
        fail(p, "labels are not separated by commas", fmt::format("found '{}'", quoted(at, end)),
             "a row is 'label,label,... feature:value feature:value ...'");
        return false;
      }
      ++p;
    }
  }

  void features_first(const char* at, const char* end) {
    fail(at, "a feature where labels are expected", fmt::format("found '{}'", quoted(at, end)), "a row without labels begins with a space");
  }

  bool features(const char*& p, const char* end) {
    for (;;) {
      while (p < end && *p == ' ') ++p;
      if (p == end) return true;
      const char* at = p;
      std::int32_t feature = 0;
      if (!index(p, end, header_.features, "feature", feature)) return false;
      if (p == end || *p != ':') {
        fail(at, "a feature without a value", fmt::format("found '{}'", quoted(at, end)), "write feature:value");
        return false;
      }
      ++p;
      float value = 0;
      if (!number(p, end, value)) {
        fail(at, "a value that is not a finite number", fmt::format("found '{}'", quoted(at, end)),
             "values are decimal numbers in the range of float32");
        return false;
      }
      if (p < end && *p != ' ') {
        fail(at, "unexpected text after a value", fmt::format("found '{}'", quoted(at, end)), "features are separated by spaces");
        return false;
      }
      out_.features.push_back(feature);
      out_.values.push_back(value);
    }
  }

  static bool number(const char*& p, const char* end, float& out) {
    const auto [rest, code] = std::from_chars(p, end, out);
    if (code == std::errc::result_out_of_range) {  // too large, or so small that it is 0
      double wide = 0;
      const auto [wide_rest, wide_code] = std::from_chars(p, end, wide);
      if (wide_code != std::errc() || std::abs(wide) > 1) return false;
      out = static_cast<float>(wide);
      p = wide_rest;
      return true;
    }
    if (code != std::errc() || !std::isfinite(out)) return false;
    p = rest;
    return true;
  }

  // Sorts the row's indices in ascending order; false when one occurs twice.
  bool order(std::vector<std::int32_t>& all, std::vector<float>* values, std::size_t first, const char* kind) {
    const auto n = all.size() - first;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::adjacent_find(begin, all.end(), [](auto a, auto b) { return a >= b; }) == all.end()) return true;
    scratch_.clear();
    for (std::size_t i = 0; i < n; ++i) scratch_.emplace_back(all[first + i], values ? (*values)[first + i] : 0.f);
    std::sort(scratch_.begin(), scratch_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0 && scratch_[i].first == scratch_[i - 1].first) {
        out_.error = LineError{line_, 0, fmt::format("a row contains a {} twice", kind), fmt::format("{} {}", kind, scratch_[i].first),
                               "keep one of them"};
        return false;
      }
      all[first + i] = scratch_[i].first;
      if (values) (*values)[first + i] = scratch_[i].second;
    }
    return true;
  }

  const Header& header_;
  Parsed& out_;
  std::int64_t line_;
  const char* begin_ = nullptr;
  std::vector<std::pair<std::int32_t, float>> scratch_;
};

// Splits a stream into blocks of whole lines.
class BlockReader {
 public:
  BlockReader(ByteStream& stream, std::string name, const XcOptions& options)
      : stream_(stream), name_(std::move(name)), options_(options), block_bytes_(std::max<std::size_t>(options.block_bytes, 1)) {}

  // The next lines; nothing at the end.
  std::optional<Block> next() {
    Block block{count_, line_, std::move(rest_)};
    rest_.clear();
    while (!ended_) {
      const auto before = block.text.size();
      block.text.resize(before + block_bytes_);
      const auto n = stream_.read(block.text.data() + before, block_bytes_);
      block.text.resize(before + n);
      ended_ = n < block_bytes_;
      const auto newline = std::string_view(block.text).substr(before).rfind('\n');  // the earlier part has none
      if (ended_ || newline == std::string::npos) continue;
      rest_.assign(block.text, before + newline + 1);
      block.text.resize(before + newline + 1);
      break;
    }
    if (block.text.empty()) return std::nullopt;
    const auto newlines = std::count(block.text.begin(), block.text.end(), '\n');
    const bool open = block.text.back() != '\n';
    if (open && !options_.open_end) open_line_ = line_ + newlines;
    ++count_;
    line_ += newlines + (open ? 1 : 0);
    return block;
  }

  Header header(Block& first) {
    if (first.text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0) first.text.erase(0, kByteOrderMark.size());
    const auto end = std::min(first.text.find('\n'), first.text.size());
    const std::string_view text(first.text.data(), end);
    Header out;
    const char* p = text.data();
    const char* const stop = p + text.size();
    bool good = true;
    for (auto* value : {&out.rows, &out.features, &out.labels}) {
      const auto [rest, code] = std::from_chars(p, stop, *value);
      good = good && code == std::errc() && *value >= 0 && (rest == stop || *rest == ' ');
      p = rest;
      while (p < stop && *p == ' ') ++p;
    }
    if (!text.empty() && text.back() == '\r') {
      throw LineError{1, 0, "a line that ends in CR LF", "lines must end in LF only", "convert the file: tr -d '\\r'"}.thrown(name_);
    }
    if (!good || p != stop) {
      throw LineError{1, 0, "not the header of an XC text file",
                      fmt::format("expected 'rows features labels', found '{}'", shortened(text, 60)),
                      "the first line contains the three counts"}
          .thrown(name_);
    }
    if (out.rows > kMaxRows) {
      throw LineError{1, 0, "a header with counts out of range", fmt::format("{} rows; the maximum is {}", out.rows, kMaxRows), ""}.thrown(
          name_);
    }
    if (out.features < 1 || out.labels < 1 || out.features > kMaxWidth || out.labels > kMaxWidth) {
      throw LineError{1, 0, "a header with counts out of range",
                      fmt::format("{} features, {} labels; both must be 1 to {}", out.features, out.labels, kMaxWidth), ""}
          .thrown(name_);
    }
    first.text.erase(0, end + 1);
    ++first.first_line;
    return out;
  }

  std::int64_t lines() const { return line_ - 1; }
  std::optional<std::int64_t> open_line() const { return open_line_; }

 private:
  ByteStream& stream_;
  std::string name_;
  XcOptions options_;
  std::size_t block_bytes_, count_ = 0;
  std::int64_t line_ = 1;
  std::string rest_;
  bool ended_ = false;
  std::optional<std::int64_t> open_line_;
};

// Parses blocks on its own threads; keeps the results in the blocks' order.
class ParserPool {
 public:
  ParserPool(const Header& header, std::size_t threads) : header_(header), threads_(threads) {}
  ~ParserPool() { finish(); }

  void add(Block block) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return queue_.size() < 2 * threads_; });
    if (results_.size() <= block.index) results_.resize(block.index + 1);
    if (threads_ == 1) {  // the caller's thread
      lock.unlock();
      return parse(block);
    }
    queue_.push_back(std::move(block));
    if (workers_.size() < threads_) workers_.emplace_back([this] { work(); });
    ready_.notify_one();
  }
  bool failed() {
    const std::lock_guard lock(mutex_);
    return failed_;
  }
  // Waits for all added blocks.
  std::deque<Parsed>& finish() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
    for (auto& worker : workers_) worker.join();
    workers_.clear();
    return results_;
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  void work() {
    for (;;) {
      Block block;
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return closed_ || !queue_.empty(); });
        if (queue_.empty()) return;
        block = std::move(queue_.front());
        queue_.pop_front();
      }
      room_.notify_one();
      parse(block);
    }
  }

  void parse(const Block& block) {
    Parsed parsed;
    std::exception_ptr exception;
    try {
      BlockParser(header_, block, parsed);
    } catch (...) {  // out of memory
      exception = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    failed_ = failed_ || parsed.error || exception;
    if (exception && !exception_) exception_ = exception;
    results_[block.index] = std::move(parsed);
  }

  const Header header_;
  const std::size_t threads_;
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::deque<Block> queue_;
  std::deque<Parsed> results_;
  std::vector<std::thread> workers_;
  std::exception_ptr exception_;
  bool closed_ = false, failed_ = false;
};

XcRows assemble(const Header& header, std::deque<Parsed>& blocks) {
  std::int64_t features = 0, labels = 0;
  for (const auto& b : blocks) {
    features += static_cast<std::int64_t>(b.features.size());
    labels += static_cast<std::int64_t>(b.labels.size());
  }
  auto feature_starts = at::empty({header.rows + 1}, at::kLong), label_starts = at::empty({header.rows + 1}, at::kLong);
  auto columns = at::empty({features}, at::kLong), values = at::empty({features}, at::kFloat);
  auto label_columns = at::empty({labels}, at::kLong);
  auto* feature_start = feature_starts.data_ptr<std::int64_t>();
  auto* label_start = label_starts.data_ptr<std::int64_t>();
  auto* column = columns.data_ptr<std::int64_t>();
  auto* value = values.data_ptr<float>();
  auto* label_column = label_columns.data_ptr<std::int64_t>();
  *feature_start++ = 0;
  *label_start++ = 0;
  for (auto& b : blocks) {
    b.feature_counts.each([&](std::int64_t n) { *feature_start = feature_start[-1] + n, ++feature_start; });
    b.label_counts.each([&](std::int64_t n) { *label_start = label_start[-1] + n, ++label_start; });
    column = std::copy(b.features.begin(), b.features.end(), column);
    value = std::copy(b.values.begin(), b.values.end(), value);
    label_column = std::copy(b.labels.begin(), b.labels.end(), label_column);
    b = Parsed();  // limits peak memory to the tensors and the blocks still to be copied
  }
  ::malloc_trim(0);  // otherwise glibc would keep the blocks' memory
  return {make_sparse_rows(feature_starts, columns, values, header.features),
          make_sparse_rows(label_starts, label_columns, at::ones({labels}), header.labels)};
}

XcRows parse(ByteStream& stream, const std::string& name, const XcOptions& options) {
  BlockReader reader(stream, name, options);
  auto block = reader.next();
  if (!block) throw data_error(fmt::format("'{}' is empty", name), {}, "an XC text file begins with 'rows features labels'");
  const Header header = reader.header(*block);
  const auto threads = options.threads > 0 ? static_cast<std::size_t>(options.threads) : std::max(1u, std::thread::hardware_concurrency());
  ParserPool pool(header, threads);
  std::optional<Error> unreadable;
  try {
    while (block) {
      pool.add(std::move(*block));
      // Surplus lines need not be parsed, but bad lines before them must still be found.
      if (pool.failed() || reader.lines() > header.rows + 1) break;
      block = reader.next();
    }
  } catch (const Error& e) {
    unreadable = e;
  }
  auto& blocks = pool.finish();
  pool.rethrow();
  // Report the first bad line, whichever thread found it.
  for (const auto& parsed : blocks) {
    if (parsed.error && parsed.error->line <= header.rows + 1) throw parsed.error->thrown(name);
  }
  if (reader.lines() > header.rows + 1) {
    throw LineError{header.rows + 2, 0, "more rows than the header says", fmt::format("the header says {}", header.rows),
                    "correct the header, or remove the extra rows"}
        .thrown(name);
  }
  if (unreadable) throw *unreadable;
  if (const auto line = reader.open_line()) {
    throw LineError{*line, 0, "the last line has no newline", "the file may be truncated",
                    "download it again, or add a newline if it is complete"}
        .thrown(name);
  }
  if (reader.lines() < header.rows + 1) {
    throw LineError{reader.lines(), 0, "fewer rows than the header says",
                    fmt::format("the header says {}, the file ends after {}", header.rows, reader.lines() - 1),
                    "the file may be truncated: download it again, or correct the header"}
        .thrown(name);
  }
  return assemble(header, blocks);
}

}  // namespace

XcRows parse_xc(std::string_view text, const std::string& name, const XcOptions& options) {
  MemoryStream stream(text);
  return parse(stream, name, options);
}

XcRows read_xc(const std::filesystem::path& path, const XcOptions& options) {
  const auto stream = open_byte_stream(path);
  return parse(*stream, path.string(), options);
}

}  // namespace yatlab
