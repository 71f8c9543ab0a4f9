#pragma once

#include <string>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

class ArmCheck;
struct ArmNames;
struct JobContext;
struct JobResult;

/// One of the jobs of an arm at a point, for example one of its `claims`.
struct JobPart {
  std::string key;  ///< its key in the config and the parameters: "claim"; "" if the arm is a single job
  Node value;       ///< completed
};

/// A type of job: what determines its result, which checks come before it runs, and how it runs.
class JobType {
 public:
  virtual ~JobType() = default;

  /// "training", as in job.yaml.
  virtual std::string name() const = 0;
  /// For messages: "checking a claim" does not follow trainer.epochs.
  virtual std::string activity() const = 0;
  /// The experiment keys that determine its result.
  virtual std::vector<std::string> frozen_keys() const = 0;
  /// Whether any part of it depends on `trainer.<key>`.
  virtual bool follows_trainer(const std::string& key) const { return key == "threads"; }
  /// The source file that implements it. That file and its includes are part of the identity of such jobs.
  virtual std::string source() const = 0;

  /// Completes lists of components in a resolved experiment. Config errors if it lacks something that such jobs need.
  virtual void complete(Node& experiment, const std::string& arm) const = 0;
  /// The jobs of a completed experiment at one point.
  virtual std::vector<JobPart> parts(const Node&) const { return {{}}; }
  /// Config errors for settings that cannot work; otherwise returns what will be measured.
  virtual ArmNames check(ArmCheck& arm) const = 0;

  /// Runs the job in its folder and resumes where an earlier attempt stopped. May throw.
  virtual JobResult run(const JobContext& context) const = 0;
};

/// All of them.
const std::vector<const JobType*>& job_types();
/// By name; data error for an unknown one.
const JobType& job_type(const std::string& name);
/// The job type of a resolved experiment: claims and studies are not trained, everything else is.
const JobType& job_type_of(const Node& experiment);

const JobType& training_job();
const JobType& study_job();
const JobType& claim_job();
/// Planned together with a training, never alone: job_type_of does not return it.
const JobType& analysis_job();

}  // namespace yatlab
