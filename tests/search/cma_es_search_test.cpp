#include "plugins/search/sweepers/cma_es_search.h"

#include "plugins/search/sweepers/random_search.h"
#include "search/support.h"

using namespace yatlab;
using namespace yatlab::testing;

namespace {

/// Minimum 0, at rate = 0.01, layers = 6, width = 300.
Problem numbers() {
  return {"numbers",
          {{real("rate", 1e-5, 1, true), integer("layers", 1, 12), integer("width", 16, 1024, true)}, {}},
          [](const SearchPoint& p) {
            const double rate = std::log10(p[0]) + 2, width = std::log2(p[2] / 300);
            return rate * rate + 0.1 * (p[1] - 6) * (p[1] - 6) + 0.3 * width * width;
          },
          {}};
}

}  // namespace

TEST_CASE("CMA-ES meets the contract of search methods") {
  keeps_its_promises<CmaEsSearch>(branin());
  keeps_its_promises<CmaEsSearch>(numbers());
}

TEST_CASE("CMA-ES finds minima that random search does not") {
  struct Case {
    Problem problem;
    double good;
  };
  const Case cases[] = {{sphere(1), 1e-5}, {sphere(4), 0.4}, {branin(), 0.42}, {hartmann6(), -2.8}, {numbers(), 0.01}};
  for (const auto& c : cases) {
    INFO(c.problem.name);
    CHECK(typical_best<RandomSearch>({}, c.problem, 130, 11) > c.good);
    CHECK(typical_best<CmaEsSearch>({}, c.problem, 130, 11) < c.good);
  }
}

TEST_CASE("CMA-ES has the documented population size") {
  const auto of = [](std::int64_t population, std::size_t n) {
    CmaEsSearch::Params params;
    params.population = population;
    return CmaEsSearch(params).independent(sphere(n).space);
  };
  CHECK(of(0, 1) == 4);
  CHECK(of(0, 2) == 6);
  CHECK(of(0, 4) == 8);
  CHECK(of(0, 10) == 10);
  CHECK(of(7, 4) == 7);
  CHECK_THROWS_AS(of(1, 4), Error);
  CmaEsSearch::Params two;
  two.population = 2;
  CHECK(best_of(search(CmaEsSearch(two), sphere(2), 150)) < 0.1);
}

TEST_CASE("CMA-ES rejects categorical parameters") {
  try {
    CmaEsSearch({}).independent(conditional().space);
    FAIL("a categorical parameter was accepted");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kConfig);
    CHECK(e.where() == "kind");
    CHECK(e.hint().find("tpe") != std::string::npos);
  }
  CHECK_THROWS_AS(CmaEsSearch({}).ask(conditional().space, {}), Error);
}

TEST_CASE("CMA-ES depends only on ranks within complete generations") {
  const auto problem = sphere(2);  // 6 points per generation
  const CmaEsSearch method({});
  const auto trials = search(method, problem, 60);
  auto others = trials;
  for (auto& t : others) t.value = std::exp(t.value) - 50;
  CHECK(method.ask(problem.space, others) == method.ask(problem.space, trials));

  const auto first = [&](std::size_t n) { return std::vector<Trial>(trials.begin(), trials.begin() + static_cast<std::ptrdiff_t>(n)); };
  // A generation's results do not affect the rest of it, but fully determine the next.
  for (const std::size_t n : {std::size_t{15}, std::size_t{17}, std::size_t{18}}) {
    auto changed = first(n);
    std::swap(changed[12].value, changed[14].value);
    CHECK((method.ask(problem.space, changed) == trials[n].point) == (n < 18));
  }
  // While one result is missing, neither its generation nor later ones count.
  auto waiting = first(24);
  waiting[13].state = Trial::State::kRunning;
  const auto before = method.ask(problem.space, waiting);
  CHECK(before != trials[24].point);
  for (std::size_t i = 12; i < 24; ++i) waiting[i].value = -waiting[i].value;
  CHECK(method.ask(problem.space, waiting) == before);
  waiting[3].value += 1e6;
  waiting[4].value -= 1e6;
  CHECK(method.ask(problem.space, waiting) != before);
}

TEST_CASE("CMA-ES works with several concurrent trials") {
  // Results arrive after six further proposals.
  const auto problem = sphere(3);
  std::vector<double> found;
  for (std::int64_t seed = 1; seed <= 9; ++seed) {
    CmaEsSearch::Params params;
    params.seed = seed;
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < 150; ++i) {
      if (i >= 6) {
        trials[i - 6].state = Trial::State::kCompleted;
        trials[i - 6].value = problem.value(trials[i - 6].point);
      }
      trials.push_back({CmaEsSearch(params).ask(problem.space, trials), Trial::State::kRunning, -1e9});
      for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(trials[j].point == trials[i].point);
    }
    for (auto& t : trials) t.value = problem.value(t.point);
    found.push_back(best_of(trials));
  }
  INFO(middle_of(found));
  CHECK(middle_of(found) < 0.15);
}

TEST_CASE("CMA-ES ranks failed trials last and pruned ones below completed ones") {
  const auto problem = sphere(1);
  const auto after = [&](Trial::State state, double value) {
    double sum = 0;
    for (std::int64_t seed = 0; seed < 40; ++seed) {
      CmaEsSearch::Params params;
      params.seed = seed;
      std::vector<Trial> trials;
      while (trials.size() < 8) {
        Trial trial{CmaEsSearch(params).ask(problem.space, trials), Trial::State::kCompleted, 1.0 * static_cast<double>(trials.size() % 3)};
        if (trial.point[0] < 0) {
          trial.state = state;
          trial.value = value;
        }
        trials.push_back(trial);
      }
      sum += CmaEsSearch(params).ask(problem.space, trials)[0] / 40;
    }
    return sum;
  };
  // If they are good, the distribution moves to the left; it starts at 0 with a deviation of 2.
  CHECK(after(Trial::State::kCompleted, -100) < -1);
  for (const auto state : {Trial::State::kFailed, Trial::State::kPruned}) CHECK(after(state, -100) > 1);
  CHECK(after(Trial::State::kCompleted, std::nan("")) > 1);

  // A generation that failed changes nothing.
  const CmaEsSearch method({});
  auto trials = search(method, problem, 4);
  for (auto& t : trials) t.state = Trial::State::kFailed;
  auto running = trials;
  for (auto& t : running) t.state = Trial::State::kRunning;
  CHECK(method.ask(problem.space, trials) == method.ask(problem.space, running));
}

TEST_CASE("CMA-ES learns from other trials and ignores missing coordinates") {
  const auto problem = sphere(2);
  double with = 0, without = 0;
  for (std::int64_t seed = 0; seed < 20; ++seed) {
    RandomSearch::Params random;
    CmaEsSearch::Params params;
    random.seed = params.seed = seed;
    const auto trials = search(RandomSearch(random), problem, 36);
    with += problem.value(CmaEsSearch(params).ask(problem.space, trials));
    without += problem.value(CmaEsSearch(params).ask(problem.space, {}));
  }
  INFO(with << " and " << without);
  CHECK(with < 0.5 * without);

  const CmaEsSearch method({});
  auto trials = search(method, problem, 18);
  const auto next = method.ask(problem.space, trials);
  trials[3].point[1] = trials[8].point[0] = std::nan("");
  CHECK(method.ask(problem.space, trials) == next);
  // For points from another distribution, the centre is used.
  for (auto& t : trials) t.point = {4.9, std::nan("")};
  double first = 0, second = 0;
  for (std::int64_t seed = 0; seed < 20; ++seed) {
    CmaEsSearch::Params params;
    params.seed = seed;
    const auto point = CmaEsSearch(params).ask(problem.space, trials);
    first += point[0] / 20;
    second += point[1] / 20;
  }
  INFO(first << ", " << second);
  CHECK(first > 2);
  CHECK(std::abs(second) < 1);

  // Points far from the current distribution move it by one step, not all the way.
  double sum = 0;
  for (std::int64_t seed = 0; seed < 10; ++seed) {
    CmaEsSearch::Params params;
    params.seed = seed;
    trials = search(CmaEsSearch(params), problem, 120);
    for (std::size_t i = 114; i < 120; ++i) {
      trials[i].point = {-4.9, 4.9};
      trials[i].value = -1;
    }
    sum += problem.value(CmaEsSearch(params).ask(problem.space, trials));
  }
  INFO(sum);
  CHECK(sum < 30);
}

TEST_CASE("CMA-ES finds minima at the boundary and keeps varying integers") {
  Problem corner{"corner", sphere(3).space, [](const SearchPoint& x) { return x[0] - x[1] + x[2] + 15; }, {}};
  CHECK(typical_best<CmaEsSearch>({}, corner, 150, 9) < 0.3);

  // The integer hardly matters at first, when its deviation may collapse: it must still move when it matters.
  Problem flag{"flag",
               {{real("x", -5, 5), integer("n", 0, 9)}, {}},
               [](const SearchPoint& p) { return (p[0] - 2) * (p[0] - 2) + 0.01 * (p[1] - 8) * (p[1] - 8); },
               {}};
  for (std::int64_t seed = 0; seed < 20; ++seed) {
    CmaEsSearch::Params params;
    params.seed = seed;
    const auto trials = search(CmaEsSearch(params), flag, 240);
    CHECK(best_of(trials) < 1e-5);
    const auto others = std::count_if(trials.end() - 60, trials.end(), [](const Trial& t) { return t.point[1] != 8; });
    CHECK(others >= 1);
    CHECK(others <= 30);
  }
}
