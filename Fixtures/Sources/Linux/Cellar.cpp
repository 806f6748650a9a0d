// What goes wrong in a cellar, one accident a run: `cellar spoil`.
//
// A line with a mark is one that a stack names; the tests look for the mark.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <thread>

namespace cellar {

struct Cask {
    int litres;
};

static inline __attribute__((always_inline)) int tapped(const Cask *cask) {
    return cask->litres; // @tapped
}

static inline __attribute__((always_inline)) int poured(const Cask *cask) {
    return tapped(cask) * 2; // @poured
}

__attribute__((noinline)) Cask *broach(int litres) {
    Cask *cask = static_cast<Cask *>(malloc(sizeof(Cask))); // @broach
    cask->litres = litres;
    return cask;
}

__attribute__((noinline)) void spill(Cask *cask) {
    free(cask); // @spill
    asm volatile("");
}

__attribute__((noinline)) int serve(Cask *cask) {
    int glass = poured(cask); // @serve
    asm volatile("" : "+r"(glass));
    return glass;
}

__attribute__((noinline)) int spoil() {
    Cask *cask = broach(40); // @spoil-broach
    spill(cask);             // @spoil-spill
    int glass = serve(cask); // @spoil-serve
    asm volatile("" : "+r"(glass));
    return glass;
}

__attribute__((noinline)) int overfill(int litres) {
    int sum = litres + 2147483000; // @overfill
    asm volatile("" : "+r"(sum));
    return sum;
}

static int level;

__attribute__((noinline)) void fill(int litres) {
    level += litres; // @fill
    asm volatile("");
}

__attribute__((noinline)) void share() {
    std::thread other([] { fill(1); }); // @share-thread
    fill(2);                            // @share-main
    other.join();
}

__attribute__((noinline)) void forget() {
    Cask *volatile cask = broach(60); // @forget
    cask = nullptr;
    asm volatile("");
}

__attribute__((noinline)) void print() {
    void *frames[64];
    int count = backtrace(frames, 64); // @print
    backtrace_symbols_fd(frames, count, 2);
    asm volatile("");
}

__attribute__((noinline)) int list(int depth) {
    if (depth == 0) print(); // @list-print
    else list(depth - 1);    // @list-deeper
    asm volatile("");
    return depth;
}

__attribute__((noinline)) int burst(int litres) {
    Cask *cask = litres > 0 ? nullptr : broach(litres);
    int glass = poured(cask); // @burst
    asm volatile("" : "+r"(glass));
    return glass;
}

__attribute__((noinline)) int toast(int glasses) {
    int sum = 0;
    for (int number = 0; number < glasses; number++) sum += number ^ sum; // @toast
    asm volatile("" : "+r"(sum));
    return sum;
}

} // namespace cellar

int main(int count, char **arguments) {
    const char *accident = count > 1 ? arguments[1] : "";
    int result = 0;
    if (!strcmp(accident, "spoil")) result = cellar::spoil();          // @main-spoil
    if (!strcmp(accident, "overfill")) result = cellar::overfill(count + 1000); // @main-overfill
    if (!strcmp(accident, "share")) cellar::share();                  // @main-share
    if (!strcmp(accident, "forget")) cellar::forget();                // @main-forget
    if (!strcmp(accident, "list")) result = cellar::list(2);          // @main-list
    if (!strcmp(accident, "burst")) result = cellar::burst(count);    // @main-burst
    if (!strcmp(accident, "toast"))
        for (int round = 0; round < 400; round++) result ^= cellar::toast(1000000); // @main-toast
    return result & 1;
}
