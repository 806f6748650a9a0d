public import CallStacks
import DebugFiles
import FoundationEssentials
public import SharedCaches

/// Stores extracted system images in a ``SystemFolder``.
public struct SystemFolderUpdate: ~Copyable {
    private let folder: SystemFolder
    private var replacements: FileReplacements
    /// The uncommitted images, and whether they have all symbols.
    private var pending: [ImageID: Bool] = [:]

    /// The maximum number of uncommitted images.
    private static let pendingLimit = 256

    public init(of folder: SystemFolder) {
        self.folder = folder
        replacements = FileReplacements(in: folder.path)
    }

    /// Stores an image, unless the existing file has symbols that this one lacks. It is in the
    /// folder after ``commit()``, or earlier.
    ///
    /// - Returns: Whether it is stored.
    public mutating func add(
        _ cut: CutFile, of image: ImageID
    ) throws(SymbolStoreError) -> Bool {
        if !cut.isComplete, isComplete(image) { return false }
        if pending.isEmpty { try createFolder() }
        try replacements.add(cut.bytes, as: folder.fileName(of: image))
        pending[image] = cut.isComplete
        if replacements.count >= Self.pendingLimit { try commit() }
        return true
    }

    /// Makes the added images available to readers, even if the machine stops afterwards.
    public mutating func commit() throws(SymbolStoreError) {
        try replacements.commit()
        pending = [:]
    }

    private func createFolder() throws(SymbolStoreError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder.path, withIntermediateDirectories: true)
        } catch {
            throw SymbolStoreError(
                folder.path, detail: "cannot be created",
                suggestion: "give a folder that may be written to with -o")
        }
    }

    private func isComplete(_ image: ImageID) -> Bool {
        if let known = pending[image] { return known }
        guard let path = folder.file(of: image), let bytes = try? MappedFile.bytes(of: path),
            let file = try? DebugFile.slices(of: bytes, name: path).files.first
        else { return false }
        return file.hasCompleteSymbols
    }
}
