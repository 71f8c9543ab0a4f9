#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/model/initializer.h"
#include "core/ops/operator.h"

namespace yatlab {

struct BuildContext;

/// Fills `parameter` from the random stream (seed, "init/<purpose>", index): the same bytes whatever else is initialised, and in whatever order.
/// Vectors are passed to the initializer as [n, 1].
void initialize(Tensor& parameter, const ComponentRef& initializer, std::uint64_t seed, const std::string& purpose,
                std::uint64_t index = 0);
/// The same for weights on a model's inputs: initializers that start from training samples receive those of `context`.
void initialize(Tensor& parameter, const ComponentRef& initializer, const BuildContext& context, const std::string& purpose);

/// Number of elements of one sample.
std::int64_t flat_size(const std::vector<std::int64_t>& input_shape);

/// The operator's observables as "model/<name>"; empty for null.
std::map<std::string, double> operator_observables(const std::shared_ptr<Operator>& op);

}  // namespace yatlab
