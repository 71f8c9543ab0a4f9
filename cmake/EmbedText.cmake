# Writes a C++ file that defines a std::string_view for each text file. Called at build time:
#   cmake -DOUT=x.cpp -DNAMESPACE=a::b -DHEADER=h.h "-DFILES=kOne=path;kTwo=path" -P EmbedText.cmake
# With -DENTRY=T -DTAKEN_BY=f -DROOT=folder, f(const T*, size) receives all of them before main, as {path below the folder, text}.
set(text "// Made by cmake/EmbedText.cmake.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
set(table "")
set(size 0)
foreach(entry ${FILES})
  string(FIND "${entry}" "=" at)
  string(SUBSTRING "${entry}" 0 ${at} name)
  math(EXPR at "${at} + 1")
  string(SUBSTRING "${entry}" ${at} -1 path)
  # As numbers: no text can end such a literal, and CMake removes ';' and '[' from text that it reads.
  file(READ "${path}" bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND text "static const char ${name}Bytes[] = {${bytes}'\\0'};\n"
    "extern const std::string_view ${name};\nconst std::string_view ${name}(${name}Bytes, sizeof(${name}Bytes) - 1);\n")
  if(TAKEN_BY)
    file(RELATIVE_PATH below "${ROOT}" "${path}")
    string(APPEND table "  {\"${below}\", {${name}Bytes, sizeof(${name}Bytes) - 1}},\n")
    math(EXPR size "${size} + 1")
  endif()
endforeach()
if(TAKEN_BY)
  string(APPEND text "static const ${ENTRY} kEntries[] = {\n${table}};\n"
    "[[maybe_unused]] static const int kTaken = ${TAKEN_BY}(kEntries, ${size});\n")
endif()
file(WRITE "${OUT}" "${text}}  // namespace ${NAMESPACE}\n")
