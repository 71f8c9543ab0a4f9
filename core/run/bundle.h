#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/node.h"
#include "core/compose/identity.h"
#include "core/run/ro_crate.h"
#include "core/run/zip_file.h"

namespace yatlab {

/// An experiment in a bundle.
struct BundledExperiment {
  std::string name;
  std::string file;         ///< its YAML in the bundle
  fs::path recorded;        ///< folder with its summary.json, tables and figures: of a run, or of a paper's report
  std::string place;        ///< where those are in the bundle: "results/xor"
  fs::path run = {};        ///< its run's own folder, if that is another one and still there
  std::string run_at = {};  ///< where that is in the bundle
};

/// What to bundle.
struct BundleRequest {
  std::string title;                      ///< of the paper or experiment
  std::string paper, link;                ///< title and address of the paper; "" for a run
  std::vector<std::string> authors = {};  ///< of the paper: "Given Family" or "Family, Given"; empty if unknown
  std::string recorded;                   ///< the folder in the bundle with EXPERIMENT/summary.json: "results/paper"
  std::vector<BundledExperiment> experiments;
  std::vector<PackedFile> sources;   ///< experiments, configs, claims
  fs::path pages = {};               ///< folder whose own files are bundled too: a paper's pages
  std::vector<Node> catalogue = {};  ///< configs of data sets, for addresses
  std::string license, citation;     ///< texts of LICENSE and CITATION.cff; without the latter "" leaves the file out
  std::string rules = {};            ///< text of docs/results.md, which a paper's pages link to; "" leaves it out
  std::string version;               ///< of the program
  std::string repository;            ///< where the program can be cloned; "" if unknown
  bool checkpoints = false;
};

struct Bundle {
  std::vector<PackedFile> files;  ///< sorted by name
  SourceRevision revision;        ///< of the program that reproduce.sh takes
};

/// All files of a bundle: experiments, results, LICENSE, CITATION.cff, environment.json, data.json, README.md, reproduce.sh
/// and ro-crate-metadata.json. They depend on the request and the files that it names alone. Throws a data error for a record without
/// summary.json.
Bundle make_bundle(const BundleRequest& request);

/// A CITATION.cff that also refers to the paper. Unchanged if it does already, or has its references on one line.
std::string with_reference(const std::string& citation, const std::string& paper, const std::string& link,
                           const std::vector<std::string>& authors = {});

/// environment.json of a run without what names a machine or its folders: the host, the path of the data.
nlohmann::ordered_json public_environment(nlohmann::ordered_json environment);

/// The script that runs recorded jobs again. `experiments`: their files in the bundle.
std::string reproduce_script(const std::string& recorded, const std::vector<std::string>& experiments, const std::string& revision,
                             const std::string& repository);

/// Why a bundle does not say where the program can be cloned: git has no `origin`, or only a local path.
std::string no_repository_text(const std::string& origin);

/// The address without a user's name or password; "" for a folder on this machine, which others cannot clone.
std::string public_address(const std::string& remote);

}  // namespace yatlab
