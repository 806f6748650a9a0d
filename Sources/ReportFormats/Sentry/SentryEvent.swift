import JSONText

/// A Sentry event as sent by an SDK, or as returned by Sentry's web API.
///
/// The API has a list of entries instead of members, and spells the keys of stacks and frames in
/// camel case. Images have the same keys in both:
///
///     {"exception":{"values":[{"stacktrace":{"frames":[{"instruction_addr":"0x1040"}]}}]},
///      "debug_meta":{"images":[{"image_addr":"0x1000"}]}}
///     {"entries":[
///       {"type":"exception","data":{"values":[{"stacktrace":{"frames":[
///         {"instructionAddr":"0x1040"}]}}]}},
///       {"type":"debugmeta","data":{"images":[{"image_addr":"0x1000"}]}}]}
struct SentryEvent {
    let root: JSONValue
    let keys: SentryKeys

    init(_ root: JSONValue) {
        self.root = root
        keys = root["entries"]?.kind == .array ? .api : .event
    }

    /// The list of images, or `nil` if the event has none.
    var images: JSONValue? {
        let list = keys == .api ? entry("debugmeta")?["images"] : root["debug_meta"]?["images"]
        return list?.kind == .array ? list : nil
    }

    /// Returns the part of the event with a name, such as `exception`.
    subscript(part: String) -> JSONValue? { keys == .api ? entry(part) : root[part] }

    private func entry(_ type: String) -> JSONValue? {
        root["entries"]?.elements.first { $0["type"]?.string == type }?["data"]
    }

    /// The version of the app.
    var release: String? {
        (keys == .api ? root["release"]?["version"] : root["release"])?.nonEmpty
    }

    var timestamp: String? { root[keys == .api ? "dateCreated" : "timestamp"]?.nonEmpty }
}

/// The spelling of an event's keys.
struct SentryKeys: Equatable {
    let address: String
    let addressMode: String
    let path: String
    let line: String
    let column: String
    let inApp: String
    let threadID: String
    let rawStack: String

    static let event = Self(
        address: "instruction_addr", addressMode: "addr_mode", path: "abs_path", line: "lineno",
        column: "colno", inApp: "in_app", threadID: "thread_id", rawStack: "raw_stacktrace")
    static let api = Self(
        address: "instructionAddr", addressMode: "addrMode", path: "absPath", line: "lineNo",
        column: "colNo", inApp: "inApp", threadID: "threadId", rawStack: "rawStacktrace")
}
