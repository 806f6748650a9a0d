import JSONText

/// What a payload or a diagnostic says besides its stacks, as the text of one JSON object.
///
/// It is copied out because the stacks around it can be megabytes, and nobody wants to keep those
/// for the sake of a few words.
enum FieldText {
    /// - Parameters:
    ///   - sources: Objects that may say it. The first one that has a key answers for it.
    ///   - isLeftOut: Which members to leave out.
    /// - Returns: Nothing where nothing is said.
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

    /// A diagnostic without its tree and without the objects that are sources themselves.
    static func ofDiagnostic(_ sources: [JSONValue]) -> [UInt8] {
        text(of: sources) { member in
            passedOver.contains { member.isNamed($0) }
                || member.value.kind == .object && containers.contains { member.isNamed($0) }
        }
    }

    /// A payload without its diagnostics.
    static func ofPayload(_ payload: JSONValue) -> [UInt8] {
        text(of: [payload]) { member in
            member.value.kind == .array && DiagnosticKeys.arrays.contains { member.isNamed($0.key) }
        }
    }

    /// The period and the surroundings of a report of iOS 27.
    static func ofReport27(_ report: JSONValue) -> [UInt8] {
        text(of: [report]) { !$0.isNamed("timeRange") && !$0.isNamed("environment") }
    }

    private static let passedOver = [
        "callStacks", "callStackThreads", "callStackPerThread", "binaryInfo", "version",
        "timeRange",
    ]
    /// Where one of these is something else than an object, nobody reads it, and it is kept.
    private static let containers = [
        "callStackTree", "diagnosticMetaData", "environment", "result",
    ]
}
