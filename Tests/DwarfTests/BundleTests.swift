import ByteReading
import CallStacks
import Foundation
import MachO
import TestSupport
import Testing

@testable import Dwarf

/// The debug information of a Mach-O file in `Symbols`.
struct Bundle {
    var sections: DwarfSections
    let layout: ImageLayout

    init(_ build: String, _ product: String) throws {
        let name = product.prefix { $0 != "." }
        let path = "Symbols/\(build)/\(product).dSYM/Contents/Resources/DWARF/\(name)"
        let file = projectFolder.appendingPathComponent(path)
        let image = try MachOImage(FileBytes(try Data(contentsOf: file)))
        layout = try #require(image.layout)
        sections = DwarfSections(isBigEndian: false, addressSize: 8)
        for name in DwarfSections.Name.allCases {
            let short = name == .strOffsets ? "__debug_str_offs" : "__" + name.rawValue.dropFirst()
            let section = image.sections.first { $0.name == short.prefix(16) }
            sections[name] = try section.flatMap { try image.bytes(of: $0) }
        }
    }

    func read() throws -> (records: RecordList, summary: DwarfSummary) {
        try DwarfTests.read(sections, layout: layout)
    }
}

@Suite("Real debug files")
struct BundleTests {
    static let builds = [
        "orchard-1.4.0-arm64-debug-dwarf4", "orchard-1.4.0-arm64-debug-dwarf5",
        "orchard-1.4.0-arm64-release-dwarf4", "orchard-1.4.0-arm64-release-dwarf5",
        "orchard-1.4.0-arm64-hot-cold", "orchard-1.4.0-arm64-outlined",
    ]
    static let products = ["Orchard.app", "OrchardKit.framework"]

    @Test(
        "the contents of each build",
        arguments: [
            ("orchard-1.4.0-arm64-release-dwarf5", "Orchard.app"),
            ("orchard-1.4.0-arm64-release-dwarf5", "OrchardKit.framework"),
            ("orchard-1.4.0-arm64-hot-cold", "OrchardKit.framework"),
        ])
    func golden(build: String, product: String) throws {
        let (records, summary) = try Bundle(build, product).read()
        #expect(summary.failures == [] && summary.warnings == [])
        try expectGolden(records.dump, "\(build)-\(product).txt")
    }

    @Test("both versions have the same contents", arguments: ["debug", "release"], products)
    func sameInBothVersions(kind: String, product: String) throws {
        let dumps = try ["dwarf4", "dwarf5"].map {
            try Bundle("orchard-1.4.0-arm64-\(kind)-\($0)", product).read().records.dump
        }
        #expect(dumps[0] == dumps[1])
    }

    @Test("a summary from a quick look equals that of reading everything", arguments: builds)
    func look(build: String) throws {
        let bundle = try Bundle(build, "OrchardKit.framework")
        let reader = DwarfReader(
            sections: bundle.sections, layout: bundle.layout, architecture: .arm64)
        #expect(try reader.summary() == bundle.read().summary)
    }

    @Test("damaged sections never trap", arguments: UInt64(0)..<60)
    func mutations(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let build = Self.builds[Int(seed) % Self.builds.count]
        var bundle = try Bundle(build, Self.products[Int(seed / 6) % 2])
        let present = DwarfSections.Name.allCases.filter { !bundle.sections.bytes($0).isEmpty }
        for _ in 0..<Int.random(in: 1...3, using: &numbers) {
            let name = present[Int.random(in: 0..<present.count, using: &numbers)]
            bundle.sections[name] = Self.damage(bundle.sections.bytes(name), using: &numbers)
        }
        do {
            let (records, summary) = try bundle.read()
            for function in records.functions { Self.check(function) }
            #expect(summary.failures.count <= DwarfSummary.failuresLimit)
        } catch let error as DwarfError {
            #expect(!error.description.isEmpty)
        }
    }

    /// Changes some bytes, or truncates the end.
    static func damage(_ bytes: FileBytes, using numbers: inout SplitMix64) -> FileBytes {
        var changed = bytes.withSpan(of: 0..<bytes.count) { span in
            span.indices.map { span[$0] }
        }
        if changed.isEmpty { return bytes }
        if Int.random(in: 0..<6, using: &numbers) == 0 {
            return FileBytes(changed.prefix(Int.random(in: 0..<changed.count, using: &numbers)))
        }
        for _ in 0..<Int.random(in: 1...20, using: &numbers) {
            let place = Int.random(in: 0..<changed.count, using: &numbers)
            let values: [UInt8] = [
                0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &numbers),
            ]
            changed[place] = values[Int.random(in: 0..<values.count, using: &numbers)]
        }
        return FileBytes(changed)
    }

    /// The guarantees for a sink, whatever the file contains.
    static func check(_ function: FunctionRecord) {
        #expect(!function.ranges.isEmpty)
        for (left, right) in zip(function.ranges, function.ranges.dropFirst()) {
            #expect(left.upperBound <= right.lowerBound)
        }
        for (left, right) in zip(function.rows, function.rows.dropFirst()) {
            #expect(left.start < right.start)
        }
        for (number, call) in function.calls.enumerated() {
            #expect(call.parent.map { $0 < number } ?? true)
        }
        for interval in function.intervals {
            #expect(function.calls.indices.contains(interval.call) && !interval.range.isEmpty)
        }
    }
}
