#ifndef SYMBOLIST_CSWIFTDEMANGLE_H
#define SYMBOLIST_CSWIFTDEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Functions of every Swift runtime that are in no header and no Swift interface. Both take a
// NUL-terminated name, and return memory from malloc, or NULL.

/// The simplified form, which Xcode and the runtime's own backtraces show.
char *_swift_backtrace_demangle(
    const char *name, size_t length, char *buffer, size_t *buffer_size);

/// The full form, with modules and types, whose size bounds that of the simplified one. Only tests of
/// that bound use it. `flags` must be 0; anything else is an error that ends the process.
char *swift_demangle(
    const char *name, size_t length, char *buffer, size_t *buffer_size, uint32_t flags);

/// Whether the runtime's own backtraces omit functions with this name.
bool _swift_backtrace_isThunkFunction(const char *name);

/// A demangler whose memory and CPU use is not bounded. Returns memory from malloc, or NULL.
typedef char *(*symbolist_demangler)(const char *name, size_t length);

/// `_swift_backtrace_demangle` in the form of a `symbolist_demangler`.
char *symbolist_swift_simplified(const char *name, size_t length);

/// Calls `demangler` and copies at most `capacity` bytes of its result to `out`.
///
/// Returns the number of bytes copied, or -1 if the demangler rejected the name. A result of
/// exactly `capacity` bytes may be truncated.
ptrdiff_t symbolist_demangle_here(
    symbolist_demangler demangler, const char *name, size_t length, char *out, size_t capacity);

/// A name to demangle in a child process. The name is NUL-terminated.
typedef struct {
    symbolist_demangler demangler;
    const char *name;
    size_t length;
} symbolist_wish;

/// The limits of a child process. Memory is limited as well, to 64 MiB.
typedef struct {
    /// CPU time per name.
    int64_t name_milliseconds;
    /// CPU time for all names.
    int64_t processor_milliseconds;
    /// The longest time that the caller waits.
    int64_t wall_milliseconds;
} symbolist_child_limits;

/// The resource use of a child process.
typedef struct {
    int64_t processor_milliseconds;
    int64_t wall_milliseconds;
} symbolist_child_usage;

/// Written in place of a result's size if the demangler rejected the name.
static const uint32_t symbolist_refused = UINT32_MAX;

/// Demangles names in a child process, one after another.
///
/// Writes the results to `out`, in order: the size as a `uint32_t`, followed by the text, which has
/// at most `capacity` bytes; a text of exactly `capacity` bytes may be truncated. `out` must have
/// room for `count` results of `capacity` bytes, with their sizes. Results end before the name that
/// exceeded a limit or crashed the child; the last one may be incomplete. Returns the number of
/// bytes written, or 0 if no child could be created. Thread-safe.
size_t symbolist_demangle_in_child(
    const symbolist_wish *wishes, size_t count, size_t capacity, symbolist_child_limits limits,
    char *out, symbolist_child_usage *usage);

/// The CPU time of the calling thread.
int64_t symbolist_thread_nanoseconds(void);

#ifdef __cplusplus
}
#endif

#endif
