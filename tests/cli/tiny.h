#pragma once

#include <string>

namespace yatlab::testing {

/// Sixty images, one epoch: a second of training at most. No figures unless a test requests them. The arms are still to be added.
inline const std::string kTinyWork = R"(name: tiny
defaults:
  - /dataset: synthetic_digits
  - /architecture: prototype_classifier
  - _self_
dataset: {train_size: 60, test_size: 20}
trainer: {epochs: 1, batch_size: 20}
seeds: [0]
report: {default_figures: false}
arms:
)";
inline const std::string kTinyExperiment = kTinyWork + "  linear: [operator=dot]\n  yat: [operator=yat]\n";
inline const std::string kTinyArm = kTinyWork + "  yat: [operator=yat]\n";

}  // namespace yatlab::testing
