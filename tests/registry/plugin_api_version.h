// The number in core/registry/plugin_api.h, which includes LibTorch's headers; these tests do not need those.
#define YATLAB_TEST_PLUGIN_API "10"
