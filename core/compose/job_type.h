#pragma once

#include <string>
#include <vector>

#include "core/base/node.h"

namespace yatlab {

class ArmCheck;
struct ArmNames;
struct JobContext;
struct JobResult;

/// One of the jobs that an arm comes to at a point: each of its `claims`.
struct JobPart {
  std::string key;  ///< of the job's config and parameters, "claim"; "" when the arm is one job
  Node value;       ///< completed
};

/// What a kind of job is: what decides its result, what it must be able to do before anything runs, and how it runs.
class JobType {
 public:
  virtual ~JobType() = default;

  /// "training": in job.yaml.
  virtual std::string name() const = 0;
  /// For messages: "checking a claim" does not follow trainer.epochs.
  virtual std::string activity() const = 0;
  /// The keys of an experiment that decide its result.
  virtual std::vector<std::string> frozen_keys() const = 0;
  /// Whether anything of it follows `trainer.<key>`.
  virtual bool follows_trainer(const std::string& key) const { return key == "threads"; }
  /// The file that says how it runs; with what that includes, it belongs to the identity of such jobs.
  virtual std::string source() const = 0;

  /// Completes lists of components in a resolved experiment. Config errors where it lacks what such jobs need.
  virtual void complete(Node& experiment, const std::string& arm) const = 0;
  /// The jobs of a completed experiment at one point.
  virtual std::vector<JobPart> parts(const Node&) const { return {{}}; }
  /// Config errors for what cannot work; else what will be measured.
  virtual ArmNames check(ArmCheck& arm) const = 0;

  /// Does the job in its folder, going on where an earlier attempt stopped. May throw.
  virtual JobResult run(const JobContext& context) const = 0;
};

/// All of them.
const std::vector<const JobType*>& job_types();
/// By name; throws a data error for another.
const JobType& job_type(const std::string& name);
/// What a resolved experiment's jobs are: claims and studies stand alone, everything else trains.
const JobType& job_type_of(const Node& experiment);

const JobType& training_job();
const JobType& study_job();
const JobType& claim_job();
/// Planned with a training, never alone: job_type_of gives none.
const JobType& analysis_job();

}  // namespace yatlab
