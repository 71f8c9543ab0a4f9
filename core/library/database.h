#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace yatlab {

/// One prepared SQL statement. Values are only ever bound, never pasted into its text.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// The next parameter. Text may hold any bytes.
  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view value);
  Statement& bind(std::nullptr_t);
  /// Goes to the next row; false behind the last one.
  bool step();
  /// For a statement that gives no rows: does it, and makes it ready to be bound again.
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

/// An SQLite database in memory, which can be had as the bytes of a file and made from them. No file is ever held open: there is no lock to
/// wait for, no journal to be left behind, and any file system will do.
class Database {
 public:
  Database();  ///< empty
  /// Nothing when the bytes are not database.
  static std::optional<Database> from(std::string_view bytes);

  void run(const char* sql);
  Statement prepare(const char* sql) const { return {database_.get(), sql}; }
  std::int64_t last_key() const;
  std::string bytes() const;

 private:
  std::shared_ptr<sqlite3> database_;
};

}  // namespace yatlab
