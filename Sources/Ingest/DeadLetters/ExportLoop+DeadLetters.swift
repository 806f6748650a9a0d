extension ExportLoop {
    /// Sends dead letters again, one after another, according to ``DeadLetterRetrySchedule``.
    func resendDeadLetters() async {
        var schedule = DeadLetterRetrySchedule()
        repeat {
            do throws(JournalError) {
                try await recordContentRefusals(&schedule)
                if schedule.startRound(recoveries: history.recoveryCount) {
                    try await resend(&schedule)
                }
                try await recordContentRefusals(&schedule)
            } catch { metrics.record(error, now: now) }
        } while await pause(settings.resendInterval)
    }

    private func recordContentRefusals(
        _ schedule: inout DeadLetterRetrySchedule
    ) async throws(JournalError) {
        let ids = schedule.removeContentRefusals { history.isAccepted($0, after: $1) }
        guard !ids.isEmpty else { return }
        try await deadLetters.recordRefusal(of: ids, settingsFingerprint: settingsFingerprint)
    }

    private func resend(
        _ schedule: inout DeadLetterRetrySchedule
    ) async throws(JournalError) {
        while !schedule.isOver, !Task.isCancelled {
            let letters = try await deadLetters.resendableDeadLetters(
                of: exporter.name, settingsFingerprint: settingsFingerprint, after: schedule.lastID,
                count: 10)
            if letters.isEmpty { schedule.recordEnd() }
            for letter in letters where !schedule.isOver { try await resend(letter, &schedule) }
        }
    }

    private func resend(
        _ letter: DeadLetter, _ schedule: inout DeadLetterRetrySchedule
    ) async throws(JournalError) {
        let batch = ExportBatch(
            signal: letter.signal, body: letter.body, recordCount: letter.recordCount)
        let number = history.start(letter.signal)
        switch await exporter.send(batch) {
        case .accepted(let rejectedCount, _) where rejectedCount > 0:
            try await deadLetters.recordRefusal(
                of: [letter.id], settingsFingerprint: settingsFingerprint)
            schedule.recordAccepted(letter)
        case .accepted:
            try await deadLetters.removeDeadLetters([letter.id])
            history.recordAccepted(letter.signal, number)
            metrics.recordResent(batch, now: now)
            schedule.recordAccepted(letter)
        case .refused: schedule.recordRefused(letter, sent: history.sentCount(letter.signal))
        case .retry, .timedOut: schedule.recordUnreachable()
        }
    }
}
