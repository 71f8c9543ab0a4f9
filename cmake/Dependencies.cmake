# Every dependency is found, never vendored or downloaded. docs/dependencies.md gives the reason for each.

# The presence of ccache is checked at every compilation: a command that changed with it would rebuild everything.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/with_ccache.sh)
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(PNG REQUIRED)
find_package(LibArchive REQUIRED)
find_package(CURL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Boost REQUIRED COMPONENTS program_options)

# protobuf's lite runtime, of two packs alone. Some LibTorch builds have another: core/registry/packs.cpp.
find_program(YATLAB_PROTOC protoc REQUIRED)
find_library(YATLAB_PROTOBUF_LITE NAMES protobuf-lite REQUIRED)
find_path(YATLAB_PROTOBUF_INCLUDE google/protobuf/message_lite.h REQUIRED)

# None of these comes with a CMake package in Debian 12.
find_path(PCRE2_INCLUDE_DIR pcre2.h REQUIRED)
find_library(PCRE2_LIBRARY pcre2-8 REQUIRED)
find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_path(CSV_INCLUDE_DIR csv.h REQUIRED)
find_library(CSV_LIBRARY csv REQUIRED)
find_path(TURBOJPEG_INCLUDE_DIR turbojpeg.h REQUIRED)
find_library(TURBOJPEG_LIBRARY turbojpeg REQUIRED)
# Python's torch names its share/cmake: the libraries lie two folders up, and must be found there, not among a system's.
foreach(prefix ${CMAKE_PREFIX_PATH})
  if(EXISTS ${prefix}/Torch/TorchConfig.cmake)
    get_filename_component(prefix ${prefix}/../.. ABSOLUTE)
    list(APPEND CMAKE_PREFIX_PATH ${prefix})
  endif()
endforeach()
find_package(Torch REQUIRED)
get_filename_component(YATLAB_TORCH_LIB ${TORCH_LIBRARY} DIRECTORY)

# From 2.10 on LibTorch includes headers of another fmt, which precede the system's in every search. Headers and linked library must match.
get_target_property(YATLAB_FMT_INCLUDE fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
foreach(folder ${TORCH_INCLUDE_DIRS})
  if(EXISTS ${folder}/fmt AND NOT folder STREQUAL YATLAB_FMT_INCLUDE)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/system_fmt)
    file(CREATE_LINK ${YATLAB_FMT_INCLUDE}/fmt ${CMAKE_BINARY_DIR}/system_fmt/fmt SYMBOLIC)
    include_directories(BEFORE ${CMAKE_BINARY_DIR}/system_fmt)
  endif()
endforeach()

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
  message(STATUS "This LibTorch requires C++20")
endif()

# Training on several ranks uses Gloo, whose headers Debian has in a separate package. Without them the program builds, and reports an error when
# several ranks are requested. LibTorch's features are tested by compiling, not derived from its version.
set(YATLAB_C10D_TRY "#include <torch/csrc/distributed/c10d/TCPStore.hpp>\n")
file(WRITE ${CMAKE_BINARY_DIR}/torch_gloo.cpp "${YATLAB_C10D_TRY}#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
int main() { return c10d::ProcessGroupGloo::createDefaultDevice() ? 0 : 1; }\n")
file(WRITE ${CMAKE_BINARY_DIR}/torch_nccl.cpp "${YATLAB_C10D_TRY}#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
int main() { c10d::ProcessGroupNCCL group(c10::intrusive_ptr<c10d::Store>(), 0, 1); return group.getSize(); }\n")
set(torch_libraries "")
foreach(name torch torch_cpu torch_cuda c10 c10_cuda)  # files: targets would want those that they link themselves
  if(EXISTS ${YATLAB_TORCH_LIB}/lib${name}.so)
    list(APPEND torch_libraries ${YATLAB_TORCH_LIB}/lib${name}.so)
  endif()
endforeach()
foreach(way GLOO NCCL)
  string(TOLOWER ${way} file)
  if(NOT DEFINED YATLAB_HAS_${way} OR (way STREQUAL GLOO AND NOT YATLAB_HAS_GLOO))  # who installs it need not clear a cache
    unset(YATLAB_HAS_${way} CACHE)
    try_compile(YATLAB_HAS_${way} ${CMAKE_BINARY_DIR}/torch_${file} ${CMAKE_BINARY_DIR}/torch_${file}.cpp
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${TORCH_INCLUDE_DIRS}" COMPILE_DEFINITIONS -DUSE_C10D_${way} LINK_LIBRARIES ${torch_libraries}
      CXX_STANDARD ${CMAKE_CXX_STANDARD} CXX_STANDARD_REQUIRED ON)
  endif()
endforeach()
if(NOT YATLAB_HAS_GLOO)
  message(STATUS "Gloo (libgloo-dev) not found: no training on several ranks")
endif()
