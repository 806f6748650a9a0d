import CallStacks
import StackRendering
import SymbolStores
import ServiceClient

/// A run of `symbolist upload --system`.
struct SystemUploadRun {
    let list: SystemImageList
    let showsRows: Bool
    /// The system of the images, if the user names it.
    var system: SystemBuild?
    /// The images to upload, by path.
    var filter = PathFilter.all
    /// Whether to print what would be sent, and send nothing.
    var isDryRun = false

    /// - Throws: An exit code of ``Outcome`` unless every image was uploaded.
    func run(_ choice: SystemUpload.Choice, to connection: ServerConnection) async throws {
        let result: SystemUpload.Result
        do {
            result = try await SystemUpload(
                list, to: connection, comingWith: system, choosing: filter, isDryRun: isDryRun
            ).run(choice)
        } catch let error as UploadError {
            Console.problem(error)
            throw Outcome.someFailed
        }
        for problem in result.problems { Console.problem(problem) }
        for row in result.rows { show(row) }
        if showsRows { Console.report(summary(result) + "\n") }
        let isFailed = !result.problems.isEmpty || result.rows.contains { $0.problem != nil }
        if isFailed { throw Outcome.someFailed }
    }

    private func show(_ row: SystemUpload.Row) {
        if let problem = row.problem {
            Console.problem("\(row.image.displayPath): \(problem)")
        } else if showsRows {
            let words = [
                isDryRun ? "to send" : "sent   ", Console.oneLine(row.image.name),
                row.image.architecture.name, "\(row.image.id)",
                counted(row.functionCount, "function"), InspectionText.size(row.byteCount),
            ]
            Console.report(words.joined(separator: "  ") + "\n")
        }
    }

    /// Returns text such as `ios 26.1 arm64e, 3512 images: 9 sent (41.2 MB → 12.0 MB)`.
    private func summary(_ result: SystemUpload.Result) -> String {
        let start = "\(list.systemNames), \(counted(list.images.count, "image"))"
        guard !result.rows.isEmpty || !result.problems.isEmpty else {
            return "\(start): the server needs none of them" + awaited(result.awaitedSystems)
        }
        let bytes = result.rows.reduce(0) { $0 + $1.byteCount }
        let sent = result.rows.count { $0.problem == nil }
        if isDryRun { return "\(start): \(sent) to send (\(InspectionText.size(bytes)))" }
        return "\(start): \(sent) sent (\(InspectionText.size(bytes)) → "
            + "\(InspectionText.size(Int(result.packedByteCount))))"
    }

    /// Returns text such as `; waits for iPhone OS 18.6 (22G86) arm64e: 9 images`, or an empty
    /// string if the server waits for no images.
    private func awaited(_ systems: [AwaitedSystem]) -> String {
        guard !systems.isEmpty else { return "" }
        let parts = systems.prefix(Self.awaitedCount).map { awaited in
            let system = awaited.system
            let build = system.build.isEmpty ? "" : "(\(system.build))"
            let words = [system.name, build, system.architecture].filter { !$0.isEmpty }
            return "\(words.joined(separator: " ")): \(counted(awaited.imageCount, "image"))"
        }
        return Console.oneLine("; waits for " + parts.joined(separator: ", "))
    }

    /// The maximum number of systems in the summary.
    private static let awaitedCount = 8
}
