// What makes the library a plugin: its name and version. Components register in their own files.
#include "core/registry/plugin_api.h"

YATLAB_PLUGIN("my_kernel_plugin", "1.0");
