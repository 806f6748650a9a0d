/// The positions and contents of all parts of a generated shared cache.
struct CachePlan {
    struct Mapping {
        var address: UInt64
        var size: UInt64
        var fileOffset: UInt64
    }

    /// A file, still without its header and tables.
    struct Part {
        var ending: String
        var mappings: [Mapping]
        var bytes: [UInt8]
    }

    private(set) var parts: [Part] = []
    private(set) var textAddresses: [UInt64] = []
    private(set) var localSymbols: [UInt8] = []
    private let builder: SharedCacheBuilder
    private let dataAddress: UInt64
    /// The link-edit data of each group, with its mapping.
    private var linkEdit: [LinkEdit] = []

    private struct LinkEdit {
        var address: UInt64
        var libraries: Range<Int>
        var bytes = ByteWriter()
        var tables: [(symbols: Int, count: Int, starts: Int, startCount: Int)] = []
        var namesStart = 0
        var names: [UInt8] = []
    }

    private static let gap: UInt64 = 0x200_0000
    private static var page: UInt64 { UInt64(SharedCacheBuilder.page) }

    init(_ builder: SharedCacheBuilder) {
        self.builder = builder
        let count = builder.libraries.count
        let half = builder.layout.hasSubcaches ? (count + 1) / 2 : count
        let groups = [0..<half, half..<count].filter { !$0.isEmpty }
        var address = builder.base
        var texts: [Mapping] = []
        for group in groups {
            let start = address
            address += Self.page * (group.lowerBound == 0 ? Self.tablePages(builder) : 1)
            for number in group {
                textAddresses.append(address)
                address += builder.libraries[number].textSize
            }
            texts.append(Mapping(address: start, size: address - start, fileOffset: 0))
            address += Self.gap
        }
        dataAddress = address + Self.page
        let dataSize =
            Self.page + Self.page * UInt64(1 + count * Int(CachedLibrary.dataSize) / 0x1000)
        let data = Mapping(address: address, size: dataSize, fileOffset: 0)
        address += dataSize + Self.gap
        for group in builder.splitsLinkEdit ? groups : [0..<count] {
            var block = LinkEdit(address: address + Self.page, libraries: group)
            fill(&block)
            linkEdit.append(block)
            address +=
                Self.page + UInt64(block.bytes.bytes.count + 0xfff) / 0x1000 * 0x1000 + Self.gap
        }
        localSymbols = movedSymbols()
        if builder.layout.hasSubcaches { split(texts, data) } else { join(texts[0], data) }
    }

    /// The pages before the first library, for header and tables.
    private static func tablePages(_ builder: SharedCacheBuilder) -> UInt64 {
        UInt64(2 + builder.libraries.count * 256 / SharedCacheBuilder.page)
    }

    private mutating func split(_ texts: [Mapping], _ data: Mapping) {
        let isNamed = builder.layout.namesSubcaches
        for (number, text) in texts.enumerated() {
            let ending = number == 0 ? "" : isNamed ? ".0\(number)" : ".\(number)"
            parts.append(Part(ending: ending, mappings: [text], bytes: textBytes(text)))
        }
        let number = parts.count
        parts.append(
            Part(
                ending: isNamed ? ".0\(number).dylddata" : ".\(number)", mappings: [data],
                bytes: [UInt8](repeating: 0, count: Int(data.size))))
        for block in linkEdit {
            let number = parts.count
            let contents = block.bytes.bytes
            parts.append(
                Part(
                    ending: isNamed ? ".0\(number).dyldlinkedit" : ".\(number)",
                    mappings: [
                        Mapping(
                            address: block.address - Self.page,
                            size: Self.page + UInt64(contents.count), fileOffset: 0)
                    ], bytes: [UInt8](repeating: 0, count: SharedCacheBuilder.page) + contents))
        }
    }

    private mutating func join(_ text: Mapping, _ data: Mapping) {
        var bytes = textBytes(text)
        var mappings = [text]
        mappings.append(
            Mapping(address: data.address, size: data.size, fileOffset: UInt64(bytes.count)))
        bytes += [UInt8](repeating: 0, count: Int(data.size))
        for block in linkEdit {
            let contents = block.bytes.bytes
            mappings.append(
                Mapping(
                    address: block.address, size: UInt64(contents.count),
                    fileOffset: UInt64(bytes.count)))
            bytes += contents
        }
        parts = [Part(ending: "", mappings: mappings, bytes: bytes)]
    }

    private func textBytes(_ mapping: Mapping) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(mapping.size))
        for (number, address) in textAddresses.enumerated()
        where address >= mapping.address && address < mapping.address + mapping.size {
            let header = imageHeader(number)
            let start = Int(address - mapping.address)
            bytes.replaceSubrange(start..<start + header.count, with: header)
        }
        return bytes
    }

    private func fill(_ block: inout LinkEdit) {
        var names = CacheNames()
        var tables: [(symbols: Int, count: Int, starts: Int, startCount: Int)] = []
        for number in block.libraries {
            let library = builder.libraries[number]
            let starts = block.bytes.bytes.count
            block.bytes.add(library.functionStartBytes)
            block.bytes.align(to: 8)
            let symbols = block.bytes.bytes.count
            let entries = imageSymbols(number, &names)
            for entry in entries { block.bytes.add(entry) }
            block.bytes.align(to: 8)
            tables.append((symbols, entries.count, starts, library.functionStartBytes.count))
        }
        block.tables = tables
        block.namesStart = block.bytes.bytes.count
        block.names = names.bytes
        block.bytes.add(names.bytes)
    }

    /// Returns the symbols that stay in an image: locals, redacted if they were moved, exports,
    /// imports.
    private func imageSymbols(_ number: Int, _ names: inout CacheNames) -> [[UInt8]] {
        let library = builder.libraries[number]
        var entries: [[UInt8]] = []
        for symbol in library.symbols where symbol.rank == .local {
            let isMoved = builder.layout.movesLocals
            if isMoved, symbol.isData { continue }
            let name = names.place(of: isMoved ? "<redacted>" : symbol.name)
            entries.append(entry(symbol, of: number, name: name))
        }
        for symbol in library.symbols where symbol.rank != .local {
            entries.append(entry(symbol, of: number, name: names.place(of: symbol.name)))
        }
        var imported = ByteWriter()
        imported.add(names.place(of: "_imported"))
        imported.add([0x01, 0, 0, 1] as [UInt8])
        imported.add(word: 0, is64Bit: library.is64Bit)
        return entries + [imported.bytes]
    }

    private func entry(_ symbol: CachedLibrary.Symbol, of number: Int, name: UInt32) -> [UInt8] {
        let library = builder.libraries[number]
        let start = symbol.isData ? data(of: number) : textAddresses[number]
        var entry = ByteWriter()
        entry.add(name)
        entry.add(symbol.rank == .local ? 0x0e : 0x0f as UInt8)
        entry.add(library.section(of: symbol))
        entry.add(symbol.rank == .weak ? 0x80 : 0 as UInt16)
        entry.add(word: start + symbol.offset, is64Bit: library.is64Bit)
        return entry.bytes
    }

    private func data(of number: Int) -> UInt64 {
        dataAddress + UInt64(number) * CachedLibrary.dataSize
    }

    private func movedSymbols() -> [UInt8] {
        var names = CacheNames()
        var symbols: [UInt8] = []
        var entries = ByteWriter()
        let isWide = builder.layout.hasSubcaches
        var ranges: [Int: (start: Int, count: Int)] = [:]
        var total = 0
        for (number, library) in builder.libraries.enumerated() {
            let locals = library.symbols.filter { $0.rank == .local }
            for symbol in locals {
                symbols += entry(symbol, of: number, name: names.place(of: symbol.name))
            }
            ranges[number] = (total, locals.count)
            total += locals.count
        }
        for number in builder.localEntries {
            guard let range = ranges[number] else { continue }
            entries.add(word: textAddresses[number] - builder.base, is64Bit: isWide)
            entries.add(UInt32(range.start))
            entries.add(UInt32(range.count))
        }
        let symbolsStart = 24 + entries.bytes.count
        var chunk = ByteWriter()
        for number in [
            symbolsStart, total, symbolsStart + symbols.count, names.bytes.count, 24,
            builder.localEntries.count,
        ] {
            chunk.add(UInt32(number))
        }
        return chunk.bytes + entries.bytes + symbols + names.bytes
    }

    private func imageHeader(_ number: Int) -> [UInt8] {
        let library = builder.libraries[number]
        guard let block = linkEdit.first(where: { $0.libraries.contains(number) }) else {
            return []
        }
        let table = block.tables[number - block.libraries.lowerBound]
        let offset = Int(builder.linkEditFileOffset)
        var commands = [
            segment(
                "__TEXT", textAddresses[number], library.textSize, 0, codeSections(number), library),
            segment(
                "__DATA", data(of: number), CachedLibrary.dataSize, 0,
                [("__data", data(of: number), CachedLibrary.dataSize, 0)], library),
            segment(
                "__LINKEDIT", block.address, UInt64(block.bytes.bytes.count),
                builder.linkEditFileOffset, [], library),
            command(0x1b, library.uuid),
            command(0x32, words: [2, 0x1a_0100, 0x1a_0100, 0]),
            command(
                0x2,
                words: [
                    offset + table.symbols, table.count, offset + block.namesStart,
                    block.names.count,
                ]),
            command(0x26, words: [offset + table.starts, table.startCount]),
        ]
        var identity = ByteWriter()
        for word: UInt32 in [24, 0, 0, 0] { identity.add(word) }
        identity.add(Array(library.path.utf8) + [0])
        identity.align(to: 8)
        commands.append(command(0xd, identity.bytes))
        var header = ByteWriter()
        let size = commands.reduce(0) { $0 + $1.count }
        for word in [
            library.is64Bit ? 0xfeed_facf : 0xfeed_face, library.cpuType, library.cpuSubtype, 6,
            UInt32(commands.count), UInt32(size), 0x8000_0000,
        ] as [UInt32] {
            header.add(word)
        }
        if library.is64Bit { header.add(0 as UInt32) }
        return header.bytes + commands.joined()
    }

    private typealias Section = (name: String, address: UInt64, size: UInt64, flags: UInt32)

    private func codeSections(_ number: Int) -> [Section] {
        var address = textAddresses[number] + CachedLibrary.codeOffset
        return builder.libraries[number].codeSections.map { section in
            defer { address += section.size }
            return (section.name, address, section.size, 0x8000_0400)
        }
    }

    private func segment(
        _ name: String, _ address: UInt64, _ size: UInt64, _ fileOffset: UInt64,
        _ sections: [Section], _ library: CachedLibrary
    ) -> [UInt8] {
        let is64Bit = library.is64Bit
        var body = ByteWriter()
        body.add(name, field: 16)
        for word in [address, size, fileOffset, size] { body.add(word: word, is64Bit: is64Bit) }
        for word: UInt32 in [5, 5, UInt32(sections.count), 0] { body.add(word) }
        for section in sections {
            body.add(section.name, field: 16)
            body.add(name, field: 16)
            body.add(word: section.address, is64Bit: is64Bit)
            body.add(word: section.size, is64Bit: is64Bit)
            // File offsets of sections are wrong in some real caches, so they must not be used.
            for word: UInt32 in [0xdead_bee0, 0, 0, 0, section.flags, 0, 0] { body.add(word) }
            if is64Bit { body.add(0 as UInt32) }
        }
        return command(is64Bit ? 0x19 : 0x1, body.bytes)
    }

    private func command(_ kind: UInt32, words: [Int]) -> [UInt8] {
        var body = ByteWriter()
        for word in words { body.add(UInt32(word)) }
        return command(kind, body.bytes)
    }

    private func command(_ kind: UInt32, _ body: [UInt8]) -> [UInt8] {
        var command = ByteWriter()
        command.add(kind)
        command.add(UInt32(8 + body.count))
        return command.bytes + body
    }
}

/// A pool of names, each once.
private struct CacheNames {
    private(set) var bytes: [UInt8] = [0]
    private var places: [String: UInt32] = [:]

    mutating func place(of name: String) -> UInt32 {
        if let place = places[name] { return place }
        let place = UInt32(bytes.count)
        places[name] = place
        bytes += Array(name.utf8) + [0]
        return place
    }
}
