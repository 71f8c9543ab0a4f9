#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/data/byte_pairs.h"
#include "core/data/dataset.h"
#include "core/model/language_model.h"
#include "core/model/token_loss.h"

namespace yatlab {

/// How one long text is cut into what a model takes at once.
struct WindowOptions {
  std::int64_t context = 0;  ///< tokens that the model sees at most
  std::int64_t stride =
      0;  ///< from window to window, 1 to context: a token is predicted from at least context - stride tokens, at the text's beginning aside
  std::int64_t batch = 8;  ///< windows at once
  std::int64_t bins = 15;  ///< of the calibration error
};

/// What a model says of a text.
struct TextScores {
  std::int64_t tokens = 0;       ///< predicted: all but the first
  double nats = 0;               ///< -log p, of all of them
  double accuracy = 0, ece = 0;  ///< NaN, as `nats` is, where a score of the model is not a finite number
};

/// Windows begin every `stride` tokens, and of each only those tokens are counted that none before has predicted: every token but the first
/// counts once. With stride = context windows do not overlap. Throws a config error for a text of fewer than two tokens, or a stride beyond the context.
TextScores score_text(LanguageModel& model, const std::vector<Token>& text, const WindowOptions& options);

/// What a model says of a split's targets, `batch` samples at a time and without gradients: take(samples, their scores, sample by sample). `block`: as of
/// token_scores.
void score_split(LanguageModel& model, const Split& split, std::int64_t batch, std::int64_t block,
                 const std::function<void(std::int64_t samples, const TokenScores& scores)>& take);

/// In which of `bins` of equal width each confidence lies: [N] int64. What is not a number counts as 0.
Tensor confidence_bins(const Tensor& confidence, std::int64_t bins);

/// Mean over predictions of |confidence - accuracy| of their bin, `bins` of equal width. confidence, correct: [N]. NaN where a confidence is not a number.
double calibration_error(const Tensor& confidence, const Tensor& correct, std::int64_t bins);

}  // namespace yatlab
