#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/data/byte_pairs.h"
#include "core/data/dataset.h"
#include "core/model/language_model.h"
#include "core/model/token_loss.h"

namespace yatlab {

/// How a long text is cut into windows for the model.
struct WindowOptions {
  std::int64_t context = 0;  ///< most tokens in a window
  std::int64_t stride =
      0;  ///< offset between windows, 1 to context: each token is predicted from at least context - stride tokens, except at the start of the text
  std::int64_t batch = 8;  ///< windows per batch
  std::int64_t bins = 15;  ///< of the calibration error
};

/// A model's scores on a text.
struct TextScores {
  std::int64_t tokens = 0;       ///< predicted: all but the first
  double nats = 0;               ///< sum of -log p over them
  double accuracy = 0, ece = 0;  ///< NaN, as `nats` is, where a score of the model is not a finite number
};

/// Windows begin every `stride` tokens. Each counts only the tokens that no earlier window has predicted: every token but the first counts once. With
/// stride = context windows do not overlap. Throws a config error for a text of fewer than two tokens, or a stride greater than the context.
TextScores score_text(LanguageModel& model, const std::vector<Token>& text, const WindowOptions& options);

/// A model's scores of a split's targets, `batch` samples at a time and without gradients: calls take(samples, their scores, sample by sample).
/// `block`: see token_scores.
void score_split(LanguageModel& model, const Split& split, std::int64_t batch, std::int64_t block,
                 const std::function<void(std::int64_t samples, const TokenScores& scores)>& take);

/// The index of each confidence's bin, among `bins` of equal width: [N] int64. NaN counts as 0.
Tensor confidence_bins(const Tensor& confidence, std::int64_t bins);

/// Expected calibration error: mean over predictions of |confidence - accuracy| of their bin, `bins` of equal width. confidence, correct: [N]. NaN
/// where a confidence is not a number.
double calibration_error(const Tensor& confidence, const Tensor& correct, std::int64_t bins);

}  // namespace yatlab
