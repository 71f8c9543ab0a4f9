#include "core/verdict/document_difference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace yatlab {

std::optional<DocumentDifference> document_difference(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b,
                                                      const std::vector<double>& tokens) {
  const auto fits = [&](const std::vector<std::vector<double>>& losses) {
    for (const auto& of_seed : losses) {
      if (of_seed.size() != tokens.size()) return false;
    }
    return losses.size() == a.size();
  };
  if (!fits(a) || !fits(b)) throw Error(ErrorKind::kInternal, "losses of documents need one number for each seed and document");
  const auto seeds = a.size(), documents = tokens.size();
  if (seeds < 2 || documents < 2) return std::nullopt;
  const double all = std::accumulate(tokens.begin(), tokens.end(), 0.0), n = static_cast<double>(seeds), m = static_cast<double>(documents);
  std::vector<double> of_seed(seeds), of_document(documents);
  for (std::size_t s = 0; s < seeds; ++s) {
    for (std::size_t d = 0; d < documents; ++d) {
      of_seed[s] += (a[s][d] - b[s][d]) / all;
      of_document[d] += (a[s][d] - b[s][d]) / n;
    }
  }
  DocumentDifference out{mean(of_seed), {}, seeds, documents};
  double squares = 0;
  for (std::size_t d = 0; d < documents; ++d) squares += std::pow(of_document[d] - out.difference * tokens[d], 2);
  const double over_seeds = std::pow(*sample_std(of_seed), 2) / n, over_documents = m / (m - 1) * squares / (all * all);
  const double variance = over_seeds + over_documents;
  const double dof =
      variance == 0 ? 1 : variance * variance / (over_seeds * over_seeds / (n - 1) + over_documents * over_documents / (m - 1));
  // Satterthwaite's degrees of freedom can make the sum of both look more certain than one part.
  const double half = std::max(t_quantile(0.975, dof) * std::sqrt(variance), t_quantile(0.975, n - 1) * std::sqrt(over_seeds));
  out.ci95 = {out.difference - half, out.difference + half};
  return out;
}

}  // namespace yatlab
