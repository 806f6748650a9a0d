import CrashFiles
import Glibc
import SymbolStores

/// Answers standard input or a large file piece by piece, so that a log flows through without delay and
/// is never held as a whole.
struct StreamAnswering {
    let answering: InputAnswering
    var file = InputFile.standardInput

    /// Calls `take` with the answer to each piece, in their order.
    ///
    /// - Returns: The first bytes of an archive or compressed input, which is not a stream.
    func forEachPiece(_ take: (AnsweredInput) -> Void) async -> [UInt8]? {
        do throws(SymbolStoreError) {
            let input = try InputBytes(file.path).open()
            defer { if input != STDIN_FILENO { close(input) } }
            return await forEachPiece(of: input, take)
        } catch {
            take(damaged(error))
            return nil
        }
    }

    private func forEachPiece(of input: Int32, _ take: (AnsweredInput) -> Void) async -> [UInt8]? {
        let name = InputBytes(file.path).name
        var stream = ReportStream(byteLimit: InputBytes.limit)
        var findings = Findings()
        do throws(SymbolStoreError) {
            while case let bytes = try InputBytes.chunk(of: input, name: name), !bytes.isEmpty {
                if findings.isEmpty, HeldFile.isPacked(bytes) { return bytes }
                findings.isEmpty = false
                for piece in stream.add(bytes) { take(await answer(to: piece, &findings)) }
            }
        } catch {
            take(damaged(error))
        }
        for piece in stream.end() { take(await answer(to: piece, &findings)) }
        if !findings.holdReport { take(findings.nothingFound(in: file)) }
        return nil
    }

    private func damaged(_ error: SymbolStoreError) -> AnsweredInput {
        var answer = AnsweredInput(of: file, reading: .damaged)
        answer.problems = ["\(error)"]
        return answer
    }

    private func answer(
        to piece: ReportStream.Piece, _ findings: inout Findings
    ) async -> AnsweredInput {
        switch piece {
        case .lines(let bytes):
            var answer = AnsweredInput(of: file, reading: .whole)
            if answering.format.keepsLines { answer.parts = [.lines(bytes)] }
            return answer
        case .report(let bytes):
            var answer = await answering.answer(
                to: UnwrappedFile(bytes), of: file, isWholeInput: false)
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

        func nothingFound(in file: InputFile) -> AnsweredInput {
            var answer = AnsweredInput(of: file, reading: .empty)
            let what = isEmpty ? "is empty" : "holds no crash or hang report"
            answer.nothingFound =
                reason
                ?? "\(InputBytes(file.path).name): \(what): give \(CrashFormat.allWords)"
            return answer
        }
    }
}
