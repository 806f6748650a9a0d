public import CallStacks

/// The port through which the loop of an exporter stores dead letters and sends them again.
public protocol DeadLetterQueue: Sendable {
    /// Stores a dead letter and moves its exporter's cursor, in one write.
    func deadLetter(_ letter: DeadLetter, advancingTo number: Int64) async throws(JournalError)

    /// Returns the dead letters of an exporter to resend automatically: those that were neither
    /// refused again under its current settings nor partly accepted. Their order and number are
    /// those of ``DeadLetterArchive/deadLetters(after:count:)``.
    ///
    /// - Parameter settingsFingerprint: The fingerprint of the exporter's current settings.
    func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter]

    /// Records that letters were refused again under these settings.
    func recordRefusal(of ids: [Int64], settingsFingerprint: String) async throws(JournalError)

    /// Removes dead letters, after they were delivered or on request.
    func removeDeadLetters(_ ids: [Int64]) async throws(JournalError)
}

/// The port to the dead letters of all exporters.
public protocol DeadLetterArchive: DeadLetterQueue {
    /// Returns dead letters in the order of their ids: at most `count`, or fewer if their bodies
    /// are large, but at least one if there is one.
    func deadLetters(after id: Int64, count: Int) async throws(JournalError) -> [DeadLetter]

    /// Returns dead letters without their bodies, in the order of their ids.
    func deadLetterSummaries(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetterSummary]

    /// Returns dead letters to resend on request, in the order of their ids, and some of them if
    /// their bodies are large. Those that another node is resending are left out.
    ///
    /// - Parameter ids: The letters, or `nil` for all.
    func deadLettersToResend(
        _ ids: Set<Int64>?, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter]

    /// Returns the numbers of dead letters by exporter.
    func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount]

    /// Removes dead letters before `oldest`, then the oldest ones as long as all of them take more
    /// than `bytes`; at most `count` at a time.
    ///
    /// - Returns: The number of removed letters.
    func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int
}

extension DeadLetterArchive {
    public func deadLettersToResend(
        _ ids: Set<Int64>?, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter] {
        var last = id
        while true {
            let letters = try await deadLetters(after: last, count: count)
            guard let end = letters.last?.id else { return [] }
            let wanted = letters.filter { ids?.contains($0.id) ?? true }
            if !wanted.isEmpty { return wanted }
            last = end
        }
    }
}
