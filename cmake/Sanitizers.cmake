# yatlab_sanitize(TARGET)
#
# Compiles everything that links TARGET with the sanitizers in YATLAB_SANITIZE. A finding ends the program: a test
# that continued after undefined behaviour would pass. Floating-point division by zero is defined and not reported.
function(yatlab_sanitize target)
  if(YATLAB_SANITIZE STREQUAL "thread")
    set(checks thread)
  elseif(YATLAB_SANITIZE)
    set(checks address,undefined,float-cast-overflow)
  else()
    return()
  endif()
  target_compile_options(${target} INTERFACE -fsanitize=${checks} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(${target} INTERFACE -fsanitize=${checks})
  if(YATLAB_FUZZ)
    # Counts coverage in all of the project's code; only fuzz targets link the reader of the counters.
    target_compile_options(${target} INTERFACE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

if(YATLAB_FUZZ AND NOT (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND YATLAB_SANITIZE))
  message(FATAL_ERROR "Fuzz targets need clang++ and a sanitizer: cmake --preset fuzz")
endif()
