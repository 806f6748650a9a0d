// Runs a program and prints its cost, as one line of JSON.
//
//   timed SECONDS INPUT OUTPUT ERRORS PROGRAM [ARGUMENT…]
//
// INPUT is the program's standard input, OUTPUT and ERRORS receive its output. After SECONDS it
// is killed.
//
// This is a separate, small program because of the peak RSS: the kernel's value for a process
// starts with that of the process that started it. Started by an interpreter, every value would start at
// some 16 MB; here it is below 2.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;
static volatile sig_atomic_t ran_out;

static void end_child(int signal) {
    (void)signal;
    ran_out = 1;
    kill(child, SIGKILL);
}

static void redirect(const char *path, int flags, int descriptor) {
    int file = open(path, flags, 0644);
    if (file < 0 || dup2(file, descriptor) < 0) {
        perror(path);
        _exit(127);
    }
    close(file);
}

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec * 1e-6; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void become(char **arguments) {
    redirect(arguments[4], O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    redirect(arguments[2], O_RDONLY, STDIN_FILENO);
    redirect(arguments[3], O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    execvp(arguments[5], arguments + 5);
    perror(arguments[5]);
    _exit(127);
}

int main(int count, char **arguments) {
    if (count < 6) {
        fprintf(stderr, "usage: timed SECONDS INPUT OUTPUT ERRORS PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    double start = now();
    child = fork();
    if (child < 0) {
        perror("fork");
        return 1;
    }
    if (child == 0) become(arguments);
    signal(SIGALRM, end_child);
    alarm(atoi(arguments[1]));
    int status = 0;
    struct rusage usage;
    // The alarm does not interrupt the wait: `signal` restarts system calls.
    if (wait4(child, &status, 0, &usage) != child) {
        perror("wait4");
        return 1;
    }
    double wall = now() - start;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    printf("{\"user\": %.6f, \"system\": %.6f, \"wall\": %.6f, \"rss_kib\": %ld, \"code\": %d, "
           "\"ran_out\": %s}\n",
           seconds(usage.ru_utime), seconds(usage.ru_stime), wall, usage.ru_maxrss, code,
           ran_out ? "true" : "false");
    return 0;
}
