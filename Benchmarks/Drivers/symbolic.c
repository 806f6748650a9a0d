// Calls the `symbolic` library through its C interface, without its Python package.
//
//   symbolic LIBRARY convert DEBUG-FILE SYMCACHE
//   symbolic LIBRARY lookup SYMCACHE OFFSETS     ns for each lookup, in a warm process
//   symbolic LIBRARY first SYMCACHE OFFSETS      ns to open it, and for the first lookup
//
// LIBRARY is `_lowlevel__lib.so` of the wheel. OFFSETS contains little-endian 64-bit offsets from
// the start of the image. Results are a line of JSON.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// The values of the interface, as symbolic's header declares them.
typedef struct {
    char *data;
    uintptr_t len;
    bool owned;
} Text;

typedef struct {
    uint64_t sym_addr, instr_addr;
    uint32_t line;
    Text lang, symbol, full_path;
} SourceLocation;

typedef struct {
    SourceLocation *items;
    uintptr_t len;
} LookupResult;

// The functions of the interface, by their names without `symbolic_`.
static struct {
    void (*init)(void);
    Text (*err_get_last_message)(void);
    void *(*archive_open)(const char *);
    void *(*archive_get_object)(void *, uintptr_t);
    void *(*symcache_from_object)(void *);
    void *(*symcache_open)(const char *);
    const uint8_t *(*symcache_get_bytes)(void *);
    uintptr_t (*symcache_get_size)(void *);
    LookupResult (*symcache_lookup)(void *, uint64_t);
    void (*lookup_result_free)(LookupResult *);
} symbolic;

// The sum of a run's results. It is printed, so that no lookup can be optimised away.
typedef struct {
    size_t found, frames, bytes;
} Sum;

static void fail(const char *subject, const char *message) {
    fprintf(stderr, "%s: %s\n", subject, message);
    exit(1);
}

static void *function(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (!address) fail(name, "not in this version of symbolic");
    return address;
}

#define FIND(name) symbolic.name = function(library, "symbolic_" #name)

static void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(path, dlerror());
    FIND(init);
    FIND(err_get_last_message);
    FIND(archive_open);
    FIND(archive_get_object);
    FIND(symcache_from_object);
    FIND(symcache_open);
    FIND(symcache_get_bytes);
    FIND(symcache_get_size);
    FIND(symcache_lookup);
    FIND(lookup_result_free);
    symbolic.init();
}

static void *present(void *result, const char *subject) {
    if (result) return result;
    Text message = symbolic.err_get_last_message();
    fprintf(stderr, "%s: %.*s\n", subject, (int)message.len, message.data);
    exit(1);
}

static void convert(const char *debug_file, const char *path) {
    void *archive = present(symbolic.archive_open(debug_file), debug_file);
    void *object = present(symbolic.archive_get_object(archive, 0), debug_file);
    void *cache = present(symbolic.symcache_from_object(object), debug_file);
    FILE *file = fopen(path, "wb");
    if (!file) fail(path, "cannot be written");
    uintptr_t size = symbolic.symcache_get_size(cache);
    if (fwrite(symbolic.symcache_get_bytes(cache), 1, size, file) != size || fclose(file))
        fail(path, "cannot be written");
}

static const uint64_t *offsets_of(const char *path, size_t *count) {
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status)) fail(path, "cannot be read");
    void *bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED) fail(path, "cannot be mapped");
    *count = status.st_size / sizeof(uint64_t);
    return bytes;
}

static double nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void ask(void *cache, uint64_t offset, Sum *sum) {
    LookupResult answer = symbolic.symcache_lookup(cache, offset);
    sum->found += answer.len > 0;
    sum->frames += answer.len;
    for (size_t i = 0; i < answer.len; i++)
        sum->bytes += answer.items[i].symbol.len + answer.items[i].full_path.len;
    symbolic.lookup_result_free(&answer);
}

static void look_up(const char *path, const char *offsets) {
    size_t count, warming;
    const uint64_t *offset = offsets_of(offsets, &count);
    void *cache = present(symbolic.symcache_open(path), path);
    Sum sum = {0}, unused = {0};
    warming = count < 100000 ? count : 100000;
    for (size_t i = 0; i < warming; i++) ask(cache, offset[i], &unused);
    double start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < count; i++) ask(cache, offset[i], &sum);
    double spent = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    printf("{\"ns\": %.2f, \"found\": %.5f, \"frames\": %.4f, \"text_bytes\": %.2f}\n",
           spent / count, (double)sum.found / count, (double)sum.frames / count,
           (double)sum.bytes / count);
}

static void first(const char *path, const char *offsets) {
    size_t count;
    const uint64_t *offset = offsets_of(offsets, &count);
    Sum sum = {0};
    double start = nanoseconds(CLOCK_MONOTONIC);
    void *cache = present(symbolic.symcache_open(path), path);
    double opened = nanoseconds(CLOCK_MONOTONIC);
    ask(cache, offset[0], &sum);
    double answered = nanoseconds(CLOCK_MONOTONIC);
    printf("{\"open_ns\": %.0f, \"first_ns\": %.0f, \"frames\": %zu}\n", opened - start,
           answered - opened, sum.frames);
}

int main(int count, char **arguments) {
    if (count != 5) fail("usage", "symbolic LIBRARY convert|lookup|first FILE FILE");
    load(arguments[1]);
    const char *action = arguments[2];
    if (!strcmp(action, "convert")) convert(arguments[3], arguments[4]);
    else if (!strcmp(action, "lookup")) look_up(arguments[3], arguments[4]);
    else if (!strcmp(action, "first")) first(arguments[3], arguments[4]);
    else fail(action, "unknown action");
    fflush(stdout);
    _exit(0);  // Leaves freeing the memory to the system, as short-lived programs do.
}
