import CrashFiles
import Glibc
import SymbolStores

/// Answers standard input piece by piece, so that a log flows through without delay and is never held
/// as a whole.
struct StreamAnswering {
    let answering: InputAnswering

    /// Calls `take` with the answer to each piece, in their order.
    ///
    /// - Returns: What begins standard input where that is an archive or compressed, and no stream.
    func forEachPiece(_ take: (AnsweredInput) -> Void) async -> [UInt8]? {
        Console.announceStandardInput(of: "a report")
        var stream = ReportStream(byteLimit: InputBytes.limit)
        var findings = Findings()
        do throws(SymbolStoreError) {
            while case let bytes = try InputBytes.chunk(of: STDIN_FILENO), !bytes.isEmpty {
                if findings.isEmpty, HeldFile.isPacked(bytes) { return bytes }
                findings.isEmpty = false
                for piece in stream.add(bytes) { take(await answer(to: piece, &findings)) }
            }
        } catch {
            var answer = AnsweredInput(ofStandardInput: .damaged)
            answer.problems = ["\(error)"]
            take(answer)
        }
        for piece in stream.end() { take(await answer(to: piece, &findings)) }
        if !findings.holdReport { take(findings.nothingFound) }
        return nil
    }

    private func answer(
        to piece: ReportStream.Piece, _ findings: inout Findings
    ) async -> AnsweredInput {
        switch piece {
        case .lines(let bytes):
            var answer = AnsweredInput(ofStandardInput: .whole)
            if answering.format.keepsLines { answer.parts = [.lines(bytes)] }
            return answer
        case .report(let bytes):
            var answer = await answering.answer(
                to: UnwrappedFile(bytes), of: .standardInput, isWholeInput: false)
            findings.add(answer)
            // Whether there is nothing shows at the end.
            answer.nothingFound = nil
            return answer
        }
    }

    /// What all pieces together hold.
    private struct Findings {
        var isEmpty = true
        private(set) var holdReport = false
        private var reason: String?

        mutating func add(_ answer: AnsweredInput) {
            if answer.reading != .empty { holdReport = true }
            reason = reason ?? answer.nothingFound
        }

        var nothingFound: AnsweredInput {
            var answer = AnsweredInput(ofStandardInput: .empty)
            let what = isEmpty ? "is empty" : "holds no crash or hang report"
            answer.nothingFound =
                reason ?? "standard input: \(what): give \(CrashFormat.allWords)"
            return answer
        }
    }
}
