import CallStacks
import SharedCaches
import StackRendering
import SymbolStores

/// A run of `symbolist system add`.
struct SystemAddRun: ~Copyable {
    private let folder: SystemFolder
    private var update: SystemFolderUpdate
    private let showsImages: Bool
    private var keptCount = 0
    private var failedCount = 0
    private var absentCount = 0

    /// The number of images read before memory is released.
    private static let releaseInterval = 16
    /// The number of images that are flushed to disk together.
    private static let commitInterval = 256

    /// - Parameter showsImages: Whether to print a line for each image.
    init(_ folder: SystemFolder, showsImages: Bool) {
        self.folder = folder
        update = SystemFolderUpdate(of: folder)
        self.showsImages = showsImages
    }

    mutating func add(_ list: SystemImageList, _ choice: SystemImageChoice) {
        let images = list.images.filter { choice.includes($0) }
        for (number, image) in zip(1..., images) {
            do throws(SymbolStoreError) { try add(image) } catch { report(error) }
            if number.isMultiple(of: Self.releaseInterval) { list.releasePages() }
            if number.isMultiple(of: Self.commitInterval) { commit() }
        }
        commit()
        for image in choice.missing(from: list.images) {
            absentCount += 1
            let frames = image.frameCount > 0 ? "  \(counted(image.frameCount, "frame"))" : ""
            Console.result(
                Console.oneLine("absent   \(image.name)  \(image.id?.description ?? "")\(frames)")
                    + "\n")
        }
        guard !list.images.isEmpty || list.skippedCount > 0 else { return }
        let count = list.images.count + list.skippedCount
        let skipped =
            list.skippedCount > 0 ? ", \(list.skippedCount) skipped (files are missing)" : ""
        Console.result(
            "\(list.systemNames), \(counted(count, "image")): \(update.storedCount) added "
                + "(\(InspectionText.size(update.storedByteCount))), \(keptCount) kept in \(folder.path)"
                + "\(skipped)\n")
    }

    private mutating func commit() {
        for error in update.commit() { report(error) }
    }

    /// Counts and prints an error.
    private mutating func report(_ error: SymbolStoreError) {
        failedCount += 1
        Console.problem(error)
    }

    private mutating func add(_ image: SystemImage) throws(SymbolStoreError) {
        let cut = try image.cut()
        for problem in cut.problems {
            Console.problem(SymbolStoreError(image.displayPath, detail: problem.line))
        }
        guard try update.add(cut, of: image.id) else {
            keptCount += 1
            return
        }
        guard showsImages else { return }
        let words = [
            "added  ", Console.oneLine(image.name), image.architecture.name, "\(image.id)",
            counted(cut.functionCount, "function"), InspectionText.size(cut.bytes.count),
        ]
        Console.result(words.joined(separator: "  ") + "\n")
    }

    /// - Throws: An exit code of ``Outcome`` unless every image was added.
    func end(hasNothing: Bool, isDamaged: Bool) throws {
        if failedCount > 0 || isDamaged { throw Outcome.someFailed }
        if hasNothing || update.storedCount + keptCount == 0 { throw Outcome.nothingFound }
    }
}
