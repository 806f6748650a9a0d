extension ServerConfiguration {
    /// The least memory that reads most uploads.
    private static let leastWorkerBytes: Int64 = 256 << 20

    /// Returns the configuration with the unset limits of upload workers set, so that all of them
    /// together leave a quarter of the memory to the service.
    ///
    /// - Parameters:
    ///   - bytes: The memory limit of the container, or `nil` if there is none.
    ///   - processorCount: The number of processors that the service may use.
    public func fitted(toMemoryOf bytes: Int64?, processorCount: Int) -> Self {
        var fitted = self
        if let bytes, !hasOwnWorkerMemory {
            fitted.limits.uploadWorkerMemoryBytes = min(
                limits.uploadWorkerMemoryBytes, max(bytes / 4, Self.leastWorkerBytes))
        }
        let memory = fitted.limits.uploadWorkerMemoryBytes
        let count = bytes.map { Int(clamping: $0 / 4 * 3 / memory) } ?? processorCount
        fitted.limits.uploadWorkerCount =
            limits.uploadWorkerCount ?? max(min(processorCount, count), 1)
        return fitted
    }
}
