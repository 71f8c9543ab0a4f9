#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/hash.h"

namespace yatlab::wandb {

/// Bytes that are not UTF-8 become U+FFFD: readers of a log refuse a whole record for one of them.
std::string valid_utf8(std::string_view text);

/// How many bytes at the end of `text` begin a character that is not whole yet.
std::size_t unfinished_character(std::string_view text);

/// Shortest text that reads back as the same double; NaN, Infinity, -Infinity, as W&B's JSON has them.
std::string json_number(double value);
/// In quotes, escaped, valid UTF-8.
std::string json_string(std::string_view text);
/// Compact; bad UTF-8 repaired.
std::string json_text(const nlohmann::ordered_json& json);

/// A JSON object put together from texts that may hold bare NaN, so that no parser gets in the way.
class JsonTree {
 public:
  /// Sets the value at a path, dropping what was there.
  void set(const std::vector<std::string>& path, std::string json);
  void remove(const std::vector<std::string>& path);
  bool empty() const { return children_.empty(); }
  std::string text() const;
  /// Each of the object's members, as {"value": member}: W&B's form of a config.
  std::string config_text() const;

 private:
  std::vector<std::pair<std::string, JsonTree>> children_;  // in the order in which they came
  std::map<std::string, std::size_t> index_;
  std::string leaf_;
};

/// A part of an address: what RFC 3986 calls unreserved stays, all else is escaped.
std::string url_part(std::string_view text);
/// Raw MD5 (16 bytes), which artifacts are addressed by.
std::string md5(std::string_view bytes);
std::string md5_file(const fs::path& path);

/// `count` characters of a-z0-9 from the system's secure source.
std::string random_id(std::size_t count);
/// `count` characters of a-z0-9 that depend on `text` alone.
std::string id_of(std::string_view text, std::size_t count = 16);

/// "2023-11-14T22:13:21.500000", UTC.
std::string utc_time(double unix_seconds);

}  // namespace yatlab::wandb
