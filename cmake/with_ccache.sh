#!/bin/sh
# with_ccache.sh COMPILER ARGUMENT...: runs it through ccache if that is installed.
if command -v ccache >/dev/null; then
  # Sloppiness as in ccache's manual for precompiled headers. Depend mode: without it every miss would preprocess LibTorch's headers a second time.
  export CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  exec ccache "$@"
fi
exec "$@"
