import ArgumentParser
import ErrorDescriptions
import Exporting
import Kafka
import Logging
import ObjectStorage
import PostgreSQL
import Problems
import ServerConfiguration
import Telemetry

/// Reports the problems before the service starts, and the error that ends it.
///
/// In text they look like those of every other command. If the log consists of JSON, so do they,
/// because the program that reads the log expects nothing else.
struct FailureReport {
    let format: LogFormat

    func warn(_ problem: Problem) { write(.warning, problem.description) }

    /// Reports problems of the configuration.
    ///
    /// - Returns: The exit code.
    func end(with problems: [Problem]) -> ExitCode {
        for problem in problems { write(.critical, problem.description) }
        return Outcome.wrongUsage
    }

    /// Reports the error that ended the service.
    ///
    /// - Returns: The exit code. Only problems of the configuration have that of wrong usage, after
    ///   which a supervisor does not start the service again.
    func end(with error: any Error) -> ExitCode {
        switch error {
        case let code as ExitCode: return code
        case let error as ConfigurationError: return end(with: error.problems)
        default:
            write(.critical, ErrorDescription.text(of: error))
            return Self.isInvalidSetting(error) ? Outcome.wrongUsage : Outcome.someFailed
        }
    }

    private static func isInvalidSetting(_ error: any Error) -> Bool {
        switch error {
        case let error as ExporterSettingsError: error.reason == .invalidSetting
        case let error as KafkaError: error.reason == .invalidSettings
        case let error as ObjectStorageError: error.reason == .invalidSetting
        case DatabaseError.invalidSettings: true
        default: false
        }
    }

    private func write(_ level: Logger.Level, _ text: String) {
        guard format == .json else { return Console.problem(text) }
        let logger = Logger(label: "symbolist") { label in
            ServerProcess.handler(label, format, LogThreshold(.info), .standardError())
        }
        logger.log(level: level, "\(text)")
    }
}
