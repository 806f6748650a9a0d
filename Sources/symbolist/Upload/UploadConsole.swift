import CallStacks
import DebugFiles
import ServiceClient
import Synchronization

/// The output of `upload`, during the run and at its end.
final class UploadConsole: Sendable {
    private struct Progress {
        var sliceCount = 0
        var finishedCount = 0
        var sentBytes = 0
        var isShown = false
        var shownText = ""
    }

    private let progress = Mutex(Progress())
    private let showsRows: Bool
    private let showsProgress: Bool
    private let nameWidth: Int

    /// - Parameter showsProgress: Whether to show a progress line if standard error is a terminal.
    init(_ inputs: UploadInputs, showsRows: Bool, showsProgress: Bool) {
        self.showsRows = showsRows
        self.showsProgress = showsProgress && ProgressLine.isPossible
        nameWidth = min(inputs.slices.map(\.name.count).max() ?? 0, 40)
    }

    func show(_ event: UploadEvent) {
        progress.withLock { progress in
            switch event {
            case .started(let count): progress.sliceCount = count
            case .sent(let bytes): progress.sentBytes += bytes
            case .finished(let row):
                if row.status == .uploaded || row.status == .failed { progress.finishedCount += 1 }
                clear(&progress)
                if showsRows { Console.report(UploadText.line(row, nameWidth: nameWidth)) }
                if row.status == .failed {
                    Console.problem("\(row.path): \(row.reason ?? "failed")")
                }
            case .waiting(let count):
                return draw("waiting for \(count) of them to be indexed", in: &progress)
            }
            guard progress.finishedCount < progress.sliceCount else { return }
            let size = UploadText.size(Int64(progress.sentBytes))
            draw("\(progress.finishedCount) of \(progress.sliceCount) sent, \(size)", in: &progress)
        }
    }

    /// Replaces the progress line if its text has changed.
    private func draw(_ text: String, in progress: inout Progress) {
        guard showsProgress, text != progress.shownText else { return }
        clear(&progress)
        progress.isShown = true
        progress.shownText = text
        ProgressLine.write(text)
    }

    private func clear(_ progress: inout Progress) {
        guard progress.isShown else { return }
        progress.isShown = false
        progress.shownText = ""
        ProgressLine.erase()
    }

    func end(_ inputs: UploadInputs, result: UploadResult, isVerbose: Bool, json: Bool) {
        progress.withLock { clear(&$0) }
        for row in result.rows {
            for warning in row.warnings {
                Console.problem("\(row.path): \(warning.line)")
            }
        }
        for image in result.unmet {
            let name = [image.name, image.architecture, image.image.description]
            Console.problem(
                "\(name.compactMap(\.self).joined(separator: " ")): no symbols in the paths or "
                    + "on the server: add the dSYM or debug file of the same build")
        }
        if !result.unindexed.isEmpty {
            Console.problem(
                "\(result.unindexed.count) of them: not indexed yet: the server continues")
        }
        if json {
            Console.result(UploadJSON(inputs, result: result).text + "\n")
        } else {
            if isVerbose {
                for row in inputs.skipped {
                    Console.report(UploadText.line(row, nameWidth: nameWidth))
                }
            }
            if showsRows { Console.report(UploadText.summary(inputs, result: result)) }
        }
    }
}
