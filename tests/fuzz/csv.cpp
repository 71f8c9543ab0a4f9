// Tables of comma-separated values.
#include "plugins/kernels/datasets/csv_file.h"

#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  for (const bool header : {true, false}) {
    accepted([&] {
      const auto table = parse_csv(input, "input.csv", ',', header);
      expect(table.rows.size() == table.lines.size(), "a row without its line");
      for (const auto& row : table.rows) expect(row.size() == table.columns.size(), "a row with other fields than columns");
    });
  }
}

}  // namespace yatlab::fuzz
