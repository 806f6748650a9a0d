import ByteReading
import CallStacks
import DebugFiles

/// The `.bcsymbolmap` files among some files, by build.
///
/// The App Store recompiled bitcode under a new UUID. A property list in the dSYM of such a build,
/// named by the new UUID, has the UUID of the uploaded build, which is the name of the map.
struct SymbolMaps: Sendable {
    private var maps: [ImageID: String] = [:]
    /// The property lists of builds, by their UUIDs.
    private var origins: [ImageID: String] = [:]

    static let mapEnding = ".bcsymbolmap"
    static let originEnding = ".plist"
    /// The maximum size of a property list, which is normally a few hundred bytes.
    private static let originBytesLimit = 1 << 16

    /// Whether a file may be a map or the property list that refers to one, by its name.
    static func isPart(_ name: String) -> Bool {
        build(of: name, ending: mapEnding) != nil || build(of: name, ending: originEnding) != nil
    }

    /// Whether a file is a map, by its name.
    static func isMap(_ name: String) -> Bool { build(of: name, ending: mapEnding) != nil }

    /// - Parameter name: The original name of the file, which may differ from its path.
    mutating func add(_ path: String, named name: String) {
        if let build = Self.build(of: name, ending: Self.mapEnding) {
            maps[build] = maps[build] ?? path
        } else if let build = Self.build(of: name, ending: Self.originEnding) {
            origins[build] = origins[build] ?? path
        }
    }

    /// Returns the UUID in a path such as `…/C8374B6D-6E96-34D8-AE38-EFAA5FEC424F.bcsymbolmap`.
    static func build(of path: String, ending: String) -> ImageID? {
        // Uses bytes, because characters are slow and there may be thousands of paths.
        guard path.utf8.count > ending.utf8.count,
            path.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8),
            let name = path.dropLast(ending.count).split(separator: "/").last
        else { return nil }
        return ImageID(name).flatMap { $0.hasUUIDLength ? $0 : nil }
    }

    /// Returns the path of an image's map, or `nil` if there is none.
    func path(for image: ImageID) -> String? { files(for: image).last?.path }

    /// Returns an image's map, after the property list that refers to it if there is one; empty if
    /// there is no map.
    func files(for image: ImageID) -> [SymbolMapFile] {
        if maps.isEmpty { return [] }
        if let list = origins[image], let build = Self.original(in: list), let map = maps[build] {
            return [
                SymbolMapFile(.propertyList(image), at: list), SymbolMapFile(.map(build), at: map),
            ]
        }
        return maps[image].map { [SymbolMapFile(.map(image), at: $0)] } ?? []
    }

    /// All files, sorted by name.
    var files: [SymbolMapFile] {
        let all =
            maps.map { SymbolMapFile(.map($0.key), at: $0.value) }
            + origins.map { SymbolMapFile(.propertyList($0.key), at: $0.value) }
        return all.sorted { $0.part.fileName < $1.part.fileName }
    }

    /// Returns the `DBGOriginalUUID` of a property list.
    static func original(in path: String) -> ImageID? {
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
            throw SymbolStoreError(
                path, detail: "is damaged (\(error))", suggestion: "download it again")
        }
    }
}
