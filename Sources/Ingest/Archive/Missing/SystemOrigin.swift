public import CallStacks

/// The system and device from which a diagnostic came.
public struct SystemOrigin: Hashable, Sendable {
    public var system: SystemBuild
    /// `iPhone15,2`. Devices of one system build have different processors.
    public var model: String?

    public init(system: SystemBuild, model: String?) {
        self.system = system
        self.model = model
    }

    /// - Parameter version: The version as written in reports: `iPhone OS 18.1 (22B83)`.
    /// - Returns: `nil` without a version.
    public init?(version: String?, architecture: String?, model: String?) {
        guard let version, !version.isEmpty else { return nil }
        self.init(
            system: SystemBuild(version, architecture: architecture ?? ""), model: model)
    }
}
