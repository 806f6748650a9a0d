import ByteReading
import CallStacks
import DebugFiles
import SharedCaches
import TestSupport
import Testing

@Suite("Damaged shared caches")
struct DamageTests {
    typealias Layout = SharedCacheBuilder.Layout

    @Test("every prefix of every file is read or is an error", arguments: Layout.allCases)
    func prefixes(layout: Layout) throws {
        let made = GeneratedCache(layout)
        for number in made.files.indices {
            let count = made.files[number].bytes.count
            for length in Set((0..<40).map { $0 * 19 } + (0..<16).map { $0 * count / 16 }) {
                var short = made
                short.files[number].bytes = Array(made.files[number].bytes.prefix(length))
                readAll(short)
            }
        }
    }

    @Test("a cache with any bytes changed is read or is an error", arguments: UInt64(0)..<20)
    func changedBytes(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        for layout in Layout.allCases {
            var made = GeneratedCache(layout)
            for _ in 0..<Int.random(in: 1...12, using: &numbers) {
                let number = Int.random(in: made.files.indices, using: &numbers)
                let end = min(
                    made.files[number].bytes.count, Bool.random(using: &numbers) ? 0x600 : .max)
                let place = Int.random(in: 0..<end, using: &numbers)
                let extremes: [UInt8] = [0, 1, 0x7f, 0x80, 0xff]
                made.files[number].bytes[place] = extremes.randomElement(using: &numbers) ?? 0
            }
            readAll(made)
        }
    }

    private func readAll(_ made: GeneratedCache) {
        guard let cache = try? made.opened() else { return }
        for image in cache.imagesInReadingOrder { _ = try? CutFile(image, of: cache) }
        cache.releasePages()
    }

    @Test(
        "numbers beyond their limits are refused with their limit",
        arguments: [
            (0x10, 4_097, "header of the shared cache has 4097 bytes, limit is 4096"),
            (0x14, 65, "has 65 mappings, limit is 64"),
            (0x1c4, 65_537, "has 65537 images, limit is 65536"),
            (0x90, 65_537, "has 65537 images, limit is 65536"),
            (0x18c, 257, "has 257 subcaches, limit is 256"),
        ] as [(Int, UInt32, String)])
    func limits(field: Int, value: UInt32, problem: String) {
        var made = GeneratedCache(.iOS26)
        made.put(value, at: field)
        #expect {
            try made.opened()
        } throws: {
            "\($0)" == "dyld_shared_cache_arm64e: \(problem)"
        }
    }

    @Test(
        "caches of other kinds are refused with their reason",
        arguments: [
            ("dyld_v0  armv7", "version of the shared cache is unsupported, only dyld_v1 is read"),
            ("dyld_v7  arm64", "version of the shared cache is unsupported, only dyld_v1 is read"),
            ("MH_MAGIC", "is not a dyld shared cache"),
        ])
    func kinds(magic: String, problem: String) {
        var builder = SharedCacheBuilder(.iOS26)
        builder.magic = magic
        #expect {
            try GeneratedCache(builder).opened()
        } throws: {
            "\($0)" == "dyld_shared_cache_arm64e: \(problem)"
        }
    }

    @Test("a big-endian cache is refused with that reason")
    func bigEndian() {
        var made = GeneratedCache(.iOS26)
        made.put(UInt32(0x138).byteSwapped, at: 0x10)
        #expect {
            try made.opened()
        } throws: {
            "\($0)".hasSuffix("is a big-endian shared cache, which is unsupported")
        }
    }

    @Test("tries, slide information and closures are not read, whatever they are")
    func unreadTables() throws {
        var made = GeneratedCache(.iOS26)
        // Places and sizes of slide information, patches, closures and tries, in 64 bits each.
        for field in [0x38, 0x40, 0x98, 0xa0, 0xb8, 0xc0, 0xc8, 0xd0]
            + stride(from: 0xf0, to: 0x138, by: 8)
        {
            made.put(UInt32.max, at: field)
            made.put(UInt32.max, at: field + 4)
        }
        let cache = try made.opened()
        let plain = try GeneratedCache(.iOS26).opened()
        #expect(cache.problems.map(\.text) == plain.problems.map(\.text))
        #expect(cache.images.map(\.path) == plain.images.map(\.path))
        #expect(try cache.symbols(of: "ViewKit") == plain.symbols(of: "ViewKit"))
    }

    @Test("overlapping mappings are read in the order of the files, with a warning")
    func overlaps() throws {
        var made = GeneratedCache(.iOS26)
        let expected = try made.opened().symbols(of: "ViewKit")
        // The first subcache claims the addresses of the main file.
        let mapping = Layout.iOS26.headerSize
        let address = made.files[0].bytes[mapping..<mapping + 8]
        made.files[1].bytes.replaceSubrange(mapping..<mapping + 8, with: address)
        let cache = try made.opened()
        #expect(cache.problems.map(\.code) == [.overlappingMappings])
        #expect(try cache.symbols(of: "ViewKit") == expected)
    }

    @Test("a damaged image does not affect other images")
    func damagedImage() throws {
        var made = GeneratedCache(.iOS14)
        let cache = try made.opened()
        let place = Int(
            try cache.image("libalpha.dylib").address.rawValue - SharedCacheBuilder(.iOS14).base)
        made.put(UInt32.max, at: place + 16)
        let damaged = try made.opened()
        #expect(throws: SharedCacheError.self) { try damaged.symbols(of: "libalpha.dylib") }
        for name in ["ViewKit", "libbeta.dylib", "libgamma.dylib"] {
            #expect(try damaged.symbols(of: name) == cache.symbols(of: name))
        }
    }

    @Test("the load commands of an image end before the next image")
    func overlappingImages() throws {
        var made = GeneratedCache(.iOS14)
        let cache = try made.opened()
        let first = try #require(cache.images.first)
        _ = try cache.machO(of: first)
        let table = try Int(FileBytes(made.files[0].bytes).number(UInt32.self, at: 0x18))
        // The second image seems to start after the header of the first one.
        made.put(UInt32(truncatingIfNeeded: first.address.rawValue + 32), at: table + 32)
        made.put(UInt32(first.address.rawValue >> 32), at: table + 36)
        let damaged = try made.opened()
        #expect(throws: SharedCacheError.self) { try damaged.machO(of: first) }
    }

    @Test("an image with code outside its __TEXT segment is refused")
    func codeOutsideText() throws {
        var made = GeneratedCache(.iOS14)
        let cache = try made.opened()
        let image = try cache.image("libalpha.dylib")
        let start = Int(image.address.rawValue - SharedCacheBuilder(.iOS14).base)
        // The section's address is after the header, the segment command, and two names of 16
        // bytes.
        let section = start + 32 + 72 + 32
        made.put(UInt32.max, at: section + 4)
        let damaged = try made.opened()
        #expect {
            try CutFile(try damaged.image("libalpha.dylib"), of: damaged)
        } throws: { error in
            "\(error)".hasSuffix("is damaged (its code is outside __TEXT)")
        }
    }

    @Test("local symbols past the end of their table affect one image only")
    func damagedEntry() throws {
        var made = GeneratedCache(.iOS26)
        let cache = try made.opened()
        let symbols = made.files.count - 1
        // The number of symbols of the second entry.
        made.put(0xffff, at: Layout.iOS26.headerSize + 24 + 16 + 12, file: symbols)
        let damaged = try made.opened()
        #expect(damaged.problems == [])
        let cut = try CutFile(try damaged.image("libalpha.dylib"), of: damaged)
        #expect(cut.problems.map(\.code) == [.malformed])
        #expect(try damaged.symbols(of: "libalpha.dylib").map(\.name) == ["alpha", "alpha_weak"])
        #expect(try !damaged.debugFile(of: "libalpha.dylib").hasCompleteSymbols)
        #expect(try damaged.symbols(of: "ViewKit") == cache.symbols(of: "ViewKit"))
    }

    @Test("an image that claims the local symbols of others loses only its own")
    func overlappingEntries() throws {
        var made = GeneratedCache(.iOS26)
        let cache = try made.opened()
        let symbols = made.files.count - 1
        // The number of symbols of the first entry, which is that of all images.
        let entry = Layout.iOS26.headerSize + 24
        made.put(UInt32(cache.movedSymbolCount), at: entry + 12, file: symbols)
        let damaged = try made.opened()
        #expect(damaged.hasLocalSymbols)
        let names = damaged.images.map { String($0.name) }
        let incomplete = try names.filter { name in
            try !CutFile(damaged.image(name), of: damaged).problems.isEmpty
        }
        #expect(incomplete.count == 1)
        for name in names where !incomplete.contains(name) {
            #expect(try damaged.symbols(of: name) == cache.symbols(of: name), "\(name)")
        }
    }

    @Test("a pool without a final zero and a name over its limit affect only those names")
    func names() throws {
        var library = CachedLibrary.examples[0]
        library.symbols.append(
            .init("_\(String(repeating: "x", count: 70_000))", at: 0x4c0, .exported))
        let cache = try GeneratedCache(SharedCacheBuilder(.iOS26, [library])).opened()
        try #require(!cache.images.isEmpty)
        let cut = try CutFile(cache.images[0], of: cache)
        #expect(cut.problems.map(\.text) == ["1 symbols have no readable name"])
        #expect(!cut.isComplete)
        #expect(try cache.symbols(of: "ViewKit") == CachedLibrary.examples[0].codeSymbols)
    }

    @Test("a pool of local names without a final zero affects only its last name")
    func unterminatedPool() throws {
        var made = GeneratedCache(.iOS26)
        let cache = try made.opened()
        let last = made.files.count - 1
        // The pool is at the end of the symbols file.
        try #require(made.files[last].bytes.last == 0)
        made.files[last].bytes[made.files[last].bytes.count - 1] = 0x78
        let damaged = try made.opened()
        #expect(damaged.problems == [])
        let cut = try CutFile(try damaged.image("libgamma.dylib"), of: damaged)
        #expect(cut.problems.map(\.text) == ["1 symbols have no readable name"])
        #expect(!cut.isComplete)
        #expect(try damaged.symbols(of: "libgamma.dylib").map(\.name) == ["gamma", "helper"])
        for name in ["ViewKit", "libalpha.dylib", "libbeta.dylib"] {
            #expect(try damaged.symbols(of: name) == cache.symbols(of: name))
        }
    }

    @Test("bytes of a path that are not UTF-8 are replaced")
    func invalidPath() throws {
        var made = GeneratedCache(.iOS26)
        let path = try #require(made.files[0].bytes.firstRange(of: Array("/usr/lib/libalpha".utf8)))
        made.files[0].bytes[path.upperBound - 1] = 0xff
        let cache = try made.opened()
        #expect(cache.images.map(\.path).contains("/usr/lib/libalph\u{fffd}.dylib"))
        for image in cache.images { _ = try CutFile(image, of: cache) }
    }

    @Test("a path is shown whatever it is", arguments: ["", "../../etc/passwd", "/a/\u{fffd}/b"])
    func paths(path: String) throws {
        var builder = SharedCacheBuilder(.iOS26)
        builder.libraries[0].path = path
        let cache = try GeneratedCache(builder).opened()
        try #require(!cache.images.isEmpty)
        #expect(cache.images[0].path == path)
        _ = try CutFile(cache.images[0], of: cache)
    }

    @Test("a suffix that leads to another folder is rejected")
    func endings() throws {
        var made = GeneratedCache(.iOS26)
        let ending = Array("/../../x".utf8)
        let table = try #require(made.files[0].bytes.firstRange(of: Array(".01".utf8) + [0]))
        made.files[0].bytes.replaceSubrange(
            table.lowerBound..<table.lowerBound + ending.count, with: ending)
        let problems = try made.opened().problems
        #expect(problems.map(\.text) == ["a subcache has the ending '/../../x'"])
    }
}

extension GeneratedCache {
    fileprivate mutating func put(_ number: UInt32, at place: Int, file: Int = 0) {
        var field = ByteWriter()
        field.add(number)
        files[file].bytes.replaceSubrange(place..<place + 4, with: field.bytes)
    }
}
