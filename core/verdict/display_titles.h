#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// How a parameter is called where results are read: "ε" for operator.epsilon, "learning rate" for optimizer.lr. In this order: what `given` (the
/// experiment's `parameters:`) says; the symbol with which its component's doc begins ("ε: added to the squared distance"); the name that is usual
/// in the field; the last part of its key.
std::string parameter_title(const std::string& name, const std::map<std::string, std::string>& given = {});

/// Titles of several that stand side by side: where two would be called the same, by their keys.
std::vector<std::string> parameter_titles(const std::vector<std::string>& names, const std::map<std::string, std::string>& given = {});

/// "ε = 0.1", "learning rate 1e-3": a letter and its value are an equation, words are not.
std::string titled_value(const std::string& title, const Node& value);

/// "ε = 0.1, batch size 64"; "" for the empty point.
std::string point_title(const Node::Map& point, const std::map<std::string, std::string>& given = {});

/// "training loss" for a metric called train/loss that no title was given.
std::string readable_metric(const std::string& name);

}  // namespace yatlab
