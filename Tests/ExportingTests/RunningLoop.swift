import CallStacks
import Ingest

/// Settings under which a test does not wait for long.
var swiftSettings: ExportLoopSettings {
    var settings = ExportLoopSettings()
    settings.fillWait = .milliseconds(5)
    settings.silence = .milliseconds(20)
    settings.cursorInterval = .milliseconds(1)
    settings.retry.initialWait = .milliseconds(1)
    settings.retry.longestWait = .milliseconds(20)
    settings.resendInterval = .milliseconds(20)
    return settings
}

func exportLoop(
    _ exporter: any Exporter, _ flow: MemoryFlow, settings: ExportLoopSettings = swiftSettings,
    settingsFingerprint: String = "first"
) -> ExportLoop {
    ExportLoop(
        exporter: exporter, source: flow, journal: flow, deadLetters: flow, settings: settings,
        settingsFingerprint: settingsFingerprint, logger: quietLogger,
        wallTime: { UnixTime(rawValue: 7) })
}

/// Runs a loop for the duration of `use`, and then cancels it like a kill.
func withLoop<Result: Sendable>(
    _ exporter: any Exporter, _ flow: MemoryFlow, settings: ExportLoopSettings = swiftSettings,
    settingsFingerprint: String = "first", use: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let loop = exportLoop(
        exporter, flow, settings: settings, settingsFingerprint: settingsFingerprint)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await loop.run() }
        let result = try await use()
        group.cancelAll()
        try await group.waitForAll()
        return result
    }
}

/// An exporter with configurable outcomes.
struct ScriptedExporter: Exporter {
    var name = "scripted"
    var batchBytesLimit = 200
    let answer: @Sendable (ExportBatch) async -> ExportOutcome

    func send(_ batch: ExportBatch) async -> ExportOutcome { await answer(batch) }

    func run() async {}
}

let taken = ExportOutcome.accepted(rejectedCount: 0, message: "")
