/// Writes small Mach-O files whose fields tests can set freely.
public struct MachOBuilder: Sendable {
    public struct Section: Sendable {
        public var name: String
        public var address: UInt64
        /// The contents, or `nil` for a file offset of 0, as dSYMs have for code.
        public var contents: [UInt8]?
        public var size: UInt64
        public var flags: UInt32
        /// The last fields, whose meaning depends on the kind of section.
        public var reserved: (UInt32, UInt32) = (0, 0)

        public init(
            _ name: String, at address: UInt64 = 0, size: UInt64? = nil,
            contents: [UInt8]? = nil, flags: UInt32 = 0
        ) {
            self.name = name
            self.address = address
            self.contents = contents
            self.size = size ?? UInt64(contents?.count ?? 0)
            self.flags = flags
        }
    }

    public struct Segment: Sendable {
        public var name: String
        public var address: UInt64
        public var fileOffset: UInt64 = 0
        public var fileSize: UInt64 = 0
        public var sections: [Section]

        public init(_ name: String, at address: UInt64, _ sections: [Section] = []) {
            self.name = name
            self.address = address
            self.sections = sections
        }
    }

    public struct Symbol: Sendable {
        public var name: String
        public var value: UInt64
        public var type: UInt8
        public var section: UInt8
        public var description: UInt16

        /// A symbol in a section; the default type is that of an exported one.
        public init(
            _ name: String, at value: UInt64, type: UInt8 = 0x0f, section: UInt8 = 1,
            description: UInt16 = 0
        ) {
            self.name = name
            self.value = value
            self.type = type
            self.section = section
            self.description = description
        }
    }

    public var is64Bit = true
    public var bigEndian = false
    public var cpuType: UInt32 = 0x0100_000c
    public var cpuSubtype: UInt32 = 0
    public var fileType: UInt32 = 6
    public var uuid: [UInt8]? = Array(1...16)
    public var segments: [Segment] = []
    public var symbols: [Symbol] = []
    public var functionStarts: [UInt8]?
    /// Further complete load commands, written after the others.
    public var commands: [[UInt8]] = []

    public init() {}

    /// Returns a dynamic library with one code section of 0x100 bytes, 0x1000 from its base.
    public static func library(base: UInt64 = 0x1_0000_0000) -> Self {
        var file = Self()
        let text = Section("__text", at: base + 0x1000, size: 0x100, flags: 0x8000_0400)
        file.segments = [Segment("__TEXT", at: base, [text])]
        return file
    }

    /// Returns a load command in the file's byte order.
    public func command(_ kind: UInt32, _ words: [UInt32]) -> [UInt8] {
        var payload = ByteWriter(bigEndian: bigEndian)
        for word in words { payload.add(word) }
        return command(kind, payload: payload.bytes)
    }

    private func command(_ kind: UInt32, payload: [UInt8]) -> [UInt8] {
        var command = ByteWriter(bigEndian: bigEndian)
        command.add(kind)
        command.add(UInt32(8 + payload.count))
        command.add(payload)
        return command.bytes
    }

    public func bytes() -> [UInt8] {
        // The size of the commands does not depend on the offsets in them.
        let size = loadCommands(contentsAt: 0).commands.reduce(0) { $0 + $1.count }
        let headerSize = is64Bit ? 32 : 28
        let body = loadCommands(contentsAt: headerSize + size)
        var file = ByteWriter(bigEndian: bigEndian)
        file.add(is64Bit ? 0xfeed_facf : 0xfeed_face as UInt32)
        file.add(cpuType)
        file.add(cpuSubtype)
        file.add(fileType)
        file.add(UInt32(body.commands.count))
        file.add(UInt32(size))
        file.add(0 as UInt32)
        if is64Bit { file.add(0 as UInt32) }
        for command in body.commands { file.add(command) }
        file.add(body.contents)
        return file.bytes
    }

    private func loadCommands(
        contentsAt start: Int
    ) -> (commands: [[UInt8]], contents: [UInt8]) {
        var written: [[UInt8]] = []
        var contents: [UInt8] = []
        func place(_ bytes: [UInt8]) -> UInt32 {
            defer { contents += bytes }
            return UInt32(start + contents.count)
        }
        if let uuid { written.append(command(0x1b, payload: uuid)) }
        for segment in segments { written.append(self.segment(segment, place)) }
        if !symbols.isEmpty {
            let table = symbolTable()
            let entries = place(table.entries)
            let count = UInt32(symbols.count)
            let names = place(table.names)
            written.append(command(0x2, [entries, count, names, UInt32(table.names.count)]))
        }
        if let functionStarts {
            written.append(command(0x26, [place(functionStarts), UInt32(functionStarts.count)]))
        }
        return (written + commands, contents)
    }

    private func segment(_ segment: Segment, _ place: ([UInt8]) -> UInt32) -> [UInt8] {
        let headSize = is64Bit ? 72 : 56
        let size = headSize + segment.sections.count * (is64Bit ? 80 : 68)
        var command = ByteWriter(bigEndian: bigEndian)
        command.add(is64Bit ? 0x19 : 0x1 as UInt32)
        command.add(UInt32(size))
        command.add(segment.name, field: 16)
        command.add(word: segment.address, is64Bit: is64Bit)
        command.add(word: 0x1_0000, is64Bit: is64Bit)
        command.add(word: segment.fileOffset, is64Bit: is64Bit)
        command.add(word: segment.fileSize, is64Bit: is64Bit)
        command.add([UInt8](repeating: 0, count: 8))
        command.add(UInt32(segment.sections.count))
        command.add(0 as UInt32)
        for section in segment.sections {
            command.add(section.name, field: 16)
            command.add(segment.name, field: 16)
            command.add(word: section.address, is64Bit: is64Bit)
            command.add(word: section.size, is64Bit: is64Bit)
            command.add(section.contents.map(place) ?? 0)
            command.add([UInt8](repeating: 0, count: 12))
            command.add(section.flags)
            command.add(section.reserved.0)
            command.add(section.reserved.1)
            if is64Bit { command.add(0 as UInt32) }
        }
        return command.bytes
    }

    private func symbolTable() -> (entries: [UInt8], names: [UInt8]) {
        var entries = ByteWriter(bigEndian: bigEndian)
        var names: [UInt8] = [0]
        for symbol in symbols {
            entries.add(UInt32(symbol.name.isEmpty ? 0 : names.count))
            entries.add(symbol.type)
            entries.add(symbol.section)
            entries.add(symbol.description)
            entries.add(word: symbol.value, is64Bit: is64Bit)
            if !symbol.name.isEmpty { names += Array(symbol.name.utf8) + [0] }
        }
        return (entries.bytes, names)
    }

    /// Returns a fat file of `slices`, each at the next multiple of 16.
    public static func fat(
        _ slices: [(cpuType: UInt32, cpuSubtype: UInt32, bytes: [UInt8])], is64Bit: Bool = false
    ) -> [UInt8] {
        var table = ByteWriter(bigEndian: true)
        table.add(is64Bit ? 0xcafe_babf : 0xcafe_babe as UInt32)
        table.add(UInt32(slices.count))
        var body = ByteWriter()
        let start = (8 + slices.count * (is64Bit ? 32 : 20) + 15) / 16 * 16
        for slice in slices {
            table.add(slice.cpuType)
            table.add(slice.cpuSubtype)
            table.add(word: UInt64(start + body.bytes.count), is64Bit: is64Bit)
            table.add(word: UInt64(slice.bytes.count), is64Bit: is64Bit)
            table.add([UInt8](repeating: 0, count: is64Bit ? 8 : 4))
            body.add(slice.bytes)
            body.align(to: 16)
        }
        table.align(to: 16)
        return table.bytes + body.bytes
    }
}
