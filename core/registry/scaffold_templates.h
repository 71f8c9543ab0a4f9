#pragma once

#include <string_view>

/// What `yatlab plugin new` writes: the files core/registry/templates/<kind>.{cpp,yaml}.in and <kind>_test.cpp.in, embedded. @name@ and @Class@ are
/// replaced. The build writes, compiles and tests one of each kind, to keep them correct. Templates in templates/project/ are the additional files
/// of a project outside the tree.
namespace yatlab::scaffold_templates {

extern const std::string_view kAnalysis, kAnalysisConfig, kAnalysisTest;
extern const std::string_view kArchitecture, kArchitectureConfig, kArchitectureTest;
extern const std::string_view kClaim, kClaimTest;
extern const std::string_view kDataset, kDatasetConfig, kDatasetTest;
extern const std::string_view kFeatureMap, kFeatureMapConfig, kFeatureMapTest;
extern const std::string_view kFigure, kFigureTest;
extern const std::string_view kInitializer, kInitializerConfig, kInitializerTest;
extern const std::string_view kLauncher, kLauncherConfig, kLauncherTest;
extern const std::string_view kNormalizer, kNormalizerConfig, kNormalizerTest;
extern const std::string_view kOperator, kOperatorConfig, kOperatorTest;
extern const std::string_view kOptimizer, kOptimizerConfig, kOptimizerTest;
extern const std::string_view kPruner, kPrunerConfig, kPrunerTest;
extern const std::string_view kSchedule, kScheduleConfig, kScheduleTest;
extern const std::string_view kStudy, kStudyTest;
extern const std::string_view kSweeper, kSweeperConfig, kSweeperTest;
extern const std::string_view kTask, kTaskConfig, kTaskTest;
extern const std::string_view kTracker, kTrackerConfig, kTrackerTest;

extern const std::string_view kProjectLists, kProjectReadme, kProjectPlugin, kProjectExperiment, kProjectOperatorExperiment,
    kProjectSequences, kProjectUntrained;
/// What `yatlab new paper` writes; only @name@ is replaced.
extern const std::string_view kPaper, kPaperExperiment;

}  // namespace yatlab::scaffold_templates
