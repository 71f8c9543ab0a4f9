// A library that a plugin library needs and that the dynamic linker is not told where to find.
extern "C" __attribute__((visibility("default"))) int from_another_library() { return 1; }
