#include "core/model/text_scores.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace yatlab {

void score_split(LanguageModel& model, const Split& split, std::int64_t batch, std::int64_t block,
                 const std::function<void(std::int64_t samples, const TokenScores& scores)>& take) {
  const at::NoGradGuard no_grad;
  for (std::int64_t begin = 0; begin < split.size(); begin += batch) {
    const auto samples = std::min(batch, split.size() - begin);
    const Tensor hidden = model.hidden(split.inputs.narrow(0, begin, samples));
    const Tensor targets = token_numbers(split.targets.narrow(0, begin, samples)).flatten();
    take(samples, token_scores(hidden.flatten(0, 1), model.head().to(hidden.scalar_type()), targets, block, model.vocabulary()));
  }
}

Tensor confidence_bins(const Tensor& confidence, std::int64_t bins) {
  const Tensor place = at::nan_to_num(confidence.to(at::kDouble) * static_cast<double>(bins), 0.0);
  return place.floor().clamp(0, static_cast<double>(bins - 1)).to(at::kLong);
}

double calibration_error(const Tensor& confidence, const Tensor& correct, std::int64_t bins) {
  const Tensor sure = confidence.to(at::kCPU, at::kDouble), right = correct.to(at::kCPU, at::kDouble);
  return at::zeros({bins}, sure.options()).index_add(0, confidence_bins(sure, bins), sure - right).abs().sum().item<double>() /
         static_cast<double>(sure.size(0));
}

TextScores score_text(LanguageModel& model, const std::vector<Token>& text, const WindowOptions& o) {
  if (o.stride < 1 || o.stride > o.context) {
    throw config_error(fmt::format("windows of {} tokens cannot be {} apart", o.context, o.stride), "--stride", {},
                       fmt::format("use a stride from 1 to {}", o.context));
  }
  const auto n = static_cast<std::int64_t>(text.size());
  if (n < 2) throw config_error(fmt::format("the text has {} tokens: there is nothing to predict", n), "--text");
  const at::NoGradGuard no_grad;
  const Tensor all = at::empty({n}, at::kLong);
  std::copy(text.begin(), text.end(), all.data_ptr<std::int64_t>());
  const auto device = model.head().device();
  std::vector<Tensor> losses, confidences, corrects;
  // Windows of the same shape: their first tokens, their length, and the index of the first token that counts.
  std::vector<std::int64_t> begins;
  std::int64_t length = 0, from = 0;
  const auto score = [&] {
    if (begins.empty()) return;
    std::vector<Tensor> inputs, targets;
    for (const auto begin : begins) {
      inputs.push_back(all.narrow(0, begin, length));
      targets.push_back(all.narrow(0, begin + 1 + from, length - from));
    }
    const Tensor hidden = model.hidden(at::stack(inputs).to(device)).narrow(1, from, length - from);
    const auto scores = token_scores(hidden.flatten(0, 1), model.head().to(hidden.scalar_type()), at::stack(targets).flatten().to(device),
                                     512, model.vocabulary());
    losses.push_back(scores.loss.to(at::kCPU, at::kDouble));
    confidences.push_back(scores.confidence.to(at::kCPU));
    corrects.push_back(scores.correct.to(at::kCPU));
    begins.clear();
  };
  std::int64_t done = 0;  // tokens 1 .. done are predicted
  for (std::int64_t begin = 0; done < n - 1; begin += o.stride) {
    const auto own_length = std::min(o.context, n - 1 - begin), own_from = done - begin;
    if (own_length != length || own_from != from || static_cast<std::int64_t>(begins.size()) == o.batch) score();
    length = own_length;
    from = own_from;
    begins.push_back(begin);
    done = begin + own_length;
  }
  score();
  TextScores out;
  const Tensor correct = at::cat(corrects);
  out.tokens = correct.size(0);
  out.nats = at::cat(losses).sum().item<double>();
  out.accuracy = std::isnan(out.nats) ? out.nats : correct.to(at::kDouble).mean().item<double>();
  out.ece = calibration_error(at::cat(confidences), correct, o.bins);
  return out;
}

}  // namespace yatlab
