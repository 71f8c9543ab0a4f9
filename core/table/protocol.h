#pragma once

#include <string>
#include <vector>

#include "core/table/table.h"

namespace yatlab {

/// The overrides by which an arm's values of a metric at a point are not what the experiment's file gives; none where they are.
std::vector<std::string> protocol_changes(const RunView& run, const std::string& arm, const Node::Map& point, const std::string& metric);

/// Those by which anything of an arm, at any point, is not what the file gives.
std::vector<std::string> protocol_changes(const RunView& run, const std::string& arm);

/// "Protocol changed by trainer.epochs=1.", and of which rows or columns where not of all.
std::vector<std::string> protocol_notes(const RunView& run, const Table& table);

}  // namespace yatlab
