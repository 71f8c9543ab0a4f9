include(CheckCXXCompilerFlag)

# A unity build puts names of several files into one scope, which compilers call shadowing.
set(YATLAB_WARNINGS -Wall -Wextra -Wpedantic $<$<NOT:$<BOOL:${YATLAB_UNITY}>>:-Wshadow>
  -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,12>>:-Wno-restrict>  # false positives in std::string
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds>  # and in std::vector<bool>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-stringop-overflow>)
if(YATLAB_WARNINGS_ARE_ERRORS)
  list(APPEND YATLAB_WARNINGS -Werror)
endif()

# Compile options of every target of the project. Only kernels and parsers (yatlab_kernels) are worth -O3. The rest is compiled with -Og, in four
# fifths of -O1's time and with the same numbers; tests with -O0. -fPIC, in programs too: one precompiled header serves all.
# By default GCC's garbage collector would scan that header, 400 MB, repeatedly.
# From GCC 13 on, on x86, -O3 implies two machine options, and -Og would reject a header compiled with them: both have them.
set(YATLAB_SHARED_BY_LEVELS -munroll-only-small-loops -mvzeroupper)
check_cxx_compiler_flag("${YATLAB_SHARED_BY_LEVELS}" YATLAB_HAS_SHARED_BY_LEVELS)
add_library(yatlab_options INTERFACE)
# Inline functions are hidden: otherwise a test's unoptimised copies, of LibTorch's and JSON's functions, too, would replace those of libraries.
# Nothing reads errno or the processor's exceptions after arithmetic: GCC then vectorises square roots and, for AVX2, comparisons.
target_compile_options(yatlab_options INTERFACE ${YATLAB_WARNINGS} -fPIC -fvisibility-inlines-hidden -fno-math-errno -fno-trapping-math
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=300>
  "$<$<BOOL:${YATLAB_HAS_SHARED_BY_LEVELS}>:${YATLAB_SHARED_BY_LEVELS}>"
  $<$<AND:$<CONFIG:Release>,$<NOT:$<BOOL:$<TARGET_PROPERTY:YATLAB_FAST>>>>:-O$<IF:$<BOOL:$<TARGET_PROPERTY:YATLAB_TEST>>,0,g>>)
yatlab_sanitize(yatlab_options)

# yatlab_embed(FILE NAMESPACE HEADER NAME=PATH... [WITH ARGUMENT...]): generated/FILE defines a std::string_view for each text (EmbedText.cmake).
function(yatlab_embed file namespace header)
  cmake_parse_arguments(ARG "" "" "WITH" ${ARGN})
  set(paths ${ARG_UNPARSED_ARGUMENTS})
  list(TRANSFORM paths REPLACE "^[^=]*=" "")
  set(out ${CMAKE_BINARY_DIR}/generated/${file})
  get_filename_component(folder ${out} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAMESPACE=${namespace} -DHEADER=${header} "-DFILES=${ARG_UNPARSED_ARGUMENTS}" ${ARG_WITH}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake VERBATIM)
endfunction()

# yatlab_base: everything that needs no Torch (errors, registry, configs, reports, the index of runs).
file(GLOB YATLAB_BASE_SOURCES CONFIGURE_DEPENDS
  core/base/*.cpp core/system/*.cpp core/registry/*.cpp core/config/*.cpp core/verdict/*.cpp core/figure/*.cpp core/record/*.cpp
  core/experiment/*.cpp core/table/*.cpp core/report/*.cpp core/library/*.cpp)
# The parts of report pages are edited as files and embedded.
set(page ${PROJECT_SOURCE_DIR}/core/report/html)
set(YATLAB_PAGE ${CMAKE_BINARY_DIR}/generated/core/report/html_text.cpp)
yatlab_embed(core/report/html_text.cpp yatlab::html core/report/html_parts.h
  kTemplate=${page}/page.html kStyle=${page}/page.css kShared=${page}/page.js kScript=${page}/report.js)
# So are the templates of `yatlab plugin new`: operator.cpp.in is kOperator, operator.yaml.in kOperatorConfig, operator_test.cpp.in kOperatorTest.
set(YATLAB_TEMPLATES ${CMAKE_BINARY_DIR}/generated/core/registry/scaffold_templates.cpp)
file(GLOB template_files CONFIGURE_DEPENDS core/registry/templates/*.in)
set(templates "")
foreach(file ${template_files})
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "(_test)?[.].*" "" words ${name})
  string(REPLACE "_" ";" words ${words})
  set(constant k)
  foreach(word ${words})
    string(SUBSTRING ${word} 0 1 first)
    string(TOUPPER ${first} first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(APPEND constant ${first}${rest})
  endforeach()
  set(part "")
  if(name MATCHES "_test[.]cpp[.]in$")
    set(part Test)
  elseif(name MATCHES "[.]yaml[.]in$")
    set(part Config)
  endif()
  list(APPEND templates ${constant}${part}=${file})
endforeach()
set(project ${PROJECT_SOURCE_DIR}/core/registry/templates/project)
list(APPEND templates kProjectLists=${project}/CMakeLists.txt.in kProjectReadme=${project}/README.md.in kProjectPlugin=${project}/plugin.cpp.in
  kProjectExperiment=${project}/experiment.yaml.in kProjectOperatorExperiment=${project}/operator.yaml.in
  kProjectUntrained=${project}/untrained.yaml.in kProjectSequences=${project}/sequences.yaml.in kPaper=${project}/paper.yaml.in kPaperExperiment=${project}/paper_experiment.yaml.in)
yatlab_embed(core/registry/scaffold_templates.cpp yatlab::scaffold_templates core/registry/scaffold_templates.h ${templates})
# Large runs are mostly JSON to read and write.
set_source_files_properties(core/base/json_text.cpp PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
add_library(yatlab_base SHARED ${YATLAB_BASE_SOURCES} ${YATLAB_PAGE} ${YATLAB_TEMPLATES})
target_include_directories(yatlab_base PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/yatlab>)
target_link_libraries(yatlab_base PUBLIC fmt::fmt nlohmann_json::nlohmann_json
  PRIVATE $<BUILD_INTERFACE:yatlab_options> yaml-cpp OpenSSL::Crypto PNG::PNG SQLite::SQLite3 ZLIB::ZLIB ${CMAKE_DL_LIBS})
target_precompile_headers(yatlab_base PRIVATE core/base/precompiled_base.h)
# No yatlab_base_EXPORTS: with it the header would not be valid for the targets that reuse it.
set_target_properties(yatlab_base PROPERTIES DEFINE_SYMBOL "")
set(YATLAB_UNITY_TOGETHER base+system verdict+record experiment+table library+registry)
yatlab_unity(yatlab_base 10)
# The loader compares LibTorch versions with <torch/version.h>; it uses nothing else of Torch.
set(torch_headers ${TORCH_INCLUDE_DIRS})
list(REMOVE_ITEM torch_headers ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})  # else <stdlib.h> is lost
set_source_files_properties(core/registry/plugin_library.cpp PROPERTIES
  INCLUDE_DIRECTORIES "${torch_headers}")

# In a file compiled without OpenMP at::parallel_for silently runs on one thread. GNU's OpenMP is the one that LibTorch uses:
# one pool of threads. Clang's would be a second.
set(YATLAB_OPENMP $<$<CXX_COMPILER_ID:GNU>:-fopenmp>)

set(YATLAB_UNITY_TOGETHER data+model)
# yatlab_kernels: loops over numbers and bytes, at -O3. Part of yatlab_core, which takes the rest of the same folders.
set(YATLAB_KERNEL_SOURCES "")
foreach(file ops/causal_softmax ops/coordinate_rows ops/pairwise ops/softmax_rows ops/yat ops/yat_general ops/yat_kernel data/batches data/byte_pairs data/byte_rows data/sparse_rows model/label_loss model/label_loss_kernel model/token_loss)
  list(APPEND YATLAB_KERNEL_SOURCES ${PROJECT_SOURCE_DIR}/core/${file}.cpp)
endforeach()
add_library(yatlab_kernels OBJECT ${YATLAB_KERNEL_SOURCES})
set_target_properties(yatlab_kernels PROPERTIES YATLAB_FAST ON POSITION_INDEPENDENT_CODE ON)
target_compile_features(yatlab_kernels PUBLIC cxx_std_${CMAKE_CXX_STANDARD})
target_compile_options(yatlab_kernels PUBLIC ${YATLAB_OPENMP})
target_include_directories(yatlab_kernels SYSTEM PUBLIC ${TORCH_INCLUDE_DIRS})
target_link_libraries(yatlab_kernels PUBLIC yatlab_base ${TORCH_LIBRARIES} Threads::Threads PRIVATE yatlab_options)
target_precompile_headers(yatlab_kernels PRIVATE core/base/precompiled.h)
# Compiled separately, so that their inlining and vectorisation do not depend on other files.
set_source_files_properties(core/ops/softmax_rows.cpp core/ops/yat_kernel.cpp core/model/label_loss_kernel.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
yatlab_unity(yatlab_kernels 16)

# yatlab_planning: the parts of plans and runs that need no LibTorch. Part of yatlab_core.
set(with_torch compose/trained_model compose/weights_source plan/bounded_scores plan/check_arm run/bundle run/environment run/job_stacks
  run/run_launch run/zip_file)
list(TRANSFORM with_torch PREPEND ${PROJECT_SOURCE_DIR}/core/)
list(TRANSFORM with_torch APPEND .cpp)
file(GLOB YATLAB_PLANNING_SOURCES CONFIGURE_DEPENDS core/compose/*.cpp core/plan/*.cpp core/run/*.cpp)
list(REMOVE_ITEM YATLAB_PLANNING_SOURCES ${with_torch})
list(APPEND YATLAB_PLANNING_SOURCES ${PROJECT_SOURCE_DIR}/core/measure/claim_text.cpp)
foreach(file followed_job heartbeat pending_work)
  list(APPEND YATLAB_PLANNING_SOURCES ${PROJECT_SOURCE_DIR}/core/job/${file}.cpp)
endforeach()
add_library(yatlab_planning OBJECT ${YATLAB_PLANNING_SOURCES})
set_target_properties(yatlab_planning PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(yatlab_planning SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})  # names of devices
target_link_libraries(yatlab_planning PUBLIC yatlab_base PRIVATE yatlab_options)
target_precompile_headers(yatlab_planning REUSE_FROM yatlab_base)
yatlab_unity(yatlab_planning 12)

set(YATLAB_UNITY_TOGETHER measure+model+compose+ops plan+run+job)
# yatlab_core: all computation (operators' kernels, data, training, experiments).
file(GLOB YATLAB_CORE_SOURCES CONFIGURE_DEPENDS core/ops/*.cpp core/data/*.cpp core/model/*.cpp core/train/*.cpp core/measure/*.cpp core/job/*.cpp)
list(APPEND YATLAB_CORE_SOURCES ${with_torch})
list(REMOVE_ITEM YATLAB_CORE_SOURCES ${YATLAB_KERNEL_SOURCES} ${YATLAB_PLANNING_SOURCES})
add_library(yatlab_core SHARED ${YATLAB_CORE_SOURCES})
target_compile_features(yatlab_core PUBLIC cxx_std_${CMAKE_CXX_STANDARD})
target_compile_options(yatlab_core PUBLIC ${YATLAB_OPENMP})
target_link_options(yatlab_core PUBLIC ${YATLAB_OPENMP})
target_include_directories(yatlab_core SYSTEM PUBLIC ${TORCH_INCLUDE_DIRS})
target_link_libraries(yatlab_core PUBLIC yatlab_base ${TORCH_LIBRARIES} Threads::Threads
  PRIVATE $<BUILD_INTERFACE:yatlab_options> ZLIB::ZLIB LibLZMA::LibLZMA ${ZSTD_LIBRARY} ${PCRE2_LIBRARY} CURL::libcurl OpenSSL::Crypto
  PNG::PNG LibArchive::LibArchive)
target_precompile_headers(yatlab_core REUSE_FROM yatlab_kernels)
# As above.
set_target_properties(yatlab_core PROPERTIES DEFINE_SYMBOL "")
yatlab_unity(yatlab_core 16)
target_sources(yatlab_core PRIVATE $<TARGET_OBJECTS:yatlab_kernels> $<TARGET_OBJECTS:yatlab_planning>)

# Our kernels for CUDA devices, if LibTorch has CUDA and a compiler is installed; otherwise tensor operations do the same.
if(YATLAB_CUDA AND TARGET torch_cuda)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    file(GLOB YATLAB_CUDA_SOURCES CONFIGURE_DEPENDS core/ops/cuda/*.cu)
    add_library(yatlab_cuda_kernels OBJECT ${YATLAB_CUDA_SOURCES})
    target_include_directories(yatlab_cuda_kernels PRIVATE ${PROJECT_SOURCE_DIR})
    # TORCH_CUDA_ARCH_LIST names the GPUs: FindTorch converts it to compiler options.
    set_target_properties(yatlab_cuda_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON CUDA_STANDARD 17 CUDA_ARCHITECTURES OFF)
    file(GLOB YATLAB_CUDA_BODIES CONFIGURE_DEPENDS core/ops/cuda/*.cpp)
    target_sources(yatlab_core PRIVATE $<TARGET_OBJECTS:yatlab_cuda_kernels> ${YATLAB_CUDA_BODIES})
    set_source_files_properties(${YATLAB_CUDA_BODIES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  else()
    message(STATUS "nvcc not found: on CUDA devices our operators run as tensor operations, which are correct but slower")
  endif()
endif()
# The ranks' rendezvous: compiled separately, as c10d has many headers.
set_source_files_properties(core/train/rank_rendezvous.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
  COMPILE_DEFINITIONS "$<$<BOOL:${YATLAB_HAS_GLOO}>:YATLAB_GLOO>;$<$<BOOL:${YATLAB_HAS_NCCL}>:YATLAB_NCCL>")
add_library(Yatlab::core ALIAS yatlab_core)  # the name it has when installed

# A job's identity includes the code that it uses: its hashes are computed at every build, and written when they change.
set(YATLAB_GENERATED ${CMAKE_BINARY_DIR}/generated)
add_executable(yatlab_source_hashes cmake/source_hashes.cpp)
target_link_libraries(yatlab_source_hashes PRIVATE yatlab_base yatlab_options)
add_custom_target(yatlab_hashed_sources
  COMMAND yatlab_source_hashes ${PROJECT_SOURCE_DIR} ${YATLAB_GENERATED}/yatlab_source_hashes.h ${YATLAB_GENERATED}/yatlab_pack_index.h
  BYPRODUCTS ${YATLAB_GENERATED}/yatlab_source_hashes.h ${YATLAB_GENERATED}/yatlab_pack_index.h VERBATIM)
add_dependencies(yatlab_core yatlab_hashed_sources)
add_dependencies(yatlab_planning yatlab_hashed_sources)
# The only file that then is recompiled.
set_source_files_properties(core/compose/built_from.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
target_include_directories(yatlab_planning PRIVATE ${YATLAB_GENERATED})

# yatlab_cli: what commands, including those of packs, are written against.
add_library(yatlab_cli SHARED core/cli/command.cpp core/cli/experiments.cpp core/cli/hydra.cpp core/cli/out_folder.cpp core/cli/papers.cpp)
target_link_libraries(yatlab_cli PUBLIC yatlab_base Boost::program_options PRIVATE yatlab_options)
set_target_properties(yatlab_cli PROPERTIES DEFINE_SYMBOL "")
target_precompile_headers(yatlab_cli REUSE_FROM yatlab_base)
yatlab_unity(yatlab_cli 8)

include(cmake/Packs.cmake)

# The programs: one file per command. `yatlab` itself runs commands that need no LibTorch, and does not link it: loading its
# libraries takes longer than those commands do. All commands are in `yatlab-torch`, which `yatlab` becomes for the others.
set(YATLAB_LIGHT_SOURCES cli/blas cli/command_line commands/compare cli/complete commands/completion commands/export cli/find_run commands/fuzz commands/help
  cli/program cli/programs commands/prune commands/report commands/runs commands/status commands/tag commands/test
  commands/verdict)
list(TRANSFORM YATLAB_LIGHT_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/core/)
list(TRANSFORM YATLAB_LIGHT_SOURCES APPEND .cpp)
set(completion ${PROJECT_SOURCE_DIR}/core/commands/completion)
set(YATLAB_COMPLETION ${CMAKE_BINARY_DIR}/generated/core/commands/completion_scripts.cpp)
yatlab_embed(core/commands/completion_scripts.cpp yatlab::cli core/commands/completion/scripts.h
  kBashScript=${completion}/yatlab.bash kZshScript=${completion}/yatlab.zsh kFishScript=${completion}/yatlab.fish)
add_library(yatlab_light_commands STATIC ${YATLAB_LIGHT_SOURCES} ${YATLAB_COMPLETION})
target_link_libraries(yatlab_light_commands PUBLIC yatlab_cli ${CMAKE_DL_LIBS} PRIVATE yatlab_options)
target_compile_definitions(yatlab_light_commands PRIVATE YATLAB_VERSION="${PROJECT_VERSION}")
set_target_properties(yatlab_light_commands PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_precompile_headers(yatlab_light_commands REUSE_FROM yatlab_base)
yatlab_unity(yatlab_light_commands 8)

# Each program has the table of all commands; `yatlab` passes on those that it does not contain.
set(YATLAB_LIGHT_MAIN light_main full_program)
list(TRANSFORM YATLAB_LIGHT_MAIN PREPEND ${PROJECT_SOURCE_DIR}/core/commands/)
list(TRANSFORM YATLAB_LIGHT_MAIN APPEND .cpp)
add_executable(yatlab ${YATLAB_LIGHT_MAIN} core/commands/command_table.cpp)
target_link_libraries(yatlab PRIVATE yatlab_light_commands pack_figures yatlab_options)
target_link_options(yatlab PRIVATE -Wl,--no-as-needed)  # nothing calls figures.so, which registers what it holds
target_precompile_headers(yatlab REUSE_FROM yatlab_base)
yatlab_unity(yatlab 4)

file(GLOB YATLAB_CLI_SOURCES CONFIGURE_DEPENDS core/cli/*.cpp core/commands/*.cpp)
get_target_property(cli_library yatlab_cli SOURCES)
list(TRANSFORM cli_library REPLACE "^core" "${PROJECT_SOURCE_DIR}/core")
list(REMOVE_ITEM YATLAB_CLI_SOURCES ${YATLAB_LIGHT_SOURCES} ${YATLAB_LIGHT_MAIN} ${cli_library})
set(with_torch data data_describe describe doctor evaluate main verify bundle)
list(TRANSFORM with_torch PREPEND ${PROJECT_SOURCE_DIR}/core/commands/)
list(TRANSFORM with_torch APPEND .cpp)
list(REMOVE_ITEM YATLAB_CLI_SOURCES ${with_torch})
add_library(yatlab_commands OBJECT ${YATLAB_CLI_SOURCES})
target_link_libraries(yatlab_commands PUBLIC yatlab_cli PRIVATE yatlab_options)
target_compile_definitions(yatlab_commands PRIVATE YATLAB_VERSION="${PROJECT_VERSION}")
target_precompile_headers(yatlab_commands REUSE_FROM yatlab_base)
yatlab_unity(yatlab_commands 12)
add_executable(yatlab_torch ${with_torch})
set_target_properties(yatlab_torch PROPERTIES OUTPUT_NAME yatlab-torch)
target_link_libraries(yatlab_torch PRIVATE yatlab_light_commands yatlab_core yatlab_options ${CMAKE_DL_LIBS})
target_compile_definitions(yatlab_torch PRIVATE YATLAB_VERSION="${PROJECT_VERSION}")
target_precompile_headers(yatlab_torch REUSE_FROM yatlab_kernels)
yatlab_unity(yatlab_torch 12)
target_sources(yatlab_torch PRIVATE $<TARGET_OBJECTS:yatlab_commands>)
add_dependencies(yatlab_torch pack_kernels pack_local pack_figures)
add_dependencies(yatlab yatlab_torch)  # one is no use without the other
