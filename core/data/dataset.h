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

/// Samples that are not stored as tensors (memory-mapped files, bytes instead of floats): `Batches` reads the samples that it needs.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual std::int64_t size() const = 0;
  /// Buffers for n samples on the CPU: uninitialised inputs and targets.
  virtual std::pair<Tensor, Tensor> buffers(std::int64_t n) const = 0;
  /// Reads sample rows[i] into position i of such buffers.
  virtual void read(const std::vector<std::int64_t>& rows, const Tensor& inputs, const Tensor& targets) const = 0;
  /// Announces rows that are likely to be read next, so that they can be prefetched from disk. Does not wait.
  virtual void expect(const std::vector<std::int64_t>& /*rows*/) const {}
};

/// One labelled set.
struct Split {
  Tensor inputs;   ///< [N, ...] float32
  Tensor targets;  ///< [N] int64 class indices (classification)
  /// Replaces both tensors, only for training text in several files; or supplements them where that makes gathering batches faster
  /// (core/data/byte_rows.h). Other code can ignore it.
  std::shared_ptr<const Rows> rows = {};

  std::int64_t size() const { return rows ? rows->size() : inputs.defined() ? inputs.size(0) : 0; }
  /// Returns this split, for code that requires its tensors. Throws a config error that names the code (`who`: "trainer.eval_train") if there are
  /// none.
  const Split& in_tensors(const std::string& who) const;
};

/// Where the data came from; goes into summary.json, captions and the scorecard.
struct Provenance {
  std::string name;             ///< "mnist"
  std::string sha256;           ///< over the files' checksums (or the generator's output)
  std::string tier;             ///< "local", "downloaded", "embedded"; followed by ", unauthenticated" if a file has no published checksum
  std::string substituted_for;  ///< "" or the canonical dataset that this one replaces
  std::vector<std::string> files;
};

/// The settings of a dataset's environment (`data:` in a config).
struct DataContext {
  std::filesystem::path root = "data";  ///< data.root
  /// data.search_path. Here and in `shared_path`, an entry `$NAME` means the folders in the
  /// environment variable (separated by ':'; none if it is not set).
  std::vector<std::filesystem::path> search_path;
  /// Searched after data.search_path: data shared by a lab next to its checkouts.
  std::vector<std::filesystem::path> shared_path = {"$YATLAB_DATA", "../shared/data"};
  bool require_real = false;  ///< data.require_real: a substitute is an error
  bool offline = false;       ///< data.offline: never download
  std::uint64_t seed = 0;     ///< only for generated data and seeded hold-outs

  /// Receives messages for the user (a download starts, a mirror fails, a substitute is used);
  /// unset: lines on stderr.
  std::function<void(const std::string& message)> notice;
  /// Receives the progress of a download: bytes so far and in total (-1 if unknown). May throw to abort;
  /// the received bytes are kept and the next attempt resumes there. Unset: silent.
  std::function<void(const std::string& file, std::int64_t bytes, std::int64_t total)> progress;
  /// Called during a download: true ends it with a file error and keeps the received bytes. Unset: never stopped.
  std::function<bool()> stop;
};

/// The properties of a dataset that are known before reading it; arms are checked against them when they are planned.
struct DataShape {
  enum class Inputs { kUnknown, kDense, kSparseRows, kTokens };
  enum class Targets { kUnknown, kClasses, kLabelSets, kTokens };
  Inputs inputs = Inputs::kUnknown;
  Targets targets = Targets::kUnknown;
  std::vector<std::int64_t> input_shape = {};  ///< of one input; empty: known only from the files
  std::int64_t num_classes = 0;                ///< classes, labels or tokens; 0: known only from the files
  std::vector<std::string> splits = {};        ///< their names; empty: known only from the files

  /// "train" and "test", and "validation" if samples are held back.
  static std::vector<std::string> usual_splits(bool validation = false);
};

/// A dataset. Construction is cheap; `load` reads it, after downloading if necessary.
class Dataset {
 public:
  virtual ~Dataset() = default;

  /// The shape that follows from the config alone. Unknown parts are not checked before the first job runs.
  virtual DataShape shape() const { return {}; }

  /// Reads all splits, at least "train" and "test". Throws a data error on failure.
  virtual std::map<std::string, Split> load(const DataContext& context) = 0;

  /// Available after `load`.
  virtual const Provenance& provenance() const = 0;

  /// Shape of one input without the batch dimension, e.g. {28, 28}.
  virtual std::vector<std::int64_t> input_shape() const = 0;
  virtual std::int64_t num_classes() const = 0;
  /// Names of the classes, for tables and figures.
  virtual std::vector<std::string> class_names() const;
};

YATLAB_KIND(Dataset, "dataset", "data to train and evaluate a model on")

}  // namespace yatlab
