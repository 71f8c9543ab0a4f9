// What search methods find in functions with known minima: a Markdown table. docs/search.md says how to run it and what came out.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/count.h"
#include "plugins/search/sweepers/cma_es_search.h"
#include "plugins/search/sweepers/random_search.h"
#include "plugins/search/sweepers/sobol_search.h"
#include "plugins/search/sweepers/tpe_search.h"
#include "tests/search/functions.h"

namespace {

using namespace yatlab;
using namespace yatlab::testing;

struct Method {
  std::string name;
  std::function<std::unique_ptr<SearchMethod>(std::int64_t seed)> make;
  bool choices;
};

template <class T>
Method method(const std::string& name, bool choices = true, typename T::Params params = {}) {
  return {name,
          [params](std::int64_t seed) {
            auto own = params;
            own.seed = seed;
            return std::make_unique<T>(own);
          },
          choices};
}

constexpr std::size_t kBudgets[] = {25, 50, 100};

/// The best value after each budget.
using Found = std::vector<double>;

std::string number(double x) { return fmt::format("{:.3g}", x); }

/// The median, and in parentheses the quartiles.
std::string spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double p) {
    const double at = p * static_cast<double>(values.size() - 1);
    const auto i = static_cast<std::size_t>(at);
    const double next = values[std::min(i + 1, values.size() - 1)];
    return values[i] + (at - static_cast<double>(i)) * (next - values[i]);
  };
  return fmt::format("{} ({} to {})", number(quantile(0.5)), number(quantile(0.25)), number(quantile(0.75)));
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t seeds = count_of(argc, argv, "SEEDS", 50);
  TpeSearch::Params separate;
  separate.multivariate = false;
  const Method methods[] = {method<RandomSearch>("random"), method<SobolSearch>("sobol"), method<TpeSearch>("tpe"),
                            method<TpeSearch>("tpe, multivariate=false", true, separate), method<CmaEsSearch>("cma_es", false)};
  const Problem problems[] = {sphere(), rosenbrock(), branin(), hartmann6(), noisy_sphere(), conditional()};
  fmt::print("| function | method | 25 trials | 50 trials | 100 trials | beats random after 25, 50, 100 |\n|:--|:--|:--|:--|:--|:--|\n");
  for (const auto& problem : problems) {
    const auto& parameters = problem.space.parameters;
    const bool choices = std::any_of(parameters.begin(), parameters.end(),
                                     [](const SearchParameter& p) { return p.kind == SearchParameter::Kind::kChoice; });
    std::vector<Found> random;
    for (const auto& m : methods) {
      if (choices && !m.choices) continue;
      std::vector<Found> found;
      for (std::int64_t seed = 0; seed < seeds; ++seed) {
        const auto trials = search(*m.make(seed), problem, kBudgets[2]);
        Found best;
        for (const auto budget : kBudgets) best.push_back(truth_of_best(problem, trials, budget));
        found.push_back(best);
      }
      if (random.empty()) random = found;
      std::string row = fmt::format("| {} | {} |", problem.name, m.name), wins;
      for (std::size_t b = 0; b < 3; ++b) {
        std::vector<double> values;
        std::size_t won = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
          values.push_back(found[i][b]);
          won += found[i][b] < random[i][b];
        }
        row += fmt::format(" {} |", spread(values));
        wins += fmt::format("{}{:.0f} %", b > 0 ? ", " : "", 100.0 * static_cast<double>(won) / static_cast<double>(found.size()));
      }
      fmt::print("{} {} |\n", row, m.name == "random" ? "" : wins);
    }
  }
}
