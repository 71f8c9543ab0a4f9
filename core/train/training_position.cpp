#include "core/train/training_position.h"

#include <ATen/ATen.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/model/build_model.h"

namespace yatlab {
namespace {

nlohmann::ordered_json to_json(const Metrics& metrics) {
  // Doubles are stored as text that reads back to the same bits.
  nlohmann::ordered_json j = nlohmann::ordered_json::object();
  for (const auto& [name, value] : metrics) j[name] = format_double(value);
  return j;
}

Metrics metrics_of(const nlohmann::json& j) {
  Metrics out;
  for (const auto& [name, value] : j.items()) out[name] = std::strtod(value.get<std::string>().c_str(), nullptr);
  return out;
}

}  // namespace

void BestSoFar::keep(const Architecture& from) {
  const auto now = model_tensors(from);
  if (model.empty()) {
    for (const auto& [name, tensor] : now) model.emplace_back("best/" + name, tensor.clone());
  }
  for (std::size_t i = 0; i < now.size(); ++i) model[i].second.copy_(now[i].second);
}

void BestSoFar::restore(const Architecture& to) const {
  const auto into = model_tensors(to);
  at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < into.size(); ++i) {
    Tensor tensor = into[i].second;
    tensor.copy_(model[i].second);
  }
}

void TrainingPosition::add_loss(double mean, std::int64_t samples) {
  loss_sum += mean * static_cast<double>(samples);
  loss_count += samples;
}

void TrainingPosition::restart_mean() {
  loss_sum = 0;
  loss_count = 0;
}

std::string TrainingPosition::to_text(const HistoryMark& history) const {
  nlohmann::ordered_json j{{"step", step},
                           {"loss_sum", loss_sum},
                           {"loss_count", loss_count},
                           {"target_step", target_step},
                           {"history", history.position},
                           {"history_sha256", history.sha256}};
  if (evaluations_without_learning > 0) j["useless"] = evaluations_without_learning;
  if (!metrics.empty()) j["metrics"] = to_json(metrics);
  if (best.step >= 0) {
    j["best"] = {{"step", best.step}, {"epoch", best.epoch}, {"waited", best.waited}, {"restored", restored}};
    j["best"]["metrics"] = to_json(best.metrics);
  }
  return dump_json(j, 2) + "\n";
}

TrainingPosition TrainingPosition::from_text(const std::string& text, HistoryMark& history) {
  const auto j = parse_json(text);
  TrainingPosition p;
  p.step = j.at("step");
  p.loss_sum = j.at("loss_sum");
  p.loss_count = j.at("loss_count");
  p.target_step = j.at("target_step");
  history = {j.at("history"), j.at("history_sha256")};
  p.evaluations_without_learning = j.value("useless", std::int64_t{0});
  if (j.contains("metrics")) p.metrics = metrics_of(j.at("metrics"));
  if (j.contains("best")) {
    const auto& b = j.at("best");
    p.best.step = b.at("step");
    p.best.epoch = b.at("epoch");
    p.best.waited = b.at("waited");
    p.best.metrics = metrics_of(b.at("metrics"));
    p.restored = b.at("restored");
  }
  return p;
}

}  // namespace yatlab
