/// Writes small ELF files whose fields tests can set freely.
public struct ELFBuilder: Sendable {
    public struct Section: Sendable {
        public var name: String
        public var type: UInt32
        public var flags: UInt64
        public var address: UInt64
        /// The contents, or `nil` for a section without bytes.
        public var contents: [UInt8]?
        public var size: UInt64
        public var link: UInt32 = 0
        /// The value written in place of the real offset, for corrupt files.
        public var falseOffset: UInt64?

        /// `SHT_PROGBITS`, or `SHT_NOBITS` for a size without contents.
        public init(
            _ name: String, type: UInt32? = nil, flags: UInt64 = 0, at address: UInt64 = 0,
            size: UInt64? = nil, contents: [UInt8]? = nil, link: UInt32 = 0
        ) {
            self.name = name
            self.type = type ?? (contents == nil ? 8 : 1)
            self.flags = flags
            self.address = address
            self.contents = contents
            self.size = size ?? UInt64(contents?.count ?? 0)
            self.link = link
        }
    }

    public struct Segment: Sendable {
        public var type: UInt32
        public var address: UInt64
        public var offset: UInt64
        public var fileSize: UInt64

        public init(type: UInt32, at address: UInt64, offset: UInt64 = 0, fileSize: UInt64 = 0) {
            self.type = type
            self.address = address
            self.offset = offset
            self.fileSize = fileSize
        }
    }

    public struct Symbol: Sendable {
        public var name: String
        public var value: UInt64
        public var size: UInt64
        public var binding: UInt8
        public var type: UInt8
        public var section: UInt16

        /// A symbol in a section; the default type is that of an exported function.
        public init(
            _ name: String, at value: UInt64, size: UInt64 = 0, binding: UInt8 = 1,
            type: UInt8 = 2, section: UInt16 = 1
        ) {
            self.name = name
            self.value = value
            self.size = size
            self.binding = binding
            self.type = type
            self.section = section
        }
    }

    public var is64Bit = true
    public var bigEndian = false
    public var type: UInt16 = 3
    public var machine: UInt16 = 62
    public var segments: [Segment] = []
    public var sections: [Section] = []
    /// The value written in place of the real index of the name table.
    public var falseNamesIndex: UInt16?

    public init() {}

    /// Returns a library with a build ID and 0x100 bytes of code, 0x1000 from its base.
    public static func library(base: UInt64 = 0, buildID: [UInt8]? = Array(1...20)) -> Self {
        var file = Self()
        file.segments = [Segment(type: 1, at: base)]
        file.sections = [Section(".text", flags: 6, at: base + 0x1000, size: 0x100)]
        if let buildID { file.addNote("GNU", type: 3, contents: buildID) }
        return file
    }

    /// The index of the next section added to ``sections``; 0 is the empty one.
    public var nextIndex: UInt32 { UInt32(sections.count + 1) }

    public mutating func addNote(_ name: String, type: UInt32, contents: [UInt8]) {
        let bytes = note(name, type: type, contents: contents)
        sections.append(Section(".note", type: 7, contents: bytes))
    }

    public func note(_ name: String, type: UInt32, contents: [UInt8]) -> [UInt8] {
        var note = ByteWriter(bigEndian: bigEndian)
        note.add(UInt32(name.utf8.count + 1))
        note.add(UInt32(contents.count))
        note.add(type)
        note.add(Array(name.utf8) + [0])
        note.align(to: 4)
        note.add(contents)
        note.align(to: 4)
        return note.bytes
    }

    /// Adds a symbol table and its string table.
    ///
    /// - Parameter type: 2 for `.symtab`, 11 for `.dynsym`.
    public mutating func add(_ symbols: [Symbol], type: UInt32 = 2) {
        var names: [UInt8] = [0]
        var entries = ByteWriter(bigEndian: bigEndian)
        entries.add([UInt8](repeating: 0, count: is64Bit ? 24 : 16))
        for symbol in symbols {
            entries.add(UInt32(names.count))
            if !is64Bit { addPlace(of: symbol, to: &entries) }
            entries.add(symbol.binding << 4 | symbol.type)
            entries.add(0 as UInt8)
            entries.add(symbol.section)
            if is64Bit { addPlace(of: symbol, to: &entries) }
            names += Array(symbol.name.utf8) + [0]
        }
        let isFull = type == 2
        sections.append(
            Section(
                isFull ? ".symtab" : ".dynsym", type: type, contents: entries.bytes,
                link: nextIndex + 1))
        sections.append(Section(isFull ? ".strtab" : ".dynstr", type: 3, contents: names))
    }

    private func addPlace(of symbol: Symbol, to entries: inout ByteWriter) {
        entries.add(word: symbol.value, is64Bit: is64Bit)
        entries.add(word: symbol.size, is64Bit: is64Bit)
    }

    /// Returns the contents of a section flagged `SHF_COMPRESSED` (0x800).
    public func compressed(_ stream: [UInt8], type: UInt32, size: UInt64) -> [UInt8] {
        var contents = ByteWriter(bigEndian: bigEndian)
        contents.add(type)
        if is64Bit { contents.add(0 as UInt32) }
        contents.add(word: size, is64Bit: is64Bit)
        contents.add(word: 1, is64Bit: is64Bit)
        contents.add(stream)
        return contents.bytes
    }

    /// The file: header, program headers, contents, section headers.
    public func bytes() -> [UInt8] {
        var all = [Section("", type: 0)] + sections
        var names: [UInt8] = []
        let nameOffsets = (all.map(\.name) + [".shstrtab"]).map { name in
            defer { names += Array(name.utf8) + [0] }
            return UInt32(names.count)
        }
        all.append(Section(".shstrtab", type: 3, contents: names))
        let headerSize = is64Bit ? 64 : 52
        var body = ByteWriter(bigEndian: bigEndian)
        for segment in segments { add(segment, to: &body) }
        var places: [UInt64] = []
        for section in all {
            body.align(to: 8)
            places.append(UInt64(headerSize + body.bytes.count))
            body.add(section.contents ?? [])
        }
        body.align(to: 8)
        let tablePlace = UInt64(headerSize + body.bytes.count)
        for (index, section) in all.enumerated() {
            add(section, name: nameOffsets[index], place: places[index], to: &body)
        }
        return header(sectionsAt: tablePlace, count: all.count) + body.bytes
    }

    private func header(sectionsAt place: UInt64, count: Int) -> [UInt8] {
        var header = ByteWriter(bigEndian: bigEndian)
        header.add([0x7f, 0x45, 0x4c, 0x46, is64Bit ? 2 : 1, bigEndian ? 2 : 1, 1])
        header.align(to: 16)
        header.add(type)
        header.add(machine)
        header.add(1 as UInt32)
        header.add(word: 0, is64Bit: is64Bit)
        header.add(word: segments.isEmpty ? 0 : is64Bit ? 64 : 52, is64Bit: is64Bit)
        header.add(word: place, is64Bit: is64Bit)
        header.add(0 as UInt32)
        header.add(UInt16(is64Bit ? 64 : 52))
        header.add(UInt16(is64Bit ? 56 : 32))
        header.add(UInt16(segments.count))
        header.add(UInt16(is64Bit ? 64 : 40))
        header.add(UInt16(count))
        header.add(falseNamesIndex ?? UInt16(count - 1))
        return header.bytes
    }

    private func add(_ segment: Segment, to body: inout ByteWriter) {
        body.add(segment.type)
        if is64Bit { body.add(5 as UInt32) }
        body.add(word: segment.offset, is64Bit: is64Bit)
        body.add(word: segment.address, is64Bit: is64Bit)
        body.add(word: segment.address, is64Bit: is64Bit)
        body.add(word: segment.fileSize, is64Bit: is64Bit)
        body.add(word: segment.fileSize, is64Bit: is64Bit)
        if !is64Bit { body.add(5 as UInt32) }
        body.add(word: 0, is64Bit: is64Bit)
    }

    private func add(
        _ section: Section, name: UInt32, place: UInt64, to body: inout ByteWriter
    ) {
        body.add(name)
        body.add(section.type)
        body.add(word: section.flags, is64Bit: is64Bit)
        body.add(word: section.address, is64Bit: is64Bit)
        body.add(word: section.falseOffset ?? place, is64Bit: is64Bit)
        body.add(word: section.size, is64Bit: is64Bit)
        body.add(section.link)
        body.add(0 as UInt32)
        body.add(word: 1, is64Bit: is64Bit)
        body.add(word: 0, is64Bit: is64Bit)
    }
}
