#define _GNU_SOURCE
#include "CSwiftDemangle.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

static const rlim_t child_memory_bytes = 64u << 20;

char *symbolist_swift_simplified(const char *name, size_t length) {
    return _swift_backtrace_demangle(name, length, NULL, NULL);
}

ptrdiff_t symbolist_demangle_here(
    symbolist_demangler demangler, const char *name, size_t length, char *out, size_t capacity) {
    char *text = demangler(name, length);
    if (text == NULL) return -1;
    size_t size = strnlen(text, capacity);
    memcpy(out, text, size);
    free(text);
    return (ptrdiff_t)size;
}

// Returns the size of the address space, in bytes. It does not count against the child: the limit
// is for new memory only. Uses system calls alone, because stdio may be locked by a thread that
// does not exist in the child.
static rlim_t address_space_bytes(void) {
    char text[64];
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size <= 0) return 0;
    text[size] = 0;
    return (rlim_t)strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit(int resource, rlim_t value) {
    struct rlimit both = {value, value};
    setrlimit(resource, &both);
}

// A crash of the child must be silent: no handlers of the parent, no report, no core file.
static void restore_signals(void) {
    static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV,
                                  SIGTRAP, SIGSYS, SIGXCPU, SIGPROF};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) signal(signals[i], SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    // The parent blocked all signals before the fork. Signals for crashes and the CPU time limit
    // must be delivered; handlers of the others belong to the parent.
    sigset_t ours;
    sigfillset(&ours);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigdelset(&ours, signals[i]);
    pthread_sigmask(SIG_SETMASK, &ours, NULL);
}

// The child must not keep descriptors of the parent open, such as sockets.
static void keep_only(int descriptor) {
#if defined(__linux__) && defined(SYS_close_range)
    if (descriptor > 0) syscall(SYS_close_range, 0u, (unsigned)descriptor - 1, 0u);
    syscall(SYS_close_range, (unsigned)descriptor + 1, ~0u, 0u);
#else
    (void)descriptor;
#endif
}

static bool write_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

static int64_t milliseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int64_t now_milliseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return milliseconds(now);
}

// Ends the child with SIGPROF when the current name, or all names together, have used their CPU
// time.
static void limit_name(symbolist_child_limits limits) {
    int64_t left = limits.processor_milliseconds - now_milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    if (left <= 0) _exit(1);
    if (left > limits.name_milliseconds) left = limits.name_milliseconds;
    struct itimerval timer = {.it_value = {left / 1000, left % 1000 * 1000}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

static bool write_result(int descriptor, const char *text, size_t capacity) {
    uint32_t size = text == NULL ? symbolist_refused : (uint32_t)strnlen(text, capacity);
    return write_all(descriptor, (const char *)&size, sizeof size)
        && (text == NULL || write_all(descriptor, text, size));
}

static _Noreturn void run_child(
    const symbolist_wish *wishes, size_t count, size_t capacity, symbolist_child_limits limits,
    int results) {
    restore_signals();
    rlim_t present = address_space_bytes();
    keep_only(results);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, (rlim_t)limits.processor_milliseconds / 1000 + 1);
    if (present > 0) limit(RLIMIT_AS, present + child_memory_bytes);

    for (size_t i = 0; i < count; i++) {
        limit_name(limits);
        char *text = wishes[i].demangler(wishes[i].name, wishes[i].length);
        if (!write_result(results, text, capacity)) _exit(1);
        free(text);
    }
    _exit(0);
}

// Reads until the child closes its end, the buffer is full, or `patience` milliseconds have passed,
// which sets `late`.
static size_t read_results(
    int descriptor, char *out, size_t capacity, int64_t patience, bool *late) {
    int64_t deadline = now_milliseconds(CLOCK_MONOTONIC) + patience;
    size_t filled = 0;
    while (filled < capacity) {
        int64_t left = deadline - now_milliseconds(CLOCK_MONOTONIC);
        *late = left <= 0;
        if (*late) break;
        struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
        int ready = poll(&wanted, 1, (int)left);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        if (ready < 0) break;
        ssize_t size = read(descriptor, out + filled, capacity - filled);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        filled += (size_t)size;
    }
    return filled;
}

static pid_t fork_quietly(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child != 0) pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child;
}

// Waits for the child to end, and returns its CPU time in milliseconds. If the process ignores
// `SIGCHLD`, so that the kernel reaps children, the CPU time is unknown, and the elapsed time is
// returned.
static int64_t reap(pid_t child, int64_t passed) {
    struct rusage usage;
    pid_t reaped;
    do reaped = wait4(child, NULL, 0, &usage);
    while (reaped < 0 && errno == EINTR);
    if (reaped != child) return passed;
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000
        + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

size_t symbolist_demangle_in_child(
    const symbolist_wish *wishes, size_t count, size_t capacity, symbolist_child_limits limits,
    char *out, symbolist_child_usage *usage) {
    size_t room = count * (capacity + sizeof(uint32_t));
    int64_t start = now_milliseconds(CLOCK_MONOTONIC);
    int ends[2];
#ifdef __linux__
    int made = pipe2(ends, O_CLOEXEC);
#else
    int made = pipe(ends);
#endif
    if (made != 0) return 0;
    pid_t child = fork_quietly();
    if (child == 0) run_child(wishes, count, capacity, limits, ends[1]);
    close(ends[1]);
    size_t filled = 0;
    bool late = false;
    if (child > 0) filled = read_results(ends[0], out, room, limits.wall_milliseconds, &late);
    close(ends[0]);
    int64_t passed = now_milliseconds(CLOCK_MONOTONIC) - start;
    if (child > 0) {
        // Kill only a child that is late. One that has answered is exiting, and if the kernel reaps
        // children, its process ID may already belong to another process.
        if (late) kill(child, SIGKILL);
        usage->processor_milliseconds = reap(child, passed);
    }
    usage->wall_milliseconds = now_milliseconds(CLOCK_MONOTONIC) - start;
    return filled;
}

int64_t symbolist_thread_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
