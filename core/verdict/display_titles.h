#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

/// A parameter's name in reports: "ε" for operator.epsilon, "learning rate" for optimizer.lr. In this order: the title in `given` (the experiment's
/// `parameters:`); the symbol that begins its component's doc ("ε: added to the squared distance"); the usual name in the field; the last part of its
/// key.
std::string parameter_title(const std::string& name, const std::map<std::string, std::string>& given = {});

/// Titles of several parameters shown together: any with the same title are named by their keys.
std::vector<std::string> parameter_titles(const std::vector<std::string>& names, const std::map<std::string, std::string>& given = {});

/// "ε = 0.1", "learning rate 1e-3": a symbol gets an equals sign, words do not.
std::string titled_value(const std::string& title, const Node& value);

/// "ε = 0.1, batch size 64"; "" for the empty point.
std::string point_title(const Node::Map& point, const std::map<std::string, std::string>& given = {});

/// "training loss" for a metric train/loss without a title.
std::string readable_metric(const std::string& name);

}  // namespace yatlab
