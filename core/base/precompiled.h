// The project's one precompiled header: what nearly every translation unit pays for.
#pragma once

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/autograd.h>
#include <torch/nn/module.h>

#include <nlohmann/json.hpp>
