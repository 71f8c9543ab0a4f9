# Readers of files that others made, apart from yatlab_core, for builds without the program: fuzz targets and sanitized tests
# need them without the rest, and those of bytes without LibTorch.
function(yatlab_parsers name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/core/ OUTPUT_VARIABLE sources)
  list(TRANSFORM sources APPEND .cpp)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC yatlab_base Threads::Threads PRIVATE yatlab_options)
endfunction()

yatlab_parsers(yatlab_byte_parsers data/byte_pairs data/byte_stream data/checked_text data/csv_file data/documents data/gzip data/libsvm_text data/token_shard)
target_link_libraries(yatlab_byte_parsers PRIVATE ZLIB::ZLIB LibLZMA::LibLZMA ${ZSTD_LIBRARY} ${PCRE2_LIBRARY} ${CSV_LIBRARY})

yatlab_parsers(yatlab_tensor_parsers data/idx data/npy data/safetensors data/sparse_rows data/xc_cache data/xc_text
  data/archive_members train/checkpoint)
target_include_directories(yatlab_tensor_parsers SYSTEM PUBLIC ${TORCH_INCLUDE_DIRS})
target_link_libraries(yatlab_tensor_parsers PUBLIC yatlab_byte_parsers ${TORCH_LIBRARIES} PRIVATE LibArchive::LibArchive)
