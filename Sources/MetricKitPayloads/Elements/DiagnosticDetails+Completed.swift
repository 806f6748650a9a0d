import CallStacks

extension DiagnosticDetails {
    /// Returns the details, with missing ones taken from `other`.
    func completed(from other: Self) -> Self {
        var result = self
        for path in Self.texts where result[keyPath: path] == nil {
            result[keyPath: path] = other[keyPath: path]
        }
        for path in Self.numbers where result[keyPath: path] == nil {
            result[keyPath: path] = other[keyPath: path]
        }
        return result
    }

    private static var texts: [WritableKeyPath<Self, String?>] {
        [
            \.appVersion, \.appBuild, \.bundleIdentifier, \.osVersion, \.deviceType, \.architecture,
            \.terminationReason, \.virtualMemoryRegion, \.objectiveCExceptionName,
            \.objectiveCExceptionMessage, \.measurement, \.timestamp,
        ]
    }

    private static var numbers: [WritableKeyPath<Self, UInt64?>] {
        [\.exceptionType, \.exceptionCode, \.signal]
    }
}
