#pragma once

#include <zlib.h>

/// `inflateInit2` is a macro, which Swift does not see.
static inline int symbolist_inflate_init(z_streamp stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
