#include "plugins/wandb/log/text.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <cctype>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"

namespace yatlab::wandb {
namespace {

constexpr char kAlphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";

unsigned at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// Length in bytes of the character that starts with `first`; 0 if no character starts with it.
std::size_t length_by(unsigned first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

/// Whether `byte` is valid at position `k` of a character that starts with `first`: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool continues(unsigned first, std::size_t k, unsigned byte) {
  if (byte < 0x80 || byte > 0xBF) return false;
  if (k > 1) return true;
  if (first == 0xE0) return byte >= 0xA0;
  if (first == 0xED) return byte <= 0x9F;
  if (first == 0xF0) return byte >= 0x90;
  if (first == 0xF4) return byte <= 0x8F;
  return true;
}

/// Number of bytes from `i` on that form a complete character, or the valid beginning of one.
std::size_t run_length(std::string_view text, std::size_t i) {
  const auto wanted = length_by(at(text, i));
  std::size_t n = 1;
  while (n < wanted && i + n < text.size() && continues(at(text, i), n, at(text, i + n))) ++n;
  return n;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto n = run_length(text, i);
    if (n == length_by(at(text, i))) {
      out += text.substr(i, n);
    } else {
      out += "\xEF\xBF\xBD";
    }
    i += n;
  }
  return out;
}

std::size_t unfinished_character(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto i = text.size() - back;
    if ((at(text, i) & 0xC0) == 0x80) continue;
    return length_by(at(text, i)) > back && run_length(text, i) == back ? back : 0;
  }
  return 0;
}

std::string json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", value);
}

std::string json_text(const nlohmann::ordered_json& json) { return dump_json_replacing(json); }

std::string json_string(std::string_view text) { return json_text(nlohmann::ordered_json(std::string(text))); }

void JsonTree::set(const std::vector<std::string>& path, std::string json) {
  JsonTree* node = this;
  for (const auto& key : path) {
    node->leaf_.clear();
    const auto [it, fresh] = node->index_.emplace(key, node->children_.size());
    if (fresh) node->children_.emplace_back(key, JsonTree());
    node = &node->children_[it->second].second;
  }
  node->children_.clear();
  node->index_.clear();
  node->leaf_ = std::move(json);
}

void JsonTree::remove(const std::vector<std::string>& path) {
  JsonTree* node = this;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto it = node->index_.find(path[i]);
    if (it == node->index_.end()) return;
    const auto position = it->second;
    if (i + 1 < path.size()) {
      node = &node->children_[position].second;
      continue;
    }
    node->index_.erase(it);
    node->children_.erase(node->children_.begin() + static_cast<std::ptrdiff_t>(position));
    for (auto& [key, other] : node->index_) {
      if (other > position) --other;
    }
  }
}

std::string JsonTree::text() const {
  if (!leaf_.empty()) return leaf_;
  std::string out = "{";
  for (const auto& [key, child] : children_) {
    if (out.size() > 1) out += ',';
    out += json_string(key) + ":" + child.text();
  }
  return out + "}";
}

std::string JsonTree::config_text() const {
  std::string out = "{";
  for (const auto& [key, child] : children_) {
    if (out.size() > 1) out += ',';
    out += json_string(key) + ":{\"value\":" + child.text() + "}";
  }
  return out + "}";
}

std::string url_part(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-_.~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string md5(std::string_view bytes) {
  Hash hash(Hash::Kind::kMd5);
  hash.update(bytes);
  return hash.bytes();
}

std::string md5_file(const fs::path& path) {
  Hash hash(Hash::Kind::kMd5);
  hash.update_from(path);
  return hash.bytes();
}

std::string random_id(std::size_t count) {
  std::string out;
  unsigned char byte = 0;
  while (out.size() < count) {
    if (RAND_bytes(&byte, 1) != 1) throw Error(ErrorKind::kJob, "the system returned no random bytes");
    if (byte < 252) out += kAlphabet[byte % 36];  // 252 = 7 x 36: all letters are equally likely
  }
  return out;
}

std::string id_of(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; out.size() < count; ++i) {
    const auto digest = sha256(fmt::format("{}:{}", i, text));
    for (std::size_t k = 0; k + 2 <= digest.size() && out.size() < count; k += 2) {
      const auto byte = std::stoul(digest.substr(k, 2), nullptr, 16);
      if (byte < 252) out += kAlphabet[byte % 36];
    }
  }
  return out;
}

std::string utc_time(double unix_seconds) {
  auto seconds = static_cast<std::time_t>(std::floor(unix_seconds));
  auto micros = std::lround((unix_seconds - static_cast<double>(seconds)) * 1e6);
  if (micros >= 1000000) {
    micros -= 1000000;
    ++seconds;
  }
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:06}", text, micros);
}

}  // namespace yatlab::wandb
