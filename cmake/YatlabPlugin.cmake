# yatlab_add_plugin(NAME SOURCE... [CONFIGS FOLDER] [TESTS FOLDER])
#
# Builds NAME.so, a plugin library that `--plugin` and `plugins.path` load. CONFIGS names a folder of
# config groups (operator/my_kernel.yaml, ...); it is copied to `configs` beside the library, where
# the loader finds it. TESTS names a folder of Catch2 tests (FOLDER/*.cpp), from which the target NAME_tests, left out of `all`, builds a library:
# loaded after NAME.so (by `yatlab plugin build --test`), it runs them in the program and ends it.
cmake_policy(SET CMP0112 NEW)  # naming a target's folder does not make a command wait for the target

function(yatlab_add_plugin name)
  cmake_parse_arguments(ARG "" "CONFIGS;TESTS" "" ${ARGN})
  if(NOT ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "yatlab_add_plugin(${name}): no source files")
  endif()
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  set(libraries ${name})
  if(ARG_CONFIGS)
    get_filename_component(configs ${ARG_CONFIGS} ABSOLUTE)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${configs}/*.yaml)
    set(copied ${CMAKE_CURRENT_BINARY_DIR}/${name}_configs.copied)
    add_custom_command(OUTPUT ${copied} DEPENDS ${files}
      COMMAND ${CMAKE_COMMAND} -E copy_directory ${configs} $<TARGET_FILE_DIR:${name}>/configs
      COMMAND ${CMAKE_COMMAND} -E touch ${copied} VERBATIM)
    add_custom_target(${name}_configs DEPENDS ${copied})
    add_dependencies(${name} ${name}_configs)
  endif()
  if(ARG_TESTS)
    find_package(Catch2 QUIET)
    get_filename_component(tests ${ARG_TESTS} ABSOLUTE)
    file(GLOB files CONFIGURE_DEPENDS ${tests}/*.cpp)
    if(TARGET Catch2::Catch2 AND files)
      set(folder ${CMAKE_CURRENT_BINARY_DIR}/tests)
      configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/YatlabPluginTests.cpp.in ${folder}/${name}_tests.cpp @ONLY)
      configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/YatlabPluginCatch.h.in ${folder}/catch.h COPYONLY)
      add_library(${name}_tests MODULE EXCLUDE_FROM_ALL ${files} ${folder}/${name}_tests.cpp)
      target_include_directories(${name}_tests PRIVATE ${folder})
      target_link_libraries(${name}_tests PRIVATE Catch2::Catch2)
      set_target_properties(${name}_tests PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${folder})
      list(APPEND libraries ${name}_tests)
    endif()
  endif()
  # The loader refuses a library with another C++ standard than the program's.
  if(DEFINED YATLAB_CXX_STANDARD)
    set(standard ${YATLAB_CXX_STANDARD})
  else()
    set(standard ${CMAKE_CXX_STANDARD})
  endif()
  foreach(library ${libraries})
    target_link_libraries(${library} PRIVATE Yatlab::core)
    set_target_properties(${library} PROPERTIES PREFIX "" SUFFIX ".so"
      CXX_STANDARD ${standard} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  endforeach()
endfunction()
