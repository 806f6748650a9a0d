import ByteReading
import CallStacks
import Dwarf

/// Concatenated sections of debug information: a byte with the flags, then for each section, in the
/// order of ``Dwarf/DwarfSections/Name``, its length as 32 bits and its bytes.
///
/// Without a container and without compression every change of a byte reaches the reader. Excessive
/// lengths are reduced, so any bytes are sections.
struct PackedSections {
    /// All low addresses are code, for sections of any program.
    static let layout = ImageLayout(
        base: LinkAddress(0), code: [ImageOffset(1)..<ImageOffset(1 << 48)])

    let sections: DwarfSections
    let architecture: Architecture

    private static let bigEndianFlag: UInt8 = 1
    private static let smallAddressFlag: UInt8 = 2

    init(_ input: [UInt8]) {
        let flags = input.first ?? 0
        let hasSmallAddresses = flags & Self.smallAddressFlag != 0
        architecture = hasSmallAddresses ? .arm64On32 : .arm64
        var sections = DwarfSections(
            isBigEndian: flags & Self.bigEndianFlag != 0, addressSize: hasSmallAddresses ? 4 : 8)
        var rest = input.dropFirst()
        for name in DwarfSections.Name.allCases {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            if length > 0 { sections[name] = FileBytes(rest.prefix(length)) }
            rest = rest.dropFirst(length)
        }
        self.sections = sections
    }

    /// The same sections as those of split units: a skeleton may be followed by its split unit.
    var splitFiles: SplitFiles {
        var split = DwarfSections(
            isBigEndian: sections.isBigEndian, addressSize: sections.addressSize, isSplit: true)
        for name in split.names { split[name] = sections[name] }
        var files = SplitFiles()
        if let file = try? SplitFile({ [split] in split }) { files.add(file) }
        return files
    }

    /// Returns the bytes that decode to `sections`.
    static func bytes(of sections: DwarfSections) -> [UInt8] {
        var bytes =
            [
                (sections.isBigEndian ? bigEndianFlag : 0)
                    | (sections.addressSize == 4 ? smallAddressFlag : 0)
            ]
        for name in DwarfSections.Name.allCases {
            let section = sections.bytes(name)
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: section.count >> (8 * $0)) }
            section.withSpan(of: 0..<section.count) { span in
                for index in span.indices { bytes.append(span[index]) }
            }
        }
        return bytes
    }
}
