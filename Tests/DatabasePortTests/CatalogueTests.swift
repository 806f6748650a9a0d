import CallStacks
import DebugFiles
import JournalSupport
import SymbolIntake
import TestSupport
import Testing

@Suite("Catalogue of both databases", .serialized, .ownThreads)
struct CatalogueTests {
    private func file(
        _ number: UInt8, _ quality: DebugFileSummary.Quality = .full, blob: String = "a1",
        architecture: String = "arm64", at seconds: Int64 = 1,
        of owner: SymbolOwner = .everyone
    ) -> StoredDebugFile {
        StoredDebugFile(
            owner: owner, image: image(number), architecture: architecture,
            name: "Image\(number)", kind: "dsym", quality: quality, blob: blob, byteCount: 1_000,
            storedByteCount: 300, upload: .at(seconds), warnings: ["no lines in 3 units", "a\nb"])
    }

    private let shop = Build(app: "com.example.shop", version: "1.0", build: "7")
    private let next = Build(app: "com.example.shop", version: "1.1", build: "8")

    private func part(_ number: UInt8) -> BuildImage {
        BuildImage(image: image(number), architecture: "arm64", name: "Image\(number)")
    }

    @Test(
        "the better of two files of an image stays, the first of equal ones",
        arguments: DatabaseKind.allCases)
    func quality(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            let symbols = file(1, .symbols)
            let lines = file(1, .lines, blob: "b2")
            let first = try await database.add(symbols)
            #expect(first == .added(number: 1))
            #expect(
                try await database.add(file(1, architecture: "x86_64"))
                    == .added(number: 2))
            #expect(try await database.add(lines) == .replaced(symbols, number: 3))
            #expect(try await database.add(file(1, .lines, blob: "c3")) == .kept(lines))
            #expect(try await database.add(symbols) == .kept(lines))
            #expect(
                try await database.debugFiles(of: image(1))
                    == [lines, file(1, architecture: "x86_64")])
            #expect(try await database.debugFiles(of: image(2)).isEmpty)
        }
    }

    @Test(
        "images are found by the first bytes of their identities, each once",
        arguments: DatabaseKind.allCases)
    func prefixes(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            for number: UInt8 in [1, 2, 0xff] {
                _ = try await database.add(file(number))
                _ = try await database.add(file(number, architecture: "x86_64"))
            }
            for (prefix, images) in [
                ([1], [image(1)]), ([2, 2, 2], [image(2)]), ([0xff], [image(0xff)]),
                (image(2).bytes, [image(2)]), ([1, 2], []), ([0], []),
                (image(2).bytes + [2], []),
            ] as [([UInt8], [ImageID])] {
                let found = try await database.images(startingWith: prefix, limit: 10)
                #expect(found == images, "\(prefix)")
            }
        }
    }

    @Test("an image is missing until a file has its lines", arguments: DatabaseKind.allCases)
    func missing(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            _ = try await database.add(file(1, .symbols))
            _ = try await database.add(file(2, .lines))
            let missing = try await database.missing(
                among: [3, 2, 1].map { image($0) }, for: .everything)
            #expect(missing == [image(3), image(1)])
        }
    }

    @Test("files are listed by image and by build, newest first", arguments: DatabaseKind.allCases)
    func lists(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            let files = (1...3).map { file(UInt8($0), at: Int64($0)) }
            for file in files { _ = try await database.add(file) }
            try await database.add([part(1), part(2)], to: shop, at: .at(1))
            try await database.add([part(2), part(9)], to: next, at: .at(2))
            func list(_ change: (inout DebugFileQuery) -> Void) async throws -> [StoredDebugFile] {
                var query = DebugFileQuery()
                change(&query)
                return try await database.debugFiles(query)
            }
            #expect(try await list { _ in } == files.reversed())
            #expect(try await list { $0.limit = 1 } == [files[2]])
            #expect(try await list { $0.image = image(2) } == [files[1]])
            #expect(try await list { $0.app = shop.app } == [files[1], files[0]])
            #expect(try await list { $0.version = "1.1" } == [files[1]])
            #expect(
                try await list {
                    $0.version = "1.1"
                    $0.build = "7"
                }.isEmpty)
        }
    }

    @Test(
        "a build has its images, and the quality uploaded for each",
        arguments: DatabaseKind.allCases)
    func builds(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            _ = try await database.add(file(2, .symbols))
            try await database.add([part(2)], to: shop, at: .at(5))
            try await database.add([part(1), part(2)], to: shop, at: .at(3))
            try await database.add([part(3)], to: next, at: .at(9))
            let builds = try await database.builds(app: shop.app)
            try #require(builds.map(\.build) == [next, shop])
            #expect(builds[1].firstUpload == .at(3))
            #expect(builds[1].lastUpload == .at(5))
            #expect(builds[1].images.map(\.image) == [part(1), part(2)])
            #expect(builds[1].images.map(\.file?.quality) == [nil, .symbols])
            #expect(try await database.builds(app: nil).count == 2)
            #expect(try await database.builds(app: "com.example").isEmpty)
            func list(_ change: (inout BuildQuery) -> Void) async throws -> [BuildContents] {
                var query = BuildQuery()
                change(&query)
                return try await database.builds(query)
            }
            #expect(try await list { $0.image = image(2) }.map(\.build) == [shop])
            #expect(try await list { $0.image = image(9) }.isEmpty)
            #expect(try await list { $0.builds = [shop, next] }.map(\.build) == [next, shop])
            #expect(try await list { $0.builds = [shop] }.first?.images.count == 2)
            #expect(try await list { $0.builds = [] }.isEmpty)
            #expect(try await list { $0.includesImages = false }.allSatisfy(\.images.isEmpty))
            #expect(
                try await database.appImages() == [
                    shop.app: Set([1, 2, 3].map { image($0) })
                ])
        }
    }

    @Test(
        "a build has the commit that was named last, also if later uploads name none",
        arguments: DatabaseKind.allCases)
    func commits(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            func commit() async throws -> String? {
                try await database.builds(app: shop.app).first?.commit?.description
            }
            try await database.add([part(1)], to: shop, at: .at(1))
            #expect(try await commit() == nil)
            for name in ["5f3c2b1", "v1.4.0-3-gabc"] {
                let named = try #require(SourceCommit(name))
                try await database.add([part(1)], to: shop, commit: named, at: .at(2))
                #expect(try await commit() == name)
            }
            try await database.add([part(2)], to: shop, at: .at(3))
            #expect(try await commit() == "v1.4.0-3-gabc")
        }
    }

    @Test(
        "a build is removed with the files that no other build has",
        arguments: DatabaseKind.allCases)
    func buildRemoval(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            let owner = SymbolOwner.app(shop.app)
            for number in 1...3 {
                _ = try await database.add(file(UInt8(number), of: owner))
                _ = try await database.add(file(UInt8(number)))
            }
            try await database.add([part(1), part(2)], to: shop, at: .at(1))
            try await database.add([part(2)], to: next, at: .at(1))
            #expect(try await database.remove(shop) == [file(1, of: owner)])
            #expect(try await database.remove(shop) == nil)
            #expect(try await database.debugFiles(DebugFileQuery()).count == 5)
            #expect(try await database.builds(app: nil).map(\.build) == [next])
            #expect(try await database.appImages() == [shop.app: [image(2)]])
        }
    }

    @Test(
        "a build has the most complete file of an image; only files to compare are read whole",
        arguments: DatabaseKind.allCases)
    func buildFiles(kind: DatabaseKind) async throws {
        func complete(_ units: Int, _ file: StoredDebugFile) -> StoredDebugFile {
            var file = file
            file.completeness = Completeness()
            file.completeness?.unitsRead = units
            return file
        }
        try await withCatalogue(kind) { database in
            let files = [
                complete(1, file(1)), complete(9, file(1, architecture: "x86_64")),
                complete(5, file(2)),
            ]
            for file in files { _ = try await database.add(file) }
            try await database.add([part(1), part(2)], to: shop, at: .at(1))
            let build = try #require(try await database.builds(app: nil).first)
            #expect(build.images.map(\.file?.architecture) == ["x86_64", files[2].architecture])
            #expect(build.images.map(\.file?.completeness?.unitsRead) == [9, nil])
            #expect(build.images.map(\.file?.quality) == files[1...].map(\.quality))
        }
    }

    @Test(
        "the files of an image are removed in every architecture, and their build stays",
        arguments: DatabaseKind.allCases)
    func imageRemoval(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            let files = [file(1), file(1, architecture: "x86_64")]
            for file in files { _ = try await database.add(file) }
            try await database.add([part(1)], to: shop, at: .at(1))
            #expect(try await database.remove(image(1), of: nil) == files)
            #expect(try await database.remove(image(1), of: nil).isEmpty)
            let build = try #require(try await database.builds(app: nil).first)
            #expect(build.images.map(\.file?.quality) == [nil])
        }
    }

    @Test(
        "a blob is needed while a file refers to it, and counts once",
        arguments: DatabaseKind.allCases)
    func blobs(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            #expect(try await database.storedBytes() == 0)
            for number in 1...3 {
                _ = try await database.add(file(UInt8(number), blob: number == 3 ? "b2" : "a1"))
            }
            #expect(try await database.storedBytes() == 600)
            _ = try await database.remove(image(1), of: nil)
            #expect(try await database.isReferenced(blob: "a1"))
            _ = try await database.remove(image(2), of: nil)
            #expect(try await !database.isReferenced(blob: "a1"))
            #expect(try await database.storedBytes() == 300)
        }
    }

    @Test(
        "a debug file without code keeps one executable, until it has code or is removed",
        arguments: DatabaseKind.allCases)
    func executables(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            func elf(
                _ kind: DebugFileKind, _ quality: DebugFileSummary.Quality, _ blob: String
            ) -> StoredDebugFile {
                debugFile(of: image(1), quality, kind: kind.rawValue, blob: blob)
            }
            func stored() async throws -> StoredDebugFile? {
                try await database.debugFiles(of: image(1)).first
            }
            let stripped = elf(.elfExecutable, .symbols, "a1")
            let executable = StoredExecutable(
                name: stripped.name, kind: stripped.kind, blob: "a1", byteCount: 9,
                storedByteCount: 9)
            _ = try await database.add(stripped)
            #expect(try await !database.keep(executable, beside: elf(.elfDebug, .full, "b2")))
            // A debug file keeps the code of the file it replaces, and of its predecessor.
            for (quality, blob) in [(DebugFileSummary.Quality.lines, "b2"), (.full, "c3")] {
                _ = try await database.add(elf(.elfDebug, quality, blob))
                let file = try #require(try await stored())
                #expect(file.blob == blob && file.executable == executable)
                #expect(try await !database.keep(executable, beside: file))
            }
            #expect(try await database.isReferenced(blob: "a1"))
            #expect(try await !database.isReferenced(blob: "b2"))
            #expect(try await database.storedBytes() == 18)
            let used = DebugFileKey(image: image(1), architecture: "arm64", blob: "a1")
            try await database.markUsed([used], at: .at(5))
            #expect(try await stored()?.lastUse == .at(5))
            _ = try await database.add(elf(.elfExecutable, .full, "d4"), replaces: true)
            #expect(try await stored()?.executable == nil)
            #expect(try await !database.isReferenced(blob: "a1"))
            _ = try await database.add(elf(.elfDebug, .full, "e5"), replaces: true)
            #expect(try await stored()?.executable?.blob == "d4")
            #expect(try await database.remove(image(1), of: nil).map(\.executable?.blob) == ["d4"])
            _ = try await database.add(elf(.elfDebug, .full, "f6"))
            #expect(try await database.keep(executable, beside: elf(.elfDebug, .full, "f6")))
            #expect(try await stored()?.executable == executable)
        }
    }

    @Test(
        "the companions of a debug file are kept and removed with it",
        arguments: DatabaseKind.allCases)
    func companions(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            var file = debugFile(of: image(1), .lines, blob: "a1")
            _ = try await database.add(file)
            file.companions = StoredCompanions(
                blob: "c1", byteCount: 20, storedByteCount: 7, supplement: image(3))
            file.quality = .full
            guard case .replaced = try await database.add(file, replaces: true) else {
                Issue.record("the file was not replaced")
                return
            }
            let stored = try await database.debugFiles(of: image(1))
            #expect(stored.map(\.companions) == [file.companions])
            var other = debugFile(of: image(2), .full, blob: "b2")
            other.companions = StoredCompanions(blob: "c1", byteCount: 20, storedByteCount: 7)
            _ = try await database.add(other)
            #expect(
                try await database.debugFiles(of: image(2)).first?.companions?.supplement == nil)
            #expect(
                try await database.storedBytes()
                    == file.storedByteCount + other.storedByteCount + 7)
            _ = try await database.remove(image(1), of: nil)
            #expect(try await database.isReferenced(blob: "c1"))
            _ = try await database.remove(image(2), of: nil)
            #expect(try await !database.isReferenced(blob: "c1"))
        }
    }

    @Test("retention removes the least recently used first", arguments: DatabaseKind.allCases)
    func use(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { database in
            for number in 1...3 { _ = try await database.add(file(UInt8(number), at: 10)) }
            try await database.markUsed([file(1).key], at: .at(30))
            try await database.markUsed([file(1).key, file(2).key], at: .at(20))
            let files = try await database.leastRecentlyUsed(count: 2)
            #expect(files.map(\.image) == [image(3), image(2)])
            #expect(files.map(\.lastUse) == [.at(10), .at(20)])
            #expect(try await database.leastRecentlyUsed(count: 9).last?.lastUse == .at(30))
        }
    }

    @Test("queries accept names with a NUL", arguments: DatabaseKind.allCases)
    func unusualNames(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { catalogue in
            let name = "\0"
            let build = Build(app: name, version: name, build: name)
            #expect(try await catalogue.builds(app: name).isEmpty)
            #expect(try await catalogue.refusals(app: name).isEmpty)
            #expect(try await catalogue.exclusiveFiles(of: build) == nil)
            #expect(try await catalogue.remove(build) == nil)
            #expect(try await catalogue.removeSystem(build: name) == nil)
            var query = DebugFileQuery()
            (query.app, query.version) = (name, name)
            #expect(try await catalogue.debugFiles(query).isEmpty)
            #expect(try await catalogue.remove(image(1), of: SymbolOwner(app: name)).isEmpty)
            try await catalogue.add([], to: build, at: .at(1))
            #expect(try await catalogue.builds(app: name).map(\.build.app).count == 1)
            _ = try await catalogue.add(
                debugFile(of: image(1), owner: SymbolOwner(app: name)))
            #expect(try await catalogue.debugFiles(of: image(1)).count == 1)
        }
    }

    @Test("names of any length are stored and found", arguments: DatabaseKind.allCases)
    func longNames(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { catalogue in
            // Random, so that compression does not shorten them.
            let names = (0..<4).map { _ in
                String(
                    decoding: (0..<9_000).map { _ in UInt8.random(in: 0x21...0x7e) }, as: UTF8.self)
            }
            let build = Build(app: names[0], version: names[1], build: names[2])
            let owner = SymbolOwner.app(build.app)
            for _ in 1...2 {
                _ = try await catalogue.add(file(1, of: owner))
                try await catalogue.add([part(1)], to: build, at: .at(1))
            }
            let builds = try await catalogue.builds(app: build.app)
            #expect(builds.map { $0.images.map(\.file?.quality) } == [[.full]])
            var query = DebugFileQuery()
            query.access = .only(build.app)
            (query.app, query.version, query.build) = (build.app, build.version, build.build)
            #expect(try await catalogue.debugFiles(query).map(\.image) == [image(1)])
            #expect(try await catalogue.missing(among: [image(1)], for: query.access).isEmpty)
            #expect(try await catalogue.exclusiveFiles(of: build)?.map(\.image) == [image(1)])
            #expect(try await catalogue.remove(build)?.map(\.image) == [image(1)])
            #expect(try await catalogue.builds(app: build.app).isEmpty)

            _ = try await catalogue.add(file(2, of: owner))
            #expect(try await catalogue.remove(image(2), of: owner).map(\.image) == [image(2)])
            _ = try await catalogue.add(
                debugFile(of: image(3), kind: StoredDebugFile.systemKind))
            for _ in 1...2 {
                try await catalogue.add(
                    [image(3)],
                    ofSystem: SystemBuild(name: names[0], build: names[1], architecture: names[2]))
            }
            #expect(try await catalogue.systems().map(\.imageCount) == [1])
            #expect(try await catalogue.removeSystem(build: names[3]) == nil)
            #expect(
                try await catalogue.removeSystem(build: names[1])?.map(\.image) == [image(3)])
        }
    }

    @Test(
        "a build and a system are removed with all of many files",
        arguments: DatabaseKind.allCases)
    func manyFiles(kind: DatabaseKind) async throws {
        try await withCatalogue(kind) { catalogue in
            let (ofBuild, ofSystem) = (1...200 as ClosedRange<UInt8>, 1...210 as ClosedRange<UInt8>)
            for number in ofBuild {
                _ = try await catalogue.add(file(number, of: .app(shop.app)))
            }
            try await catalogue.add(ofBuild.map(part), to: shop, at: .at(1))
            for number in ofSystem {
                _ = try await catalogue.add(
                    debugFile(of: image(number), kind: StoredDebugFile.systemKind))
            }
            try await catalogue.add(
                ofSystem.map { image($0) },
                ofSystem: SystemBuild(name: "iPhone OS 18.1", build: "22B83", architecture: ""))
            let first = try await catalogue.remove(shop)
            #expect(first?.map(\.image) == ofBuild.map { image($0) })
            #expect(try await catalogue.builds(app: nil).isEmpty)
            #expect(try await catalogue.debugFiles(DebugFileQuery()).count == ofSystem.count)
            let second = try await catalogue.removeSystem(build: "22B83")
            #expect(second?.map(\.image) == ofSystem.map { image($0) })
            #expect(try await catalogue.systems().isEmpty)
            #expect(try await catalogue.debugFiles(DebugFileQuery()).isEmpty)
        }
    }
}
