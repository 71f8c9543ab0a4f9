#include "plugins/language/commands/sample_tokens.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/error.h"
#include "core/base/hash.h"

namespace yatlab {
namespace {

/// Draws an index into `logits` [V] (double).
std::int64_t draw(Tensor logits, const SampleOptions& o, std::mt19937_64& random) {
  if (o.vocabulary > 0) logits = logits.narrow(0, 0, std::min(o.vocabulary, logits.size(0)));
  const auto k = o.temperature == 0 ? 1 : o.top_k > 0 ? std::min(o.top_k, logits.size(0)) : logits.size(0);
  if (!at::isfinite(logits.max()).item<bool>()) {
    throw Error(ErrorKind::kJob, "the model's predictions are not finite", {}, "its training diverged", "use a model that did not diverge");
  }
  // In order of likelihood; of equal ones the first token comes first, so that the choice is the same everywhere.
  auto [sorted, numbers] = at::sort(logits, true, 0, true);
  if (o.temperature == 0) return numbers[0].item<std::int64_t>();
  const Tensor sums = at::softmax(sorted.narrow(0, 0, k) / o.temperature, 0).cumsum(0).contiguous();
  const double* const first = sums.data_ptr<double>();
  const double at = static_cast<double>(random() >> 11) * 0x1p-53 * first[k - 1];
  const auto place = std::min<std::int64_t>(std::upper_bound(first, first + k, at) - first, k - 1);
  return numbers[place].item<std::int64_t>();
}

}  // namespace

void check_sampling(const SampleOptions& o) {
  const auto refuse = [](const char* what, const char* hint) { throw config_error(what, "command line", {}, hint); };
  if (o.tokens < 1) refuse("--tokens must be positive", "--tokens 200");
  if (!(o.temperature >= 0) || !std::isfinite(o.temperature))
    refuse("--temperature must be a finite number that is not negative", "--temperature 0.8");
  if (o.top_k < 0) refuse("--top-k must not be negative", "--top-k 50, or --top-k 0 for all tokens");
}

std::vector<Token> sample_tokens(LanguageModel& model, std::vector<Token> text, const SampleOptions& o,
                                 const std::function<bool(Token)>& each) {
  if (text.empty() || o.context < 1) throw Error(ErrorKind::kInternal, "sampling needs a prompt and a context");
  check_sampling(o);
  const at::NoGradGuard no_grad;
  std::mt19937_64 random(derive_seed(o.seed, "sample"));
  const Tensor head = model.head();
  std::vector<Token> out;
  while (static_cast<std::int64_t>(out.size()) < o.tokens) {
    const auto seen = std::min<std::int64_t>(static_cast<std::int64_t>(text.size()), o.context);
    const std::vector<std::int64_t> window(text.end() - seen, text.end());
    const Tensor hidden = model.hidden(at::tensor(window, at::TensorOptions().dtype(at::kLong).device(head.device())).unsqueeze(0));
    const Tensor logits = at::matmul(head.to(hidden.scalar_type()), hidden[0][seen - 1]);
    const auto token = static_cast<Token>(draw(logits.to(at::kCPU, at::kDouble), o, random));
    if (o.stop && token == *o.stop) break;
    out.push_back(token);
    text.push_back(token);
    if (each && !each(token)) break;
  }
  return out;
}

}  // namespace yatlab
