# What the tests of plugin libraries and of `plugin new` need besides test executables.
include(${PROJECT_SOURCE_DIR}/cmake/YatlabPlugin.cmake)

# One library per way of being wrong: build/lib/test_plugins/<fault>.so
set(faults none duplicate duplicate_within declaration api compiler cxxabi cxx11_string standard torch
  no_equals incomplete no_manifest no_entry undefined_symbol missing_library throws throws_int)
set(faulty ${CMAKE_BINARY_DIR}/lib/test_plugins)
foreach(fault ${faults})
  string(TOUPPER ${fault} macro)
  add_library(fault_${fault} MODULE registry/broken/library.cpp)
  target_compile_definitions(fault_${fault} PRIVATE FAULT_${macro} FAULT_NAME="${fault}")
  target_include_directories(fault_${fault} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_include_directories(fault_${fault} SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(fault_${fault} PRIVATE yatlab_options yatlab_base)
  set_target_properties(fault_${fault} PROPERTIES PREFIX "" OUTPUT_NAME ${fault}
    LIBRARY_OUTPUT_DIRECTORY ${faulty})
  add_dependencies(test_registry fault_${fault})
endforeach()
# A pack: no manifest, no entry point.
add_library(test_pack MODULE registry/broken/pack.cpp)
target_include_directories(test_pack PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(test_pack PRIVATE yatlab_options yatlab_base)
set_target_properties(test_pack PROPERTIES PREFIX "" OUTPUT_NAME pack LIBRARY_OUTPUT_DIRECTORY ${faulty}/packs)
add_dependencies(test_registry test_pack)
add_library(fault_other SHARED registry/broken/other.cpp)
set_target_properties(fault_other PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${faulty}/elsewhere)
target_link_libraries(fault_missing_library PRIVATE fault_other)
set_target_properties(fault_missing_library PROPERTIES SKIP_BUILD_RPATH ON)
target_compile_definitions(test_registry PRIVATE YATLAB_TEST_PLUGINS="${faulty}")

if(NOT YATLAB_PROGRAM)
  return()  # the rest is about components, which need LibTorch
endif()

# `plugin new` of every kind: written, compiled with all warnings, and its own tests run.
add_executable(scaffold_all registry/scaffold/write_all.cpp)
target_include_directories(scaffold_all PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(scaffold_all PRIVATE yatlab_options yatlab_base)
set(samples ${CMAKE_BINARY_DIR}/scaffold)
set(sample_sources "")
# One of each template that there is; folders of plugins/ have their kind's plural.
file(GLOB templates CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/core/registry/templates ${PROJECT_SOURCE_DIR}/core/registry/templates/*.cpp.in)
list(FILTER templates EXCLUDE REGEX "_test\\.cpp\\.in$")
foreach(name ${templates})
  string(REPLACE ".cpp.in" "" name ${name})
  string(REGEX REPLACE "([^y])$" "\\1s" kinds ${name})
  string(REGEX REPLACE "iss$" "es" kinds ${kinds})
  string(REGEX REPLACE "y$" "ies" kinds ${kinds})
  set(folder ${samples}/plugins/lab/${kinds})
  if(kinds STREQUAL figures)
    set(folder ${samples}/plugins/figures)
  endif()
  list(APPEND sample_sources ${folder}/sample_${name}.cpp
    ${samples}/tests/plugins/sample_${name}_test.cpp)
endforeach()
add_custom_command(OUTPUT ${sample_sources} COMMAND scaffold_all ${samples} DEPENDS scaffold_all
  COMMENT "Writing one component of each kind")
# `plugin promote` of formulas, which hold every part that there is.
add_executable(promote_all registry/scaffold/write_promoted.cpp)
target_include_directories(promote_all PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(promote_all PRIVATE yatlab_options yatlab_plugins)
target_precompile_headers(promote_all REUSE_FROM yatlab_kernels)
set(promoted_sources "")
foreach(name yat plain rows signs)
  list(APPEND promoted_sources ${samples}/promoted/plugins/lab/operators/promoted_${name}.cpp
    ${samples}/promoted/tests/plugins/promoted_${name}_test.cpp)
endforeach()
add_custom_command(OUTPUT ${promoted_sources} COMMAND promote_all ${samples}/promoted DEPENDS promote_all COMMENT "Writing formulas as C++")
add_executable(test_scaffold ${sample_sources} ${promoted_sources} registry/scaffold/use_test.cpp)
target_compile_definitions(test_scaffold PRIVATE YATLAB_SAMPLES="${samples}")
set_target_properties(test_scaffold PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
target_include_directories(test_scaffold PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR})
target_link_libraries(test_scaffold PRIVATE yatlab_options test_main yatlab_plugins)
target_precompile_headers(test_scaffold REUSE_FROM yatlab_kernels)
add_test(NAME scaffold COMMAND test_scaffold)

# The same library built in the tree, for tests that run the program with it.
yatlab_add_plugin(rational registry/out_of_tree/rational.cpp CONFIGS registry/out_of_tree/configs)
set_target_properties(rational PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/out_of_tree)
if(TARGET test_cli)
  add_dependencies(test_cli rational fault_none fault_api fault_throws fault_undefined_symbol)
  target_compile_definitions(test_cli PRIVATE YATLAB_TEST_PLUGINS="${faulty}" YATLAB_OUT_OF_TREE="${CMAKE_BINARY_DIR}/lib/out_of_tree")
endif()

# A plugin library built against an installed Yatlab: needs everything that is installed.
if(TARGET test_plugins)
  add_dependencies(test_plugins yatlab)
  target_compile_definitions(test_plugins PRIVATE YATLAB_CMAKE="${CMAKE_COMMAND}" YATLAB_GENERATOR="${CMAKE_GENERATOR}"
    YATLAB_COMPILER="${CMAKE_CXX_COMPILER}" YATLAB_TORCH_DIR="${Torch_DIR}")
endif()

# The operator of docs/getting_started.md, as printed.
if(TARGET test_plugins)
  set(tutorial ${CMAKE_BINARY_DIR}/generated/readme_tutorial.cpp)
  add_custom_command(OUTPUT ${tutorial}
    COMMAND ${CMAKE_COMMAND} -DTUTORIAL=${PROJECT_SOURCE_DIR}/docs/getting_started.md -DREADME=${PROJECT_SOURCE_DIR}/README.md
            -DOUTPUT=${tutorial}
            -P ${PROJECT_SOURCE_DIR}/cmake/ReadmeTutorial.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/docs/getting_started.md ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/cmake/ReadmeTutorial.cmake)
  target_sources(test_plugins PRIVATE ${tutorial})
  target_compile_definitions(test_plugins PRIVATE YATLAB_TUTORIAL="${tutorial}")
endif()
