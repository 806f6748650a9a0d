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
    /// The number of images that are stored.
    public private(set) var storedCount = 0
    /// The size of their files.
    public private(set) var storedByteCount = 0

    public init(of folder: SystemFolder) {
        self.folder = folder
        replacements = FileReplacements(in: folder.path)
    }

    /// Adds an image, unless the existing file has symbols that this one lacks. Readers find it
    /// after ``commit()``.
    ///
    /// - Returns: Whether it was added.
    /// - Throws: ``SymbolStoreError`` if it cannot be written.
    public mutating func add(
        _ cut: CutFile, of image: ImageID
    ) throws(SymbolStoreError) -> Bool {
        if !cut.isComplete, isComplete(image) { return false }
        if pending.isEmpty { try prepareFolder() }
        try replacements.add(cut.bytes, as: folder.fileName(of: image))
        pending[image] = cut.isComplete
        return true
    }

    /// Stores the added images, so that they are available even if the machine stops afterwards.
    ///
    /// - Returns: The images that could not be stored.
    public mutating func commit() -> [SymbolStoreError] {
        let result = replacements.commit()
        pending = [:]
        storedCount += result.storedCount
        storedByteCount += result.storedByteCount
        return result.failures
    }

    /// Creates the folder if it does not exist, and removes drafts of killed runs.
    private func prepareFolder() throws(SymbolStoreError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder.path, withIntermediateDirectories: true)
        } catch {
            throw SymbolStoreError(
                folder.path, detail: "cannot be created",
                suggestion: "use a writable folder with -o")
        }
        guard storedCount == 0 else { return }
        removeLeastRecentlyUsed(in: folder.path, ending: SystemFolder.ending, keeping: .max)
    }

    private func isComplete(_ image: ImageID) -> Bool {
        if let known = pending[image] { return known }
        guard let path = folder.file(of: image), let bytes = try? MappedFile.bytes(of: path),
            let file = try? DebugFile.slices(of: bytes, name: path).files.first
        else { return false }
        return file.hasCompleteSymbols
    }
}
