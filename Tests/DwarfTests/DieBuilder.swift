import ByteReading
import TestSupport
import Testing

@testable import CallStacks
@testable import Dwarf

/// An entry of a test. Each gets its own abbreviation.
struct Die {
    var tag: UInt64
    var attributes: [DieAttribute] = []
    var children: [Die] = []
    /// The name for references.
    var label: String?

    init(
        _ tag: UInt64, _ attributes: [DieAttribute] = [], label: String? = nil,
        _ children: [Die] = []
    ) {
        self.tag = tag
        self.attributes = attributes
        self.label = label
        self.children = children
    }

    static func unit(_ attributes: [DieAttribute] = [], _ children: [Die]) -> Die {
        Die(0x11, [.text(0x25, "tester 1.0")] + attributes, children)
    }

    static func function(
        _ name: String?, _ attributes: [DieAttribute] = [], label: String? = nil,
        _ children: [Die] = []
    ) -> Die {
        Die(0x2e, (name.map { [.text(0x03, $0)] } ?? []) + attributes, label: label, children)
    }

    static func inlined(
        _ origin: String, _ attributes: [DieAttribute], label: String? = nil,
        _ children: [Die] = []
    ) -> Die {
        Die(0x1d, [.reference(0x31, origin)] + attributes, label: label, children)
    }

    static func block(_ children: [Die]) -> Die { Die(0x0b, children) }

    private init(_ tag: UInt64, _ children: [Die]) { self.init(tag, [], children) }
}

/// An attribute with its form and the bytes of its value.
struct DieAttribute {
    var name: UInt64
    var form: UInt64
    var value: [UInt8]
    /// The label of the entry referred to, whose offset is filled in.
    var target: String?
    /// A value in the abbreviation.
    var implicit: [UInt8]?

    init(_ name: UInt64, _ form: UInt64, _ value: [UInt8]) {
        self.name = name
        self.form = form
        self.value = value
    }

    static func text(_ name: UInt64, _ text: String) -> Self {
        Self(name, 0x08, Array(text.utf8) + [0])
    }

    static func linkageName(_ name: String) -> Self { .text(0x6e, name) }
    static func udata(_ name: UInt64, _ value: UInt64) -> Self { Self(name, 0x0f, uleb(value)) }

    /// `DW_FORM_implicit_const`, as GCC writes call sites.
    static func implicit(_ name: UInt64, _ value: Int64) -> Self {
        var attribute = Self(name, 0x21, [])
        attribute.implicit = sleb(value)
        return attribute
    }

    /// `DW_FORM_ref4` to an entry of the unit, `DW_FORM_ref_addr` to one of any unit.
    static func reference(_ name: UInt64, _ label: String, anyUnit: Bool = false) -> Self {
        var attribute = Self(name, anyUnit ? 0x10 : 0x13, [0, 0, 0, 0])
        attribute.target = label
        return attribute
    }

    static func lines(at offset: UInt32) -> Self { Self(0x10, 0x17, little(offset)) }

    /// `DW_AT_low_pc` and `DW_AT_high_pc` as a length.
    static func code(_ range: Range<UInt64>) -> [Self] {
        [
            Self(0x11, 0x01, little(range.lowerBound)),
            Self(0x12, 0x06, little(UInt32(range.upperBound - range.lowerBound))),
        ]
    }

    static func call(file: UInt64, line: UInt64, column: UInt64) -> [Self] {
        [.udata(0x58, file), .udata(0x59, line), .udata(0x57, column)]
    }
}

func little(_ number: some FixedWidthInteger) -> [UInt8] {
    var writer = ByteWriter()
    writer.add(number)
    return writer.bytes
}

func uleb(_ value: UInt64) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    repeat {
        let byte = UInt8(rest & 0x7f)
        rest >>= 7
        bytes.append(rest == 0 ? byte : byte | 0x80)
    } while rest != 0
    return bytes
}

func sleb(_ value: Int64) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while true {
        let byte = UInt8(truncatingIfNeeded: rest & 0x7f)
        rest >>= 7
        let isLast = (rest == 0 && byte & 0x40 == 0) || (rest == -1 && byte & 0x40 != 0)
        bytes.append(isLast ? byte : byte | 0x80)
        if isLast { return bytes }
    }
}

/// Writes `.debug_info` and `.debug_abbrev` from entries.
struct DieBuilder {
    private(set) var info: [UInt8] = []
    private(set) var abbreviations: [UInt8] = []
    private(set) var places: [String: Int] = [:]
    private var references: [(place: Int, base: Int, label: String)] = []
    private var code: UInt64 = 0

    /// Appends a unit with its own abbreviation table.
    mutating func add(
        _ root: Die, version: UInt16 = 4, addressSize: UInt8 = 8, is64Bit: Bool = false,
        kind: UInt8 = 1, splitID: UInt64 = 0x1234
    ) {
        let start = info.count
        let table = UInt64(abbreviations.count)
        var header = ByteWriter()
        header.add(version)
        if version >= 5 {
            header.add([kind, addressSize])
            header.add(word: table, is64Bit: is64Bit)
            if kind == 4 || kind == 5 { header.add(splitID) }
            if kind == 2 {
                header.add(UInt64(0x1234))
                header.add(word: 0, is64Bit: is64Bit)
            }
        } else {
            header.add(word: table, is64Bit: is64Bit)
            header.add([addressSize])
        }
        let lengthSize = is64Bit ? 12 : 4
        info += [UInt8](repeating: 0, count: lengthSize) + header.bytes
        code = 0
        add(root, unit: start)
        abbreviations.append(0)
        let length = UInt64(info.count - start - lengthSize)
        let field = is64Bit ? little(UInt32.max) + little(length) : little(UInt32(length))
        info.replaceSubrange(start..<start + lengthSize, with: field)
    }

    private mutating func add(_ die: Die, unit: Int) {
        if let label = die.label { places[label] = info.count }
        code += 1
        abbreviations += uleb(code) + uleb(die.tag) + [die.children.isEmpty ? 0 : 1]
        info += uleb(code)
        for attribute in die.attributes {
            abbreviations += uleb(attribute.name) + uleb(attribute.form)
            abbreviations += attribute.implicit ?? []
            if let target = attribute.target {
                references.append((info.count, attribute.form == 0x10 ? 0 : unit, target))
            }
            info += attribute.value
        }
        abbreviations += [0, 0]
        guard !die.children.isEmpty else { return }
        for child in die.children { add(child, unit: unit) }
        info.append(0)
    }

    /// The sections, with references filled in.
    func sections(
        _ others: [DwarfSections.Name: [UInt8]] = [:], isSplit: Bool = false
    ) -> DwarfSections {
        var info = info
        for reference in references {
            guard let place = places[reference.label] else { continue }
            info.replaceSubrange(
                reference.place..<reference.place + 4,
                with: little(UInt32(place - reference.base)))
        }
        var sections = DwarfSections(isBigEndian: false, addressSize: 8, isSplit: isSplit)
        sections[.info] = FileBytes(info)
        sections[.abbrev] = FileBytes(abbreviations)
        for (name, bytes) in others { sections[name] = FileBytes(bytes) }
        return sections
    }
}

/// Code of an image without base at 0x1000 to 0x9000, and again at 0x10000 to 0x11000.
let testLayout = ImageLayout(
    base: LinkAddress(0),
    code: [
        ImageOffset(0x1000)..<ImageOffset(0x9000), ImageOffset(0x10000)..<ImageOffset(0x11000),
    ])

/// Reads sections, and expects the same result from both sources of entries, except for failures:
/// libdwarf rejects some attributes that are never requested.
func read(
    _ sections: DwarfSections, splitFiles: SplitFiles = SplitFiles(),
    layout: ImageLayout = testLayout, architecture: Architecture = .arm64,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> (records: RecordList, summary: DwarfSummary) {
    let (records, summary) = try read(
        sections, splitFiles: splitFiles, layout: layout, architecture: architecture,
        usesLibDwarf: false)
    let second = try read(
        sections, splitFiles: splitFiles, layout: layout, architecture: architecture,
        usesLibDwarf: true)
    #expect(records.dump == second.records.dump, sourceLocation: sourceLocation)
    #expect(summary.warnings == second.summary.warnings, sourceLocation: sourceLocation)
    return (records, summary)
}

/// Reads sections with one source of entries.
func read(
    _ sections: DwarfSections, splitFiles: SplitFiles = SplitFiles(),
    layout: ImageLayout = testLayout, architecture: Architecture = .arm64, usesLibDwarf: Bool
) throws -> (records: RecordList, summary: DwarfSummary) {
    var records = RecordList()
    let reader = DwarfReader(
        sections: sections, splitFiles: splitFiles, layout: layout, architecture: architecture,
        usesLibDwarf: usesLibDwarf)
    let summary = try reader.read(into: &records)
    return (records, summary)
}

/// Reads one unit.
func read(
    _ root: Die, version: UInt16 = 4, _ others: [DwarfSections.Name: [UInt8]] = [:]
) throws -> (records: RecordList, summary: DwarfSummary) {
    var builder = DieBuilder()
    builder.add(root, version: version)
    return try read(builder.sections(others))
}
