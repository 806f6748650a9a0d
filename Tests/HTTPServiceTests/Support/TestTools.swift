import CoreMetrics
import Foundation
import Logging
import Telemetry
import TestSupport

/// Logs only critical messages.
let quietLogger: Logger = {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return logger
}()

/// The metrics of this process, shared by all services of the tests.
let metrics: PrometheusMetrics = {
    let metrics = PrometheusMetrics(descriptions: [:])
    MetricsSystem.bootstrap(metrics)
    return metrics
}()

/// The path of the built executable, next to the tests.
let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("symbolist").path

/// The bytes of a file of the project.
func projectFile(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: projectFolder.appendingPathComponent(path)))
}

/// A report of the sample app's release build, as received from a device.
func fixture(_ name: String) throws -> [UInt8] {
    try projectFile("Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4/\(name)")
}

/// Returns some bytes repeated more than `count` times.
func repeated(_ bytes: [UInt8], beyond count: Int) -> [UInt8] {
    var all = bytes
    while all.count <= count * bytes.count { all += all }
    return all
}
