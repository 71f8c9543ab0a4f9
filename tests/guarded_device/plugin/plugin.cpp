// The device as a plugin library: `./run.sh EXPERIMENT --plugin guarded_device.so trainer.device=guarded`.
#include "core/registry/plugin_api.h"
#include "guarded_device/guarded_device.h"

static void initialise() { yatlab::testing::add_guarded_device(); }

YATLAB_PLUGIN("guarded_device", "1.0", initialise);
