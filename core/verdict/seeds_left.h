#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace yatlab {

/// How many seeds a curve's mean covers, and from where it covers fewer.
class SeedsLeft {
 public:
  /// Records that a seed (0, 1, ...) logged a value at `x`, and whether it was finite. Each seed's calls in ascending order of `x`.
  void add(std::size_t seed, double x, bool finite);

  /// A place where the number of seeds changes.
  struct Change {
    double x = 0;
    bool after = false;  ///< the seed's log ends there with a finite value; else its value at `x` stops or resumes being finite
    std::size_t left = 0;
  };
  std::vector<Change> changes() const;

  /// "4 of 5 seeds from step 130, 3 after step 500"; "" if the number never changes, and for one seed. `unit`: "step".
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
