// Replaces LLVM's `Utility.h`, whose output buffer grows without limit.
//
// `ItaniumDemangle.h` is a template library over the classes below, so a buffer that refuses to
// grow bounds the whole demangler without a change to LLVM's source. The include guard is LLVM's,
// so that the original header is not included. The includer has to include the standard headers,
// because it includes this file inside a namespace.
#ifndef DEMANGLE_UTILITY_H
#define DEMANGLE_UTILITY_H

#include "llvm/Demangle/DemangleConfig.h"

/// Thrown when a name needs more text or more work than the limits allow.
struct LimitReached {};

DEMANGLE_NAMESPACE_BEGIN

/// The text being printed, in memory that the caller owns.
///
/// Every call counts as a step, even one that prints nothing: empty parameter packs can take
/// exponential time to print nothing.
class OutputBuffer {
    char *Buffer;
    size_t CurrentPosition = 0;
    size_t Capacity;
    mutable uint64_t StepsLeft;

    void step() const {
        if (StepsLeft-- == 0) throw LimitReached{};
    }

public:
    OutputBuffer(char *buffer, size_t capacity, uint64_t steps)
        : Buffer(buffer), Capacity(capacity), StepsLeft(steps) {}
    OutputBuffer(const OutputBuffer &) = delete;
    OutputBuffer &operator=(const OutputBuffer &) = delete;

    unsigned CurrentPackIndex = std::numeric_limits<unsigned>::max();
    unsigned CurrentPackMax = std::numeric_limits<unsigned>::max();
    unsigned GtIsGt = 1;

    bool isGtInsideTemplateArgs() const { return GtIsGt == 0; }

    void printOpen(char open = '(') {
        GtIsGt++;
        *this += open;
    }

    void printClose(char close = ')') {
        GtIsGt--;
        *this += close;
    }

    OutputBuffer &operator+=(std::string_view text) {
        step();
        size_t room = Capacity - CurrentPosition;
        size_t size = text.size() < room ? text.size() : room;
        if (size != 0) std::memcpy(Buffer + CurrentPosition, text.data(), size);
        CurrentPosition += size;
        if (size < text.size()) throw LimitReached{};
        return *this;
    }

    OutputBuffer &operator+=(char c) { return *this += std::string_view(&c, 1); }
    OutputBuffer &operator<<(std::string_view text) { return *this += text; }
    OutputBuffer &operator<<(char c) { return *this += c; }

    OutputBuffer &operator<<(long long number) {
        char digits[24];
        int size = std::snprintf(digits, sizeof digits, "%lld", number);
        return *this += std::string_view(digits, static_cast<size_t>(size));
    }

    OutputBuffer &operator<<(unsigned long long number) {
        char digits[24];
        int size = std::snprintf(digits, sizeof digits, "%llu", number);
        return *this += std::string_view(digits, static_cast<size_t>(size));
    }

    OutputBuffer &operator<<(long n) { return *this << static_cast<long long>(n); }
    OutputBuffer &operator<<(int n) { return *this << static_cast<long long>(n); }
    OutputBuffer &operator<<(unsigned long n) {
        return *this << static_cast<unsigned long long>(n);
    }
    OutputBuffer &operator<<(unsigned n) { return *this << static_cast<unsigned long long>(n); }

    size_t getCurrentPosition() const {
        step();
        return CurrentPosition;
    }

    /// The number of bytes written so far. Does not count as a step, so it can be called after the
    /// limit was reached.
    size_t size() const { return CurrentPosition; }

    void setCurrentPosition(size_t position) { CurrentPosition = position; }
    char back() const { return CurrentPosition == 0 ? '\0' : Buffer[CurrentPosition - 1]; }
    bool empty() const { return CurrentPosition == 0; }
};

/// Sets a variable for the duration of a scope, and restores it even if an exception is thrown.
/// Copied from LLVM.
template <class T> class ScopedOverride {
    T &Place;
    T Original;

public:
    ScopedOverride(T &place) : ScopedOverride(place, place) {}
    ScopedOverride(T &place, T value) : Place(place), Original(place) { Place = std::move(value); }
    ~ScopedOverride() { Place = std::move(Original); }
    ScopedOverride(const ScopedOverride &) = delete;
    ScopedOverride &operator=(const ScopedOverride &) = delete;
};

DEMANGLE_NAMESPACE_END

#endif
