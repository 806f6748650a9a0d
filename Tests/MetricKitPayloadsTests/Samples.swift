import CallStacks
import MetricKitPayloads
import Testing

/// JSON of a frame in Apple's spelling. Images are numbered; number 1 is `Shop` unless named.
func frame(
    _ offset: UInt64?, at address: UInt64? = nil, image: Int? = 1, name: String? = "Shop",
    samples: UInt64? = nil, _ subFrames: [String] = []
) -> String {
    var members: [String] = []
    // Sub-frames come first, as in some real payloads.
    if !subFrames.isEmpty { members.append("\"subFrames\":[\(subFrames.joined(separator: ","))]") }
    if let image { members.append("\"binaryUUID\":\"\(uuid(image))\"") }
    if let name { members.append("\"binaryName\":\"\(name)\"") }
    if let offset { members.append("\"offsetIntoBinaryTextSegment\":\(offset)") }
    if let address { members.append("\"address\":\(address)") }
    if let samples { members.append("\"sampleCount\":\(samples)") }
    return "{\(members.joined(separator: ","))}"
}

/// Nested frames, each with the next one in it.
func chain(_ frames: [(offset: UInt64, address: UInt64?, name: String)]) -> String {
    frames.reversed().reduce("") { inner, next in
        frame(next.offset, at: next.address, name: next.name, inner.isEmpty ? [] : [inner])
    }
}

func uuid(_ image: Int) -> String {
    "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - "\(image)".count) + "\(image)"
}

func imageID(_ image: Int) -> ImageID? { ImageID(uuid(image)) }

/// JSON of an unwrapped tree with one stack for each list of root frames.
func tree(_ stacks: [String]..., attributed: Int? = 0) -> String {
    let texts = stacks.enumerated().map { index, roots in
        let mark = attributed == index ? "\"threadAttributed\":true," : ""
        return "{\(mark)\"callStackRootFrames\":[\(roots.joined(separator: ","))]}"
    }
    return "{\"callStacks\":[\(texts.joined(separator: ","))],\"callStackPerThread\":true}"
}

/// JSON of a tree as OpenTelemetry flattens it.
func flatTree(_ frames: [(offset: UInt64, name: String)]) -> String {
    let texts = frames.map {
        "{\"binaryName\":\"\($0.name)\",\"binaryUUID\":\"\(uuid(1))\",\"offsetAddress\":\($0.offset)}"
    }
    return "{\"callStackPerThread\":true,\"callStacks\":[{\"threadAttributed\":true,"
        + "\"callStackFrames\":[\(texts.joined(separator: ","))]}]}"
}

/// JSON of a diagnostic with metadata.
func diagnostic(_ tree: String, metadata: String = "") -> String {
    "{\"version\":\"1.0.0\",\"callStackTree\":\(tree),\"diagnosticMetaData\":{\(metadata)}}"
}

/// JSON of a payload with one diagnostic.
func payload(_ diagnostic: String, in array: String = "crashDiagnostics") -> String {
    "{\"timeStampBegin\":\"2024-05-01 10:00:00\",\"timeStampEnd\":\"2024-05-01 10:00:01\","
        + "\"\(array)\":[\(diagnostic)]}"
}

func read(_ text: String, limits: PayloadLimits = PayloadLimits()) -> Payload {
    PayloadReader(limits: limits).read(Array(text.utf8))
}

/// The only diagnostic of a text, as received.
func received(
    _ text: String, limits: PayloadLimits = PayloadLimits()
) throws -> ReceivedDiagnostic {
    let diagnostics = read(text, limits: limits).diagnostics
    try #require(diagnostics.count == 1)
    return diagnostics[0]
}

/// The only diagnostic of a text. `as` puts a bare tree into a payload of that kind.
func resolved(
    _ text: String, as array: String? = nil, metadata: String = "",
    architecture: Architecture? = nil
) throws -> Diagnostic {
    let text = array.map { payload(diagnostic(text, metadata: metadata), in: $0) } ?? text
    return try received(text).resolved { _ in architecture }
}

extension Diagnostic {
    /// The offset that each frame is looked up by.
    var lookups: [UInt64?] { tree.frames.map { $0.site?.lookupOffset.rawValue } }

    var offsets: [UInt64?] { tree.frames.map { $0.site?.offset.rawValue } }
}
