import CoreMetrics
import Foundation
import Logging
import Telemetry
import TestSupport

/// Says only what is wrong with a test itself.
let quietLogger: Logger = {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return logger
}()

/// The metrics of this process, which all services of the tests share.
let metrics: PrometheusMetrics = {
    let metrics = PrometheusMetrics(meanings: [:])
    MetricsSystem.bootstrap(metrics)
    return metrics
}()

/// Where the built executable is: beside the tests.
let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("symbolist").path

/// The bytes of a file of the project.
func projectFile(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: projectFolder.appendingPathComponent(path)))
}

/// What a device sent, of the sample app's release build.
func fixture(_ name: String) throws -> [UInt8] {
    try projectFile("Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4/\(name)")
}

/// Some bytes more than `count` times.
func repeated(_ bytes: [UInt8], beyond count: Int) -> [UInt8] {
    var all = bytes
    while all.count <= count * bytes.count { all += all }
    return all
}

/// Whether a condition holds within some time. Tests fail by it and never pass by it, so the time is
/// generous.
func eventually(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<3_000 {
        if await condition() { return true }
        do { try await Task.sleep(for: .milliseconds(20)) } catch { return false }
    }
    return await condition()
}
