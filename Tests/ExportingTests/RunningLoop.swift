import CallStacks
import Ingest

/// Settings under which a test does not wait for long.
var swiftSettings: ExportLoopSettings {
    var settings = ExportLoopSettings()
    settings.fillWait = .milliseconds(5)
    settings.silence = .milliseconds(20)
    settings.placeInterval = .milliseconds(1)
    settings.retry.initialWait = .milliseconds(1)
    settings.retry.longestWait = .milliseconds(20)
    settings.resendInterval = .milliseconds(20)
    return settings
}

func exportLoop(
    _ exporter: any Exporter, _ flow: MemoryFlow, settings: ExportLoopSettings = swiftSettings,
    settingsMark: String = "first"
) -> ExportLoop<ContinuousClock> {
    ExportLoop(
        exporter: exporter, entries: flow, journal: flow, archive: flow, settings: settings,
        settingsMark: settingsMark, logger: quietLogger, wallTime: { UnixTime(rawValue: 7) })
}

/// Runs a loop as long as `use` takes, and then cancels it as a kill would.
func withLoop<Result: Sendable>(
    _ exporter: any Exporter, _ flow: MemoryFlow, settings: ExportLoopSettings = swiftSettings,
    settingsMark: String = "first", use: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let loop = exportLoop(exporter, flow, settings: settings, settingsMark: settingsMark)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await loop.run() }
        let result = try await use()
        group.cancelAll()
        try await group.waitForAll()
        return result
    }
}

/// An exporter that answers as a test says.
struct ScriptedExporter: Exporter {
    var name = "scripted"
    var batchBytesLimit = 200
    let answer: @Sendable (ExportBatch) async -> ExportOutcome

    func send(_ batch: ExportBatch) async -> ExportOutcome { await answer(batch) }

    func run() async {}
}

let taken = ExportOutcome.taken(rejectedCount: 0, message: "")
