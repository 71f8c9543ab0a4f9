// Shared by the renderers of tables. Not part of the public interface.
#pragma once

#include <string>
#include <vector>

#include "core/table/table.h"

namespace yatlab {

/// A value split for column alignment: "91.84", "0.08", " %". Without values: mean "–" (or "diverged", "not finite"). A share has an interval, "[63,
/// 86]", instead of the std; a value with fewer seeds than its row shows them, "(n = 7)".
struct ValueParts {
  std::string mean, std, unit, interval, n;
  /// "91.84 ± 0.08 % (n = 7)"
  std::string text() const;
};
ValueParts value_parts(const TableCell& cell, const TableColumn& column);

/// The paper's value and our difference, with units: "92.08 %", "−0.24"; difference "" without a value.
struct PaperParts {
  std::string value, difference;
};
/// The paper's value without its unit, as the paper prints it, rounded where it is a long closed form.
std::string paper_value(double value, const TableColumn& column);
/// The same for a number; for a range both ends, for a sample mean and standard deviation.
std::vector<std::string> paper_values(const PaperNumber& number, const TableColumn& column);
PaperParts paper_parts(const PaperCell& paper, const TableColumn& column);

/// Headers of the key columns (swept parameters, then the arm's empty header), and a row's entries in them.
std::vector<std::string> key_headers(const Table& table);
std::vector<std::string> row_keys(const Table& table, const TableRow& row);

/// A column's head: its arm's label in a table with arms across, else its metric's header.
const std::string& heading(const TableColumn& column);

/// Whether rows have different numbers of seeds, so that each must show its own.
bool n_varies(const Table& table);
std::size_t row_n(const TableRow& row);

/// A comparison in pieces: "yat − linear", "Acc.", "+0.46", and the ends of its 95 % intervals, empty without one.
struct ComparisonParts {
  std::string who, metric, difference, low, high;
  std::string adjusted_low, adjusted_high;  ///< of the interval adjusted like p
  bool percent = false;
};
ComparisonParts comparison_parts(const Table& table, const ComparisonLine& line);

/// "yat − linear, Acc.: +0.46 points, 95 % CI [0.31, 0.61], p = 0.001, Holm p = 0.003 (paired over 5 seeds)"
std::string measured_comparison(const Table& table, const ComparisonLine& line);
/// "lower", "higher", "it diverges", "−25 to −15 %"
std::string expectation_text(const PaperExpectation& expected);
/// "same direction", or "same direction, on substitute data"; "" if the paper says nothing.
std::string direction_text(const ComparisonLine& line);
/// The same as measured_comparison, with the paper's statement and our verdict on it.
std::string comparison_text(const Table& table, const ComparisonLine& line);

}  // namespace yatlab
