# yatlab_add_plugin(NAME SOURCE... [CONFIGS FOLDER])
#
# Builds NAME.so, a plugin library that `--plugin` and `plugins.path` load. CONFIGS names a folder of
# config groups (operator/my_kernel.yaml, ...); it is copied to `configs` beside the library, where
# the loader finds it.
function(yatlab_add_plugin name)
  cmake_parse_arguments(ARG "" "CONFIGS" "" ${ARGN})
  if(NOT ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "yatlab_add_plugin(${name}): no source files given")
  endif()
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE Yatlab::core)
  # The loader refuses another C++ standard than the program's.
  if(DEFINED YATLAB_CXX_STANDARD)
    set(standard ${YATLAB_CXX_STANDARD})
  else()
    set(standard ${CMAKE_CXX_STANDARD})
  endif()
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so"
    CXX_STANDARD ${standard} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  if(ARG_CONFIGS)
    get_filename_component(configs ${ARG_CONFIGS} ABSOLUTE)
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E copy_directory ${configs} $<TARGET_FILE_DIR:${name}>/configs)
  endif()
endfunction()
