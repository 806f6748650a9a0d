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

/// A name for a demangler in a child process. The name ends in NUL.
typedef struct {
    symbolist_demangler demangler;
    const char *name;
    size_t length;
} symbolist_wish;

/// What a child may take. Memory is limited as well, to 64 MiB.
typedef struct {
    /// Processor time for one name.
    int64_t name_milliseconds;
    /// Processor time for all names.
    int64_t processor_milliseconds;
    /// How long the caller waits.
    int64_t wall_milliseconds;
} symbolist_child_limits;

/// What a child took.
typedef struct {
    int64_t processor_milliseconds;
    int64_t wall_milliseconds;
} symbolist_child_usage;

/// In the place of an answer's size: the demangler refused the name.
static const uint32_t symbolist_refused = UINT32_MAX;

/// Demangles names in a child process, one after the other.
///
/// Writes answers to `out`, in order: the size as a `uint32_t`, and so many bytes of text, which are
/// at most `capacity`; a text of exactly `capacity` bytes may have been cut. There has to be room for
/// `count` answers of `capacity` bytes. Answers end before the name that ran into a limit or crashed
/// the child; the last one may be incomplete. Returns the bytes written, 0 where no child could be
/// made. Safe on any thread.
size_t symbolist_demangle_in_child(
    const symbolist_wish *wishes, size_t count, size_t capacity, symbolist_child_limits limits,
    char *out, symbolist_child_usage *usage);

/// Processor time of the calling thread.
int64_t symbolist_thread_nanoseconds(void);

#ifdef __cplusplus
}
#endif

#endif
