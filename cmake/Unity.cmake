# yatlab_unity(TARGET FILES)
#
# Compiles the target's sources FILES at a time, grouped by folder: most of a file's compile time is spent on
# LibTorch's headers, whose pending templates GCC instantiates again in every unit, precompiled or not. With
# YATLAB_UNITY off this does nothing, so after an edit only one file is compiled.
# YATLAB_UNITY_TOGETHER lists folders of a few small files ("operators+normalizers") that share units.
# Files with their own options, and those with SKIP_UNITY_BUILD_INCLUSION, stay separate; so do those of targets in
# YATLAB_ALONE, of which tests/mutate.sh compiles single files repeatedly.
function(yatlab_unity target files)
  if(NOT YATLAB_UNITY OR target IN_LIST YATLAB_ALONE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(alone)
      continue()  # a new file moves no other to another batch
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    foreach(together ${YATLAB_UNITY_TOGETHER})
      string(REPLACE "+" ";" folders ${together})
      if(folder IN_LIST folders)
        string(REPLACE "+" "_" folder ${together})
      endif()
    endforeach()
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR part "${count_${folder}} / ${files}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC treats the included files as headers, where unnamed namespaces would be a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
