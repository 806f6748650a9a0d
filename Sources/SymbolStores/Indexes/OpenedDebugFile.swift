import ByteReading
import CallStacks
public import DebugFiles
public import SymbolIndexes

/// A slice of a debug file, opened by path.
public struct OpenedDebugFile: Sendable {
    /// The path of the file with the debug information, inside the bundle if a bundle was given.
    public let path: String
    public let file: DebugFile

    /// - Parameters:
    ///   - path: A debug file, or a dSYM or folder with exactly one.
    ///   - architecture: The name of a slice, required if a file has several.
    public init(path: String, architecture: String?) throws(SymbolStoreError) {
        self.path = try Self.solePath(at: path)
        let bytes = try MappedFile.bytes(of: self.path)
        let contents: DebugFileContents
        do throws(DebugFileError) {
            contents = try DebugFile.slices(of: bytes, name: self.path)
            if let architecture {
                let slice = try contents.file(architecture: architecture)
                file = JoinedDebugFile(slice, besideFileAt: self.path).file
                return
            }
        } catch { throw SymbolStoreError(error) }
        let slice = try Self.soleSlice(of: contents)
        file = JoinedDebugFile(slice, besideFileAt: self.path).file
    }

    private static func solePath(at path: String) throws(SymbolStoreError) -> String {
        let search = DebugFileSearch([path])
        let files = search.linkedFiles
        guard files.count == 1 else { throw search.noSoleFile(in: path) }
        return files[0].path
    }

    private static func soleSlice(
        of contents: DebugFileContents
    ) throws(SymbolStoreError) -> DebugFile {
        if contents.files.count == 1 { return contents.files[0] }
        if contents.files.isEmpty, let failure = contents.failures.first {
            throw SymbolStoreError(failure.error)
        }
        let names = contents.files.map(\.architecture.name).joined(separator: ", ")
        throw SymbolStoreError(
            contents.name, detail: "contains \(contents.files.count) slices (\(names))",
            suggestion: "select one with --arch")
    }
}

extension SymbolIndex {
    /// Opens the index in a file, or builds the index of a debug file.
    ///
    /// - Parameters:
    ///   - path: An index written by ``bytes(of:name:)``, or a path for ``OpenedDebugFile``.
    ///   - architecture: The slice of a debug file.
    public init(path: String, architecture: String?) throws {
        if try FileStatus(of: path).kind == .file {
            let bytes = try MappedFile.bytes(of: path)
            if Self.recognises(bytes) {
                try self.init(wholeIndex: bytes, path: path)
                return
            }
        }
        let opened = try OpenedDebugFile(path: path, architecture: architecture)
        try self.init(FileBytes(Self.bytes(of: opened.file, name: opened.path)))
    }

    private init(wholeIndex bytes: FileBytes, path: String) throws(SymbolStoreError) {
        do throws(SymbolIndexError) {
            try self.init(bytes)
            try verify()
        } catch { throw SymbolStoreError(path, detail: error.description) }
    }
}
