import Foundation
import Testing

/// Payloads of any size: those of the fixtures with other call stacks.
struct GeneratedPayload {
    /// The offset in the app's image of the last frame that was made. No two are equal.
    private var offset = 0x4000

    /// A call with its callees.
    ///
    /// - Parameters:
    ///   - depth: The number of calls on each path.
    ///   - branches: The number of callees of each call.
    mutating func call(depth: Int, branches: Int) -> [String: Any] {
        let callees =
            depth > 1 ? (0..<branches).map { _ in call(depth: depth - 1, branches: branches) } : []
        offset += 64
        return [
            "binaryName": "Orchard", "binaryUUID": OwnedApps.image,
            "offsetIntoBinaryTextSegment": offset, "address": 0x1_0000_0000 + offset,
            "sampleCount": callees.reduce(1) { $0 + ($1["sampleCount"] as? Int ?? 0) },
            "subFrames": callees,
        ]
    }

    /// The payload of a fixture with these stacks in place of its own, the first of them
    /// attributed.
    ///
    /// - Parameter key: `crashDiagnostics` or `hangDiagnostics`.
    static func payload(
        _ fixtureName: String, _ key: String, stacks: [[String: Any]]
    ) throws -> [UInt8] {
        let object = try JSONSerialization.jsonObject(with: Data(fixture(fixtureName)))
        var payload = try #require(object as? [String: Any])
        var diagnostics = try #require(payload[key] as? [[String: Any]])
        try #require(!diagnostics.isEmpty)
        let callStacks = stacks.enumerated().map { number, root in
            ["threadAttributed": number == 0, "callStackRootFrames": [root]] as [String: Any]
        }
        diagnostics[0]["callStackTree"] =
            ["callStackPerThread": true, "callStacks": callStacks] as [String: Any]
        payload[key] = diagnostics
        return [UInt8](try JSONSerialization.data(withJSONObject: payload))
    }
}
