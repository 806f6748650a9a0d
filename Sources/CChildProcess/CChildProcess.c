#define _GNU_SOURCE

#include "CChildProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <unistd.h>

int symbolist_pipe(int *read_end, int *write_end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    *read_end = ends[0];
    *write_end = ends[1];
    return 0;
}

static int set_descriptors(posix_spawn_file_actions_t *actions, int output, int errors) {
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (error == 0) error = posix_spawn_file_actions_adddup2(actions, errors, STDERR_FILENO);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    return error;
}

static int set_signals_and_group(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (error == 0) error = posix_spawnattr_setpgroup(attributes, 0);
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    return error == 0 ? posix_spawnattr_setflags(attributes, flags) : error;
}

int symbolist_spawn(
    pid_t *process, const char *path, char *const *arguments, char *const *environment,
    int output, int errors) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = set_descriptors(&actions, output, errors);
        if (error == 0) error = set_signals_and_group(&attributes);
        if (error == 0)
            error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool symbolist_die_with_parent(pid_t parent) {
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0
        && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && getppid() == parent;
}
