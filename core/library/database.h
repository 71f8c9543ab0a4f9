#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace yatlab {

/// One prepared SQL statement. Values are always bound, never inserted into its text.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds the next parameter. Text may hold any bytes.
  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view value);
  Statement& bind(std::nullptr_t);
  /// Advances to the next row; false after the last one.
  bool step();
  /// Runs a statement that returns no rows, and resets it for new bindings.
  void done();
  void reset();

  std::int64_t integer(int column) const;
  double real(int column) const;  ///< NaN for NULL
  std::string text(int column) const;
  bool null(int column) const;

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// An in-memory SQLite database, which can be converted to and from the bytes of a file. No file stays open: there is no lock to
/// wait for and no leftover journal, and any file system works.
class Database {
 public:
  Database();  ///< empty
  /// Nullopt if the bytes are not a database.
  static std::optional<Database> from(std::string_view bytes);

  void run(const char* sql);
  Statement prepare(const char* sql) const { return {database_.get(), sql}; }
  std::int64_t last_key() const;
  std::string bytes() const;

 private:
  std::shared_ptr<sqlite3> database_;
};

}  // namespace yatlab
