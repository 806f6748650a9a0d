import ByteReading
import CallStacks
import Testing

@testable import Dwarf

@Suite("Names of functions")
struct FunctionNameTests {
    private let code = DieAttribute.code(0x1000..<0x1010)

    private func names(_ children: [Die], version: UInt16 = 4) throws -> [String] {
        try read(.unit([], children), version: version).records.functionNames
    }

    @Test("the first linkage name counts, or else the nearest plain name")
    func precedence() throws {
        let declaration = Die.function("plain", [.linkageName("_Zdeclared")], label: "declaration")
        let abstract = Die.function(
            "abstract", [.reference(0x47, "declaration")], label: "abstract")
        #expect(
            try names([
                declaration, abstract, .function(nil, [.reference(0x31, "abstract")] + code),
            ])
                == ["_Zdeclared"])
        #expect(
            try names([.function("x", [.text(0x2007, "_Zmips")] + code)]) == ["_Zmips"])
        let plain = Die.function("far", [], label: "far")
        #expect(
            try names([plain, .function("near", [.reference(0x31, "far")] + code)]) == ["near"])
        #expect(try names([plain, .function(nil, [.reference(0x31, "far")] + code)]) == ["far"])
        #expect(try names([.function(nil, code)]) == ["?"])
    }

    /// A chain of `hops` origins before the function. The last one has a name.
    private func chain(_ hops: Int) -> [Die] {
        var dies = [Die.function("end", [], label: "0")]
        for hop in 1..<hops {
            dies.append(.function(nil, [.reference(0x31, "\(hop - 1)")], label: "\(hop)"))
        }
        return dies + [.function(nil, [.reference(0x31, "\(hops - 1)")] + code)]
    }

    @Test("16 steps are followed, 17 are not")
    func hops() throws {
        #expect(try names(chain(NameAttributes.hopsLimit)) == ["end"])
        #expect(try names(chain(NameAttributes.hopsLimit + 1)) == ["?"])
    }

    @Test("references in circles, to themselves and to nowhere result in no name")
    func badReferences() throws {
        let itself = Die.function(nil, [.reference(0x31, "itself")] + code, label: "itself")
        #expect(try names([itself]) == ["?"])
        let one = Die.function(nil, [.reference(0x31, "two")] + code, label: "one")
        let two = Die.function(nil, [.reference(0x47, "one")], label: "two")
        #expect(try names([one, two]) == ["?"])
        for place in [UInt32(0), 3, 13, 0xffff_fff0] {
            let nowhere = DieAttribute(0x31, 0x10, little(place))
            _ = try names([.function(nil, [nowhere] + code)])
            let inUnit = DieAttribute(0x31, 0x13, little(place))
            _ = try names([.function(nil, [inUnit] + code)])
        }
    }

    @Test("origins in earlier and later units are found")
    func otherUnits() throws {
        var builder = DieBuilder()
        builder.add(.unit([], [.function("early", [], label: "early")]))
        builder.add(
            .unit(
                [],
                [
                    .function(
                        nil,
                        [.reference(0x31, "early", anyUnit: true)]
                            + DieAttribute.code(0x1000..<0x1010)),
                    .function(
                        nil,
                        [.reference(0x31, "late", anyUnit: true)]
                            + DieAttribute.code(0x1010..<0x1020)),
                ]), version: 5)
        builder.add(Die(0x3c, [], [.function("late", [], label: "late")]), version: 3)
        let (records, summary) = try read(builder.sections())
        #expect(records.functionNames == ["early", "late"])
        #expect(summary.failures == [])
        #expect(summary.versions == [3, 4, 5])
    }

    @Test("version 2 references other units with addresses' size")
    func shortReferences() throws {
        var builder = DieBuilder()
        builder.add(
            .unit([], [.function("early", [], label: "early")]), version: 2, addressSize: 4)
        builder.add(
            .unit(
                [],
                [
                    .function(
                        nil,
                        [
                            .reference(0x31, "early", anyUnit: true),
                            DieAttribute(0x11, 0x01, little(UInt32(0x1000))),
                            DieAttribute(0x12, 0x01, little(UInt32(0x1010))),
                        ])
                ]), version: 2, addressSize: 4)
        #expect(try read(builder.sections()).records.functionNames == ["early"])
    }

    @Test("indexed texts may precede the base that they need")
    func indexedTexts() throws {
        let text = DieAttribute(0x25, 0x1a, [1])
        let base = DieAttribute(0x72, 0x17, little(UInt32(8)))
        let root = Die(
            0x11, [text, base], [Die(0x2e, [DieAttribute(0x03, 0x25, [0])] + code)])
        let (records, summary) = try read(
            root, version: 5,
            [
                .strOffsets: [UInt8](repeating: 0xff, count: 8) + [3, 0, 0, 0, 0, 0, 0, 0],
                .str: Array("cc\0f\0".utf8),
            ])
        #expect(records.functionNames == ["f"])
        #expect(summary.producers == ["cc"])
    }

    @Test("names in a supplementary file are missing, with a warning", arguments: [0x1f20, 0x1f21])
    func supplementaryFile(form: UInt64) throws {
        let attribute = DieAttribute(form == 0x1f20 ? 0x31 : 0x03, form, little(UInt32(11)))
        let root = Die.unit([], [.function(nil, [attribute] + code)])
        let (records, summary) = try read(root)
        #expect(records.functionNames == ["?"])
        #expect(summary.warnings == [.dwzAlternateMissing])
        #expect(summary.failures == [])
    }

    @Test("a text of 64 KiB is a name, one byte more is not")
    func longNames() throws {
        let longest = String(repeating: "x", count: TextValue.bytesLimit)
        #expect(try names([.function(longest, code)]) == [longest])
        let (records, summary) = try read(.unit([], [.function(longest + "x", code)]))
        #expect(records.functionNames == ["?"])
        #expect(summary.unitsFailed == 1)
    }
}
