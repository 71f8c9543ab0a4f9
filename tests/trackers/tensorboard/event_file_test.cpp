#include "plugins/tensorboard/trackers/event_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/file_calls.h"
#include "failing_files.h"
#include "plugins/tensorboard/trackers/event.pb.h"
#include "temporary_folder.h"

namespace yatlab::tensorboard {
namespace {

/// CRC-32C bit by bit, from its definition.
std::uint32_t slow_crc(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0x82F63B78u : crc >> 1;
  }
  return ~crc;
}

std::uint32_t slow_masked(std::string_view bytes) {
  const std::uint32_t crc = slow_crc(bytes);
  return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

template <class T>
T read_as(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The records of a file, each verified by both checksums.
std::vector<Event> events_of(const fs::path& path) {
  const std::string bytes = read_file(path);
  std::vector<Event> out;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto length = read_as<std::uint64_t>(bytes, at);
    REQUIRE(read_as<std::uint32_t>(bytes, at + 8) == slow_masked(std::string_view(bytes).substr(at, 8)));
    const auto record = bytes.substr(at + 12, length);
    REQUIRE(record.size() == length);
    REQUIRE(read_as<std::uint32_t>(bytes, at + 12 + length) == slow_masked(record));
    Event event;
    REQUIRE(event.ParseFromString(record));
    out.push_back(event);
    at += 16 + length;
  }
  return out;
}

}  // namespace

TEST_CASE("records are framed as in TFRecord files") {
  CHECK(slow_crc("123456789") == 0xE3069283);  // CRC-32C's check value
  CHECK(masked_crc("123456789") == slow_masked("123456789"));
  CHECK(masked_crc("") == slow_masked(""));
  const auto bytes = framed("abc");
  REQUIRE(bytes.size() == 8 + 4 + 3 + 4);
  CHECK(bytes.substr(0, 8) == std::string("\x03\0\0\0\0\0\0\0", 8));
  CHECK(bytes.substr(12, 3) == "abc");
}

TEST_CASE("an event file begins with its version and holds what was logged") {
  const TemporaryFolder folder;
  EventFile file(folder.path() / "run");
  CHECK(file.path().filename().string().rfind("events.out.tfevents.", 0) == 0);
  file.scalars(3, {{"train/loss", 0.5}, {"test/accuracy", std::numeric_limits<double>::quiet_NaN()}});
  file.scalars(4, {});
  file.text("tables/results", "| a |");
  file.start_at(7);
  file.finish(true);
  const auto events = events_of(file.path());
  REQUIRE(events.size() == 5);
  CHECK(events[0].file_version() == "brain.Event:2");
  CHECK(events[1].step() == 3);
  REQUIRE(events[1].summary().value_size() == 2);
  CHECK(events[1].summary().value(1).tag() == "train/loss");
  CHECK(events[1].summary().value(1).simple_value() == 0.5f);
  CHECK(std::isnan(events[1].summary().value(0).simple_value()));
  const auto& text = events[2].summary().value(0);
  CHECK(text.tag() == "tables/results/text_summary");
  CHECK(text.metadata().plugin_data().plugin_name() == "text");
  CHECK(text.tensor().dtype() == 7);
  CHECK(text.tensor().string_val(0) == "| a |");
  CHECK(events[3].session_log().status() == SessionLog::START);
  CHECK(events[3].step() == 7);
}

TEST_CASE("hparams are numbers or booleans or text") {
  const TemporaryFolder folder;
  EventFile file(folder.path());
  file.hparams({{"lr", 0.001}, {"bias", true}, {"operator.name", "yat"}, {"layers", {1, 2}}}, "yat seed=0");
  file.finish(false);
  const auto events = events_of(file.path());
  REQUIRE(events.size() == 3);
  const auto& value = events[1].summary().value(0);
  CHECK(value.tag() == "_hparams_/session_start_info");
  CHECK(value.metadata().plugin_data().plugin_name() == "hparams");
  HParamsPluginData data;
  REQUIRE(data.ParseFromString(value.metadata().plugin_data().content()));
  const auto& hparams = data.session_start_info().hparams();
  CHECK(hparams.at("lr").number_value() == 0.001);
  CHECK(hparams.at("bias").bool_value());
  CHECK(hparams.at("operator.name").string_value() == "yat");
  CHECK(hparams.at("layers").string_value() == "[1,2]");
  CHECK(data.session_start_info().group_name() == "yat seed=0");
  HParamsPluginData end;
  REQUIRE(end.ParseFromString(events[2].summary().value(0).metadata().plugin_data().content()));
  CHECK(end.session_end_info().status() == 2);
}

TEST_CASE("images are PNGs with their size") {
  const TemporaryFolder folder;
  EventFile file(folder.path());
  const std::string png = std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x40\0\0\0\xf0", 24) + "rest";
  file.image("figures/a", png);
  const auto image = events_of(file.path()).at(1).summary().value(0).image();
  CHECK(image.width() == 320);
  CHECK(image.height() == 240);
  CHECK(image.encoded_image_string() == png);
  CHECK_THROWS_AS(file.image("figures/b", "not one"), Error);
}

TEST_CASE("histograms are rows of left edge, right edge and count") {
  const TemporaryFolder folder;
  EventFile file(folder.path());
  file.histogram("weights", {{-1, 0, 2.5}, {3, 4}}, 9);
  file.histogram("nothing", {}, 9);
  const auto events = events_of(file.path());
  REQUIRE(events.size() == 2);
  CHECK(events[1].step() == 9);
  const auto& value = events[1].summary().value(0);
  CHECK(value.tag() == "weights");
  CHECK(value.metadata().plugin_data().plugin_name() == "histograms");
  const auto& tensor = value.tensor();
  CHECK(tensor.dtype() == 1 + 1);  // DT_DOUBLE
  REQUIRE(tensor.tensor_shape().dim_size() == 2);
  CHECK(tensor.tensor_shape().dim(0).size() == 2);
  CHECK(tensor.tensor_shape().dim(1).size() == 3);
  CHECK(std::vector<double>(tensor.double_val().begin(), tensor.double_val().end()) == std::vector<double>{-1, 0, 3, 0, 2.5, 4});
}

TEST_CASE("a folder is finished when its newest file is") {
  const TemporaryFolder folder;
  CHECK_FALSE(EventFile::is_finished(folder.path() / "none"));
  EventFile first(folder.path());
  CHECK_FALSE(EventFile::is_finished(folder.path()));
  first.finish(true);
  CHECK(EventFile::is_finished(folder.path()));
  fs::last_write_time(first.path(), fs::file_time_type::clock::now() - std::chrono::seconds(5));
  EventFile second(folder.path());
  second.scalars(1, {{"a", 1}});
  CHECK_FALSE(EventFile::is_finished(folder.path()));  // started again
}

TEST_CASE("a truncated file is continued after its last complete record") {
  const TemporaryFolder folder;
  std::string whole;
  std::size_t last = 0;
  fs::path path;
  {
    EventFile file(folder.path());
    path = file.path();
    file.start_at(0);
    file.scalars(1, {{"a", 1}});
    last = read_file(path).size();
    file.scalars(2, {{"a", 2}});
    whole = read_file(path);
  }
  const auto first = events_of(path).size();
  std::vector<std::string> endings;
  for (auto size = last; size < whole.size(); ++size) endings.push_back(whole.substr(0, size));
  endings.push_back(whole);
  endings.back().back() ^= 1;                                                                                              // a wrong sum
  endings.push_back(whole.substr(0, last) + std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) + whole.substr(last + 8));  // a wrong length
  for (const auto& bytes : endings) {
    INFO(bytes.size() - last);
    write_file_atomic(path, bytes);
    {
      EventFile file(folder.path());
      CHECK(file.path() == path);
      CHECK(file.last_step() == 1);
      file.scalars(2, {{"a", 2}});
      CHECK(file.last_step() == 2);
    }
    const auto events = events_of(path);  // whole, all of them
    REQUIRE(events.size() == first);
    CHECK(events.back().step() == 2);
  }
  // Not even a complete header: another file then replaces it, and is the only one.
  for (const auto& bytes : {std::string(), whole.substr(0, 10)}) {
    write_file_atomic(path, bytes);
    EventFile file(folder.path());
    CHECK(file.path() != path);
    CHECK(entries_of(folder.path()).size() == 1);
    fs::remove(file.path());
  }
}

TEST_CASE("events purged by a restart count neither as rows nor as an end") {
  const TemporaryFolder folder;
  EventFile file(folder.path());
  CHECK(file.last_step() == -1);
  file.scalars(7, {{"a", 1}});
  file.finish(true);
  CHECK(file.is_finished());
  file.start_at(5);
  CHECK(file.last_step() == 4);
  CHECK_FALSE(file.is_finished());
  CHECK_FALSE(EventFile::is_finished(folder.path()));
}

TEST_CASE("a record truncated by a full disk is removed from the file") {
  const TemporaryFolder folder;
  EventFile file(folder.path());
  file.scalars(1, {{"a", 1}});
  const auto before = read_file(file.path());
  for (std::size_t room = 0; room < 20; ++room) {
    yatlab::testing::FullDisk calls(room);
    const FileCallsReplaced replaced(calls);
    try {
      file.scalars(2, {{"a", 2}});
      FAIL("no error");
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::kFile);
      CHECK(e.hint() == "free some disk space and run the same command again");
    }
    CHECK(read_file(file.path()) == before);
  }
  file.scalars(2, {{"a", 2}});
  CHECK(events_of(file.path()).size() == 3);
}

TEST_CASE("replacing a folder's event file keeps it if the content is the same") {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& text) {
    EventFile::replace(folder.path(), [&](EventFile& file) {
      file.start_at(0);
      file.text("tables/results", text);
    });
    const auto there = entries_of(folder.path());
    REQUIRE(there.size() == 1);
    REQUIRE(events_of(there.front()).size() == 3);
    CHECK(events_of(there.front()).back().summary().value(0).tensor().string_val(0) == text);
    return there.front();
  };
  const auto first = write("a");
  CHECK(write("a") == first);
  const auto second = write("b");
  CHECK(second.filename().string() > first.filename().string());  // TensorBoard reads it after the other
  // Leftovers of a killed process, or of a program that did not replace files.
  fs::copy_file(second, folder.path() / "events.out.tfevents.17.host.1.0");
  CHECK(write("b") != second);
  // A full disk leaves the existing files.
  const auto third = write("c");
  {
    yatlab::testing::FullDisk calls(100);
    const FileCallsReplaced replaced(calls);
    CHECK_THROWS_AS(write(std::string(1000, 'd')), Error);
  }
  CHECK(entries_of(folder.path()) == std::vector<fs::path>{third});
}

TEST_CASE("two files of the same second have different names") {
  const TemporaryFolder folder;
  const EventFile a(folder.path()), b(folder.path());
  CHECK(a.path() != b.path());
}

}  // namespace yatlab::tensorboard
