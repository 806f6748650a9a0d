/// A library of a generated shared cache, by offsets from its start.
public struct CachedLibrary: Sendable {
    public enum Rank: Sendable {
        case local, exported, weak
    }

    public struct Symbol: Sendable {
        public var name: String
        public var offset: UInt64
        public var rank: Rank
        /// Whether it is in the data segment, where offsets count from the start of that.
        public var isData: Bool

        public init(_ name: String, at offset: UInt64, _ rank: Rank = .local, isData: Bool = false)
        {
            self.name = name
            self.offset = offset
            self.rank = rank
            self.isData = isData
        }
    }

    public var path: String
    public var uuid: [UInt8]
    public var cpuType: UInt32 = 0x0100_000c
    public var cpuSubtype: UInt32 = 2
    /// The sections with code, without gaps; the first one starts at ``codeOffset``.
    public var codeSections: [(name: String, size: UInt64)] = [("__text", 0x100)]
    public var symbols: [Symbol] = []
    public var functionStarts: [UInt64] = []

    public static let codeOffset: UInt64 = 0x400
    public static let dataSize: UInt64 = 0x40

    public init(_ path: String, number: UInt8, symbols: [Symbol] = [], starts: [UInt64] = []) {
        self.path = path
        uuid = [UInt8](repeating: number, count: 16)
        self.symbols = symbols
        functionStarts = starts
    }

    public var is64Bit: Bool { cpuType & 0x0100_0000 != 0 }

    /// The size of the text segment.
    public var textSize: UInt64 {
        (Self.codeOffset + codeSections.reduce(0) { $0 + $1.size } + 0xfff) / 0x1000 * 0x1000
    }

    /// The number of a symbol's section, from 1; the data comes after all code.
    public func section(of symbol: Symbol) -> UInt8 {
        var end = Self.codeOffset
        let number = codeSections.firstIndex { section in
            end += section.size
            return symbol.offset < end
        }
        return UInt8(1 + (symbol.isData ? codeSections.count : number ?? 0))
    }

    /// Function starts as `LC_FUNCTION_STARTS` has them.
    public var functionStartBytes: [UInt8] {
        var bytes: [UInt8] = []
        var last: UInt64 = 0
        for start in functionStarts {
            var rest = start - last
            last = start
            repeat {
                bytes.append(UInt8(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
                rest >>= 7
            } while rest != 0
        }
        return bytes + [0]
    }

    /// The library as a file by itself, linked at 0; without the bytes of its code, a stub.
    public var dylib: MachOBuilder {
        var file = MachOBuilder()
        file.cpuType = cpuType
        file.cpuSubtype = cpuSubtype
        file.is64Bit = is64Bit
        file.uuid = uuid
        file.fileType = 9
        var offset = Self.codeOffset
        var sections: [MachOBuilder.Section] = []
        for section in codeSections {
            sections.append(
                MachOBuilder.Section(
                    section.name, at: offset, size: section.size, flags: 0x8000_0400))
            offset += section.size
        }
        file.segments = [MachOBuilder.Segment("__TEXT", at: 0, sections)]
        file.symbols = symbols.filter { !$0.isData }.map { symbol in
            MachOBuilder.Symbol(
                symbol.name, at: symbol.offset, type: symbol.rank == .local ? 0x0e : 0x0f,
                section: section(of: symbol), description: symbol.rank == .weak ? 0x80 : 0)
        }
        file.functionStarts = functionStartBytes
        var name = ByteWriter()
        name.add(path, field: (path.utf8.count + 8) / 8 * 8)
        let words = stride(from: 0, to: name.bytes.count, by: 4).map { place in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(name.bytes[place + $1]) << UInt32(8 * $1) }
        }
        file.commands = [file.command(0xd, [24, 0, 0, 0] + words)]
        return file
    }
}

extension CachedLibrary {
    /// Four libraries with properties that are easily misread: equal local names, a name at two
    /// addresses, two at one, functions without a name, and several sections of code.
    public static var examples: [Self] {
        var view = Self(
            "/System/Library/PrivateFrameworks/ViewKit.framework/ViewKit", number: 0xa1,
            symbols: [
                Symbol("-[Window layout]", at: 0x420), Symbol("_helper", at: 0x440),
                Symbol("_helper", at: 0x4a0), Symbol("_draw", at: 0x400, .exported),
                Symbol("_drawAlias", at: 0x400, .weak), Symbol("_draw_local", at: 0x400),
                Symbol("_state", at: 0x8, isData: true), Symbol("_stub_of_draw", at: 0x508),
                Symbol("_shared_table", at: 0, .exported, isData: true),
            ], starts: [0x400, 0x420, 0x440, 0x480, 0x4a0])
        view.codeSections = [("__text", 0x100), ("__stubs", 0x20)]
        return [
            view,
            Self(
                "/usr/lib/libalpha.dylib", number: 0xa2,
                symbols: [
                    Symbol("_helper", at: 0x410), Symbol("_alpha", at: 0x430, .exported),
                    Symbol("_alpha_weak", at: 0x460, .weak),
                ], starts: [0x410, 0x430, 0x450, 0x460]),
            Self(
                "/usr/lib/libbeta.dylib", number: 0xa3,
                symbols: [Symbol("_beta", at: 0x400, .exported)], starts: [0x400]),
            Self(
                "/usr/lib/system/libgamma.dylib", number: 0xa4,
                symbols: [
                    Symbol("_only_local", at: 0x404), Symbol("_helper", at: 0x484),
                    Symbol("_gamma", at: 0x444, .exported),
                ], starts: [0x404, 0x444, 0x484]),
        ]
    }
}
