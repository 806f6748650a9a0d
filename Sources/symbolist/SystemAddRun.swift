import CallStacks
import SharedCaches
import StackRendering
import SymbolStores

/// A run of `symbolist system add`.
struct SystemAddRun: ~Copyable {
    private let folder: SystemFolder
    private var update: SystemFolderUpdate
    private let showsImages: Bool
    private var addedCount = 0
    private var keptCount = 0
    private var byteCount = 0
    private var failedCount = 0
    private var absentCount = 0

    /// The number of images read before memory is released.
    private static let releaseInterval = 16

    /// - Parameter showsImages: Whether to print a line for each image.
    init(_ folder: SystemFolder, showsImages: Bool) {
        self.folder = folder
        update = SystemFolderUpdate(of: folder)
        self.showsImages = showsImages
    }

    mutating func add(_ list: SystemImageList, _ choice: SystemImageChoice) {
        let images = list.images.filter { choice.includes($0) }
        for (number, image) in zip(1..., images) {
            report { run throws(SymbolStoreError) in try run.add(image) }
            if number.isMultiple(of: Self.releaseInterval) { list.releasePages() }
        }
        report { run throws(SymbolStoreError) in try run.update.commit() }
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
            "\(list.systemNames), \(counted(count, "image")): \(addedCount) added "
                + "(\(InspectionText.size(byteCount))), \(keptCount) kept in \(folder.path)"
                + "\(skipped)\n")
    }

    /// Counts and prints an error.
    private mutating func report(
        _ body: (inout Self) throws(SymbolStoreError) -> Void
    ) {
        do throws(SymbolStoreError) { try body(&self) } catch {
            failedCount += 1
            Console.problem(error)
        }
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
        addedCount += 1
        byteCount += cut.bytes.count
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
        if hasNothing || addedCount + keptCount == 0 { throw Outcome.nothingFound }
    }
}
