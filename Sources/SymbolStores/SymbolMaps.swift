import ByteReading
import CallStacks
import DebugFiles

/// The `.bcsymbolmap` files among some files, by the builds that they are of.
///
/// The store built bitcode again, under another UUID. A property list in the dSYM of such a build,
/// named by that UUID, has the UUID of the build that was uploaded, and the map is named by that.
struct SymbolMaps: Sendable {
    private var maps: [ImageID: String] = [:]
    /// The property lists of builds, by their UUIDs.
    private var origins: [ImageID: String] = [:]

    private static let mapEnding = ".bcsymbolmap"
    private static let originEnding = ".plist"
    /// Property lists are a few hundred bytes.
    private static let originBytesLimit = 1 << 16

    /// Whether a file may be a map, or tell which one is wanted, by its name.
    static func isPart(_ name: String) -> Bool {
        build(of: name, ending: mapEnding) != nil || build(of: name, ending: originEnding) != nil
    }

    /// Whether a file is a map, by its name.
    static func isMap(_ name: String) -> Bool { build(of: name, ending: mapEnding) != nil }

    /// - Parameter name: What the file is called, where its path says something else.
    mutating func note(_ path: String, named name: String) {
        if let build = Self.build(of: name, ending: Self.mapEnding) {
            maps[build] = maps[build] ?? path
        } else if let build = Self.build(of: name, ending: Self.originEnding) {
            origins[build] = origins[build] ?? path
        }
    }

    /// `…/C8374B6D-6E96-34D8-AE38-EFAA5FEC424F.bcsymbolmap`: its UUID.
    private static func build(of path: String, ending: String) -> ImageID? {
        // Bytes, because characters take their time, and there may be thousands of paths.
        guard path.utf8.count > ending.utf8.count,
            path.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8),
            let name = path.dropLast(ending.count).split(separator: "/").last
        else { return nil }
        return ImageID(name).flatMap { $0.hasUUIDLength ? $0 : nil }
    }

    /// The map of an image's names, if it is there.
    func path(for image: ImageID) -> String? {
        if maps.isEmpty { return nil }
        return origins[image].flatMap(Self.original(in:)).flatMap { maps[$0] } ?? maps[image]
    }

    /// What a property list has as `DBGOriginalUUID`.
    private static func original(in path: String) -> ImageID? {
        guard let bytes = try? MappedFile.bytes(of: path), bytes.count <= originBytesLimit
        else { return nil }
        let text = bytes.string(of: 0..<bytes.count)
        guard let key = text.firstRange(of: "<key>DBGOriginalUUID</key>"),
            case let rest = text[key.upperBound...],
            let start = rest.firstRange(of: "<string>")?.upperBound,
            let end = rest[start...].firstRange(of: "</string>")?.lowerBound
        else { return nil }
        return ImageID(rest[start..<end])
    }
}

extension BitcodeSymbolMap {
    init(path: String) throws(SymbolStoreError) {
        let bytes = try MappedFile.bytes(of: path)
        do throws(ReadingError) {
            try self.init(bytes)
        } catch {
            throw SymbolStoreError(path, "is damaged (\(error))", next: "download it again")
        }
    }
}
