extension ExportLoop {
    /// Sends dead letters once more, one after the other, when ``DeadLetterRound`` says so.
    func resendDeadLetters() async {
        var round = DeadLetterRound()
        repeat {
            do throws(JournalError) {
                try await settle(&round)
                if round.isDue(recoveries: progress.recoveryCount) { try await resend(&round) }
                try await settle(&round)
            } catch { tidings.note(error, now: now) }
        } while await pause(settings.resendInterval)
    }

    private func settle(_ round: inout DeadLetterRound) async throws(JournalError) {
        let ids = round.settled { progress.isTaken($0, after: $1) }
        guard !ids.isEmpty else { return }
        try await archive.noteRefusal(of: ids, settingsMark: settingsMark)
    }

    private func resend(_ round: inout DeadLetterRound) async throws(JournalError) {
        while !round.isOver, !Task.isCancelled {
            let letters = try await archive.resendableDeadLetters(
                of: exporter.name, settingsMark: settingsMark, after: round.lastID, count: 10)
            if letters.isEmpty { round.noteEnd() }
            for letter in letters where !round.isOver { try await resend(letter, &round) }
        }
    }

    private func resend(
        _ letter: DeadLetter, _ round: inout DeadLetterRound
    ) async throws(JournalError) {
        let batch = ExportBatch(
            signal: letter.signal, body: letter.body, recordCount: letter.recordCount)
        let number = progress.begin(letter.signal)
        switch await exporter.send(batch) {
        case .taken(let rejectedCount, _) where rejectedCount > 0:
            try await archive.noteRefusal(of: [letter.id], settingsMark: settingsMark)
            round.noteTaken(letter)
        case .taken:
            try await archive.removeDeadLetters([letter.id])
            progress.noteTaken(letter.signal, number)
            tidings.noteResent(batch, now: now)
            round.noteTaken(letter)
        case .refused: round.noteRefused(letter, sent: progress.sent(letter.signal))
        case .retry: round.noteUnreached()
        }
    }
}
