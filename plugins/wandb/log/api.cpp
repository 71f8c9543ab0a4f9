#include "plugins/wandb/log/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string_view>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "plugins/wandb/log/records.h"
#include "plugins/wandb/log/text.h"

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
constexpr const char* kUse = "mutation UseArtifact($input:UseArtifactInput!){useArtifact(input:$input){artifact{id}}}";
constexpr const char* kAlert =
    "mutation NotifyScriptableRunAlert($entityName:String!,$projectName:String!,$runName:String!,$title:String!,$text:String!,"
    "$severity:AlertSeverity=INFO,$waitDuration:Duration){notifyScriptableRunAlert(input:{entityName:$entityName,"
    "projectName:$projectName,runName:$runName,title:$title,text:$text,severity:$severity,waitDuration:$waitDuration}){success}}";

constexpr std::size_t kAtOnce = 12;  // concurrent requests in each lane

std::int64_t count_in(const Json& json, const char* key) {
  return json.contains(key) && json.at(key).is_number_integer() ? json.at(key).get<std::int64_t>() : 0;
}

/// The "Name: value" texts of the field `uploadHeaders`.
std::vector<std::string> headers_in(const Json& json) {
  std::vector<std::string> out;
  const auto list = json.value("uploadHeaders", Json());
  if (!list.is_array()) return out;
  for (const auto& h : list) {
    if (h.is_string()) out.push_back(h.get<std::string>());
  }
  return out;
}

}  // namespace

double steady_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double Backoff::failed(double now, double retry_after, double started) {
  if (retry_after >= 0) server_ready_at_ = std::max(server_ready_at_, now + std::min(retry_after, 600.0));
  if (started >= last_) {
    static thread_local std::minstd_rand random{std::random_device{}()};
    const double jitter = std::uniform_real_distribution<double>(1, 1.25)(random);
    const double wait = std::min(longest_, first_ * std::pow(2.0, std::min(failures_, 30))) * jitter;
    ++failures_;
    last_ = now;
    ready_at_ = retry_after >= 0 ? 0 : now + wait;
  }
  return std::max(0.0, ready_at() - now);
}

void Backoff::worked(double started) {
  if (started < last_) return;
  failures_ = 0;
  ready_at_ = 0;
}

Api::Api(const Settings& settings, double retry_seconds, double longest_retry)
    : settings_(settings),
      http_(settings.key, settings.http_timeout),
      lanes_{Lane(retry_seconds, longest_retry), Lane(retry_seconds, longest_retry)} {}

void Api::add(LaneName lane, std::shared_ptr<Job> job) { lanes_[lane].waiting.push_back(std::move(job)); }

// Starts all requests that may start.
void Api::pump() {
  for (const auto name : {kServerLane, kFileLane}) {
    auto& lane = lanes_[name];
    while (!lane.waiting.empty() && lane.backoff.ready(steady_now())) {
      // After a failure only one request is tried at first.
      if (lane.running >= (lane.backoff.failures() > 0 ? 1 : kAtOnce)) break;
      auto job = std::move(lane.waiting.front());
      lane.waiting.pop_front();
      ++lane.running;
      job->started = steady_now();
      http_.start(job->request, [this, name, job](const HttpAnswer& answer) { ended(name, job, answer); });
    }
  }
}

void Api::run(double seconds) {
  pump();
  double wait = seconds;
  for (const auto& lane : lanes_) {
    if (!lane.waiting.empty() && lane.running == 0) wait = std::min(wait, std::max(0.001, lane.backoff.ready_at() - steady_now()));
  }
  http_.run(wait);
  pump();
}

void Api::ended(LaneName lane_name, const std::shared_ptr<Job>& job, const HttpAnswer& answer) {
  auto& lane = lanes_[lane_name];
  --lane.running;
  const double now = steady_now();
  bool transient = answer.transient() || (job->conflict_is_transient && answer.status == 409);
  std::string failure;
  Json json;
  if (!answer.ok()) {
    // A storage server's answer does not help the user, and may quote a signed address.
    failure = lane_name == kFileLane && answer.status != 0 ? fmt::format("HTTP {}", answer.status) : answer.describe();
    failure = fmt::format(
        "{}: {}{}", job->name, failure,
        job->request.with_key && (answer.status == 401 || answer.status == 403) ? " (is the API key right for this server?)" : "");
  } else if (lane_name == kServerLane && !answer.body.empty()) {
    json = parse_ordered_json(answer.body, false);
    if (json.is_discarded()) {
      transient = true;
      failure = fmt::format("{}: the server's answer is not JSON", job->name);
    }
  }
  if (failure.empty() || !transient) {
    lane.backoff.worked(job->started);
    answered_at_ = now;
    return failure.empty() ? job->then(answer, json) : job->failed(ApiFailure(false, failure));
  }
  lane.backoff.failed(now, answer.retry_after, job->started);
  // If W&B's own server stores the files, its Retry-After holds for all requests to it.
  if (lane_name == kFileLane && answer.retry_after >= 0 && origin_of(job->request.url) == origin_of(settings_.base_url)) {
    lanes_[kServerLane].backoff.failed(now, answer.retry_after, job->started);
  }
  if (lane_name == kServerLane) last_failure_ = failure;
  if (!job->retry) return job->failed(ApiFailure(true, failure, answer.retry_after));
  lane.waiting.push_front(job);
}

void Api::graphql(const char* name, const std::string& query, const Json& variables, Then<Json> then, Failed failed, bool once) {
  auto job = std::make_shared<Job>();
  job->name = name;
  job->request.url = settings_.base_url + "/graphql";
  job->request.headers = {"Content-Type: application/json"};
  job->request.body = json_text(Json{{"operationName", name}, {"query", query}, {"variables", variables}});
  job->retry = !once;
  job->conflict_is_transient = std::string_view(name) == "UpsertBucket";
  job->failed = failed;
  job->then = [name, then = std::move(then), failed](const HttpAnswer&, const Json& json) {
    try {
      if (!json.is_object()) return failed(ApiFailure(false, fmt::format("{}: the server's answer is empty", name)));
      if (json.contains("errors") && json.at("errors").is_array() && !json.at("errors").empty()) {
        return failed(ApiFailure(false, fmt::format("{}: {}", name, text_in(json.at("errors").at(0), "message"))));
      }
      const auto data = json.value("data", Json());
      then(data.is_object() ? data : Json::object());
    } catch (const Json::exception&) {
      failed(ApiFailure(false, fmt::format("{}: the server's answer was not understood", name)));
    }
  };
  add(kServerLane, std::move(job));
}

bool run_exists(const Settings& settings, const std::string& id) {
  Api api(settings);
  std::optional<bool> exists;
  std::optional<ApiFailure> failure;
  api.resume_status(
      {settings.entity, settings.project, id, {}, false}, [&](const std::optional<ServerRun>& run) { exists = run.has_value(); },
      [&](const ApiFailure& f) { failure = f; }, true);
  while (!exists && !failure) api.run(1);
  if (failure) throw *failure;
  return *exists;
}

void Api::upsert_run(const Json& variables, Then<RunAddress> then, Failed failed) {
  graphql(
      "UpsertBucket", kUpsert, variables,
      [then = std::move(then)](const Json& data) {
        const auto& payload = data.at("upsertBucket");
        const auto& bucket = payload.at("bucket");
        const auto& project = bucket.at("project");
        RunAddress run{text_in(project.at("entity"), "name"), text_in(project, "name"), text_in(bucket, "name"),
                       text_in(bucket, "displayName"), false};
        run.inserted = payload.contains("inserted") && payload.at("inserted").is_boolean() && payload.at("inserted").get<bool>();
        then(run);
      },
      std::move(failed));
}

void Api::resume_status(const RunAddress& run, Then<std::optional<ServerRun>> then, Failed failed, bool once) {
  graphql(
      "RunResumeStatus", kResume, {{"project", or_null(run.project)}, {"entity", or_null(run.entity)}, {"name", run.id}},
      [then = std::move(then)](const Json& data) {
        const auto model = data.value("model", Json());
        const auto bucket = model.is_object() ? model.value("bucket", Json()) : Json();
        if (!bucket.is_object()) return then({});
        const auto parsed = [](const std::string& text) { return parse_ordered_json(text, false); };
        auto started = bucket.value("wandbConfig", Json());
        if (started.is_string()) started = parsed(started.get<std::string>());
        if (!started.is_object() || !started.contains("t")) return then({});  // created, but never started
        ServerRun out;
        out.history_lines = count_in(bucket, "historyLineCount");
        out.event_lines = count_in(bucket, "eventsLineCount");
        out.console_lines = count_in(bucket, "logLineCount");
        const auto tail = parsed(text_in(bucket, "historyTail"));
        if (tail.is_array() && !tail.empty() && tail.back().is_string()) {
          // The row may hold bare NaN, which no JSON parser accepts, so search for the one number.
          const auto row = tail.back().get<std::string>();
          const auto at = row.find("\"_step\":");
          if (at != std::string::npos) out.last_step = std::strtoll(row.c_str() + at + 8, nullptr, 10);
        }
        then(out);
      },
      std::move(failed), once);
}

void Api::post_stream(const RunAddress& run, std::string body, Then<bool> then, Failed failed) {
  auto job = std::make_shared<Job>();
  job->name = "file_stream";
  job->request.url =
      fmt::format("{}/files/{}/{}/{}/file_stream", settings_.base_url, url_part(run.entity), url_part(run.project), url_part(run.id));
  job->request.headers = {"Content-Type: application/json"};
  job->request.body = std::move(body);
  job->failed = std::move(failed);
  job->then = [then = std::move(then)](const HttpAnswer&, const Json& json) {
    then(json.is_object() && json.contains("stopped") && json.at("stopped").is_boolean() && json.at("stopped").get<bool>());
  };
  add(kServerLane, std::move(job));
}

void Api::place_files(const RunAddress& run, const std::vector<std::string>& names, Then<std::vector<UploadPlace>> then, Failed failed) {
  graphql(
      "CreateRunFiles", kFiles, {{"entity", run.entity}, {"project", run.project}, {"run", run.id}, {"files", names}},
      [names, then = std::move(then)](const Json& data) {
        const auto& created = data.at("createRunFiles");
        const auto headers = headers_in(created);
        std::map<std::string, std::string> urls;
        for (const auto& entry : created.at("files")) urls[text_in(entry, "name")] = text_in(entry, "uploadUrl");
        std::vector<UploadPlace> out;
        for (const auto& name : names) out.push_back({urls[name], headers});
        then(out);
      },
      std::move(failed));
}

void Api::put(const UploadPlace& place, const UploadFile& file, Then<> then, Failed failed) {
  auto job = std::make_shared<Job>();
  job->name = fmt::format("upload of '{}'", file.name);
  job->request.method = "PUT";
  job->request.url = !place.url.empty() && place.url[0] == '/' ? settings_.base_url + place.url : place.url;
  // Addresses are signed for the given headers: send neither our key nor further headers.
  job->request.with_key = false;
  job->request.headers = place.headers;
  job->request.file = file.path;
  job->request.body = file.bytes;
  job->retry = false;
  job->failed = std::move(failed);
  job->then = [then = std::move(then)](const HttpAnswer&, const Json&) { then(); };
  add(kFileLane, std::move(job));
}

void Api::alert(const RunAddress& run, const pb::AlertRecord& a, Then<> then, Failed failed) {
  graphql(
      "NotifyScriptableRunAlert", kAlert,
      {{"entityName", run.entity},
       {"projectName", run.project},
       {"runName", run.id},
       {"title", a.title()},
       {"text", a.text()},
       {"severity", a.level()},
       {"waitDuration", a.wait_duration()}},
      [then = std::move(then)](const Json&) { then(); }, std::move(failed));
}

/// The steps that create an artifact, one after another.
struct Api::ArtifactUpload : std::enable_shared_from_this<ArtifactUpload> {
  Api& api;
  const RunAddress run;
  const pb::ArtifactRecord record;
  const Then<> then;
  const Failed failed;
  std::string key;  // identifies an artifact that the run uses; empty for one that it made
  std::string id, manifest_id, manifest;
  std::map<std::string, std::string> born;  // ids of the artifacts that hold the files' bytes already, by file name
  Json base, manifest_variables;
  std::size_t open = 0;  // files being uploaded
  std::optional<ApiFailure> fault;

  ArtifactUpload(Api& a, RunAddress r, pb::ArtifactRecord rec, Then<> t, Failed f)
      : api(a), run(std::move(r)), record(std::move(rec)), then(std::move(t)), failed(std::move(f)) {
    if (record.use_after_commit()) key = fmt::format("{}/{}/{}", run.entity, run.project, record.client_id());
  }

  void start() {
    if (key.empty()) return create();
    if (const auto known = api.inputs_.find(key); known != api.inputs_.end()) {
      id = known->second;
      return use();
    }
    // When several runs start together, one creates the artifact and the others wait.
    if (const auto made = api.being_made_.find(key); made != api.being_made_.end()) {
      made->second.push_back([self = shared_from_this()] { self->start(); });
      return;
    }
    api.being_made_[key];
    create();
  }
  /// Resumes the waiting runs: they use the artifact, or try to create it themselves.
  void let_go() {
    const auto made = api.being_made_.find(key);
    if (key.empty() || made == api.being_made_.end()) return;
    const auto waiting = std::move(made->second);
    api.being_made_.erase(made);
    for (const auto& next : waiting) next();
  }
  void fail(const ApiFailure& f) {
    failed(ApiFailure(f.transient(), fmt::format("artifact '{}': {}", record.name(), f.what()), f.retry_after()));
    let_go();
  }
  void ask(const char* name, const char* query, const Json& variables, void (ArtifactUpload::*next)(const Json&)) {
    api.graphql(
        name, query, variables, [self = shared_from_this(), next](const Json& data) { ((*self).*next)(data); },
        [self = shared_from_this()](const ApiFailure& f) { self->fail(f); });
  }

  void create() {
    Json aliases = Json::array();
    for (const auto& alias : record.aliases()) aliases.push_back({{"artifactCollectionName", record.name()}, {"alias", alias}});
    ask("CreateArtifact", kArtifact,
        {{"entityName", run.entity},
         {"projectName", run.project},
         {"runName", record.user_created() ? Json() : Json(run.id)},  // the run that made it
         {"artifactTypeName", record.type()},
         {"artifactCollectionName", record.name()},
         {"digest", record.digest()},
         {"description", or_null(record.description())},
         {"metadata", or_null(record.metadata())},
         {"aliases", aliases},
         {"clientID", record.client_id()},
         {"sequenceClientID", record.sequence_client_id()}},
        &ArtifactUpload::created);
  }
  void created(const Json& data) {
    const auto& artifact = data.at("createArtifact").at("artifact");
    id = artifact.at("id").get<std::string>();
    if (text_in(artifact, "state") == "COMMITTED") return committed(data);  // the same files were uploaded before
    if (const auto sequence = artifact.value("artifactSequence", Json()); sequence.is_object()) {
      if (const auto latest = sequence.value("latestArtifact", Json()); latest.is_object()) base = latest.value("id", Json());
    }
    manifest_variables = {{"artifactID", id},  {"baseArtifactID", base},   {"name", "wandb_manifest.json"},
                          {"digest", ""},      {"entityName", run.entity}, {"projectName", run.project},
                          {"runName", run.id}, {"includeUpload", false},   {"type", "FULL"}};
    ask("CreateArtifactManifest", kManifest, manifest_variables, &ArtifactUpload::named);
  }
  void named(const Json& data) {
    manifest_id = data.at("createArtifactManifest").at("artifactManifest").at("id").get<std::string>();
    Json specs = Json::array();
    for (const auto& entry : record.manifest().contents()) {
      if (!entry.ref().empty()) continue;
      specs.push_back({{"artifactID", id}, {"name", entry.path()}, {"md5", entry.digest()}, {"artifactManifestID", manifest_id}});
    }
    if (specs.empty()) return send_manifest();
    ask("CreateArtifactFiles", kArtifactFiles, {{"storageLayout", "V2"}, {"artifactFiles", specs}}, &ArtifactUpload::placed);
  }
  void placed(const Json& data) {
    ++open;
    for (const auto& edge : data.at("createArtifactFiles").at("files").at("edges")) {
      const auto& node = edge.at("node");
      const auto url = text_in(node, "uploadUrl");
      const auto name = text_in(node, "name");
      // The artifact with which the server first received these bytes.
      if (const auto first = node.value("artifact", Json()); first.is_object() && !text_in(first, "id").empty())
        born[name] = text_in(first, "id");
      if (url.empty()) continue;  // the server has the bytes
      for (const auto& entry : record.manifest().contents()) {
        if (entry.path() != name) continue;
        ++open;
        api.put(
            {url, headers_in(node)}, {name, entry.local_path(), {}}, [self = shared_from_this()] { self->file_ended(); },
            [self = shared_from_this()](const ApiFailure& f) {
              if (!self->fault || self->fault->transient()) self->fault = f;
              self->file_ended();
            });
      }
    }
    file_ended();
  }
  void file_ended() {
    if (--open > 0) return;
    fault ? fail(*fault) : send_manifest();
  }
  void send_manifest() {
    Json contents = Json::object();
    for (const auto& entry : record.manifest().contents()) {
      auto& item = contents[entry.path()] = {{"digest", entry.digest()}, {"size", entry.size()}};
      if (entry.ref().empty()) {
        const auto first = born.find(entry.path());
        item["birthArtifactID"] = first == born.end() ? id : first->second;
      } else {
        item["ref"] = entry.ref();
      }
    }
    manifest = json_text({{"version", 1},
                          {"storagePolicy", record.manifest().storage_policy()},
                          {"storagePolicyConfig", {{"storageLayout", "V2"}}},
                          {"contents", contents}});
    manifest_variables["digest"] = base64(md5(manifest));
    manifest_variables["includeUpload"] = true;
    ask("CreateArtifactManifest", kManifest, manifest_variables, &ArtifactUpload::manifest_placed);
  }
  void manifest_placed(const Json& data) {
    const auto& file = data.at("createArtifactManifest").at("artifactManifest").at("file");
    const auto url = text_in(file, "uploadUrl");
    if (url.empty()) return commit();
    api.put(
        {url, headers_in(file)}, {"wandb_manifest.json", {}, manifest}, [self = shared_from_this()] { self->commit(); },
        [self = shared_from_this()](const ApiFailure& f) { self->fail(f); });
  }
  void commit() { ask("CommitArtifact", kCommit, {{"artifactID", id}}, &ArtifactUpload::committed); }
  void committed(const Json&) {
    if (key.empty()) return then();
    api.inputs_[key] = id;
    use();
    let_go();
  }
  void use() {
    ask("UseArtifact", kUse,
        {{"input", {{"entityName", run.entity}, {"projectName", run.project}, {"runName", run.id}, {"artifactID", id}}}},
        &ArtifactUpload::used);
  }
  void used(const Json&) { then(); }
};

void Api::upload(const RunAddress& run, const pb::ArtifactRecord& artifact, Then<> then, Failed failed) {
  std::make_shared<ArtifactUpload>(*this, run, artifact, std::move(then), std::move(failed))->start();
}

}  // namespace yatlab::wandb
