# Takes the tutorial's operator out of README.md, exactly as it is printed there, so that a test can
# compile and run it.
file(READ ${README} text)
string(REGEX MATCH "```cpp\n(// plugins/lab/operators/[^`]*)```" found "${text}")
if(NOT found)
  message(FATAL_ERROR "README.md has no operator tutorial")
endif()
file(WRITE ${OUTPUT} "${CMAKE_MATCH_1}")
