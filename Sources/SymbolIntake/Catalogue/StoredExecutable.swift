import CallStacks
import DebugFiles

/// An ELF image with code, kept beside the debug file that was copied from it.
///
/// It adds nothing to symbolication. Debuggers request it to read the memory and the unwind
/// information that core files and minidumps lack.
public struct StoredExecutable: Hashable, Sendable {
    public var name: String
    public var kind: String
    /// The name of the blob with the file, as that of ``StoredDebugFile``.
    public var blob: String
    /// The size of the file, before compression.
    public var byteCount: Int64
    /// The size of the blob as stored.
    public var storedByteCount: Int64

    public init(
        name: String, kind: String, blob: String, byteCount: Int64, storedByteCount: Int64
    ) {
        self.name = name
        self.kind = kind
        self.blob = blob
        self.byteCount = byteCount
        self.storedByteCount = storedByteCount
    }

    /// Creates the executable that a file is, or `nil` for Mach-O and for files without code.
    init?(_ file: StoredDebugFile) {
        guard file.isELF, file.containsCode else { return nil }
        self.init(
            name: file.name, kind: file.kind, blob: file.blob, byteCount: file.byteCount,
            storedByteCount: file.storedByteCount)
    }
}

extension StoredDebugFile {
    /// Whether an executable may be kept beside the file and none is stored.
    var lacksExecutable: Bool { isELF && !containsCode && executable == nil }

    /// Returns the file in the form in which it replaces another one: it takes over that one's
    /// executable, unless it has code itself.
    public func replacing(_ old: Self) -> Self {
        guard isELF, !containsCode else { return self }
        var file = self
        file.executable = StoredExecutable(old) ?? old.executable
        return file
    }

    /// The names of all its blobs.
    var blobs: [String] { [blob, executable?.blob, companions?.blob].compactMap(\.self) }

    /// The files to send to clients: itself, and the executable beside it.
    public var downloads: [Self] {
        guard let executable else { return [self] }
        var file = self
        file.name = executable.name
        file.kind = executable.kind
        file.quality = .nothing
        file.completeness = nil
        file.blob = executable.blob
        file.byteCount = executable.byteCount
        file.storedByteCount = executable.storedByteCount
        file.warnings = []
        file.executable = nil
        file.companions = nil
        return [self, file]
    }
}
