// The Extreme Classification Repository's text format. Blocks of one line give the same as a single block.
#include "plugins/extreme/datasets/xc_text.h"

#include <ATen/ATen.h>

#include "fuzz.h"

namespace yatlab::fuzz {
namespace {

struct Outcome {
  XcRows rows;
  std::string error;
};

Outcome outcome(std::string_view input, std::size_t block) {
  Outcome out;
  XcOptions options;
  options.threads = 1;
  options.block_bytes = block;
  accepted([&] {
    try {
      out.rows = parse_xc(input, "input.txt", options);
    } catch (const Error& e) {
      out.error = e.what();
      throw;
    }
  });
  return out;
}

bool same(const at::Tensor& a, const at::Tensor& b) {
  // Values are finite, so NaN cannot occur.
  return a.sizes() == b.sizes() && a.crow_indices().equal(b.crow_indices()) && a.col_indices().equal(b.col_indices()) &&
         a.values().equal(b.values());
}

}  // namespace

void fuzz_input(std::string_view input) {
  const auto at_once = outcome(input, std::size_t{1} << 16), by_lines = outcome(input, 1);
  expect(at_once.error == by_lines.error, "another error, read by lines");
  if (at_once.error.empty()) {
    expect(same(at_once.rows.features, by_lines.rows.features) && same(at_once.rows.labels, by_lines.rows.labels),
           "other rows, read by lines");
  }
  XcOptions open;
  open.threads = 1;
  open.block_bytes = std::size_t{1} << 16;
  open.open_end = true;
  accepted([&] { parse_xc(input, "input.txt", open); });
}

}  // namespace yatlab::fuzz
