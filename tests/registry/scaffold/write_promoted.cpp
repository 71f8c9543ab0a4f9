// Writes formulas as C++ operators below the given folder, like `yatlab plugin promote`.

#include "core/config/yaml.h"
#include "plugins/formula/commands/promoted_operator.h"
#include "registry/scaffold/what_changed.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return keep_what_changed(argv[1], [](const yatlab::fs::path& fresh) {
    const std::vector<std::pair<const char*, const char*>> formulas = {
        {"promoted_yat", "{name: formula, f: 'dot^2 / (dist2 + eps)', eps: 1.0e-3}"},
        {"promoted_plain", "{name: formula, f: '1 / (1 + dist)'}"},
        {"promoted_rows",
         "{name: formula, f: 'exp(-sum(abs(x - w)^p)^(1/p) / s) + max(x * w + 1) * c - mean(min(x, 2)^2 + w / d) + sum(where(x > w and not "
         "x < n, x, -w))', p: 1.5, "
         "parameters: {s: {start: 3, positive: true}, c: {start: -2}}}"},
        {"promoted_signs",
         "{name: formula, f: 'where(cos > 0.1 or xx == ww, sqrt(xx), 0.5)^2 - ww / n + (dot + 1)^3 * log(1 + dist2 + a1) * (2 + "
         "tanh(dot))^a1 - min(dist, d, "
         "relu(dot)) + sum(dot, 1) + mean(abs(dot), log10(xx + 1)) + sigmoid(dot) - -dot', a1: 0.25}"}};
    std::vector<yatlab::fs::path> files;
    for (const auto& [name, spec] : formulas) {
      const auto texts = yatlab::promoted_operator(yatlab::parse_yaml(spec, name));
      for (auto& file : yatlab::scaffold("operator", name, fresh, &texts)) files.push_back(std::move(file));
    }
    return files;
  });
}
