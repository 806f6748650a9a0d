public import CallStacks
import HexadecimalDigits

/// A sender of dead letters. Letters that it has claimed are not sent by others.
public struct DeadLetterClaimant: Hashable, Sendable {
    /// 32 random hexadecimal digits.
    public let id: String

    public init() {
        id = (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }
}

/// The port through which the loop of an exporter stores dead letters and sends them again.
public protocol DeadLetterQueue: Sendable {
    /// Stores a dead letter and moves its exporter's cursor, in one write.
    ///
    /// It can be repeated after an error, even if the first write took effect. So an implementation
    /// may ignore a letter that equals a stored one.
    func deadLetter(_ letter: DeadLetter, advancingTo number: Int64) async throws(JournalError)

    /// Claims and returns the dead letters of an exporter to resend automatically. Letters that
    /// were refused again under its current settings, partly accepted, or claimed by others are
    /// excluded.
    ///
    /// Letters are in the order of their ids: at most `count`, or fewer if their bodies are large,
    /// but at least one if there is one.
    ///
    /// - Parameter settingsFingerprint: The fingerprint of the exporter's current settings.
    func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int,
        for claimant: DeadLetterClaimant
    ) async throws(JournalError) -> [DeadLetter]

    /// Releases the claims on letters that were not delivered.
    func releaseDeadLetters(
        _ ids: [Int64], of claimant: DeadLetterClaimant
    ) async throws(JournalError)

    /// Records that letters were refused again under these settings, and releases the claims on
    /// them.
    func recordRefusal(of ids: [Int64], settingsFingerprint: String) async throws(JournalError)

    /// Removes dead letters, after they were delivered or on request.
    func removeDeadLetters(_ ids: [Int64]) async throws(JournalError)
}

/// The port to the dead letters of all exporters.
public protocol DeadLetterArchive: DeadLetterQueue {
    /// Returns dead letters without their bodies, in the order of their ids.
    func deadLetterSummaries(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetterSummary]

    /// Claims the next dead letter to resend on request, or returns `nil` if there is none. Letters
    /// claimed by others are skipped.
    ///
    /// - Parameters:
    ///   - ids: The letters to choose from, in ascending order, or `nil` for all.
    ///   - id: The letter after which to start.
    func claimDeadLetter(
        among ids: [Int64]?, after id: Int64, for claimant: DeadLetterClaimant
    ) async throws(JournalError) -> DeadLetter?

    /// Returns the numbers of dead letters by exporter.
    func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount]

    /// Removes dead letters before `oldest`, then the oldest ones while all of them together take
    /// more than `bytes`; at most `count` at a time.
    ///
    /// - Returns: The number of removed letters.
    func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int
}
