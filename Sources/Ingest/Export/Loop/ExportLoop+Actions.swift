import Tracing

/// Carries out the actions of the schedule. Each returns `nil` only if the task is cancelled.
extension ExportLoop {
    func event(after action: ExportSchedule.Action) async -> ExportSchedule.Event? {
        switch action {
        case .read(let number): await read(after: number)
        case .send(let id, let batch): await send(batch).map { .finished(id, $0) }
        case .deadLetter(let id, let draft, let cursor):
            await deadLetter(draft, cursor: cursor) ? .deadLettered(id) : nil
        case .wait(let time): await pause(time - now) ? .waited(until: time) : nil
        case .startFillWait: await pause(settings.fillWait) ? .fillWaitPassed : nil
        case .saveCursor(let number): await saveCursor(number)
        case .startSilence: await pause(settings.silence) ? .silencePassed : nil
        case .startFlushTime: await pause(settings.flushLimit) ? .flushTimePassed : nil
        }
    }

    private func read(after number: Int64) async -> ExportSchedule.Event? {
        let results = await retrying { () async throws(JournalError) in
            try await source.results(
                after: number, bytes: exporter.batchBytesLimit, for: exporter.name)
        }
        return results.map { .read($0) }
    }

    private func saveCursor(_ number: Int64) async -> ExportSchedule.Event? {
        let isSaved: Void? = await retrying { () async throws(JournalError) in
            try await journal.advance(exporter.name, to: number)
        }
        // The next write includes deliveries made during the pause.
        guard isSaved != nil, await pause(settings.cursorInterval) else { return nil }
        return .cursorSaved
    }

    private func send(_ batch: ExportBatch) async -> ExportOutcome? {
        let number = history.start(batch.signal)
        let span = startSpan("export", ofKind: .client)
        let outcome = await exporter.send(batch)
        span.end()
        if Task.isCancelled { return nil }
        board.record(outcome, of: batch.signal, by: exporter.name, at: wallTime())
        if case .accepted = outcome {
            history.recordAccepted(batch.signal, number)
            metrics.recordDelay(of: batch, wallTime: wallTime())
        }
        if let failures = metrics.record(outcome, of: batch, now: now) { await log(failures) }
        return outcome
    }

    /// Logs failures with the size of the backlog that they cause.
    private func log(_ failures: ExportMetrics.Failures) async {
        // If the journal cannot be read, the line omits the backlog.
        let backlog = try? await journal.backlog(of: exporter.name)
        metrics.log(failures, backlog: backlog)
    }

    private func deadLetter(_ draft: DeadLetterDraft, cursor: Int64) async -> Bool {
        let batch = draft.batch
        let letter = DeadLetter(
            exporter: exporter.name, signal: batch.signal, refusal: wallTime(),
            reason: draft.reason, recordCount: batch.recordCount,
            rejectedCount: draft.partialRejectionCount, body: batch.body)
        // Entries before this one may still be in flight, so the cursor cannot move past it yet.
        let isStored: Void? = await retrying { () async throws(JournalError) in
            try await deadLetters.deadLetter(letter, advancingTo: cursor)
        }
        guard isStored != nil else { return false }
        // Rejected records of an accepted batch are counted with its response.
        if draft.rejectedCount == nil {
            metrics.recordDeadLetter(batch, reason: draft.reason, now: now)
        }
        return true
    }

    /// Runs an operation until it succeeds, with backoff; returns `nil` if the task is cancelled.
    func retrying<Result>(
        _ operation: () async throws(JournalError) -> Result
    ) async -> Result? {
        var backoff = ExportBackoff(settings.retry)
        while !Task.isCancelled {
            do { return try await operation() } catch {
                metrics.record(error, now: now)
                guard await pause(backoff.nextWait(random: random())) else { return nil }
            }
        }
        return nil
    }

    /// Pauses. Returns `false` if the task was cancelled meanwhile.
    func pause(_ duration: Duration) async -> Bool {
        do { try await Task.sleep(for: duration) } catch { return false }
        return true
    }
}
