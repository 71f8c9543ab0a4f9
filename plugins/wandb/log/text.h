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

/// Replaces invalid UTF-8 by U+FFFD: readers of a log refuse a whole record because of one such byte.
std::string valid_utf8(std::string_view text);

/// How many bytes at the end of `text` belong to an incomplete character.
std::size_t unfinished_character(std::string_view text);

/// Shortest text that reads back as the same double; NaN, Infinity, -Infinity as in W&B's JSON.
std::string json_number(double value);
/// Quoted, escaped, valid UTF-8.
std::string json_string(std::string_view text);
/// Compact; invalid UTF-8 repaired.
std::string json_text(const nlohmann::ordered_json& json);

/// A JSON object assembled from texts that may hold bare NaN, so no parser is involved.
class JsonTree {
 public:
  /// Sets the value at a path, replacing any previous value.
  void set(const std::vector<std::string>& path, std::string json);
  void remove(const std::vector<std::string>& path);
  bool empty() const { return children_.empty(); }
  std::string text() const;
  /// Each of the object's members, as {"value": member}: W&B's form of a config.
  std::string config_text() const;

 private:
  std::vector<std::pair<std::string, JsonTree>> children_;  // in order of insertion
  std::map<std::string, std::size_t> index_;
  std::string leaf_;
};

/// A part of an address: RFC 3986's unreserved characters stay, all others are escaped.
std::string url_part(std::string_view text);
/// Raw MD5 (16 bytes), the address of an artifact's files.
std::string md5(std::string_view bytes);
std::string md5_file(const fs::path& path);

/// `count` characters of a-z0-9 from the system's secure source.
std::string random_id(std::size_t count);
/// `count` characters of a-z0-9 that depend on `text` alone.
std::string id_of(std::string_view text, std::size_t count = 16);

/// "2023-11-14T22:13:21.500000", UTC.
std::string utc_time(double unix_seconds);

}  // namespace yatlab::wandb
