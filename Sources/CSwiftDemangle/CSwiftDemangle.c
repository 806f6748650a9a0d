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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

static const rlim_t child_memory_bytes = 64u << 20;
static const rlim_t child_processor_seconds = 1;
static const int64_t parent_patience_milliseconds = 2000;
static const char answer_follows = '+';

char *symbolist_swift_simplified(const char *name, size_t length) {
    return _swift_backtrace_demangle(name, length, NULL, NULL);
}

char *symbolist_swift_full(const char *name, size_t length) {
    return swift_demangle(name, length, NULL, NULL, 0);
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

// What the address space holds already does not count against the child: the limit is for new
// memory only. Reads with system calls alone, because stdio may be locked by a thread that the
// child does not have.
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

// A crash of the child must be silent: no handler of the parent's, no report, no core file.
static void restore_signals(void) {
    static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV,
                                  SIGTRAP, SIGSYS, SIGXCPU};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) signal(signals[i], SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    // The parent blocked everything before the fork. Crashes and the processor limit have to come
    // through; the handlers of the rest belong to the parent.
    sigset_t ours;
    sigfillset(&ours);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigdelset(&ours, signals[i]);
    pthread_sigmask(SIG_SETMASK, &ours, NULL);
}

// Descriptors of the parent, sockets among them, must not live longer because a child has them.
static void keep_only(int descriptor) {
#if defined(__linux__) && defined(SYS_close_range)
    if (descriptor > 0) syscall(SYS_close_range, 0u, (unsigned)descriptor - 1, 0u);
    syscall(SYS_close_range, (unsigned)descriptor + 1, ~0u, 0u);
#else
    (void)descriptor;
#endif
}

static void write_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        count -= (size_t)written;
    }
}

static _Noreturn void run_child(
    symbolist_demangler demangler, const char *name, size_t length, size_t capacity, int answer) {
    restore_signals();
    rlim_t present = address_space_bytes();
    keep_only(answer);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, child_processor_seconds);
    if (present > 0) limit(RLIMIT_AS, present + child_memory_bytes);

    char *text = demangler(name, length);
    if (text == NULL) _exit(1);
    write_all(answer, &answer_follows, 1);
    write_all(answer, text, strnlen(text, capacity));
    _exit(0);
}

static int64_t now_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Reads until the child closes its end, the buffer is full, or patience ends.
static ptrdiff_t read_answer(int descriptor, char *out, size_t capacity) {
    int64_t deadline = now_milliseconds() + parent_patience_milliseconds;
    size_t filled = 0;
    while (filled < capacity) {
        int64_t left = deadline - now_milliseconds();
        if (left <= 0) return -1;
        struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
        int ready = poll(&wanted, 1, (int)left);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return -1;
        ssize_t size = read(descriptor, out + filled, capacity - filled);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return -1;
        if (size == 0) break;
        filled += (size_t)size;
    }
    return (ptrdiff_t)filled;
}

static pid_t fork_quietly(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child != 0) pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child;
}

ptrdiff_t symbolist_demangle_in_child(
    symbolist_demangler demangler, const char *name, size_t length, char *out, size_t capacity) {
    int ends[2];
    char *answer = malloc(capacity + 1);
    if (answer == NULL) return -1;
#ifdef __linux__
    int made = pipe2(ends, O_CLOEXEC);
#else
    int made = pipe(ends);
#endif
    if (made != 0) {
        free(answer);
        return -1;
    }
    pid_t child = fork_quietly();
    if (child == 0) run_child(demangler, name, length, capacity, ends[1]);
    close(ends[1]);
    ptrdiff_t size = child < 0 ? -1 : read_answer(ends[0], answer, capacity + 1);
    close(ends[0]);
    if (child > 0) {
        // Only a child that is late: one that answered is ending by itself, and its number could
        // belong to a stranger where the process lets the kernel reap.
        if (size < 0) kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    bool good = size >= 1 && answer[0] == answer_follows;
    if (good) memcpy(out, answer + 1, (size_t)size - 1);
    free(answer);
    return good ? size - 1 : -1;
}
