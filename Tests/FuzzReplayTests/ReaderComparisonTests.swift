import Foundation
import TestSupport
import Testing

@testable import CallStacks
@testable import Dwarf
@testable import FuzzTargets

/// The comparison of both readers of debug information detects differences.
@Suite("Comparison of readers")
struct ReaderComparisonTests {
    /// A build without `DW_AT_sibling`, and one with it.
    static let plain =
        "orchard-1.4.0-arm64-release-dwarf5/OrchardKit.framework.dSYM"
        + "/Contents/Resources/DWARF/OrchardKit"
    static let leaping = "linux-cpp-gcc-dwarf4/press.debug"

    private func packed(_ name: String) throws -> PackedSections {
        let file = projectFolder.appendingPathComponent("Symbols/\(name)")
        let seeds = FuzzTarget.readers.seeds(from: Array(try Data(contentsOf: file)))
        return PackedSections(try #require(seeds.first))
    }

    private func account(of packed: PackedSections) throws -> ReaderRecords.Account {
        var records = ReaderRecords()
        _ = try DwarfReader(
            sections: packed.sections, layout: PackedSections.layout,
            architecture: packed.architecture
        ).read(into: &records)
        return records.takeAccount()
    }

    /// A name that no function has.
    private let otherName = NameNumber(rawValue: .max)

    @Test("equal records are not a difference", arguments: [plain, leaping])
    func equality(name: String) throws {
        let packed = try packed(name)
        let account = try account(of: packed)
        #expect(account.functions.count > 2)
        try ReaderComparison(packed.sections, failures: []).compare(account, account)
    }

    @Test("a row, a name or a function too few is a difference")
    func differences() throws {
        let packed = try packed(Self.plain)
        let account = try account(of: packed)
        let comparison = ReaderComparison(packed.sections, failures: [])
        let order = try #require(account.functions.first { !$0.value.rows.isEmpty }?.key)
        var others = [account, account, account, account]
        others[0].functions[order]?.rows.removeLast()
        others[1].functions[order]?.name = otherName
        others[2].functions[order] = nil
        others[3].rowsWithoutFunction.append([])
        for other in others {
            #expect(throws: BrokenPromise.self) { try comparison.compare(account, other) }
            #expect(throws: BrokenPromise.self) { try comparison.compare(other, account) }
        }
    }

    @Test("a unit that failed is not compared, and others are compared without names")
    func failedUnits() throws {
        let packed = try packed(Self.plain)
        let account = try account(of: packed)
        let units = UnitExtent.all(in: packed.sections)
        let order = try #require(account.functions.keys.min())
        let unit = try #require(units.first { $0.contains(order) })
        let outside = try #require(account.functions.keys.first { !unit.contains($0) })
        let comparison = ReaderComparison(
            packed.sections, failures: [DwarfError(.malformed("damaged"), unit: unit.start)])
        var other = account
        other.functions[order] = nil
        other.functions[outside]?.name = otherName
        try comparison.compare(account, other)
        other.functions[outside]?.ranges = []
        #expect(throws: BrokenPromise.self) { try comparison.compare(account, other) }
    }

    @Test("if one of them skips entries, those visited by both are compared")
    func leaps() throws {
        let packed = try packed(Self.leaping)
        let account = try account(of: packed)
        let comparison = ReaderComparison(packed.sections, failures: [])
        let orders = account.functions.keys.sorted()
        var other = account
        try #require(orders.count > 1)
        other.functions[orders[0]] = nil
        other.functions[orders[1]]?.calls = []
        try comparison.compare(account, other)
        other.functions[orders[1]]?.ranges = []
        #expect(throws: BrokenPromise.self) { try comparison.compare(account, other) }
    }
}
