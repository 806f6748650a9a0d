import Tracing

/// What the schedule asks for, done. Each returns `nil` only when the task is cancelled.
extension ExportLoop {
    func event(after action: ExportSchedule.Action) async -> ExportSchedule.Event? {
        switch action {
        case .read(let number): await read(after: number)
        case .send(let id, let batch): await send(batch).map { .answered(id, $0) }
        case .bury(let id, let refusal, let place):
            await bury(refusal, place: place) ? .buried(id) : nil
        case .wait(let time): await pause(time - now) ? .waited(until: time) : nil
        case .startFillWait: await pause(settings.fillWait) ? .fillWaitPassed : nil
        case .keepPlace(let number): await keepPlace(number)
        case .startSilence: await pause(settings.silence) ? .silencePassed : nil
        case .startFlushTime: await pause(settings.flushLimit) ? .flushTimePassed : nil
        }
    }

    private func read(after number: Int64) async -> ExportSchedule.Event? {
        let results = await insisting { () async throws(JournalError) in
            try await entries.results(after: number, bytes: exporter.batchBytesLimit)
        }
        return results.map { .read($0) }
    }

    private func keepPlace(_ number: Int64) async -> ExportSchedule.Event? {
        let isKept: Void? = await insisting { () async throws(JournalError) in
            try await journal.move(exporter.name, to: number)
        }
        // What is done meanwhile goes into the next note.
        guard isKept != nil, await pause(settings.placeInterval) else { return nil }
        return .placeKept
    }

    private func send(_ batch: ExportBatch) async -> ExportOutcome? {
        let number = progress.begin(batch.signal)
        let span = startSpan("export", ofKind: .client)
        let outcome = await exporter.send(batch)
        span.end()
        if Task.isCancelled { return nil }
        if case .taken = outcome {
            progress.noteTaken(batch.signal, number)
            tidings.noteDelay(of: batch, wallTime: wallTime())
        }
        if let failures = tidings.note(outcome, of: batch, now: now) { await tell(failures) }
        return outcome
    }

    /// Says how much waits because of failures.
    private func tell(_ failures: ExportTidings.Failures) async {
        // Where the journal can't be asked, the line says less.
        let waiting = try? await journal.waiting(for: exporter.name)
        tidings.tell(failures, waiting: waiting)
    }

    private func bury(_ refusal: ExportRefusal, place: Int64) async -> Bool {
        let batch = refusal.batch
        let letter = DeadLetter(
            exporter: exporter.name, signal: batch.signal, refusal: wallTime(),
            reason: refusal.reason, recordCount: batch.recordCount,
            rejectedCount: refusal.rejectedPart, body: batch.body)
        // Entries before this one may still be on their way, so the place can't move behind it yet.
        let isKept: Void? = await insisting { () async throws(JournalError) in
            try await archive.bury(letter, movingTo: place)
        }
        guard isKept != nil else { return false }
        // Records that were rejected of a batch that was taken are counted with its answer.
        if refusal.rejectedCount == nil {
            tidings.noteBurial(batch, reason: refusal.reason, now: now)
        }
        return true
    }

    /// Tries until it succeeds, with waits between; `nil` when the task is cancelled.
    func insisting<Result>(
        _ operation: () async throws(JournalError) -> Result
    ) async -> Result? {
        var backOff = ExportBackOff(settings.retry)
        while !Task.isCancelled {
            do { return try await operation() } catch {
                tidings.note(error, now: now)
                guard await pause(backOff.nextWait(random: random())) else { return nil }
            }
        }
        return nil
    }

    /// Whether the whole time passed; `false` when the task was cancelled meanwhile.
    func pause(_ duration: Duration) async -> Bool {
        do { try await clock.sleep(for: duration) } catch { return false }
        return true
    }
}
