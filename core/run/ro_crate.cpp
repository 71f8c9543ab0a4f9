#include "core/run/ro_crate.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/report/html_parts.h"

namespace yatlab {
namespace {

using Json = nlohmann::ordered_json;

const char* const kProgram = "#yatlab";

/// A reference to an entity.
Json to(const std::string& id) { return {{"@id", id}}; }

/// The identifier of a file: its path, percent-encoded.
std::string id_of(const std::string& name) { return html::link(name); }

std::string media_type(const std::string& name) {
  static const std::map<std::string, std::string> kTypes = {
      {".yaml", "application/yaml"}, {".json", "application/json"}, {".jsonl", "application/jsonl"}, {".md", "text/markdown"},
      {".csv", "text/csv"},          {".tex", "application/x-tex"}, {".svg", "image/svg+xml"},       {".pdf", "application/pdf"},
      {".png", "image/png"},         {".html", "text/html"},        {".sh", "application/x-sh"},     {".cff", "application/yaml"},
      {".gp", "text/plain"},         {".txt", "text/plain"},        {".pgf", "application/x-tex"}};
  if (name == "LICENSE") return "text/plain";
  const auto found = kTypes.find(lower(fs::path(name).extension().string()));
  return found == kTypes.end() ? "application/octet-stream" : found->second;
}

Json file_entity(const PackedFile& file) {
  const bool here = file.from.empty();
  return {{"@id", id_of(file.name)},
          {"@type", "File"},
          {"name", file.name},
          {"contentSize", std::to_string(here ? file.bytes.size() : size_of_file(file.from))},
          {"sha256", here ? sha256(file.bytes) : sha256_file(file.from)},
          {"encodingFormat", media_type(file.name)}};
}

/// Whether its text is that of Apache's licence 2.0.
bool is_apache(const std::vector<PackedFile>& files) {
  for (const auto& file : files) {
    if (file.name != "LICENSE") continue;
    const auto text = file.from.empty() ? file.bytes : read_file(file.from);
    return text.find("Apache License") != std::string::npos && text.find("Version 2.0") != std::string::npos;
  }
  return false;
}

}  // namespace

PersonName split_name(const std::string& name) {
  const auto whole = trim(name);
  if (const auto comma = whole.find(','); comma != std::string::npos) return {trim(whole.substr(comma + 1)), trim(whole.substr(0, comma))};
  const auto space = whole.rfind(' ');
  if (space == std::string::npos) return {{}, whole};
  return {trim(whole.substr(0, space)), whole.substr(space + 1)};
}

Json ro_crate(const Crate& crate, const std::vector<PackedFile>& files) {
  const bool apache = is_apache(files);
  const std::string license = apache ? "https://www.apache.org/licenses/LICENSE-2.0" : "LICENSE";
  Json root = {{"@id", "./"},
               {"@type", "Dataset"},
               {"name", crate.name},
               {"description", crate.description},
               {"datePublished", crate.date},
               {"license", to(license)},
               {"hasPart", Json::array()}};
  Json graph = Json::array();
  graph.push_back({{"@id", "ro-crate-metadata.json"},
                   {"@type", "CreativeWork"},
                   {"conformsTo", to("https://w3id.org/ro/crate/1.2")},
                   {"about", to("./")}});
  Json parts = Json::array();
  for (const auto& file : files) {
    root["hasPart"].push_back(to(id_of(file.name)));
    parts.push_back(file_entity(file));
  }
  root["mentions"] = Json::array({to(kProgram)});
  Json others = Json::array();
  Json program = {{"@id", kProgram}, {"@type", "SoftwareApplication"}, {"name", "Yatlab"}, {"softwareVersion", crate.version}};
  if (!crate.revision.empty()) program["version"] = crate.revision;
  if (!crate.repository.empty()) program["url"] = crate.repository;
  for (const auto& author : crate.authors) program["author"].push_back(author);
  others.push_back(std::move(program));
  if (apache) others.push_back({{"@id", license}, {"@type", "CreativeWork"}, {"name", "Apache License 2.0"}});
  if (!crate.paper.empty()) {
    const auto id = crate.link.empty() ? "#paper" : crate.link;
    root["citation"] = to(id);
    Json paper = {{"@id", id}, {"@type", "ScholarlyArticle"}, {"name", crate.paper}};
    if (!crate.link.empty()) paper["url"] = crate.link;
    std::size_t number = 0;
    for (const auto& author : crate.paper_authors) {
      const auto [given, family] = split_name(author);
      const auto who = fmt::format("#author-{}", ++number);
      paper["author"].push_back(to(who));
      Json person = {{"@id", who}, {"@type", "Person"}, {"name", given.empty() ? family : given + " " + family}};
      if (!given.empty()) person["givenName"] = given, person["familyName"] = family;
      others.push_back(std::move(person));
    }
    others.push_back(std::move(paper));
  }
  std::set<std::string> addresses, names;
  for (const auto& data : crate.data) {
    auto id = "#data-" + html::link(data.name);
    if (!names.insert(data.name).second) id += "-" + data.sha256.substr(0, 8);
    root["mentions"].push_back(to(id));
    Json entity = {{"@id", id}, {"@type", "Dataset"}, {"name", data.name}};
    if (!data.sha256.empty()) entity["identifier"] = "sha256:" + data.sha256;
    for (const auto& address : data.addresses) {
      entity["distribution"].push_back(to(address));
      if (addresses.insert(address).second) others.push_back({{"@id", address}, {"@type", "DataDownload"}, {"contentUrl", address}});
    }
    others.push_back(std::move(entity));
  }
  for (const auto& made : crate.made) {
    const auto id = "#run-" + html::link(made.id);
    root["mentions"].push_back(to(id));
    others.push_back({{"@id", id},
                      {"@type", "CreateAction"},
                      {"name", made.id},
                      {"instrument", to(kProgram)},
                      {"object", to(id_of(made.from))},
                      {"result", to(id_of(made.result))}});
  }
  graph.push_back(std::move(root));
  for (auto& part : parts) graph.push_back(std::move(part));
  for (auto& other : others) graph.push_back(std::move(other));
  return {{"@context", "https://w3id.org/ro/crate/1.2/context"}, {"@graph", std::move(graph)}};
}

}  // namespace yatlab
