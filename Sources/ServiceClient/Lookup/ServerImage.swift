public import CallStacks
import JSONText

/// The state of an image on a server.
public struct ServerImage: Sendable {
    public let image: ImageID
    public let status: ImageStatus.State
    /// The name of its debug file.
    public let name: String?
    public let architecture: Architecture?
    /// The link address that offsets are relative to; 0 if the server does not report it.
    public let base: LinkAddress

    /// Returns `nil` if the object is not a valid result.
    init?(_ json: JSONValue) {
        guard let image = json["uuid"]?.string.flatMap({ ImageID($0) }),
            let status = json["status"]?.string.flatMap({ ImageStatus.State(rawValue: $0) })
        else { return nil }
        self.image = image
        self.status = status
        name = json["name"]?.string
        architecture = json["arch"]?.string.flatMap { Architecture(name: $0) }
        base = LinkAddress(json["base"]?.unsigned ?? 0)
    }

    /// Whether the server can look up offsets in the image.
    public var hasSymbols: Bool { status == .found || status == .noDebugInfo }
}
