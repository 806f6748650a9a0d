public import struct FoundationEssentials.UUID

/// A process that shares the database with others.
public struct ClusterNode: Hashable, Sendable {
    /// New at each start.
    public let id: UUID
    /// The name in logs and lists.
    public let name: String
    /// The version of the program.
    public let version: String
    /// A digest of the settings that must be equal on all nodes.
    public let settingsFingerprint: [UInt8]

    public init(
        id: UUID = UUID(), name: String, version: String = "", settingsFingerprint: [UInt8] = []
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.settingsFingerprint = settingsFingerprint
    }
}
