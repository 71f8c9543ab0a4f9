// A library that a plugin library needs and that the dynamic linker cannot find.
extern "C" __attribute__((visibility("default"))) int from_another_library() { return 1; }
