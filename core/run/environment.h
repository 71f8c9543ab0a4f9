#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace yatlab {

/// How a run was made: command, git revision, compiler, LibTorch, CPU, threads, plugins, selected environment variables; the machine's first GPU
/// if jobs train on one. Never secrets.
nlohmann::ordered_json describe_environment(const std::string& command, bool on_gpu);

}  // namespace yatlab
