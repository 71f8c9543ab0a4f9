# Writes a header with one hash over all sources that compute results, so that a job run by other
# code is another job. Called at build time; rewrites the header only when the hash changes.
file(GLOB sources ${ROOT}/core/ops/* ${ROOT}/core/data/* ${ROOT}/core/train/* ${ROOT}/core/experiment/*
  ${ROOT}/plugins/analyses/* ${ROOT}/plugins/architectures/* ${ROOT}/plugins/datasets/*
  ${ROOT}/plugins/initializers/* ${ROOT}/plugins/normalizers/* ${ROOT}/plugins/operators/*
  ${ROOT}/plugins/optimizers/* ${ROOT}/plugins/schedules/* ${ROOT}/plugins/tasks/*)
list(SORT sources)
set(all "")
foreach(source ${sources})
  file(SHA256 ${source} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
set(text "#define YATLAB_CODE_HASH \"${hash}\"\n")
if(EXISTS ${HEADER})
  file(READ ${HEADER} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${HEADER} "${text}")
endif()
