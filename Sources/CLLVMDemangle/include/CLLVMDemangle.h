#ifndef SYMBOLIST_CLLVMDEMANGLE_H
#define SYMBOLIST_CLLVMDEMANGLE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What became of a name given to `symbolist_itanium_demangle`.
typedef enum symbolist_itanium_result {
    /// `out` holds the whole text.
    SYMBOLIST_ITANIUM_DONE = 0,
    /// `out` holds the first `capacity` bytes of a longer text.
    SYMBOLIST_ITANIUM_CUT = 1,
    /// The name is not a valid Itanium name, or asked for more work than the limits allow.
    SYMBOLIST_ITANIUM_REFUSED = 2,
} symbolist_itanium_result;

/// Demangles an Itanium C++ name (`_Z…`, and `___Z…_block_invoke`) into `out`.
///
/// LLVM's own entry point prints without a limit: a name of 500 bytes can give megabytes. This one
/// stops after `capacity` bytes of text, a bounded number of steps and a bounded nesting, so that
/// every name costs a few milliseconds at most. The stack used grows with `length`: up to 512 KiB for
/// a hostile name of 4 KiB in a debug build. Give longer names to a child process.
///
/// `out` is not NUL-terminated; `written` receives the number of bytes in it. Safe on any thread.
symbolist_itanium_result symbolist_itanium_demangle(
    const char *name, size_t length, char *out, size_t capacity, size_t *written);

/// The same for a child process: the first 8 KiB of the text in memory from malloc, or NULL.
char *symbolist_itanium_text(const char *name, size_t length);

#ifdef __cplusplus
}
#endif

#endif
