import Glibc
import LogExtraction
import Problems
import ReportFormats
import ReportProcessing
import SymbolStores

/// Processes standard input or a large file, compressed or not, piece by piece, so that a log flows
/// through without delay and is never in memory as a whole.
struct StreamProcessor {
    let processor: InputProcessor
    var file = InputFile.standardInput

    /// Calls `take` with the result for each piece, in order.
    ///
    /// - Returns: The first bytes of an archive or compressed file, which cannot be streamed, or
    ///   `nil` for other inputs.
    func forEachPiece(_ take: (ProcessedInput) -> Void) async -> [UInt8]? {
        var stream = ReportStream(byteLimit: InputBytes.limit)
        var findings = Findings()
        // The first bytes, until they show whether the input is packed. A pipe may deliver few.
        var start: [UInt8]? = []
        var packed: [UInt8]?
        do {
            try await read { bytes in
                findings.isEmpty = false
                var bytes = bytes
                if let before = start {
                    bytes = before + bytes
                    if ReceivedFile.isPacked(bytes) {
                        packed = bytes
                        return false
                    }
                    start = ReceivedFile.mayBecomePacked(bytes) ? bytes : nil
                    if start != nil { return true }
                }
                for piece in stream.add(bytes) { take(await process(piece, findings: &findings)) }
                return true
            }
        } catch {
            take(damaged(Problem(error)))
            if findings.isEmpty { return nil }
        }
        if let packed { return packed }
        if let start {
            for piece in stream.add(start) { take(await process(piece, findings: &findings)) }
        }
        for piece in stream.end() { take(await process(piece, findings: &findings)) }
        if findings.includesReport {
            for problem in findings.unsupported { take(damaged(problem)) }
        } else {
            take(findings.nothingFound(in: file))
        }
        return nil
    }

    /// Calls `body` with the bytes of the input as they arrive, until it returns `false`.
    private func read(_ body: ([UInt8]) async -> Bool) async throws {
        if case .large(let file) = file.content {
            return try await file.forEachPiece { await body(Array($0)) }
        }
        let source = InputBytes(file.path)
        let input = try source.open()
        defer { if input != STDIN_FILENO { close(input) } }
        while case let bytes = try InputBytes.chunk(of: input, name: source.name), !bytes.isEmpty {
            guard await body(bytes) else { return }
        }
    }

    private func damaged(_ problem: Problem) -> ProcessedInput {
        var result = ProcessedInput(of: file, reading: .damaged)
        result.problems = [problem]
        return result
    }

    private func process(
        _ piece: ReportStream.Piece, findings: inout Findings
    ) async -> ProcessedInput {
        switch piece {
        case .lines(let bytes):
            var result = ProcessedInput(of: file, reading: .whole)
            if processor.format.keepsLogLines { result.parts = [.lines(bytes)] }
            return result
        case .report(let bytes):
            var result = await processor.process(
                DecodedFile(bytes), of: file, isWholeInput: false)
            findings.add(result)
            // Later pieces can contain a report, so this is decided at the end.
            result.nothingFound = nil
            return result
        case .cut(let limit):
            return damaged(
                Problem(
                    InputBytes(file.path).name,
                    detail: "report is larger than \(limit >> 20) MiB: "
                        + "what follows is not read as part of it",
                    suggestion: "pass it in smaller parts"))
        }
    }

    /// The contents of the pieces so far.
    private struct Findings {
        var isEmpty = true
        private(set) var includesReport = false
        private var reason: Problem?
        /// The first reports that are not supported.
        private(set) var unsupported: [Problem] = []

        mutating func add(_ result: ProcessedInput) {
            if result.reading != .empty { includesReport = true }
            reason = reason ?? result.nothingFound
            guard !result.isNoReport, unsupported.count < InputProblems.limit else { return }
            if let problem = result.nothingFound { unsupported.append(problem) }
        }

        func nothingFound(in file: InputFile) -> ProcessedInput {
            var result = ProcessedInput(of: file, reading: .empty)
            let detail = isEmpty ? "is empty" : "contains no crash or hang report"
            result.isNoReport = reason == nil
            result.nothingFound =
                reason
                ?? Problem(
                    InputBytes(file.path).name, detail: detail,
                    suggestion: InputProblems.suggestion)
            return result
        }
    }
}
