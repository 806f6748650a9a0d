public import CallStacks
public import SymbolIntake

/// Stored files as debuginfod identifies them: by the build ID of an ELF image.
public struct DebuginfodFiles: Sendable {
    /// The file of an image that a client requests.
    public enum Kind: String, Sendable, CaseIterable {
        /// The file with debug information.
        case debuginfo
        /// The file with the code and data that are loaded.
        case executable
    }

    private let downloads: DebugFileDownloads
    private let access: DebugFileAccess

    /// - Parameter access: The files that the client may use.
    public init(_ downloads: DebugFileDownloads, for access: DebugFileAccess) {
        self.downloads = downloads
        self.access = access
    }

    /// Returns the file of a kind, or `nil` if none is stored.
    public func file(_ kind: Kind, of image: ImageID) async throws -> StoredDebugFile? {
        try await downloads.file(of: image, for: access) { $0.isELF && $0.serves(kind) }
    }

    /// Opens the file with a section, and returns it with the section's range, or `nil` if no file
    /// has the section's bytes.
    public func section(
        _ name: String, of image: ImageID
    ) async throws -> (content: StoredContent, range: Range<Int64>)? {
        for kind in Kind.allCases {
            guard let file = try await file(kind, of: image),
                let content = try await downloads.content(of: file)
            else { continue }
            if let range = try ELFSectionRanges(content).range(of: name) { return (content, range) }
        }
        return nil
    }
}

extension StoredDebugFile {
    /// Whether an ELF file has the content that a kind of request asks for.
    func serves(_ kind: DebuginfodFiles.Kind) -> Bool {
        switch kind {
        case .debuginfo: hasDebugInformation
        case .executable: containsCode
        }
    }
}
