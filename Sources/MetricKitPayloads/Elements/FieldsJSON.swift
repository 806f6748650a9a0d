import JSONText

/// The members of a payload or a diagnostic other than its stacks, as the text of one JSON object.
///
/// They are copied, because the stacks next to them can be megabytes that should not stay in
/// memory.
enum FieldsJSON {
    /// - Parameters:
    ///   - sources: Objects that may have the members. The first one with a key provides its value.
    ///   - isLeftOut: Returns whether to omit a member.
    /// - Returns: The text, or no bytes if there are no members.
    static func text(
        of sources: [JSONValue], leavingOut isLeftOut: (JSONMember) -> Bool
    ) -> [UInt8] {
        var writer = JSONWriter()
        var seen: Set<String> = []
        writer.beginObject()
        for source in sources {
            for member in source.members where !isLeftOut(member) {
                guard seen.insert(member.key).inserted else { continue }
                writer.key(member.key)
                writer.copy(member.value)
            }
        }
        writer.endObject()
        return seen.isEmpty ? [] : writer.bytes
    }

    /// Returns the members of a diagnostic without its tree, and without the objects that are
    /// sources themselves.
    static func ofDiagnostic(_ sources: [JSONValue]) -> [UInt8] {
        text(of: sources) { member in
            passedOver.contains { member.isNamed($0) }
                || member.value.kind == .object && containers.contains { member.isNamed($0) }
        }
    }

    static func ofPayload(_ payload: JSONValue) -> [UInt8] {
        text(of: [payload]) { member in
            member.value.kind == .array && DiagnosticKeys.arrays.contains { member.isNamed($0.key) }
        }
    }

    /// Returns a report of iOS 27 without its period and environment.
    static func ofReport27(_ report: JSONValue) -> [UInt8] {
        text(of: [report]) { !$0.isNamed("timeRange") && !$0.isNamed("environment") }
    }

    private static let passedOver = [
        "callStacks", "callStackThreads", "callStackPerThread", "binaryInfo", "version",
        "timeRange",
    ]
    /// If one of these is not an object, no reader uses it, and it is kept.
    private static let containers = [
        "callStackTree", "diagnosticMetaData", "environment", "result",
    ]
}
