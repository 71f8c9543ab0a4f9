# yatlab_sanitize(TARGET)
#
# Lets what links TARGET be compiled with the sanitizers that YATLAB_SANITIZE names. What they find ends the program: a test
# that goes on after undefined behaviour would pass. Division by zero of floating-point numbers is defined and left alone.
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
    # Counts what an input reaches, in all of the project's code; only fuzz targets link what reads the counters.
    target_compile_options(${target} INTERFACE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

if(YATLAB_FUZZ AND NOT (CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND YATLAB_SANITIZE))
  message(FATAL_ERROR "Fuzz targets need clang++ and a sanitizer: cmake --preset fuzz")
endif()
