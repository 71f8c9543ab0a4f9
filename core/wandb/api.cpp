#include "core/wandb/api.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/wandb/records.h"
#include "core/wandb/text.h"

namespace yatlab::wandb {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUpsert =
    "mutation UpsertBucket($name:String,$project:String,$entity:String,$groupName:String,$displayName:String,"
    "$notes:String,$commit:String,$config:JSONString,$host:String,$program:String,$repo:String,$jobType:String,"
    "$sweep:String,$tags:[String!]){upsertBucket(input:{name:$name,modelName:$project,entityName:$entity,"
    "groupName:$groupName,displayName:$displayName,notes:$notes,commit:$commit,config:$config,host:$host,"
    "jobProgram:$program,jobRepo:$repo,jobType:$jobType,sweep:$sweep,tags:$tags}){bucket{id name displayName sweepName "
    "historyLineCount project{name entity{name}}}inserted}}";
constexpr const char* kResume =
    "query RunResumeStatus($project:String,$entity:String,$name:String!){model(name:$project,entityName:$entity){"
    "bucket(name:$name,missingOk:true){id name summaryMetrics historyLineCount eventsLineCount logLineCount historyTail "
    "eventsTail config tags notes wandbConfig(keys:[\"t\"])}}}";
constexpr const char* kFiles =
    "mutation CreateRunFiles($entity:String!,$project:String!,$run:String!,$files:[String!]!){createRunFiles(input:{"
    "entityName:$entity,projectName:$project,runName:$run,files:$files}){runID uploadHeaders files{name uploadUrl}}}";
constexpr const char* kArtifact =
    "mutation CreateArtifact($entityName:String!,$projectName:String!,$runName:String,$artifactTypeName:String!,"
    "$artifactCollectionName:String,$digest:String!,$description:String,$metadata:JSONString,"
    "$aliases:[ArtifactAliasInput!],$clientID:ID,$sequenceClientID:ID){createArtifact(input:{entityName:$entityName,"
    "projectName:$projectName,runName:$runName,artifactTypeName:$artifactTypeName,"
    "artifactCollectionName:$artifactCollectionName,digest:$digest,digestAlgorithm:MANIFEST_MD5,"
    "description:$description,metadata:$metadata,aliases:$aliases,clientID:$clientID,"
    "sequenceClientID:$sequenceClientID,enableDigestDeduplication:true}){artifact{id state artifactSequence{id "
    "latestArtifact{id}}}}}";
constexpr const char* kManifest =
    "mutation CreateArtifactManifest($artifactID:ID!,$baseArtifactID:ID,$name:String!,$digest:String!,"
    "$entityName:String!,$projectName:String!,$runName:String!,$includeUpload:Boolean!,$type:ArtifactManifestType=FULL){"
    "createArtifactManifest(input:{artifactID:$artifactID,baseArtifactID:$baseArtifactID,name:$name,digest:$digest,"
    "entityName:$entityName,projectName:$projectName,runName:$runName,type:$type}){artifactManifest{id file{id name "
    "displayName uploadUrl @include(if:$includeUpload) uploadHeaders @include(if:$includeUpload)}}}}";
constexpr const char* kArtifactFiles =
    "mutation CreateArtifactFiles($storageLayout:ArtifactStorageLayout!,$artifactFiles:[CreateArtifactFileSpecInput!]!){"
    "createArtifactFiles(input:{artifactFiles:$artifactFiles,storageLayout:$storageLayout}){files{edges{node{id name "
    "displayName uploadUrl uploadHeaders artifact{id}}}}}}";
constexpr const char* kCommit =
    "mutation CommitArtifact($artifactID:ID!){commitArtifact(input:{artifactID:$artifactID}){artifact{id digest}}}";

std::string text_in(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) && json.at(key).is_string() ? json.at(key).get<std::string>() : "";
}

std::int64_t count_in(const Json& json, const char* key) {
  return json.contains(key) && json.at(key).is_number() ? json.at(key).get<std::int64_t>() : 0;
}

}  // namespace

Json Api::graphql(const char* name, const std::string& query, const Json& variables, bool conflict_is_transient) {
  HttpRequest request;
  request.url = settings_.base_url + "/graphql";
  request.headers = {"Content-Type: application/json"};
  request.body = json_text(Json{{"operationName", name}, {"query", query}, {"variables", variables}});
  const auto answer = http_.send(request);
  if (!answer.ok()) {
    throw ApiFailure(answer.transient() || (conflict_is_transient && answer.status == 409),
                     fmt::format("{}: {}{}", name, answer.describe(),
                                 answer.status == 401 || answer.status == 403 ? " (is the API key right for this server?)" : ""),
                     answer.retry_after);
  }
  const auto json = Json::parse(answer.body, nullptr, false);
  if (!json.is_object()) throw ApiFailure(true, fmt::format("{}: the server's answer is no JSON", name));
  if (json.contains("errors") && json.at("errors").is_array() && !json.at("errors").empty()) {
    throw ApiFailure(false, fmt::format("{}: {}", name, text_in(json.at("errors").at(0), "message")));
  }
  return json.value("data", Json::object());
}

bool run_exists(const Settings& settings, const std::string& id) {
  Api api(settings);
  return api.resume_status({settings.entity, settings.project, id, {}}).has_value();
}

RunAddress Api::upsert_run(const Json& variables) {
  const auto data = graphql("UpsertBucket", kUpsert, variables, true);
  try {
    const auto& bucket = data.at("upsertBucket").at("bucket");
    const auto& project = bucket.at("project");
    return {text_in(project.at("entity"), "name"), text_in(project, "name"), text_in(bucket, "name"), text_in(bucket, "displayName")};
  } catch (const Json::exception&) {
    throw ApiFailure(false, "UpsertBucket: the server's answer names no run");
  }
}

std::optional<ServerRun> Api::resume_status(const RunAddress& run) {
  const auto data =
      graphql("RunResumeStatus", kResume, {{"project", or_null(run.project)}, {"entity", or_null(run.entity)}, {"name", run.id}});
  const auto model = data.value("model", Json());
  if (!model.is_object()) return {};
  const auto bucket = model.value("bucket", Json());
  if (!bucket.is_object()) return {};
  const auto parsed = [](const std::string& text) { return Json::parse(text, nullptr, false); };
  auto started = bucket.value("wandbConfig", Json());
  if (started.is_string()) started = parsed(started.get<std::string>());
  if (!started.is_object() || !started.contains("t")) return {};  // made, but never begun
  ServerRun out;
  out.history_lines = count_in(bucket, "historyLineCount");
  out.event_lines = count_in(bucket, "eventsLineCount");
  out.console_lines = count_in(bucket, "logLineCount");
  const auto tail = parsed(text_in(bucket, "historyTail"));
  if (tail.is_array() && !tail.empty() && tail.back().is_string()) {
    // The row may hold bare NaN, which no JSON parser takes: look for the one number.
    const auto row = tail.back().get<std::string>();
    const auto at = row.find("\"_step\":");
    if (at != std::string::npos) out.last_step = std::strtoll(row.c_str() + at + 8, nullptr, 10);
  }
  return out;
}

bool Api::post_stream(const RunAddress& run, const std::string& body) {
  HttpRequest request;
  request.url = fmt::format("{}/files/{}/{}/{}/file_stream", settings_.base_url, url_part(run.entity), url_part(run.project),
                            url_part(run.id));
  request.headers = {"Content-Type: application/json"};
  request.body = body;
  const auto answer = http_.send(request);
  if (!answer.ok()) throw ApiFailure(answer.transient(), "file_stream: " + answer.describe(), answer.retry_after);
  const auto json = Json::parse(answer.body, nullptr, false);
  return json.is_object() && json.contains("stopped") && json.at("stopped").is_boolean() && json.at("stopped").get<bool>();
}

void Api::put(const std::string& url, const Json& headers, const UploadFile& file) {
  HttpRequest request;
  request.method = "PUT";
  request.url = !url.empty() && url[0] == '/' ? settings_.base_url + url : url;
  // Storage addresses are signed; the key is for W&B's own server alone.
  request.with_key = origin_of(request.url) == origin_of(settings_.base_url);
  if (headers.is_array()) {
    for (const auto& h : headers) {
      if (h.is_string()) request.headers.push_back(h.get<std::string>());
    }
  }
  request.file = file.path;
  request.body = file.bytes;
  const auto answer = http_.send(request);
  if (!answer.ok()) {
    throw ApiFailure(answer.transient(), fmt::format("upload of '{}': {}", file.name, answer.status == 0 ? answer.failure : fmt::format("HTTP {}", answer.status)),
                     answer.retry_after);
  }
}

void Api::upload(const RunAddress& run, const std::vector<UploadFile>& files) {
  if (files.empty()) return;
  Json names = Json::array();
  for (const auto& file : files) names.push_back(file.name);
  const auto data = graphql("CreateRunFiles", kFiles,
                            {{"entity", run.entity}, {"project", run.project}, {"run", run.id}, {"files", names}});
  const auto created = data.value("createRunFiles", Json::object());
  const auto list = created.value("files", Json::array());
  for (const auto& file : files) {
    const Json* found = nullptr;
    for (const auto& entry : list) {
      if (text_in(entry, "name") == file.name) found = &entry;
    }
    if (!found || text_in(*found, "uploadUrl").empty()) throw ApiFailure(false, fmt::format("the server takes no file '{}'", file.name));
    put(text_in(*found, "uploadUrl"), created.value("uploadHeaders", Json()), file);
  }
}

void Api::upload(const RunAddress& run, const pb::ArtifactRecord& a) {
  Json aliases = Json::array();
  for (const auto& alias : a.aliases()) aliases.push_back({{"artifactCollectionName", a.name()}, {"alias", alias}});
  auto data = graphql("CreateArtifact", kArtifact,
                      {{"entityName", run.entity},
                       {"projectName", run.project},
                       {"runName", run.id},
                       {"artifactTypeName", a.type()},
                       {"artifactCollectionName", a.name()},
                       {"digest", a.digest()},
                       {"description", or_null(a.description())},
                       {"metadata", or_null(a.metadata())},
                       {"aliases", aliases},
                       {"clientID", a.client_id()},
                       {"sequenceClientID", a.sequence_client_id()}});
  try {
    const auto artifact = data.at("createArtifact").at("artifact");
    if (text_in(artifact, "state") == "COMMITTED") return;  // the same files were sent before
    const auto id = artifact.at("id").get<std::string>();
    Json base;
    if (const auto sequence = artifact.value("artifactSequence", Json()); sequence.is_object()) {
      if (const auto latest = sequence.value("latestArtifact", Json()); latest.is_object()) base = latest.value("id", Json());
    }
    Json manifest_variables{{"artifactID", id},          {"baseArtifactID", base},   {"name", "wandb_manifest.json"},
                            {"digest", ""},              {"entityName", run.entity}, {"projectName", run.project},
                            {"runName", run.id},         {"includeUpload", false},   {"type", "FULL"}};
    data = graphql("CreateArtifactManifest", kManifest, manifest_variables);
    const auto manifest_id = data.at("createArtifactManifest").at("artifactManifest").at("id").get<std::string>();

    Json specs = Json::array(), contents = Json::object();
    for (const auto& entry : a.manifest().contents()) {
      specs.push_back({{"artifactID", id}, {"name", entry.path()}, {"md5", entry.digest()}, {"artifactManifestID", manifest_id}});
      contents[entry.path()] = {{"digest", entry.digest()}, {"size", entry.size()}, {"birthArtifactID", id}};
    }
    data = graphql("CreateArtifactFiles", kArtifactFiles, {{"storageLayout", "V2"}, {"artifactFiles", specs}});
    for (const auto& edge : data.at("createArtifactFiles").at("files").at("edges")) {
      const auto& node = edge.at("node");
      const auto url = text_in(node, "uploadUrl");
      if (url.empty()) continue;  // the server has these bytes
      const auto name = text_in(node, "name");
      for (const auto& entry : a.manifest().contents()) {
        if (entry.path() == name) put(url, node.value("uploadHeaders", Json()), {name, entry.local_path(), {}});
      }
    }
    const auto manifest = json_text({{"version", 1},
                                     {"storagePolicy", a.manifest().storage_policy()},
                                     {"storagePolicyConfig", {{"storageLayout", "V2"}}},
                                     {"contents", contents}});
    manifest_variables["digest"] = base64(md5(manifest));
    manifest_variables["includeUpload"] = true;
    data = graphql("CreateArtifactManifest", kManifest, manifest_variables);
    const auto file = data.at("createArtifactManifest").at("artifactManifest").at("file");
    if (const auto url = text_in(file, "uploadUrl"); !url.empty()) {
      put(url, file.value("uploadHeaders", Json()), {"wandb_manifest.json", {}, manifest});
    }
    graphql("CommitArtifact", kCommit, {{"artifactID", id}});
  } catch (const Json::exception&) {
    throw ApiFailure(false, fmt::format("artifact '{}': the server's answer was not understood", a.name()));
  }
}

}  // namespace yatlab::wandb
