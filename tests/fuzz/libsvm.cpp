// Rows in LIBSVM's text format.
#include "plugins/kernels/datasets/libsvm_text.h"

#include "fuzz.h"

namespace yatlab::fuzz {

void fuzz_input(std::string_view input) {
  accepted([&] {
    const auto rows = parse_libsvm(input, "input.txt");
    expect(rows.begins.size() == rows.size() + 1 && rows.begins.back() == rows.values.size(), "rows that do not end where their values do");
    for (const auto column : rows.columns) expect(column >= 0 && column < rows.width, "a column that is not there");
  });
}

}  // namespace yatlab::fuzz
