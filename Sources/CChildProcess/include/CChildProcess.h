#ifndef SYMBOLIST_CCHILDPROCESS_H
#define SYMBOLIST_CCHILDPROCESS_H

#include <stdbool.h>
#include <sys/types.h>

// Functions that Swift cannot call, because they are variadic or because only the GNU C library has them.

/// Creates a pipe that child processes do not inherit. Returns 0 or an errno.
int symbolist_pipe(int *read_end, int *write_end);

/// Starts a program in its own process group, with default signal handling, an empty standard input,
/// the two given descriptors for output and errors, and no other descriptors.
///
/// `arguments` and `environment` end with a null pointer. Returns 0 or an errno.
int symbolist_spawn(
    pid_t *process, const char *path, char *const *arguments, char *const *environment,
    int output, int errors);

/// Makes the kernel kill the calling process when the thread that started it ends, and prevents it
/// from gaining privileges by running another program.
///
/// Returns whether `parent` is still its parent; if not, the parent ended before the call, which
/// the kernel does not detect.
bool symbolist_die_with_parent(pid_t parent);

#endif
