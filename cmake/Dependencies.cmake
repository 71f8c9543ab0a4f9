# Every dependency is found, never vendored or downloaded. README lists each with its reason.

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Sloppiness as ccache's manual asks for precompiled headers. Depend mode: without it every miss would
  # preprocess LibTorch's headers a second time.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(PNG REQUIRED)
find_package(CURL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Boost REQUIRED COMPONENTS program_options)

# protobuf's lite runtime, linked statically where it can be: some LibTorch builds export another protobuf's symbols.
find_program(YATLAB_PROTOC protoc REQUIRED)
find_library(YATLAB_PROTOBUF_LITE NAMES libprotobuf-lite.a protobuf-lite REQUIRED)
find_path(YATLAB_PROTOBUF_INCLUDE google/protobuf/message_lite.h REQUIRED)

# Neither comes with a CMake package in Debian 12.
find_path(PCRE2_INCLUDE_DIR pcre2.h REQUIRED)
find_library(PCRE2_LIBRARY pcre2-8 REQUIRED)
find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_package(Torch REQUIRED)

# C++17, raised only when the headers of the Torch that was found refuse it.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
file(WRITE ${CMAKE_BINARY_DIR}/torch_standard.cpp "#include <ATen/ATen.h>\n")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
try_compile(YATLAB_TORCH_TAKES_CXX17 ${CMAKE_BINARY_DIR}/torch_standard ${CMAKE_BINARY_DIR}/torch_standard.cpp
  CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${TORCH_INCLUDE_DIRS}"
  CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
if(NOT YATLAB_TORCH_TAKES_CXX17)
  set(CMAKE_CXX_STANDARD 20)
  message(STATUS "This LibTorch demands C++20")
endif()
