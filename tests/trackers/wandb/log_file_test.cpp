#include "plugins/wandb/log/log_file.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>

#include "catch.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "plugins/wandb/log/records.h"
#include "temporary_folder.h"
#include "trackers/wandb/log_reader.h"

namespace yatlab::wandb {
namespace {

using testing::read_log;

std::string serialized(int num, const std::function<void(pb::Record&)>& fill) {
  pb::Record record;
  fill(record);
  record.set_num(num);
  return record.SerializeAsString();
}

pb::KeyedJson* nested(pb::KeyedJson* item, std::initializer_list<const char*> path, const char* json) {
  for (const char* part : path) item->add_nested_key(part);
  item->set_value_json(json);
  return item;
}

/// The log of eight records written by the official writer.
std::vector<std::string> golden_records() {
  return {
      serialized(1, [](pb::Record& r) { r.mutable_header()->mutable_version_info()->set_producer("x"); }),
      serialized(2,
                 [](pb::Record& r) {
                   r.mutable_run()->set_run_id("golden01");
                   r.mutable_run()->set_project("demo");
                   auto* item = r.mutable_run()->mutable_config()->add_update();
                   item->set_key("lr");
                   item->set_value_json("0.1");
                   r.mutable_run()->mutable_start_time()->set_seconds(1700000000);
                 }),
      serialized(3,
                 [](pb::Record& r) {
                   auto& h = *r.mutable_history();
                   nested(h.add_item(), {"_step"}, "0");
                   nested(h.add_item(), {"_runtime"}, "1.5");
                   nested(h.add_item(), {"_timestamp"}, "1700000001.5");
                   nested(h.add_item(), {"loss"}, "0.25");
                   h.mutable_step()->set_num(0);
                 }),
      serialized(4,
                 [](pb::Record& r) {
                   auto* item = r.mutable_summary()->add_update();
                   item->set_key("loss");
                   item->set_value_json("0.25");
                   nested(r.mutable_summary()->add_update(), {"_wandb", "runtime"}, "1");
                 }),
      serialized(5,
                 [](pb::Record& r) {
                   r.mutable_output_raw()->set_output_type(1);
                   set_stamp(*r.mutable_output_raw()->mutable_timestamp(), 1700000001);
                   r.mutable_output_raw()->set_line("hi\n");
                 }),
      serialized(6, [](pb::Record& r) { r.mutable_exit()->set_runtime(2); }),
      serialized(7, [](pb::Record& r) { r.mutable_final(); }),
      serialized(8, [](pb::Record& r) { r.mutable_footer(); }),
  };
}

std::string text_of(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(random());
  return out;
}

std::vector<std::string> all_records(const fs::path& path, LogReader::Result& end) {
  std::vector<std::string> out;
  LogReader reader(path);
  std::string record;
  while ((end = reader.next(record)) == LogReader::Result::kRecord) out.push_back(record);
  return out;
}

void overwrite(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace

TEST_CASE("a log of the official client is reproduced byte for byte", "[wandb][format]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run-golden01.wandb";
  const auto records = golden_records();
  {
    auto writer = LogWriter::create(path);
    for (const auto& record : records) writer.append(record);
    CHECK(writer.size() == 276);
  }
  const auto bytes = read_file(path);
  const std::string expected =
      "3a572642e1be00"
      "0ea1c5710a0001"
      "0801aa01050a030a0178"
      "2ff5498f2c0001"
      "08028a01270a08676f6c64656e30311a0464656d6f220c0a0a0a026c72820103302e318a01060880e2cfaa06"
      "9a8603a6510001"
      "0803124d0a0b12055f73746570820101300a1012085f72756e74696d65820103312e350a1b120a5f74696d657374616d7082010c"
      "313730303030303030312e350a0d12046c6f7373820104302e32351200"
      "5913024b2a0001"
      "08041a260a0d0a046c6f7373820104302e32350a1512065f77616e6462120772756e74696d6582010131"
      "503b213a130001"
      "08056a0f080112060881e2cfaa061a0368690a"
      "8bc60cf8070001"
      "08069201021002"
      "31b9de14050001"
      "0807a20100"
      "170a9b50050001"
      "0808b20100";
  CHECK(hex(bytes) == expected);
  CHECK(sha256(bytes) == "ed2721979cb2cd2b42d8d95239177692f13464c0eb18066b1fb192d6cf6f7919");
  CHECK(read_log(bytes) == records);
  LogReader::Result end;
  CHECK(all_records(path, end) == records);
  CHECK(end == LogReader::Result::kEnd);
}

TEST_CASE("a run's log has the expected bytes", "[wandb][format]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "run-golden02.wandb";
  const std::vector<std::string> records{
      serialized(1, [](pb::Record& r) { r.mutable_header()->mutable_version_info()->set_producer("yatlab"); }),
      serialized(2,
                 [](pb::Record& r) {
                   ask_for_answer(r, "slot00000001");
                   auto& run = *r.mutable_run();
                   run.set_run_id("golden02");
                   run.set_project("demo");
                   auto* item = run.mutable_config()->add_update();
                   item->set_key("lr");
                   item->set_value_json("0.1");
                   set_stamp(*run.mutable_start_time(), 1700000000);
                   auto& telemetry = *run.mutable_telemetry();
                   telemetry.mutable_feature()->set_lib_cpp(true);
                   telemetry.mutable_feature()->set_metric(true);
                   telemetry.set_cli_version("yatlab 0.1.0");
                   telemetry.set_platform("linux-x86_64");
                 }),
      serialized(3,
                 [](pb::Record& r) {
                   auto& h = *r.mutable_history();
                   add_time(h, 0, 1.5, 1700000001.5);
                   auto* item = h.add_item();
                   item->set_key("loss");
                   item->set_value_json("0.25");
                 }),
      serialized(4,
                 [](pb::Record& r) {
                   r.mutable_alert()->set_title("t");
                   r.mutable_alert()->set_text("x");
                   r.mutable_alert()->set_level("WARN");
                   r.mutable_alert()->set_wait_duration(60000);
                 }),
      serialized(5, [](pb::Record& r) { r.mutable_exit()->set_runtime(2); }),
  };
  {
    auto writer = LogWriter::create(path);
    for (const auto& record : records) writer.append(record);
  }
  // Put together by hand from the format's description.
  const std::string expected =
      "3a572642e1be00"
      "d0ad4bec0f0001"
      "0801aa010a0a080a067961746c6162"
      "7616e3c8650001"
      "08028201100801220c736c6f7430303030303030318a014d0a08676f6c64656e30321a0464656d6f220c0a0a0a026c72820103302e318a01060880e2cfaa069a0123"
      "1a053801c803012a0c7961746c616220302e312e306a0c6c696e75782d7838365f3634"
      "1dc20628510001"
      "0803124d0a0b0a055f73746570820101300a100a085f72756e74696d65820103312e350a1b0a0a5f74696d657374616d7082010c313730303030303030312e350a0d"
      "0a046c6f7373820104302e32351200"
      "c557a59a140001"
      "080452100a01741201781a045741524e20e0d403"
      "25b4987e070001"
      "08059201021002";
  CHECK(hex(read_file(path)) == expected);
}

TEST_CASE("records of every size at a block's edge read back", "[wandb][format]") {
  const TemporaryFolder folder;
  LogReader::Result end;
  for (std::size_t left = 0; left <= 24; ++left) {
    INFO(left << " bytes left in the block");
    const fs::path path = folder.path() / std::to_string(left);
    std::vector<std::string> records{std::string(kBlock - kFileHead.size() - kChunkHead - left, 'a')};
    for (const std::size_t size : {0, 1, 7, 3, 100}) records.push_back(text_of(size, 1));
    records.push_back(text_of(kBlock - kChunkHead, 2));
    records.push_back(text_of(3 * kBlock + left, 3));
    records.push_back("end");
    auto writer = LogWriter::create(path);
    for (const auto& record : records) {
      writer.append(record);
      const auto room = kBlock - writer.size() % kBlock;
      CHECK(room >= kChunkHead);
      CHECK(fs::file_size(path) == writer.size());
    }
    // Compared outside the macros, as these bytes are not text.
    const bool by_slow_reader = read_log(read_file(path)) == records, by_reader = all_records(path, end) == records;
    CHECK(by_slow_reader);
    CHECK(by_reader);
    CHECK(end == LogReader::Result::kEnd);
  }
}

TEST_CASE("a log truncated at any byte is read up to there and continued", "[wandb][format][crash]") {
  const TemporaryFolder folder;
  const fs::path whole = folder.path() / "whole", cut = folder.path() / "cut";
  std::vector<std::string> records{std::string(kBlock - 150, 'a')};
  for (unsigned i = 0; i < 12; ++i) records.push_back(text_of(7 * i + 3, i));
  std::vector<std::uint64_t> ends;
  {
    auto writer = LogWriter::create(whole);
    for (const auto& record : records) {
      writer.append(record);
      ends.push_back(writer.size());
    }
  }
  const auto bytes = read_file(whole);
  for (std::size_t size = bytes.size(); size > kBlock - 160; --size) {
    INFO("cut to " << size << " bytes");
    overwrite(cut, bytes.substr(0, size));
    // Missing padding does not make the record before it incomplete.
    std::size_t expected = 0;
    while (expected < ends.size() &&
           (ends[expected] <= size || (ends[expected] % kBlock == 0 && bytes.find_last_not_of('\0', ends[expected] - 1) < size &&
                                       size + kChunkHead > ends[expected]))) {
      ++expected;
    }
    LogReader::Result end;
    const auto found = all_records(cut, end);
    REQUIRE(found.size() == expected);
    CHECK(std::equal(found.begin(), found.end(), records.begin()));
    CHECK(end != LogReader::Result::kCorrupt);
    {
      auto writer = LogWriter::reopen(cut);
      writer.append("and on");
    }
    auto continued = std::vector<std::string>(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(expected));
    continued.emplace_back("and on");
    const bool same = read_log(read_file(cut)) == continued;
    REQUIRE(same);
  }
}

TEST_CASE("garbage after the last record is detected and overwritten", "[wandb][format][crash]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "log";
  for (unsigned seed = 0; seed < 40; ++seed) {
    fs::remove(path);
    LogWriter::create(path).append("one");
    const auto good = read_file(path);
    overwrite(path, good + text_of(1 + seed * 31, seed));
    LogReader::Result end;
    CHECK(all_records(path, end) == std::vector<std::string>{"one"});
    CHECK(end != LogReader::Result::kEnd);
    LogWriter::reopen(path).append("two");
    CHECK(read_log(read_file(path)) == std::vector<std::string>{"one", "two"});
  }
  // Any flipped bit in a record is detected.
  fs::remove(path);
  LogWriter::create(path).append("a record");
  const auto good = read_file(path);
  for (std::size_t i = kFileHead.size(); i < good.size(); ++i) {
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    overwrite(path, bad);
    LogReader::Result end;
    CHECK(all_records(path, end).empty());
    CHECK(end != LogReader::Result::kEnd);
  }
}

TEST_CASE("a reader follows a growing log", "[wandb][format]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "log";
  auto writer = LogWriter::create(path);
  LogReader reader(path);
  std::string record;
  CHECK(reader.next(record) == LogReader::Result::kEnd);
  for (unsigned i = 0; i < 300; ++i) {
    const auto text = text_of(i * 5, i);
    writer.append(text);
    REQUIRE(reader.next(record) == LogReader::Result::kRecord);
    const bool same = record == text;
    REQUIRE(same);
    REQUIRE(reader.next(record) == LogReader::Result::kEnd);
  }
  CHECK(reader.position() == writer.size());
}

TEST_CASE("a log has one writer", "[wandb][format]") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "log";
  {
    auto writer = LogWriter::create(path);
    writer.append("x");
    CHECK(is_being_written(path));
    CHECK_THROWS_WITH(LogWriter::reopen(path), Catch::Matchers::ContainsSubstring("is being written by another process"));
    CHECK_THROWS_WITH(LogWriter::create(path), Catch::Matchers::ContainsSubstring("File exists"));
  }
  CHECK_FALSE(is_being_written(path));
  overwrite(path, "something else");
  CHECK_THROWS_WITH(LogReader(path), Catch::Matchers::ContainsSubstring("is not a W&B run log"));
}

}  // namespace yatlab::wandb
