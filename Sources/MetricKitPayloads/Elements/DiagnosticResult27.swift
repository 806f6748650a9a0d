import CallStacks
import JSONText

/// The result of a `DiagnosticReport` of iOS 27: the event, with its tree.
///
/// The form of the framework's tag is not documented, so all likely forms are read:
/// `{"crash":{…}}`, `{"crash":{"_0":{…}}}`, either of them under `result`, and a flat object with a
/// string tag.
struct DiagnosticResult27 {
    /// The kind, or `nil` if there is neither a tag nor a string for it.
    let kind: DiagnosticKind?
    let fields: JSONValue

    /// Keys that only a result has next to its `callStackTree`.
    static let telltaleKeys = [
        "exceptionType", "exceptionCode", "signal", "terminationReason", "terminationCategory",
        "exceptionReason", "virtualMemoryRegionInfo", "hangDuration", "totalCPUTime",
        "totalSampledTime", "totalBytesWritten", "launchDuration",
    ]

    init?(in report: JSONValue) {
        for object in [report["result"], report] {
            guard let object, object.kind == .object else { continue }
            if let tagged = Self.tagged(in: object) {
                self = tagged
                return
            }
            if object["callStackTree"]?.kind == .object {
                self.init(kind: Self.stringTag(in: object), fields: object)
                return
            }
        }
        return nil
    }

    private init(kind: DiagnosticKind?, fields: JSONValue) {
        self.kind = kind
        self.fields = fields
    }

    private static func tagged(in object: JSONValue) -> Self? {
        for tag in DiagnosticKeys.tags {
            guard let value = object[tag.key], value.kind == .object else { continue }
            let fields = value["_0"] ?? value
            if fields["callStackTree"]?.kind == .object {
                return Self(kind: tag.kind, fields: fields)
            }
        }
        return nil
    }

    private static func stringTag(in object: JSONValue) -> DiagnosticKind? {
        for key in ["type", "kind", "name"] {
            guard let text = object[key]?.string else { continue }
            if let tag = DiagnosticKeys.tags.first(where: { $0.key == text }) { return tag.kind }
            if let kind = DiagnosticKind(rawValue: text) { return kind }
        }
        return nil
    }
}
