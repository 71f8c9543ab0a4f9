// W&B run logs: read to the end, and continued after a crash at any byte.
#include "fuzz.h"
#include "plugins/wandb/log/log_file.h"
#include "plugins/wandb/log/records.h"

namespace yatlab::fuzz {
namespace {

std::vector<std::string> records_in(const fs::path& path) {
  std::vector<std::string> out;
  wandb::LogReader reader(path);
  for (std::string record; reader.next(record) == wandb::LogReader::Result::kRecord;) out.push_back(record);
  return out;
}

}  // namespace

void fuzz_input(std::string_view input) {
  static const MemoryFile file;
  const auto& path = file.holding(input);
  std::vector<std::string> before;
  if (!accepted([&] { before = records_in(path); })) return;
  for (const auto& bytes : before) {
    wandb::pb::Record record;
    if (!record.ParseFromString(bytes) || !record.has_history()) continue;
    for (const auto& item : record.history().item()) {
      wandb::path_of(item);
      wandb::number_of(item.value_json());
    }
  }
  accepted([&] {
    const std::string more(40000, 'x');  // longer than a block
    wandb::LogWriter::reopen(path).append(more);
    before.push_back(more);
    expect(records_in(path) == before, "a log that was gone on with lost records");
  });
}

}  // namespace yatlab::fuzz
