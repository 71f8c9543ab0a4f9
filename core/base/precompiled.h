// The project's precompiled header: what nearly every translation unit includes.
#pragma once

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/autograd.h>
#include <torch/nn/module.h>

#include <nlohmann/json.hpp>
