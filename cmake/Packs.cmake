# Packs: each folder of plugins/ is a library, lib/yatlab/NAME.so, with all components of one subject, and the kernels, formats and commands
# used only there. kernels, local and figures are built with the program, which loads them when it starts; any other is built and loaded when
# one of its components is named (core/registry/packs.h). A folder that is not listed here, such as plugins/lab, is a pack, too.
#
# yatlab_pack(NAME [FAST FILE...] [ALONE FILE...] [SOURCES FILE...] [LIBRARIES LIBRARY...] [STATIC TARGET FILE...] [WITHOUT_TORCH | WITHOUT_TENSORS])
#
# FAST: loops over numbers and bytes, compiled at -O3. ALONE: compiled separately, so that its inlining and vectorisation do not depend
# on other files. WITHOUT_TENSORS: it plans and follows jobs; none of its files includes LibTorch. SOURCES: generated ones. STATIC: a library of files that need no LibTorch, for tests and tools without it.
set(YATLAB_PACKS "")
function(yatlab_pack name)
  cmake_parse_arguments(ARG "WITHOUT_TORCH;WITHOUT_TENSORS" "" "FAST;ALONE;SOURCES;LIBRARIES;STATIC" ${ARGN})
  set(target pack_${name})
  set(folder ${PROJECT_SOURCE_DIR}/plugins/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*/*.cpp)
  foreach(list FAST ALONE)
    list(TRANSFORM ARG_${list} PREPEND ${folder}/)
  endforeach()
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(ARG_STATIC)
    list(POP_FRONT ARG_STATIC static)
    list(TRANSFORM ARG_STATIC PREPEND ${folder}/)
    list(REMOVE_ITEM sources ${ARG_STATIC})
    add_library(${static} STATIC EXCLUDE_FROM_ALL ${ARG_STATIC})
    target_link_libraries(${static} PUBLIC yatlab_base Threads::Threads PRIVATE yatlab_options)
    set_target_properties(${static} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_precompile_headers(${static} REUSE_FROM yatlab_base)
    yatlab_unity(${static} 8)
  endif()
  list(REMOVE_ITEM sources ${ARG_FAST})
  if(ARG_WITHOUT_TENSORS)  # compiled without LibTorch's options: with them the precompiled header would not be valid
    add_library(${target}_objects OBJECT ${sources})
    set_target_properties(${target}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${target}_objects PUBLIC yatlab_base ${static} ${ARG_LIBRARIES} PRIVATE yatlab_options)
    target_precompile_headers(${target}_objects REUSE_FROM yatlab_base)
    yatlab_unity(${target}_objects 16)
    set(sources $<TARGET_OBJECTS:${target}_objects>)
  endif()
  add_library(${target} SHARED ${sources} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE yatlab_options ${static} ${ARG_LIBRARIES})
  if(ARG_WITHOUT_TORCH)
    target_link_libraries(${target} PUBLIC yatlab_base)
    target_precompile_headers(${target} REUSE_FROM yatlab_base)
  elseif(ARG_WITHOUT_TENSORS)
    target_link_libraries(${target} PUBLIC yatlab_core)
  else()
    target_link_libraries(${target} PUBLIC yatlab_core)
    if(NOT name STREQUAL kernels)
      target_link_libraries(${target} PUBLIC pack_kernels)
    endif()
    target_precompile_headers(${target} REUSE_FROM yatlab_kernels)
  endif()
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)  # tests have STATIC's and protobuf's code themselves
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} DEFINE_SYMBOL "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/yatlab)
  if(NOT ARG_WITHOUT_TENSORS)
    yatlab_unity(${target} 16)
  endif()
  if(ARG_FAST)
    add_library(${target}_fast OBJECT ${ARG_FAST})
    set_target_properties(${target}_fast PROPERTIES YATLAB_FAST ON POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${target}_fast PUBLIC yatlab_core PRIVATE yatlab_options)
    target_precompile_headers(${target}_fast REUSE_FROM yatlab_kernels)
    yatlab_unity(${target}_fast 8)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_fast>)
  endif()
  set(YATLAB_PACKS ${YATLAB_PACKS} ${name} PARENT_SCOPE)
endfunction()

add_custom_target(messages)  # what tests/headers.sh needs of generated headers
# yatlab_protobuf(TARGET FILE): the messages of plugins/FILE.proto, part of TARGET.
function(yatlab_protobuf target file)
  set(out ${CMAKE_BINARY_DIR}/generated/plugins/${file}.pb)
  get_filename_component(folder ${out} DIRECTORY)
  get_filename_component(from ${PROJECT_SOURCE_DIR}/plugins/${file}.proto DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${out}.cc ${out}.h
    COMMAND ${YATLAB_PROTOC} --proto_path=${from} --cpp_out=${folder} ${PROJECT_SOURCE_DIR}/plugins/${file}.proto
    DEPENDS ${PROJECT_SOURCE_DIR}/plugins/${file}.proto VERBATIM)
  target_sources(${target} PRIVATE ${out}.cc)
  add_custom_target(${target}_messages DEPENDS ${out}.h)
  add_dependencies(messages ${target}_messages)
  set_source_files_properties(${out}.cc PROPERTIES COMPILE_OPTIONS -w SKIP_PRECOMPILE_HEADERS ON)
  target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_BINARY_DIR}/generated ${YATLAB_PROTOBUF_INCLUDE})
  target_link_libraries(${target} PUBLIC ${YATLAB_PROTOBUF_LITE})
endfunction()

set(YATLAB_UNITY_TOGETHER operators+normalizers+optimizers+layers initializers+tasks+architectures schedules+analyses)
yatlab_pack(kernels
  FAST layers/patches.cpp optimizers/adam_update.cpp tasks/class_loss.cpp
  ALONE tasks/class_loss.cpp
  LIBRARIES PNG::PNG LibArchive::LibArchive ${CSV_LIBRARY} ${TURBOJPEG_LIBRARY} ZLIB::ZLIB)
set(YATLAB_UNITY_TOGETHER launchers+sweepers+trackers)
yatlab_pack(local WITHOUT_TENSORS LIBRARIES yatlab_cli)
set(YATLAB_UNITY_TOGETHER operators+normalizers+expressions architectures+tasks+analyses tokenizers+commands pruners+sweepers)
# Figures need no LibTorch, nor do reports.
yatlab_pack(figures WITHOUT_TORCH)

# The live page. The program runs its command without LibTorch. Asio and Beast have many headers: only one file includes them.
set(page ${PROJECT_SOURCE_DIR}/plugins/serve/page)
yatlab_embed(plugins/serve/page.cpp yatlab::served plugins/serve/server/live_results.h kPage=${page}/page.html kScript=${page}/page.js)
file(GLOB served CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/plugins/serve plugins/serve/server/*.cpp)
yatlab_pack(serve WITHOUT_TORCH STATIC yatlab_serve ${served} ALONE server/http_server.cpp LIBRARIES yatlab_cli)
target_sources(yatlab_serve PRIVATE ${CMAKE_BINARY_DIR}/generated/plugins/serve/page.cpp)

# The text of each claim is beside its check, as YAML.
file(GLOB claim_files CONFIGURE_DEPENDS plugins/claims/*.yaml)
set(claim_texts "")
foreach(file ${claim_files})
  get_filename_component(name ${file} NAME_WE)
  list(APPEND claim_texts text_${name}=${file})
endforeach()
yatlab_embed(plugins/claims/claim_texts.cpp yatlab core/measure/claim_text.h ${claim_texts}
  WITH -DENTRY=EmbeddedClaimText -DTAKEN_BY=embed_claim_texts -DROOT=${PROJECT_SOURCE_DIR})
yatlab_pack(claims SOURCES ${CMAKE_BINARY_DIR}/generated/plugins/claims/claim_texts.cpp)

yatlab_embed(plugins/language/modeling_aether.cpp yatlab::cli plugins/language/commands/export_model.h
  kModelingAether=${PROJECT_SOURCE_DIR}/plugins/language/commands/modeling_aether.py)
yatlab_pack(language SOURCES ${CMAKE_BINARY_DIR}/generated/plugins/language/modeling_aether.cpp LIBRARIES yatlab_cli
  FAST architectures/attention.cpp datasets/token_windows.cpp tokenizers/tokenize.cpp)

yatlab_pack(extreme
  FAST architectures/embedding_mean.cpp architectures/one_vs_all_solver.cpp architectures/sparse_lanes.cpp datasets/sparse_shaping.cpp
       datasets/xc_text.cpp tasks/ranking_metrics.cpp tasks/top_k.cpp
  ALONE architectures/embedding_mean.cpp architectures/sparse_lanes.cpp)
yatlab_pack(formula LIBRARIES yatlab_cli)
set(methods cma_es cma_es_search draws random_search sobol_search tpe_search trial_order unit_cube)
list(TRANSFORM methods PREPEND sweepers/)
list(TRANSFORM methods APPEND .cpp)
yatlab_pack(search WITHOUT_TENSORS STATIC yatlab_search_methods ${methods} pruners/asha_pruner.cpp pruners/median_pruner.cpp)
yatlab_pack(cluster)
file(GLOB wandb_log CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/plugins/wandb plugins/wandb/log/*.cpp)
yatlab_pack(wandb WITHOUT_TENSORS STATIC yatlab_wandb ${wandb_log} LIBRARIES yatlab_cli CURL::libcurl ${CMAKE_DL_LIBS})
yatlab_protobuf(yatlab_wandb wandb/log/records)
target_link_libraries(yatlab_wandb PRIVATE ZLIB::ZLIB CURL::libcurl OpenSSL::Crypto ${CMAKE_DL_LIBS})
target_compile_definitions(yatlab_wandb PRIVATE YATLAB_VERSION="${PROJECT_VERSION}")
yatlab_pack(tensorboard WITHOUT_TENSORS STATIC yatlab_tensorboard trackers/event_file.cpp)
yatlab_protobuf(yatlab_tensorboard tensorboard/trackers/event)

# The user's own packs.
file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES ON RELATIVE ${PROJECT_SOURCE_DIR}/plugins plugins/*)
foreach(name ${folders})
  file(GLOB sources CONFIGURE_DEPENDS plugins/${name}/*.cpp plugins/${name}/*/*.cpp)
  if(NOT name IN_LIST YATLAB_PACKS AND sources)
    yatlab_pack(${name})
  endif()
endforeach()

# For tests and benchmarks, which link them all. Libraries register their components when they are loaded: a linker that drops libraries
# without used symbols would lose them.
list(TRANSFORM YATLAB_PACKS PREPEND pack_ OUTPUT_VARIABLE pack_targets)
add_library(yatlab_plugins INTERFACE)
target_link_libraries(yatlab_plugins INTERFACE ${pack_targets} yatlab_core)
target_link_options(yatlab_plugins INTERFACE -Wl,--no-as-needed)
add_custom_target(packs DEPENDS ${pack_targets})
