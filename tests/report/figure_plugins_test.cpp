// The figure plugins need no Torch; compiled in here they register themselves with this test's own registry, so that
// they can be tested without building the rest.
#include "plugins/figures/learning_curves.cpp"
#include "plugins/figures/paper_comparison.cpp"
#include "plugins/figures/prototypes.cpp"
#include "plugins/figures/similarity.cpp"
#include "plugins/figures/sweep_heatmap.cpp"
#include "plugins/figures/sweep_lines.cpp"
