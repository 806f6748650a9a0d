#ifndef SYMBOLIST_CCHILDPROCESS_H
#define SYMBOLIST_CCHILDPROCESS_H

#include <stdbool.h>
#include <sys/types.h>

// What Swift cannot call because it is variadic, or because only GNU's C library has it.

/// Makes a pipe that no child inherits. Returns 0, or an errno.
int symbolist_pipe(int *read_end, int *write_end);

/// Starts a program in a process group of its own, with all signals as a program expects them, an
/// empty standard input, the two given descriptors for output and errors, and no other.
///
/// `arguments` and `environment` end with a null pointer. Returns 0, or an errno.
int symbolist_spawn(
    pid_t *process, const char *path, char *const *arguments, char *const *environment,
    int output, int errors);

/// Lets the kernel kill the calling process when the thread that started it ends, and keeps it from
/// gaining rights by running another program.
///
/// Returns whether `parent` still is its parent: one that ended before the call was missed.
bool symbolist_die_with_parent(pid_t parent);

#endif
