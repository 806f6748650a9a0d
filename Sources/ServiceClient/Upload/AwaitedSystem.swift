public import CallStacks
import JSONText

/// A system with images that a service's diagnostics wait for.
public struct AwaitedSystem: Sendable {
    public let system: SystemBuild
    /// The images, without those that an upload has.
    public internal(set) var images: [Image]

    /// An image that diagnostics wait for.
    public struct Image: Sendable {
        /// The identity, or `nil` if the service returns none.
        public let id: ImageID?
        public let name: String?
        /// The number of diagnostics of the system that wait for the image.
        public let diagnosticCount: Int
    }

    init(_ json: JSONValue) {
        system = SystemBuild(
            name: json["os"]?.string ?? "", build: json["build"]?.string ?? "",
            architecture: json["arch"]?.string ?? "")
        images = json["images"]?.elements.map(Image.init) ?? []
    }
}

extension AwaitedSystem.Image {
    fileprivate init(_ json: JSONValue) {
        id = json["uuid"]?.string.flatMap { ImageID($0) }
        name = json["name"]?.string
        diagnosticCount = json["diagnostics"]?.unsigned.map { Int(clamping: $0) } ?? 0
    }
}

extension [AwaitedSystem] {
    /// Returns the systems without the given images, and without systems that have no others.
    func without(_ images: Set<ImageID>) -> Self {
        compactMap { system in
            var system = system
            system.images.removeAll { $0.id.map(images.contains) ?? false }
            return system.images.isEmpty ? nil : system
        }
    }
}
