public import CallStacks
public import Logging

/// Writes each message of swift-log as one line, by default to standard error.
public struct LineLogHandler: LogHandler {
    /// The level of this handler, or the shared threshold if it is not set.
    public var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }
    private var ownLevel: Logger.Level?
    private let threshold: LogThreshold
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let format: LogFormat
    private let output: LogOutput
    private let now: @Sendable () -> UnixTime

    /// - Parameters:
    ///   - label: The name of the logger, which is part of every line.
    ///   - threshold: The threshold shared by all handlers.
    ///   - output: The output shared by all handlers, so that their lines do not mix.
    ///   - now: The clock.
    public init(
        label: String, threshold: LogThreshold, format: LogFormat, output: LogOutput,
        metadataProvider: Logger.MetadataProvider? = nil, now: @escaping @Sendable () -> UnixTime
    ) {
        self.label = label
        self.threshold = threshold
        self.format = format
        self.output = output
        self.metadataProvider = metadataProvider
        self.now = now
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { $1 }
        all.merge(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error"] = "\(error)" }
        let line = line(
            event.level, message: "\(event.message)", metadata: all.mapValues { "\($0)" })
        output.write(line) { droppedCount in
            self.line(
                .warning, message: "log: \(droppedCount) lines dropped: the output was blocked",
                metadata: [:])
        }
    }

    private func line(
        _ level: Logger.Level, message: String, metadata: [String: String]
    ) -> [UInt8] {
        LogLine(time: now(), level: level, label: label, message: message, metadata: metadata)
            .bytes(as: format)
    }
}
