import CallStacks
import ServiceClient
import SymbolStores

/// A run of `symbolist upload --system`.
struct SystemUploadRun {
    let list: SystemImageList
    let output: SystemUploadOutput
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
        show(result, of: choice)
        let isFailed = !result.problems.isEmpty || result.rows.contains { $0.problem != nil }
        if isFailed { throw Outcome.someFailed }
    }

    private func show(_ result: SystemUpload.Result, of choice: SystemUpload.Choice) {
        for problem in result.problems { Console.problem(problem) }
        for row in result.rows {
            if let problem = row.problem { Console.problem("\(row.image.displayPath): \(problem)") }
        }
        let text = SystemUploadText(
            result, of: list, statedSystem: system, choice: choice, isDryRun: isDryRun)
        switch output {
        case .text: Console.report(text.lines)
        case .json: Console.result(SystemUploadJSON(result, of: list, isDryRun: isDryRun).text)
        case .quiet: break
        }
    }
}

/// The output of `upload --system`, apart from problems.
enum SystemUploadOutput {
    case text, json, quiet
}
