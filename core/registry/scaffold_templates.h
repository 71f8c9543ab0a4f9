#pragma once

#include <string_view>

/// What `yatlab plugin new` writes: the files core/registry/templates/<kind>.{cpp,yaml}.in and <kind>_test.cpp.in, built in. @name@ and @Class@ are
/// replaced. The build writes, compiles and tests one of each kind, so that these stay true.
namespace yatlab::scaffold_templates {

extern const std::string_view kAnalysis, kAnalysisConfig, kAnalysisTest;
extern const std::string_view kArchitecture, kArchitectureConfig, kArchitectureTest;
extern const std::string_view kClaim, kClaimTest;
extern const std::string_view kDataset, kDatasetConfig, kDatasetTest;
extern const std::string_view kInitializer, kInitializerConfig, kInitializerTest;
extern const std::string_view kNormalizer, kNormalizerConfig, kNormalizerTest;
extern const std::string_view kOperator, kOperatorConfig, kOperatorTest;
extern const std::string_view kStudy, kStudyTest;

}  // namespace yatlab::scaffold_templates
