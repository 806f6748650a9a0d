public import CallStacks

/// A system image that diagnostics wait for, and that an upload does not have.
public struct MissingSystemImage: Sendable {
    public let id: ImageID
    public let name: String?
    /// The systems with such diagnostics, in the order of the service.
    public private(set) var waits: [Wait]

    /// The diagnostics of one system that wait for the image.
    public struct Wait: Sendable {
        public let system: SystemBuild
        public let diagnosticCount: Int
    }

    /// Returns the images of the systems, each identity once.
    static func images(of systems: [AwaitedSystem]) -> [Self] {
        var absent: [Self] = []
        var indices: [ImageID: Int] = [:]
        for system in systems {
            for image in system.images {
                guard let id = image.id else { continue }
                let wait = Wait(system: system.system, diagnosticCount: image.diagnosticCount)
                if let index = indices[id] {
                    absent[index].waits.append(wait)
                } else {
                    indices[id] = absent.count
                    absent.append(Self(id: id, name: image.name, waits: [wait]))
                }
            }
        }
        return absent
    }
}
