# Writes a header with hashes over all sources that compute results, so that a job run by other code is
# another job: one hash for training, one for what checks claims and runs studies. Called at build time;
# rewrites the header only when a hash changes.
function(hash_of_sources result)
  file(GLOB sources ${ARGN})
  list(SORT sources)
  set(all "")
  foreach(source ${sources})
    file(SHA256 ${source} hash)
    string(APPEND all ${hash})
  endforeach()
  string(SHA256 hash "${all}")
  string(SUBSTRING ${hash} 0 16 hash)
  set(${result} ${hash} PARENT_SCOPE)
endfunction()

set(components ${ROOT}/plugins/architectures/* ${ROOT}/plugins/initializers/* ${ROOT}/plugins/normalizers/*
  ${ROOT}/plugins/operators/* ${ROOT}/plugins/optimizers/* ${ROOT}/plugins/schedules/*)
hash_of_sources(training ${ROOT}/core/ops/* ${ROOT}/core/data/* ${ROOT}/core/train/* ${ROOT}/core/experiment/*
  ${components} ${ROOT}/plugins/analyses/* ${ROOT}/plugins/datasets/* ${ROOT}/plugins/tasks/*)
hash_of_sources(checking ${ROOT}/core/ops/* ${ROOT}/core/train/* ${ROOT}/core/experiment/*
  ${ROOT}/core/report/evidence.* ${ROOT}/core/report/statistics.*
  ${components} ${ROOT}/plugins/claims/* ${ROOT}/plugins/studies/*)

set(text "#define YATLAB_TRAINING_CODE_HASH \"${training}\"\n#define YATLAB_CHECKING_CODE_HASH \"${checking}\"\n")
if(EXISTS ${HEADER})
  file(READ ${HEADER} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${HEADER} "${text}")
endif()
