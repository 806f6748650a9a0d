import ByteReading
import CallStacks
import DebugFiles

/// A folder of extracted system images, one file per image, which commands search in addition to
/// the given paths.
public struct SystemFolder: Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    /// Creates the user's folder: `symbolist/system` in `XDG_DATA_HOME` or `~/.local/share`.
    /// Returns `nil` if the environment has no home folder.
    public init?(environment: [String: String]) {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            self.init(path: data + "/symbolist/system")
        } else if let home = environment["HOME"], !home.isEmpty {
            self.init(path: home + "/.local/share/symbolist/system")
        } else {
            return nil
        }
    }

    static let ending = ".macho"

    /// Returns the name of an image's file, whether or not it exists.
    func fileName(of image: ImageID) -> String { "\(image)\(Self.ending)" }

    /// Returns the path of an image's file, or `nil` if there is none.
    func file(of image: ImageID) -> String? {
        let path = "\(path)/\(fileName(of: image))"
        return (try? FileStatus(of: path))?.kind == .file ? path : nil
    }

    /// Whether the folder has no images.
    var isEmpty: Bool {
        (try? folderEntries(of: path))?.contains { $0.hasSuffix(Self.ending) } != true
    }

    /// The files by path, or none if the folder does not exist.
    public var files: [DebugFileListing.Entry] {
        guard let names = try? folderEntries(of: path) else { return [] }
        let paths = names.filter { $0.hasSuffix(Self.ending) }.map { "\(path)/\($0)" }
        return paths.isEmpty ? [] : Array(DebugFileListing(paths: paths))
    }
}

extension SymbolInventory.Candidate {
    /// Returns the image's name if the file has the name of an extracted system image.
    func nameInExtractedFile(of image: ImageID) -> String? {
        guard cached == nil, path.hasSuffix(SystemFolder.ending),
            let bytes = try? MappedFile.bytes(of: path),
            let files = try? DebugFile.slices(of: bytes, name: path).files
        else { return nil }
        return files.first { $0.id == image }?.systemImageName
    }
}
