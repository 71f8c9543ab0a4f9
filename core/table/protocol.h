#pragma once

#include <string>
#include <vector>

#include "core/table/table.h"

namespace yatlab {

/// The overrides that make an arm's values of a metric at a point differ from those of the experiment's file; empty if there are none.
std::vector<std::string> protocol_changes(const RunView& run, const std::string& arm, const Node::Map& point, const std::string& metric);

/// The overrides that make any result of an arm, at any point, differ from the file's.
std::vector<std::string> protocol_changes(const RunView& run, const std::string& arm);

/// "Protocol changed by trainer.epochs=1.", with the affected rows or columns if not all.
std::vector<std::string> protocol_notes(const RunView& run, const Table& table);

}  // namespace yatlab
