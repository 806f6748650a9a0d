#ifndef SYMBOLIST_CSWIFTDEMANGLE_H
#define SYMBOLIST_CSWIFTDEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Part of every Swift runtime, in no header and no Swift interface. Both take a NUL-terminated
// name, and return memory from malloc or NULL.

/// The simplified form, which Xcode and the runtime's own backtraces show.
char *_swift_backtrace_demangle(
    const char *name, size_t length, char *buffer, size_t *buffer_size);

/// The full form. `flags` must be 0; anything else is an error that ends the process.
char *swift_demangle(
    const char *name, size_t length, char *buffer, size_t *buffer_size, uint32_t flags);

/// Whether the runtime's own backtraces leave out a function of this name.
bool _swift_backtrace_isThunkFunction(const char *name);

/// A demangler with unknown appetite: returns memory from malloc or NULL.
typedef char *(*symbolist_demangler)(const char *name, size_t length);

/// `_swift_backtrace_demangle` and `swift_demangle` in the form of a `symbolist_demangler`.
char *symbolist_swift_simplified(const char *name, size_t length);
char *symbolist_swift_full(const char *name, size_t length);

/// Calls `demangler` and copies at most `capacity` bytes of its answer to `out`.
///
/// Returns the number of bytes copied, or -1 where the demangler refused the name. An answer of
/// exactly `capacity` bytes may have been cut.
ptrdiff_t symbolist_demangle_here(
    symbolist_demangler demangler, const char *name, size_t length, char *out, size_t capacity);

/// Calls `demangler` in a child process that has 64 MiB of memory and a second of processor time,
/// and copies at most `capacity` bytes of its answer to `out`.
///
/// Returns the number of bytes copied, or -1 where the demangler refused the name, ran into a limit
/// or crashed, or where no child could be made. An answer of exactly `capacity` bytes may have been
/// cut. Waits two seconds at most. Safe on any thread.
ptrdiff_t symbolist_demangle_in_child(
    symbolist_demangler demangler, const char *name, size_t length, char *out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
