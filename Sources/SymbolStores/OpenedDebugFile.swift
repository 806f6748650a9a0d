import ByteReading
import CallStacks
public import DebugFiles
public import SymbolIndexes

/// One slice of one debug file, opened by its path.
public struct OpenedDebugFile: Sendable {
    /// The file that holds the debug information; inside the bundle if a bundle was given.
    public let path: String
    public let file: DebugFile

    /// - Parameters:
    ///   - path: A debug file, or a dSYM or folder that holds exactly one.
    ///   - architecture: The name of a slice; needed where a file has several.
    public init(path: String, architecture: String?) throws(SymbolStoreError) {
        let found = try Self.soleFile(at: path)
        self.path = found.path
        guard let contents = try found.contents() else {
            throw SymbolStoreError(found.path, "is neither Mach-O nor ELF")
        }
        if let architecture {
            do { file = try contents.file(architecture: architecture) } catch {
                throw SymbolStoreError(self.path, error.reason.description)
            }
        } else {
            file = try Self.soleSlice(of: contents, path: self.path)
        }
    }

    private static func soleFile(at path: String) throws(SymbolStoreError)
        -> DebugFileSearch.Candidate
    {
        let search = DebugFileSearch([path])
        if let problem = search.problems.first { throw problem.error }
        guard let file = search.files.first else {
            throw SymbolStoreError(path, "holds no debug file", next: "give a dSYM or a debug file")
        }
        guard search.files.count == 1 else {
            throw SymbolStoreError(
                path, "holds \(search.files.count) debug files",
                next: "give one of them, such as '\(file.path)'")
        }
        return file
    }

    private static func soleSlice(
        of contents: DebugFileContents, path: String
    ) throws(SymbolStoreError) -> DebugFile {
        if contents.files.count == 1 { return contents.files[0] }
        guard let failure = contents.failures.first, contents.files.isEmpty else {
            let names = contents.files.map(\.architecture.name).joined(separator: ", ")
            throw SymbolStoreError(
                path, "holds \(contents.files.count) slices (\(names))",
                next: "choose one with --arch")
        }
        throw SymbolStoreError(path, failure.error.reason.description)
    }
}

extension SymbolIndex {
    /// The index in a file, or of a debug file.
    ///
    /// - Parameters:
    ///   - path: An index as ``bytes(of:name:)`` makes it, or what ``OpenedDebugFile`` opens.
    ///   - architecture: The slice of a debug file.
    public init(path: String, architecture: String?) throws {
        let status = try FileStatus(of: path)
        if status.kind == .file {
            let bytes = try MappedFile.bytes(of: path)
            if Self.recognises(bytes) {
                try self.init(bytes)
                return
            }
        }
        let opened = try OpenedDebugFile(path: path, architecture: architecture)
        try self.init(FileBytes(Self.bytes(of: opened.file, name: opened.path)))
    }
}
