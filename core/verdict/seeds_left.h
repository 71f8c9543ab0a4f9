#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

/// Over how many seeds the mean of a curve goes, and from where on over fewer.
class SeedsLeft {
 public:
  /// That a seed (0, 1, ...) logged something at `x`, and whether it was a finite number. A seed's own in ascending order.
  void add(std::size_t seed, double x, bool finite);

  /// Where the number changes.
  struct Change {
    double x = 0;
    bool after = false;  ///< the seed's log ends there, with a number; else what it logs at `x` is none, or one again
    std::size_t left = 0;
  };
  std::vector<Change> changes() const;

  /// "4 of 5 seeds from step 130, 3 after step 500"; "" where it is the same number everywhere, and of one seed. `unit`: "step".
  std::string text(const std::string& unit) const;

 private:
  struct Seed {
    bool any = false, in = true;
    double last = 0;
    std::vector<std::pair<double, bool>> changes;
  };
  std::size_t seeds() const;
  std::vector<Seed> seeds_;
};

}  // namespace yatlab
