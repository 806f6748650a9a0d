import CallStacks

extension DiagnosticDetails {
    /// Returns the details, with missing ones taken from `other`.
    func completed(from other: Self) -> Self {
        var result = self
        result.appVersion = appVersion ?? other.appVersion
        result.appBuild = appBuild ?? other.appBuild
        result.bundleIdentifier = bundleIdentifier ?? other.bundleIdentifier
        result.osVersion = osVersion ?? other.osVersion
        result.deviceType = deviceType ?? other.deviceType
        result.architecture = architecture ?? other.architecture
        result.exceptionType = exceptionType ?? other.exceptionType
        result.exceptionCode = exceptionCode ?? other.exceptionCode
        result.signal = signal ?? other.signal
        result.exceptionName = exceptionName ?? other.exceptionName
        result.fields.merge(other.fields) { own, _ in own }
        result.terminationReason = terminationReason ?? other.terminationReason
        result.virtualMemoryRegion = virtualMemoryRegion ?? other.virtualMemoryRegion
        result.objectiveCExceptionName = objectiveCExceptionName ?? other.objectiveCExceptionName
        result.objectiveCExceptionMessage =
            objectiveCExceptionMessage ?? other.objectiveCExceptionMessage
        result.measurement = measurement ?? other.measurement
        result.timestamp = timestamp ?? other.timestamp
        return result
    }
}
