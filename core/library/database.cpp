#include "core/library/database.h"

#include <sqlite3.h>

#include <cstring>
#include <limits>

#include "core/base/error.h"

namespace yatlab {
namespace {

[[noreturn]] void throw_sqlite(sqlite3* database, const char* sql) {
  throw Error(ErrorKind::kInternal, "the index of the runs cannot be used", {}, database ? sqlite3_errmsg(database) : "no memory", sql);
}

}  // namespace

Statement::Statement(sqlite3* database, const char* sql) : database_(database) {
  if (sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK) throw_sqlite(database, sql);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(std::int64_t value) {
  sqlite3_bind_int64(statement_, ++bound_, value);
  return *this;
}

Statement& Statement::bind(double value) {
  sqlite3_bind_double(statement_, ++bound_, value);
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  sqlite3_bind_text64(statement_, ++bound_, value.data() ? value.data() : "", value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(std::nullptr_t) {
  sqlite3_bind_null(statement_, ++bound_);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) throw_sqlite(database_, sqlite3_sql(statement_));
  return false;
}

void Statement::done() {
  step();
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_);
  bound_ = 0;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

double Statement::real(int column) const {
  return null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(statement_, column);
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))) : std::string();
}

bool Statement::null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

Database::Database() {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened, sqlite3_close_v2);
  if (code != SQLITE_OK) throw_sqlite(opened, "");
  // An untrusted file may contain views and triggers that call functions.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

std::optional<Database> Database::from(std::string_view bytes) {
  Database out;
  auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.empty() ? 1 : bytes.size()));
  if (!copy) return std::nullopt;
  std::memcpy(copy, bytes.data(), bytes.size());
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  // SQLite owns the copy, even on failure.
  if (sqlite3_deserialize(out.database_.get(), "main", copy, size, size, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) !=
      SQLITE_OK) {
    return std::nullopt;
  }
  return out;
}

void Database::run(const char* sql) {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) throw_sqlite(database_.get(), sql);
}

std::int64_t Database::last_key() const { return sqlite3_last_insert_rowid(database_.get()); }

std::string Database::bytes() const {
  sqlite3_int64 size = 0;
  std::unique_ptr<unsigned char, void (*)(void*)> copy(sqlite3_serialize(database_.get(), "main", &size, 0), sqlite3_free);
  return copy ? std::string(reinterpret_cast<const char*>(copy.get()), static_cast<std::size_t>(size)) : std::string();
}

}  // namespace yatlab
