# Parsers of external files, separate from yatlab_core, for builds without the program: fuzz targets and sanitized tests
# use only these, and the parsers of bytes without LibTorch.
function(yatlab_parsers name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  list(TRANSFORM sources APPEND .cpp)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC yatlab_base Threads::Threads PRIVATE yatlab_options)
endfunction()

yatlab_parsers(yatlab_byte_parsers core/data/byte_pairs core/data/byte_stream core/data/checked_text core/data/token_shard
  plugins/kernels/datasets/csv_file plugins/kernels/datasets/libsvm_text plugins/language/datasets/documents)
target_link_libraries(yatlab_byte_parsers PRIVATE ZLIB::ZLIB LibLZMA::LibLZMA ${ZSTD_LIBRARY} ${PCRE2_LIBRARY} ${CSV_LIBRARY})

yatlab_parsers(yatlab_tensor_parsers core/data/safetensors core/data/sparse_rows core/model/checkpoint plugins/kernels/datasets/idx
  plugins/kernels/datasets/npy plugins/kernels/datasets/archive_members plugins/extreme/datasets/xc_cache plugins/extreme/datasets/xc_text)
target_include_directories(yatlab_tensor_parsers SYSTEM PUBLIC ${TORCH_INCLUDE_DIRS})
target_link_libraries(yatlab_tensor_parsers PUBLIC yatlab_byte_parsers ${TORCH_LIBRARIES} PRIVATE LibArchive::LibArchive)
