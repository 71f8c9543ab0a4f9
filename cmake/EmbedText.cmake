# Writes a C++ file that defines a std::string_view for each text file. Called at build time:
#   cmake -DOUT=x.cpp -DNAMESPACE=a::b -DHEADER=h.h "-DFILES=kOne=path;kTwo=path" -P EmbedText.cmake
set(text "// Made by cmake/EmbedText.cmake.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
foreach(entry ${FILES})
  string(FIND "${entry}" "=" at)
  string(SUBSTRING "${entry}" 0 ${at} name)
  math(EXPR at "${at} + 1")
  string(SUBSTRING "${entry}" ${at} -1 path)
  # As numbers: no text can end a literal of them, and CMake takes ';' and '[' out of what it reads as text.
  file(READ "${path}" bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND text "static const char ${name}Bytes[] = {${bytes}'\\0'};\n"
    "extern const std::string_view ${name};\nconst std::string_view ${name}(${name}Bytes, sizeof(${name}Bytes) - 1);\n")
endforeach()
file(WRITE "${OUT}" "${text}}  // namespace ${NAMESPACE}\n")
