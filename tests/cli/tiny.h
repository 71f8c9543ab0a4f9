#pragma once

namespace yatlab::testing {

/// Two arms on twenty images: a second of training at most.
inline const char* const kTinyExperiment = R"(name: tiny
defaults:
  - /dataset: synthetic_digits
  - /architecture: prototype_classifier
  - _self_
dataset: {train_size: 60, test_size: 20}
trainer: {epochs: 1, batch_size: 20}
seeds: [0]
arms:
  linear: [operator=dot]
  yat: [operator=yat]
)";

}  // namespace yatlab::testing
