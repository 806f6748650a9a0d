import Foundation
import Testing

/// A shared cache read by plain offsets, to check the project's reader against.
///
/// It shares no code with that reader, and reads only what the checks compare: images of 64 bits,
/// their identities, and the symbols in their own tables.
struct PlainCache {
    struct Entry: Hashable {
        let address: UInt64
        let path: String
    }

    struct Symbol: Hashable {
        let address: UInt64
        let name: String
    }

    private struct Region {
        let addresses: Range<UInt64>
        let bytes: PlainBytes
        let offset: Int
    }

    /// The images in the order of the table, one per address.
    private(set) var entries: [Entry] = []
    private var regions: [Region] = []

    /// - Parameter path: The main file. The other files of the cache are next to it.
    init(path: String) throws {
        let main = try PlainBytes(path)
        try add(main)
        let file = URL(fileURLWithPath: path)
        let folder = file.deletingLastPathComponent()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where name.hasPrefix(file.lastPathComponent + ".") && !name.hasSuffix(".symbols") {
            let part = try PlainBytes(folder.appendingPathComponent(name).path)
            if part.startsLikeCache { try add(part) }
        }
        let place = try main.number(4, at: 0x1c) > 0 ? 0x18 : 0x1c0
        let table = Int(try main.number(4, at: place))
        var seen: Set<UInt64> = []
        for number in 0..<Int(try main.number(4, at: place + 4)) {
            let address = try main.number(8, at: table + 32 * number)
            let pathPlace = Int(try main.number(4, at: table + 32 * number + 24))
            guard seen.insert(address).inserted else { continue }
            entries.append(Entry(address: address, path: try main.text(at: pathPlace)))
        }
    }

    private mutating func add(_ file: PlainBytes) throws {
        let table = Int(try file.number(4, at: 0x10))
        for number in 0..<Int(try file.number(4, at: 0x14)) {
            let place = table + 32 * number
            let start = try file.number(8, at: place)
            let end = start + (try file.number(8, at: place + 8))
            regions.append(
                Region(
                    addresses: start..<end, bytes: file,
                    offset: Int(try file.number(8, at: place + 16))))
        }
    }

    /// Returns the file that maps an address, and the address's offset in it.
    private func place(of address: UInt64) throws -> (PlainBytes, Int) {
        let region = try #require(regions.first { $0.addresses.contains(address) })
        return (region.bytes, region.offset + Int(address - region.addresses.lowerBound))
    }

    func uuid(of image: Entry) throws -> [UInt8] { try commands(of: image).uuid }

    private func commands(of image: Entry) throws -> PlainCommands {
        let (bytes, start) = try place(of: image.address)
        try #require(try bytes.number(4, at: start) == 0xfeed_facf)
        var commands = PlainCommands()
        var place = start + 32
        for _ in 0..<(try bytes.number(4, at: start + 16)) {
            try commands.read(bytes, at: place)
            place += Int(try bytes.number(4, at: place + 4))
        }
        return commands
    }

    /// Returns the named symbols in sections of code.
    func symbols(of image: Entry) throws -> Set<Symbol> {
        let commands = try commands(of: image)
        guard commands.symbolCount > 0 else { return [] }
        let (entries, start) = try place(of: commands.address(of: commands.symbolsOffset))
        let (names, namesStart) = try place(of: commands.address(of: commands.namesOffset))
        var symbols: Set<Symbol> = []
        for number in 0..<commands.symbolCount {
            let place = start + 16 * number
            let kind = try entries.number(1, at: place + 4)
            let section = Int(try entries.number(1, at: place + 5))
            // No entry of a debugger, and defined in a section.
            guard kind & 0xe0 == 0, kind & 0xe == 0xe, let code = commands.code[section] else {
                continue
            }
            let address = try entries.number(8, at: place + 8)
            let nameOffset = Int(try entries.number(4, at: place))
            let name = try names.text(at: namesStart + nameOffset)
            guard code.contains(address), !name.isEmpty, name != "<redacted>" else { continue }
            symbols.insert(Symbol(address: address, name: name))
        }
        return symbols
    }
}

/// The load commands of an image that the checks need.
private struct PlainCommands {
    private(set) var uuid: [UInt8] = []
    /// The addresses of the sections of code, by the number of the section in the image.
    private(set) var code: [Int: Range<UInt64>] = [:]
    private(set) var symbolCount = 0
    private(set) var symbolsOffset: UInt64 = 0
    private(set) var namesOffset: UInt64 = 0
    private var sectionCount = 0
    private var linkEdit: (address: UInt64, fileOffset: UInt64) = (0, 0)

    mutating func read(_ bytes: PlainBytes, at place: Int) throws {
        switch try bytes.number(4, at: place) {
        case 0x2:
            symbolsOffset = try bytes.number(4, at: place + 8)
            symbolCount = Int(try bytes.number(4, at: place + 12))
            namesOffset = try bytes.number(4, at: place + 16)
        case 0x19: try readSegment(bytes, at: place)
        case 0x1b: uuid = try (0..<16).map { UInt8(try bytes.number(1, at: place + 8 + $0)) }
        default: break
        }
    }

    private mutating func readSegment(_ bytes: PlainBytes, at place: Int) throws {
        let name = try bytes.text(at: place + 8, limit: 16)
        if name == "__LINKEDIT" {
            linkEdit = (try bytes.number(8, at: place + 24), try bytes.number(8, at: place + 40))
        }
        for number in 0..<Int(try bytes.number(4, at: place + 64)) {
            sectionCount += 1
            let section = place + 72 + 80 * number
            let isCode = try bytes.number(4, at: section + 64) & 0x8000_0400 != 0
            guard name == "__TEXT", isCode else { continue }
            let start = try bytes.number(8, at: section + 32)
            code[sectionCount] = start..<start + (try bytes.number(8, at: section + 40))
        }
    }

    /// The address of link-edit data, whose file offsets are not those of the cache.
    func address(of offset: UInt64) -> UInt64 { linkEdit.address + offset - linkEdit.fileOffset }
}

/// The bytes of a file, with little-endian numbers.
private struct PlainBytes {
    private let data: Data

    init(_ path: String) throws {
        data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    }

    var startsLikeCache: Bool { data.starts(with: Array("dyld_v1".utf8)) }

    func number(_ size: Int, at place: Int) throws -> UInt64 {
        try #require(place >= 0 && size <= data.count && place <= data.count - size)
        return data[place..<place + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the text up to a zero.
    func text(at place: Int, limit: Int = 1 << 16) throws -> String {
        try #require(place >= 0 && place < data.count)
        let text = data[place..<min(place + limit, data.count)].prefix { $0 != 0 }
        return String(decoding: text, as: UTF8.self)
    }
}
