#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/run/zip_file.h"

namespace yatlab {

/// What the metadata of a bundle say beside its files.
struct Crate {
  std::string name, description;
  std::string date;                             ///< "2026-11-29"
  std::string version;                          ///< of Yatlab
  std::string revision;                         ///< of its sources; "" if unknown
  std::string repository;                       ///< their address; "" if unknown
  std::string paper, link;                      ///< title and address of the paper that is reproduced; "" without
  std::vector<std::string> authors = {};        ///< of the software
  std::vector<std::string> paper_authors = {};  ///< "Given Family" or "Family, Given"

  /// Data that were trained on.
  struct Data {
    std::string name, sha256;  ///< a name with what distinguishes it from others of the same data set
    std::vector<std::string> addresses;
  };
  std::vector<Data> data = {};

  /// A run: the files that it was made from, and its result, as names of files in the bundle.
  struct Made {
    std::string id, from, result;
  };
  std::vector<Made> made = {};
};

/// A person's name; without a given name it is all in `family`.
struct PersonName {
  std::string given, family;
};
/// Of "Given Family", whose last word is the family name, or "Family, Given".
PersonName split_name(const std::string& name);

/// ro-crate-metadata.json (RO-Crate 1.2) of a folder with these files, which must contain LICENSE: each with its size, SHA-256 and media
/// type.
nlohmann::ordered_json ro_crate(const Crate& crate, const std::vector<PackedFile>& files);

}  // namespace yatlab
