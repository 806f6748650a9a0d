#ifndef SYMBOLIST_CLLVMDEMANGLE_H
#define SYMBOLIST_CLLVMDEMANGLE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The result of `symbolist_itanium_demangle`.
typedef enum symbolist_itanium_result {
    /// `out` contains the complete text.
    SYMBOLIST_ITANIUM_DONE = 0,
    /// `out` contains the first `capacity` bytes of a longer text.
    SYMBOLIST_ITANIUM_CUT = 1,
    /// The name is not a valid Itanium name, or needs more work than the limits allow.
    SYMBOLIST_ITANIUM_REFUSED = 2,
} symbolist_itanium_result;

/// Demangles an Itanium C++ name (`_Z…`, and `___Z…_block_invoke`) into `out`.
///
/// LLVM's own entry point prints without a limit: a name of 500 bytes can result in megabytes. This
/// function stops after `capacity` bytes of text, and bounds the number of steps and the nesting
/// depth, so that every name takes a few milliseconds at most. The stack used grows with `length`:
/// up to 512 KiB for a hostile name of 4 KiB in a debug build. Demangle longer names in a child
/// process.
///
/// `out` is not NUL-terminated; `written` receives the number of bytes in it. Thread-safe.
symbolist_itanium_result symbolist_itanium_demangle(
    const char *name, size_t length, char *out, size_t capacity, size_t *written);

/// The same for a child process. Returns the first 8 KiB of the text, in memory from malloc, or
/// NULL.
char *symbolist_itanium_text(const char *name, size_t length);

#ifdef __cplusplus
}
#endif

#endif
