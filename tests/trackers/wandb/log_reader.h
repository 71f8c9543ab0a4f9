// A second, simple reader of .wandb files: the whole file in memory, bit by bit, sharing no code with the
// library's.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"

namespace yatlab::testing {

/// CRC-32 (IEEE) one bit at a time.
inline std::uint32_t slow_crc(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xEDB88320u : 0);
  }
  return ~crc;
}

/// The records of a complete, valid log. Throws at the first unexpected byte.
inline std::vector<std::string> read_log(const std::string& bytes) {
  const auto byte = [&](std::size_t i) -> std::size_t { return static_cast<unsigned char>(bytes.at(i)); };
  if (bytes.substr(0, 7) != std::string(":W&B\xE1\xBE\0", 7)) throw std::runtime_error("head");
  std::vector<std::string> out;
  std::string record;
  bool inside = false;
  std::size_t at = 7;
  while (at < bytes.size()) {
    if (32768 - at % 32768 < 7) {
      while (at % 32768 != 0) {
        if (byte(at++) != 0) throw std::runtime_error("padding");
      }
      continue;
    }
    const auto n = byte(at + 4) | byte(at + 5) << 8;
    const auto type = byte(at + 6);
    const auto payload = bytes.substr(at + 7, n);
    if (payload.size() != n || at % 32768 + 7 + n > 32768) throw std::runtime_error("length");
    const auto sum = byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24;
    if (slow_crc(static_cast<char>(type) + payload) != sum) throw std::runtime_error("checksum");
    if (type < 1 || type > 4 || inside != (type == 3 || type == 4)) throw std::runtime_error("order");
    record += payload;
    inside = type == 2 || type == 3;
    if (!inside) {
      out.push_back(record);
      record.clear();
    }
    at += 7 + n;
  }
  if (inside) throw std::runtime_error("end");
  return out;
}

/// Fields of one protobuf message: number and raw value (for varints: the number as text).
inline std::vector<std::pair<int, std::string>> read_fields(const std::string& bytes) {
  std::vector<std::pair<int, std::string>> out;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto b = static_cast<unsigned char>(bytes.at(at++));
      value |= static_cast<std::uint64_t>(b & 0x7F) << shift;
      if (b < 0x80) return value;
    }
  };
  while (at < bytes.size()) {
    const auto key = varint();
    const int number = static_cast<int>(key >> 3);
    if ((key & 7) == 0) {
      out.emplace_back(number, std::to_string(varint()));
    } else if ((key & 7) == 2) {
      const auto n = static_cast<std::size_t>(varint());
      if (at + n > bytes.size()) throw std::runtime_error("field");
      out.emplace_back(number, bytes.substr(at, n));
      at += n;
    } else {
      throw std::runtime_error("wire type");
    }
  }
  return out;
}

inline std::string field(const std::string& message, int number) {
  for (const auto& [n, value] : read_fields(message)) {
    if (n == number) return value;
  }
  return {};
}

/// {"loss": "0.25", ...} of the items (field `number`) of a history, summary or stats record; nested keys joined by '.'.
inline std::vector<std::pair<std::string, std::string>> read_items(const std::string& message, int number) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [n, item] : read_fields(message)) {
    if (n != number) continue;
    std::string key, value;
    for (const auto& [k, v] : read_fields(item)) {
      if (k == 1 || k == 2) key += (key.empty() ? "" : ".") + v;
      if (k == 16) value = v;
    }
    out.emplace_back(key, value);
  }
  return out;
}

/// All values of a record's kind in a log: kinds as numbered in the format (2 history, 3 summary, 13 console, ...).
inline std::vector<std::string> records_of(const fs::path& log, int kind) {
  std::vector<std::string> out;
  for (const auto& record : read_log(read_file(log))) {
    for (const auto& [number, value] : read_fields(record)) {
      if (number == kind) out.push_back(value);
    }
  }
  return out;
}

}  // namespace yatlab::testing
