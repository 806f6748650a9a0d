# Makes dSYMs of C and C++ libraries without an Apple SDK: Debian's sources are compiled for arm64
# iOS with Debian's headers, and symbols of Apple's libraries stay undefined.
# The results never run. The DWARF contains paths in $root, so every folder results in another UUID.

llvm=${LLVM:-/usr/lib/llvm-19/bin}
clang=${CLANG:-$(dirname "$(readlink -f "$(command -v swift || echo /usr/bin/swift)")")/clang}

# Sets the flags of all compilations.
prepare_compiler() {
    local tool
    for tool in "$clang" "$llvm/ld64.lld" "$llvm/dsymutil"; do
        if [ ! -x "$tool" ]; then
            echo "$tool: not found: run Benchmarks/install, or set CLANG or LLVM" >&2
            return 1
        fi
    done
    unpack libc6-dev-arm64-cross && unpack linux-libc-dev-arm64-cross && unpack libc++-19-dev ||
        return 1
    local cross=usr/aarch64-linux-gnu/include
    # The headers are glibc's, so the target has to look like Linux.
    local target=(-target arm64-apple-ios15 -g -O2 -w -nostdinc -U__APPLE__ -U__MACH__
        -U__nonnull -D__linux__=1 -D__gnu_linux__=1 -D_GNU_SOURCE)
    local headers=(-isystem "$("$clang" -print-resource-dir)/include"
        -isystem "$root/unpacked/libc6-dev-arm64-cross/$cross"
        -isystem "$root/unpacked/linux-libc-dev-arm64-cross/$cross")
    c_flags=("${target[@]}" "${headers[@]}")
    cxx_flags=("${target[@]}" -nostdinc++
        -isystem "$root/unpacked/libc++-19-dev/usr/lib/llvm-19/include/c++/v1" "${headers[@]}")
}

# compile LIBRARY COMPILER FLAG…: compiles the sources listed on standard input, each into its own
# object. A source that does not compile is reported and skipped.
compile() {
    local library=$1
    shift
    xargs -P "${JOBS:-$(nproc)}" -I{} "$here/fetch/compile-one" \
        "$root/objects/$library" {} "$@"
}

make_c_objects() {
    prepare_compiler && unpack_source libzstd && unpack_source sqlite3 || return 1
    (
        cd "$root/source/libzstd/lib" &&
            printf '%s\n' common/*.c compress/*.c decompress/*.c |
            compile zstd "$clang" "${c_flags[@]}"
    ) || return 1
    (
        cd "$root/source/sqlite3" || exit 1
        # SQLite's own build creates the amalgamation.
        [ -f sqlite3.c ] || { ./configure -q && make -s sqlite3.c; } >/dev/null 2>&1 || exit 1
        echo sqlite3.c | compile sqlite "$clang" "${c_flags[@]}" -DSQLITE_ENABLE_FTS5 \
            -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_SESSION -DSQLITE_ENABLE_PREUPDATE_HOOK
    )
}

# Every other source of the solver, because all of them would be 280 MB.
make_z3_objects() {
    unpack_source z3 || return 1
    (
        cd "$root/source/z3" || exit 1
        # Creates the generated headers and sources.
        [ -d build ] || python3 scripts/mk_make.py >/dev/null || exit 1
        for part in util ast math sat smt tactic muz opt qe solver cmd_context parsers model \
            nlsat; do
            find "src/$part" -name '*.cpp'
        done | sort | awk 'NR % 2 == 0' |
            compile z3 "$clang++" "${cxx_flags[@]}" -std=c++17 -DNDEBUG -D_MP_INTERNAL \
                -D_EXTERNAL_RELEASE -Isrc
    )
}

# link_dsym NAME LIBRARY…: links a dynamic library from the objects, and extracts its dSYM's file.
link_dsym() {
    local name=$1 library objects=() built=$root/objects/$1.dylib
    shift
    for library; do objects+=("$root/objects/$library"/*.o); done
    "$llvm/ld64.lld" -arch arm64 -platform_version ios 15.0 15.0 -dylib \
        -undefined dynamic_lookup -w -install_name "@rpath/$name.dylib" -o "$built" \
        "${objects[@]}" || return 1
    # Warnings are about the undefined symbols.
    "$llvm/dsymutil" "$built" -o "$root/objects/$name.dSYM" 2>/dev/null || return 1
    cp "$root/objects/$name.dSYM/Contents/Resources/DWARF/$name.dylib" "$root/in/$name.macho"
}
