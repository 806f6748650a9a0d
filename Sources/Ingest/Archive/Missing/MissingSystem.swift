public import CallStacks

/// A system whose images diagnostics wait for.
public struct MissingSystem: Hashable, Sendable {
    /// The maximum number of systems stored for an image, and of models stored for a system.
    public static let systemLimit = 8
    public static let modelLimit = 4

    public var system: SystemBuild
    /// The models of the devices that sent diagnostics, such as `iPhone15,2`.
    public var models: [String]
    public var diagnosticCount: Int

    public init(system: SystemBuild, models: [String], diagnosticCount: Int) {
        self.system = system
        self.models = models
        self.diagnosticCount = diagnosticCount
    }

    /// Adds the devices and counts from another record of the same system.
    public mutating func add(_ models: [String], diagnosticCount count: Int) {
        diagnosticCount += count
        for model in models
        where !self.models.contains(model) && self.models.count < Self.modelLimit {
            self.models.append(model)
        }
    }
}
