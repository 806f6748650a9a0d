#include "CLLVMDemangle.h"

// A failed LLVM assertion means an invalid name here, in every build: it must not end a server.
#define DEMANGLE_ASSERT(condition, message)                                                        \
    ((condition) ? static_cast<void>(0) : throw LimitReached {})

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

// LLVM's templates get internal linkage: they use a different output buffer, so they must not be
// merged with the original ones of a library in the same process. Everything that they include is
// included above.
namespace {

#include "BoundedOutput.h"

#include "llvm/Demangle/ItaniumDemangle.h"

// Skips the discriminator of a local entity: `_` digit, `__` digits `_`, or digits up to the end.
// LLVM declares this in the header and defines it in its library.
const char *llvm::itanium_demangle::parse_discriminator(const char *first, const char *last) {
    const char *end = first;
    auto isDigit = [&] { return end != last && std::isdigit(static_cast<unsigned char>(*end)); };
    auto skipDigits = [&] {
        while (isDigit()) end++;
    };
    if (first == last) return first;
    if (*first != '_') {
        skipDigits();
        return end == last ? last : first;
    }
    end++;
    if (end == last) return first;
    if (*end != '_') return isDigit() ? end + 1 : first;
    end++;
    const char *digits = end;
    skipDigits();
    return end != digits && end != last && *end == '_' ? end + 1 : first;
}

using llvm::itanium_demangle::AbstractManglingParser;
using llvm::itanium_demangle::Node;
using llvm::itanium_demangle::OutputBuffer;

/// Real names stay below 100. A parser frame takes up to half a kilobyte.
constexpr unsigned nestingLimit = 400;
/// Parser calls plus printed pieces. The longest real names take some 20,000.
constexpr uint64_t stepLimit = 400'000;
/// A node takes some 50 bytes, and each byte of a name creates at most a few nodes.
constexpr size_t treeBytesLimit = 16 << 20;

/// Memory for the tree, freed as a whole.
class TreeMemory {
    struct Block {
        Block *previous;
    };
    static constexpr size_t blockBytes = 4096;

    alignas(16) char first[blockBytes];
    char *next = first;
    char *end = first + blockBytes;
    size_t total = 0;
    Block *blocks = nullptr;

    void grow(size_t bytes) {
        size_t size = bytes + sizeof(Block) + 16 > blockBytes ? bytes + 32 : blockBytes;
        total += size;
        if (total > treeBytesLimit) throw LimitReached{};
        auto *block = static_cast<Block *>(std::malloc(size));
        if (block == nullptr) throw LimitReached{};
        block->previous = blocks;
        blocks = block;
        next = reinterpret_cast<char *>(block) + 16;
        end = reinterpret_cast<char *>(block) + size;
    }

    void *allocate(size_t bytes) {
        bytes = (bytes + 15) & ~static_cast<size_t>(15);
        if (static_cast<size_t>(end - next) < bytes) grow(bytes);
        void *memory = next;
        next += bytes;
        return memory;
    }

public:
    TreeMemory() = default;
    TreeMemory(const TreeMemory &) = delete;
    TreeMemory &operator=(const TreeMemory &) = delete;

    ~TreeMemory() {
        while (blocks != nullptr) {
            Block *previous = blocks->previous;
            std::free(blocks);
            blocks = previous;
        }
    }

    template <typename T, typename... Arguments> T *makeNode(Arguments &&...arguments) {
        return new (allocate(sizeof(T))) T(std::forward<Arguments>(arguments)...);
    }

    void *allocateNodeArray(size_t count) { return allocate(sizeof(Node *) * count); }
    void reset() {}
};

/// LLVM's parser, which counts a step for every production that can contain itself.
class BoundedParser : public AbstractManglingParser<BoundedParser, TreeMemory> {
    using Base = AbstractManglingParser<BoundedParser, TreeMemory>;

    unsigned nesting = 0;
    uint64_t steps = 0;

    template <typename Production> Node *bounded(Production production) {
        struct Level {
            unsigned &nesting;
            ~Level() { nesting--; }
        } level{nesting};
        if (++nesting > nestingLimit || ++steps > stepLimit) throw LimitReached{};
        return production();
    }

public:
    using Base::Base;

    uint64_t stepsLeft() const { return stepLimit - steps; }

    Node *parseEncoding(bool parameters = true) {
        return bounded([&] { return Base::parseEncoding(parameters); });
    }
    Node *parseName(NameState *state = nullptr) {
        return bounded([&] { return Base::parseName(state); });
    }
    Node *parseType() {
        return bounded([&] { return Base::parseType(); });
    }
    Node *parseQualifiedType() {
        return bounded([&] { return Base::parseQualifiedType(); });
    }
    Node *parseExpr() {
        return bounded([&] { return Base::parseExpr(); });
    }
    Node *parseBracedExpr() {
        return bounded([&] { return Base::parseBracedExpr(); });
    }
    Node *parseTemplateArg() {
        return bounded([&] { return Base::parseTemplateArg(); });
    }
    Node *parseTemplateParamDecl(TemplateParamList *parameters) {
        return bounded([&] { return Base::parseTemplateParamDecl(parameters); });
    }
};

}  // namespace

symbolist_itanium_result symbolist_itanium_demangle(
    const char *name, size_t length, char *out, size_t capacity, size_t *written) {
    *written = 0;
    Node *tree = nullptr;
    // On the heap, because the parser contains several kilobytes of inline tables.
    std::unique_ptr<BoundedParser> parser(
        new (std::nothrow) BoundedParser(name, name + length));
    if (parser == nullptr) return SYMBOLIST_ITANIUM_REFUSED;
    try {
        tree = parser->parse();
    } catch (const LimitReached &) {
        return SYMBOLIST_ITANIUM_REFUSED;
    }
    if (tree == nullptr) return SYMBOLIST_ITANIUM_REFUSED;

    OutputBuffer output(out, capacity, parser->stepsLeft());
    symbolist_itanium_result result = SYMBOLIST_ITANIUM_DONE;
    try {
        tree->print(output);
    } catch (const LimitReached &) {
        result = SYMBOLIST_ITANIUM_CUT;
    }
    *written = output.size();
    return result;
}

char *symbolist_itanium_text(const char *name, size_t length) {
    constexpr size_t capacity = 8192;
    auto *out = static_cast<char *>(std::malloc(capacity + 1));
    if (out == nullptr) return nullptr;
    size_t written = 0;
    if (symbolist_itanium_demangle(name, length, out, capacity, &written)
        == SYMBOLIST_ITANIUM_REFUSED) {
        std::free(out);
        return nullptr;
    }
    out[written] = 0;
    return out;
}
