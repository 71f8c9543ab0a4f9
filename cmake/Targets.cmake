set(YATLAB_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,12>>:-Wno-restrict>)  # GCC 12 false positives in std::string
if(YATLAB_WARNINGS_ARE_ERRORS)
  list(APPEND YATLAB_WARNINGS -Werror)
endif()

# What every target of the project compiles with.
add_library(yatlab_options INTERFACE)
target_compile_options(yatlab_options INTERFACE ${YATLAB_WARNINGS})
if(YATLAB_SANITIZE)
  target_compile_options(yatlab_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(yatlab_options INTERFACE -fsanitize=address,undefined)
endif()

# yatlab_base: everything that needs no Torch (errors, registry, configs, reports).
file(GLOB YATLAB_BASE_SOURCES CONFIGURE_DEPENDS
  core/base/*.cpp core/registry/*.cpp core/config/*.cpp core/report/*.cpp)
add_library(yatlab_base SHARED ${YATLAB_BASE_SOURCES})
target_include_directories(yatlab_base PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/yatlab>)
target_link_libraries(yatlab_base PUBLIC fmt::fmt nlohmann_json::nlohmann_json
  PRIVATE $<BUILD_INTERFACE:yatlab_options> yaml-cpp OpenSSL::Crypto ${CMAKE_DL_LIBS})
target_precompile_headers(yatlab_base PRIVATE core/base/precompiled_base.h)
# No yatlab_base_EXPORTS: with it the header would not be valid for the targets that reuse it.
set_target_properties(yatlab_base PROPERTIES DEFINE_SYMBOL "")
# The loader compares LibTorch versions by <torch/version.h>; it uses nothing else of Torch.
set(torch_headers ${TORCH_INCLUDE_DIRS})
list(REMOVE_ITEM torch_headers ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})  # else <stdlib.h> is lost
set_source_files_properties(core/registry/plugin_library.cpp PROPERTIES
  INCLUDE_DIRECTORIES "${torch_headers}")

# yatlab_core: what computes (operators' kernels, data, training, experiments).
file(GLOB YATLAB_CORE_SOURCES CONFIGURE_DEPENDS
  core/ops/*.cpp core/data/*.cpp core/train/*.cpp core/experiment/*.cpp)
add_library(yatlab_core SHARED ${YATLAB_CORE_SOURCES})
target_compile_features(yatlab_core PUBLIC cxx_std_${CMAKE_CXX_STANDARD})
target_include_directories(yatlab_core SYSTEM PUBLIC ${TORCH_INCLUDE_DIRS})
target_link_libraries(yatlab_core PUBLIC yatlab_base ${TORCH_LIBRARIES} Threads::Threads
  PRIVATE $<BUILD_INTERFACE:yatlab_options> ZLIB::ZLIB CURL::libcurl OpenSSL::Crypto)
target_precompile_headers(yatlab_core PRIVATE core/base/precompiled.h)
set_source_files_properties(core/train/adam_loop.cpp PROPERTIES
  COMPILE_OPTIONS -fno-math-errno SKIP_PRECOMPILE_HEADERS ON)
# As above.
set_target_properties(yatlab_core PROPERTIES DEFINE_SYMBOL "")
add_library(Yatlab::core ALIAS yatlab_core)  # the name it has when installed

# A job's identity includes the code that runs it.
set(YATLAB_GENERATED ${CMAKE_BINARY_DIR}/generated)
add_custom_target(yatlab_code_hash
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DHEADER=${YATLAB_GENERATED}/yatlab_code_hash.h
          -P ${PROJECT_SOURCE_DIR}/cmake/CodeHash.cmake
  BYPRODUCTS ${YATLAB_GENERATED}/yatlab_code_hash.h)
add_dependencies(yatlab_core yatlab_code_hash)
target_include_directories(yatlab_core PRIVATE ${YATLAB_GENERATED})

# Plugins register themselves when loaded; an object library keeps every one of them.
file(GLOB YATLAB_PLUGIN_SOURCES CONFIGURE_DEPENDS plugins/*/*.cpp)
add_library(yatlab_plugins OBJECT ${YATLAB_PLUGIN_SOURCES})
target_link_libraries(yatlab_plugins PUBLIC yatlab_core PRIVATE yatlab_options)
set_target_properties(yatlab_plugins PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_precompile_headers(yatlab_plugins REUSE_FROM yatlab_core)

# The program: one file per command.
file(GLOB YATLAB_CLI_SOURCES CONFIGURE_DEPENDS core/cli/*.cpp)
add_executable(yatlab ${YATLAB_CLI_SOURCES})
target_link_libraries(yatlab PRIVATE yatlab_plugins yatlab_core yatlab_options Boost::program_options ${CMAKE_DL_LIBS})
target_compile_definitions(yatlab PRIVATE YATLAB_VERSION="${PROJECT_VERSION}")
