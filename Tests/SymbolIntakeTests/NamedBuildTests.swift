import CallStacks
import Foundation
import SymbolIntake
import TestSupport
import Testing

@Suite("Builds named by uploaded files")
struct NamedBuildTests {
    private static let shop = Build(app: "com.example.shop", version: "1.4.0", build: "217")

    private static func values(
        _ app: String, _ version: String = "1.4.0", _ build: String = "217"
    ) -> [String: Any] {
        [
            "CFBundleIdentifier": app, "CFBundleShortVersionString": version,
            "CFBundleVersion": build,
        ]
    }

    private static func list(
        _ values: [String: Any], _ format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws -> [UInt8] {
        [UInt8](
            try PropertyListSerialization.data(
                fromPropertyList: values, format: format, options: 0))
    }

    /// The list of an Xcode archive.
    private static func archiveList(
        _ app: String = shop.app, _ format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws -> [UInt8] {
        try list(["ApplicationProperties": values(app)], format)
    }

    /// The list of a dSYM.
    private static func symbolList(_ version: String = "1.4.0", _ build: String = "217") throws
        -> [UInt8]
    {
        try list(values("com.apple.xcode.dsym.\(shop.app)", version, build))
    }

    /// Uploads a zip archive of a library and other files.
    ///
    /// - Returns: The builds afterwards.
    private static func upload(
        _ files: [(String, [UInt8])], to intake: Intake,
        _ options: UploadOptions = UploadOptions(owner: .everyone)
    ) async throws -> [Build] {
        var archive = ZipBuilder()
        archive.add("Shop.xcarchive/dSYMs/lib.so", library(1))
        for (name, bytes) in files { archive.add(name, bytes) }
        let path = intake.storage.folders.newIncomingPath()
        try Data(archive.bytes()).write(to: URL(fileURLWithPath: path))
        let results = try await intake.bundles.process(
            fileAt: path, named: "upload.zip", options: options)
        #expect(results.map(\.status).filter { $0 != .rejected } == [.stored])
        let builds = try await intake.catalogue.builds(app: nil)
        for build in builds {
            let images = build.images.map { $0.image.image }
            #expect(images == [identity(1)])
        }
        return builds.map(\.build)
    }

    @Test(
        "the property list of an Xcode archive names the build, in both formats",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func archive(format: PropertyListSerialization.PropertyListFormat) async throws {
        let intake = try Intake()
        let files = [
            ("Shop.xcarchive/Info.plist", try Self.archiveList(Self.shop.app, format)),
            ("Shop.xcarchive/Products/Shop.app/Info.plist", try Self.archiveList("other")),
        ]
        #expect(try await Self.upload(files, to: intake) == [Self.shop])
        #expect(intake.catalogue.files.map(\.owner) == [.everyone])
    }

    @Test("the dSYM of an app names the build, not that of a framework, nor the default version")
    func dSYM() async throws {
        func named(_ folder: String, _ list: [UInt8]) async throws -> [Build] {
            try await Self.upload([("\(folder)/Contents/Info.plist", list)], to: Intake())
        }
        #expect(try await named("dSYMs/Shop.app.dSYM", Self.symbolList()) == [Self.shop])
        #expect(try await named("dSYMs/Kit.framework.dSYM", Self.symbolList()) == [])
        #expect(try await named("dSYMs/Shop.app.dSYM", Self.symbolList("1.0", "1")) == [])
        #expect(try await named("dSYMs/Shop.app.dSYM", Self.archiveList("other")).count == 1)
    }

    @Test("the build of the request takes precedence, and a token names only builds of its app")
    func options() async throws {
        let files = [("Info.plist", try Self.archiveList())]
        let given = Build(app: "a", version: "1", build: "2")
        var options = UploadOptions(owner: .app("a"), build: given)
        #expect(try await Self.upload(files, to: Intake(), options) == [given])
        options.build = nil
        #expect(try await Self.upload(files, to: Intake(), options) == [])
        let intake = try Intake()
        options = UploadOptions(owner: .everyone, isOwnedByNamedApp: true)
        #expect(try await Self.upload(files, to: intake, options) == [Self.shop])
        #expect(intake.catalogue.files.map(\.owner) == [.app(Self.shop.app)])
    }

    @Test("property lists that are damaged, too large or without a build are ignored")
    func ignored() async throws {
        let large = try Self.archiveList() + [UInt8](repeating: 0x20, count: 1 << 20)
        for list in [
            [], Array("<plist><dict>".utf8), Array("bplist00".utf8), large,
            Array(try Self.archiveList(Self.shop.app, .binary).dropLast(20)),
            try Self.archiveList("a\u{7}b"), try Self.archiveList(""),
            try Self.archiveList(String(repeating: "a", count: 256)),
            try Self.list(["ApplicationProperties": ["CFBundleIdentifier": 7]]),
            try Self.list(Self.values(Self.shop.app)),
        ] {
            #expect(try await Self.upload([("Info.plist", list)], to: Intake()) == [])
        }
    }

    @Test("a property list that exhausts the stack ends only its worker process")
    func nested() async throws {
        let intake = try Intake()
        let depth = 100_000
        let text =
            String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
        let path = intake.storage.folders.newIncomingPath()
        try Data("<plist version=\"1.0\">\(text)</plist>".utf8)
            .write(to: URL(fileURLWithPath: path))
        #expect(try await intake.bundles.build(namedBy: [(path, "a.xcarchive/Info.plist")]) == nil)
        #expect(try await intake.upload(library(2)).map(\.status) == [.stored])
    }

    @Test("in a folder, the property list of the archive takes precedence over that of the dSYM")
    func folder() async throws {
        let intake = try Intake()
        func file(_ name: String, _ bytes: [UInt8]) throws -> (path: String, name: String) {
            let path = intake.storage.folders.newIncomingPath()
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return (path, name)
        }
        let symbols = try file(
            "Shop.xcarchive/dSYMs/Shop.app.dSYM/Contents/Info.plist", Self.symbolList("1.3.0"))
        let archive = try file("Shop.xcarchive/Info.plist", Self.archiveList())
        let other = try file("Shop.xcarchive/Products/Shop.app/Info.plist", Self.archiveList("b"))
        #expect(try await intake.bundles.build(namedBy: [other, symbols, archive]) == Self.shop)
        #expect(try await intake.bundles.build(namedBy: [other, symbols])?.version == "1.3.0")
        #expect(try await intake.bundles.build(namedBy: [other]) == nil)
    }
}
