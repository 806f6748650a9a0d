import ByteReading
public import CallStacks
public import DebugFiles

/// A folder of bitcode symbol maps, and of the property lists that refer to them, named by UUIDs of
/// builds.
public struct SymbolMapFolder: Sendable {
    /// A file of such a folder.
    public enum Part: Hashable, Sendable {
        /// The map of a build.
        case map(ImageID)
        /// The property list of an image, with the build whose map has the image's names.
        case propertyList(ImageID)

        /// Determines the part from a file's name and content; returns `nil` for other files.
        ///
        /// - Parameter name: The original name of the file, which may differ from its path.
        public init?(path: String, named name: String) {
            if let build = SymbolMaps.build(of: name, ending: SymbolMaps.mapEnding) {
                guard Self.isMap(path) else { return nil }
                self = .map(build)
            } else if let image = SymbolMaps.build(of: name, ending: SymbolMaps.originEnding) {
                guard SymbolMaps.original(in: path) != nil else { return nil }
                self = .propertyList(image)
            } else {
                return nil
            }
        }

        /// Determines the part from a file's name alone.
        public init?(named name: String) {
            if let build = SymbolMaps.build(of: name, ending: SymbolMaps.mapEnding) {
                self = .map(build)
            } else if let image = SymbolMaps.build(of: name, ending: SymbolMaps.originEnding) {
                self = .propertyList(image)
            } else {
                return nil
            }
        }

        /// Whether it is a map, rather than a property list.
        public var isMap: Bool { if case .map = self { true } else { false } }

        private static func isMap(_ path: String) -> Bool {
            guard let bytes = try? MappedFile.bytes(of: path) else { return false }
            let count = min(bytes.count, BitcodeSymbolMap.headingLength)
            return BitcodeSymbolMap.begins(with: bytes.string(of: 0..<count))
        }

        /// The name in the folder, which contains only the UUID.
        public var fileName: String {
            switch self {
            case .map(let build): "\(build)\(SymbolMaps.mapEnding)"
            case .propertyList(let image): "\(image)\(SymbolMaps.originEnding)"
            }
        }
    }

    public let path: String

    public init(path: String) { self.path = path }

    /// Returns the path of a part, whether or not it exists.
    public func location(of part: Part) -> String { "\(path)/\(part.fileName)" }

    /// The parts that exist.
    public var parts: [Part] {
        ((try? folderEntries(of: path)) ?? []).compactMap { Part(named: $0) }
    }

    /// Returns the build whose map has the names of an image, according to its property list, or `nil`
    /// without one.
    public func build(of image: ImageID) -> ImageID? {
        SymbolMaps.original(in: location(of: .propertyList(image)))
    }

    /// Whether there is a map of an image.
    public func hasMap(of image: ImageID) -> Bool {
        [build(of: image), image].compactMap(\.self)
            .contains { (try? FileStatus(of: location(of: .map($0)))) != nil }
    }

    /// Returns the map of an image, or `nil` if there is none or it is damaged.
    public func map(of image: ImageID) -> BitcodeSymbolMap? {
        for build in [build(of: image), image].compactMap(\.self) {
            if let map = try? BitcodeSymbolMap(path: location(of: .map(build))) { return map }
        }
        return nil
    }

    /// Returns the images whose names are in a part.
    public func images(using part: Part) -> [ImageID] {
        switch part {
        case .propertyList(let image): return [image]
        case .map(let build):
            return [build]
                + parts.compactMap { other in
                    guard case .propertyList(let image) = other, image != build,
                        SymbolMaps.original(in: location(of: other)) == build
                    else { return nil }
                    return image
                }
        }
    }
}
