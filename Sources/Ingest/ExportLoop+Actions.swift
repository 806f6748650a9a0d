import Tracing

/// What the schedule asks for, done. Each returns `nil` only when the task is cancelled.
extension ExportLoop {
    func event(after action: ExportSchedule.Action) async -> ExportSchedule.Event? {
        switch action {
        case .read(let number): await read(after: number)
        case .deliver(let parcel, let place): await deliver(parcel, place: place)
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

    private func deliver(
        _ parcel: ExportParcel, place: Int64
    ) async -> ExportSchedule.Event? {
        var delivery = ExportDelivery(parcel, retry: settings.retry)
        while !Task.isCancelled {
            switch delivery.step {
            case .send(let batch):
                let span = startSpan("export", ofKind: .client)
                let outcome = await exporter.send(batch)
                span.end()
                tidings.note(outcome, of: batch, now: now)
                if case .taken = outcome { tidings.noteDelay(of: batch, wallTime: wallTime()) }
                delivery.take(outcome, now: now, random: random())
            case .wait(let wait):
                if await pause(wait) { delivery.waited() }
            case .bury(let batch, let reason):
                if await bury(batch, reason: reason, place: place) { delivery.buried() }
            case nil:
                return .delivered(
                    entries: parcel.parts.map(\.entry), byteCount: parcel.body.count)
            }
        }
        return nil
    }

    private func bury(_ batch: ExportBatch, reason: String, place: Int64) async -> Bool {
        let letter = DeadLetter(
            exporter: exporter.name, signal: batch.signal, refusal: wallTime(), reason: reason,
            recordCount: batch.recordCount, body: batch.body)
        // Entries before this one may still be on their way, so the place can't move behind it yet.
        let isKept: Void? = await insisting { () async throws(JournalError) in
            try await archive.bury(letter, movingTo: place)
        }
        guard isKept != nil else { return false }
        tidings.noteBurial(batch, reason: reason, now: now)
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
    private func pause(_ duration: Duration) async -> Bool {
        do { try await clock.sleep(for: duration) } catch { return false }
        return true
    }
}
