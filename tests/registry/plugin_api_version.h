// The number in core/registry/plugin_api.h, which needs LibTorch's headers; these tests need none.
#define YATLAB_TEST_PLUGIN_API "8"
