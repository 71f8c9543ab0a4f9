#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/registry/registry.h"

namespace yatlab {

using at::Tensor;

/// Samples that lie in memory otherwise than as tensors (files mapped into it, bytes in place of floats): `Batches` reads those that it needs.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual std::int64_t size() const = 0;
  /// Room for n samples on the CPU: inputs and targets, uninitialised.
  virtual std::pair<Tensor, Tensor> buffers(std::int64_t n) const = 0;
  /// Sample rows[i] into place i of such buffers.
  virtual void read(const std::vector<std::int64_t>& rows, const Tensor& inputs, const Tensor& targets) const = 0;
  /// What is likely to be read next: time to ask the disk for it. Does not wait.
  virtual void expect(const std::vector<std::int64_t>& /*rows*/) const {}
};

/// One labelled set.
struct Split {
  Tensor inputs;   ///< [N, ...] float32
  Tensor targets;  ///< [N] int64 class indices (classification)
  /// In place of both tensors, in training text of several files alone; or beside them, where batches are gathered sooner from it
  /// (core/data/byte_rows.h). The rest of the program need not know.
  std::shared_ptr<const Rows> rows = {};

  std::int64_t size() const { return rows ? rows->size() : inputs.defined() ? inputs.size(0) : 0; }
  /// This split, for what cannot do without its tensors. Throws a config error that names it (`who`: "trainer.eval_train") when there
  /// are none.
  const Split& in_tensors(const std::string& who) const;
};

/// Where the data came from; goes into summary.json, captions and the scorecard.
struct Provenance {
  std::string name;             ///< "mnist"
  std::string sha256;           ///< over the files' checksums (or the generator's output)
  std::string tier;             ///< "local", "downloaded", "embedded"; ", unauthenticated" behind it: no sum is published of some file
  std::string substituted_for;  ///< "" or the canonical data set this one stands in for
  std::vector<std::string> files;
};

/// What a data set needs from its surroundings (`data:` in a config).
struct DataContext {
  std::filesystem::path root = "data";  ///< data.root
  /// data.search_path. Here and in `shared_path`, an entry `$NAME` stands for the folders that the
  /// environment variable holds (separated by ':', none when it is not set).
  std::vector<std::filesystem::path> search_path;
  /// Looked through after data.search_path: what a lab shares beside its checkouts.
  std::vector<std::filesystem::path> shared_path = {"$YATLAB_DATA", "../shared/data"};
  bool require_real = false;  ///< data.require_real: a substitute is an error
  bool offline = false;       ///< data.offline: never download
  std::uint64_t seed = 0;     ///< for generated data and seeded hold-outs only

  /// Told what a person must know (a download starts, a mirror fails, a substitute stands in);
  /// unset: lines on stderr.
  std::function<void(const std::string& message)> notice;
  /// Told how a download goes: bytes so far and in all (-1 when unknown). May throw to give up;
  /// what has arrived is kept and the next attempt goes on from there. Unset: silent.
  std::function<void(const std::string& file, std::int64_t bytes, std::int64_t total)> progress;
  /// Asked while a download goes on: true ends it with a file error, keeping what has arrived. Unset: nobody stops it.
  std::function<bool()> stop;
};

/// What is known of a data set before anything of it is read: what an arm is checked against when it is planned.
struct DataShape {
  enum class Inputs { kUnknown, kDense, kSparseRows, kTokens };
  enum class Targets { kUnknown, kClasses, kLabelSets, kTokens };
  Inputs inputs = Inputs::kUnknown;
  Targets targets = Targets::kUnknown;
  std::vector<std::int64_t> input_shape = {};  ///< of one input; empty: only the files tell
  std::int64_t num_classes = 0;                ///< classes, labels or tokens; 0: only the files tell
  std::vector<std::string> splits = {};        ///< their names; empty: only the files tell

  /// "train" and "test", and "validation" when samples are held back.
  static std::vector<std::string> usual_splits(bool validation = false);
};

/// A data set. Constructing one is cheap; `load` reads (fetching first if need be).
class Dataset {
 public:
  virtual ~Dataset() = default;

  /// What its config alone tells. What is left unknown is not checked before the first job runs.
  virtual DataShape shape() const { return {}; }

  /// Reads all splits, at least "train" and "test". Throws a data error when it cannot.
  virtual std::map<std::string, Split> load(const DataContext& context) = 0;

  /// Known after `load`.
  virtual const Provenance& provenance() const = 0;

  /// Shape of one input without the batch dimension, e.g. {28, 28}.
  virtual std::vector<std::int64_t> input_shape() const = 0;
  virtual std::int64_t num_classes() const = 0;
  /// Names of the classes, for tables and figures.
  virtual std::vector<std::string> class_names() const;
};

YATLAB_KIND(Dataset, "dataset", "what a model is trained and measured on")

}  // namespace yatlab
