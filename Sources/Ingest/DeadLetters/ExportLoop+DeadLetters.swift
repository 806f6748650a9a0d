extension ExportLoop {
    /// Sends dead letters again, one after another, according to ``DeadLetterRetrySchedule``.
    func resendDeadLetters() async {
        var schedule = DeadLetterRetrySchedule()
        repeat {
            do throws(JournalError) {
                if schedule.startRound(recoveries: history.recoveryCount) {
                    try await resend(&schedule)
                }
            } catch { metrics.record(error, now: now) }
        } while await pause(settings.resendInterval)
    }

    private func resend(
        _ schedule: inout DeadLetterRetrySchedule
    ) async throws(JournalError) {
        while !schedule.isOver, !Task.isCancelled {
            let letters = try await deadLetters.resendableDeadLetters(
                of: exporter.name, settingsFingerprint: settingsFingerprint, after: schedule.lastID,
                count: 10, for: claimant)
            if letters.isEmpty { schedule.recordEnd() }
            var kept: [Int64] = []
            for letter in letters {
                let isDone = schedule.isOver ? false : try await resend(letter, &schedule)
                if !isDone { kept.append(letter.id) }
            }
            if !kept.isEmpty { try await deadLetters.releaseDeadLetters(kept, of: claimant) }
        }
    }

    /// - Returns: Whether the letter was delivered, or is not sent again under the current settings.
    private func resend(
        _ letter: DeadLetter, _ schedule: inout DeadLetterRetrySchedule
    ) async throws(JournalError) -> Bool {
        let batch = ExportBatch(
            signal: letter.signal, body: letter.body, recordCount: letter.recordCount)
        let number = history.start(letter.signal)
        switch await exporter.send(batch) {
        case .accepted(let rejectedCount, _) where rejectedCount > 0:
            try await recordRefusal(of: letter)
            schedule.recordAccepted(letter)
            return true
        case .accepted:
            try await deadLetters.removeDeadLetters([letter.id])
            history.recordAccepted(letter.signal, number)
            metrics.recordResent(batch, now: now)
            schedule.recordAccepted(letter)
            return true
        case .refused:
            let isContent = schedule.recordRefused(
                letter, sent: history.sentCount(letter.signal)
            ) { history.isAccepted(letter.signal, after: $0) }
            if isContent { try await recordRefusal(of: letter) }
            return isContent
        case .retry, .timedOut:
            schedule.recordUnanswered(letter)
            return false
        }
    }

    /// Records that a letter is not sent again under the current settings.
    private func recordRefusal(of letter: DeadLetter) async throws(JournalError) {
        try await deadLetters.recordRefusal(
            of: [letter.id], settingsFingerprint: settingsFingerprint)
    }
}
