import CallStacks
import Foundation
import SymbolIntake
import TestSupport
import Testing

@Suite("Symbol maps in uploads", .ownThreads)
struct SymbolMapUploadTests {
    private static let original = "C8374B6D-6E96-34D8-AE38-EFAA5FEC424F"
    private let image = ImageID(bytes: [UInt8](repeating: 0xb1, count: 16))!
    private let offset = ImageOffset(0x1000)
    private let map = Array("BCSymbolMap Version: 2.0\n_other\n-[Crate open]".utf8)
    private var mapName: String { "\(Self.original).bcsymbolmap" }

    /// A dSYM whose only function has a placeholder for a name.
    private var dSYM: [UInt8] {
        var file = MachOBuilder.library()
        file.fileType = 10
        file.uuid = image.bytes
        file.symbols = [.init("__hidden#1_", at: 0x1_0000_1000)]
        return file.bytes()
    }

    private var propertyList: [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>DBGOriginalUUID</key><string>\(Self.original)</string>
            </dict></plist>
            """.utf8)
    }

    private func archive(_ files: [(String, [UInt8])]) -> [UInt8] {
        var archive = TarBuilder()
        for (name, contents) in files { archive.add("A.xcarchive/\(name)", contents) }
        return archive.bytes()
    }

    private var bundle: [(String, [UInt8])] {
        let resources = "dSYMs/Orchard.app.dSYM/Contents/Resources"
        return [
            ("\(resources)/DWARF/Orchard", dSYM), ("\(resources)/\(image).plist", propertyList),
        ]
    }

    private var maps: [(String, [UInt8])] { [("BCSymbolMaps/\(mapName)", map)] }

    @Test(
        "a map restores hidden names, in the same archive or a later one", arguments: [true, false])
    func archive(isOne: Bool) async throws {
        let intake = try Intake()
        if !isOne {
            let earlier = try await intake.upload(archive(bundle), named: "a.tar")
            #expect(earlier.map(\.status) == [.stored])
            #expect(await intake.names(image, at: offset) == ["hidden symbol 1"])
        }
        let results = try await intake.upload(
            archive(isOne ? bundle + maps : maps), named: "a.tar")
        let names = await intake.names(image, at: offset)
        #expect(names == ["-[Crate open]"])
        let result = try #require(results.first { $0.image == nil })
        #expect(result.name == mapName)
        #expect(result.status == .stored)
        #expect(!results.contains { $0.reason?.contains("hidden") == true }, "\(results)")
        #expect(intake.arrived.contains(image))
    }

    @Test("a map may be sent alone, and restores the names of its own app only")
    func alone() async throws {
        let intake = try Intake()
        _ = try await intake.upload(archive(bundle), of: "com.example.orchard")
        let foreign = try await intake.upload(map, named: mapName, of: "com.example.other")
        #expect(foreign.map(\.status) == [.stored])
        #expect(await intake.names(image, at: offset) == ["hidden symbol 1"])
        _ = try await intake.upload(map, named: mapName, of: "com.example.orchard")
        let names = await intake.names(image, at: offset)
        #expect(names == ["-[Crate open]"])
    }

    @Test(
        "a file that only has the name of a map is rejected, and other property lists are ignored")
    func damaged() async throws {
        let intake = try Intake()
        let results = try await intake.upload(
            archive([(mapName, Array("BCSymbol".utf8)), ("\(image).plist", Array("<plist/>".utf8))])
        )
        #expect(results.map(\.status) == [.rejected])
        #expect(results.first?.name == mapName)
        #expect(!intake.files.contains { $0.hasPrefix("symbol-maps/") })
    }
}
