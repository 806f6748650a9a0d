public import CallStacks
import JSONText

/// What a server has of an image.
public struct ServerImage: Sendable {
    public let image: ImageID
    public let status: ImageReport.Status
    /// That of its debug file.
    public let name: String?
    public let architecture: Architecture?
    /// The link address from which offsets count; 0 where the server does not say.
    public let base: LinkAddress

    /// `nil` for what is no answer.
    init?(_ json: JSONValue) {
        guard let image = json["uuid"]?.string.flatMap({ ImageID($0) }),
            let status = json["status"]?.string.flatMap({ ImageReport.Status(rawValue: $0) })
        else { return nil }
        self.image = image
        self.status = status
        name = json["name"]?.string
        architecture = json["arch"]?.string.flatMap { Architecture(name: $0) }
        base = LinkAddress(json["base"]?.unsigned ?? 0)
    }

    /// Whether it answers offsets.
    public var hasSymbols: Bool { status == .found || status == .noDebugInfo }
}
