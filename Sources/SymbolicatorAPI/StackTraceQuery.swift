import JSONText
public import Problems

/// The body of `POST /symbolicate`: modules, and threads with frames at addresses. Unknown members
/// are ignored.
public struct StackTraceQuery: Sendable {
    struct Thread: Sendable {
        var id: UInt64?
        var name: String?
        var isRequesting: Bool?
        /// The registers as received.
        var registers: JSONValue?
        /// The innermost frame comes first.
        var frames: [Frame]
    }

    struct Frame: Sendable {
        var address: UInt64
        /// The index of the module that the address is relative to, or `nil` for a runtime address.
        var relativeModule: Int?
        /// Whether the address is a return address, or `nil` if the sender does not say.
        var isReturnAddress: Bool?
        /// The frame as received.
        var source: JSONValue
    }

    public internal(set) var modules: [ModuleDescription] = []
    var threads: [Thread] = []
    var signal: UInt64?
    /// Whether each module lists the files that were considered.
    var listsCandidates = false
    /// Whether the sender's frames start with the outermost one. ``threads`` have them reversed,
    /// and the response has them in the sender's order.
    var isCallerFirst = false

    /// The maximum number of frames in a request, and of modules and threads.
    public static let frameLimit = 250_000
    public static let moduleLimit = 10_000
    public static let threadLimit = 10_000

    /// - Throws: ``QueryError`` if the body does not have this form.
    public init(_ body: [UInt8]) throws(QueryError) {
        let document = JSONDocument(body)
        guard document.failure == nil, let root = document.root, root.isWhole, root.kind == .object
        else { throw .unprocessable("body", "not a JSON object") }
        guard let threads = root["stacktraces"], threads.kind == .array else {
            throw .unprocessable("stacktraces", "missing or not a list")
        }
        for module in try Self.list(root["modules"], name: "modules", limit: Self.moduleLimit) {
            guard let module = ModuleDescription(module) else {
                throw .unprocessable("modules", "a module is not an object with addresses")
            }
            modules.append(module)
        }
        var frameCount = 0
        for thread in try Self.list(threads, name: "stacktraces", limit: Self.threadLimit) {
            self.threads.append(try self.thread(thread, frameCount: &frameCount))
        }
        signal = root["signal"].flatMap(ModuleDescription.address)
        listsCandidates = root["options"]?["dif_candidates"]?.bool ?? false
        isCallerFirst = root["options"]?["frame_order"]?.string == "caller_first"
        guard isCallerFirst else { return }
        for number in self.threads.indices { self.threads[number].frames.reverse() }
    }

    private func thread(
        _ value: JSONValue, frameCount: inout Int
    ) throws(QueryError) -> Thread {
        guard let list = value["frames"], list.kind == .array else {
            throw .unprocessable("frames", "missing or not a list")
        }
        var frames: [Frame] = []
        for frame in list.elements {
            frameCount += 1
            guard frameCount <= Self.frameLimit else {
                throw .tooLarge(
                    "frames", "more than \(Self.frameLimit)",
                    suggestion: "send fewer at a time")
            }
            frames.append(try self.frame(frame))
        }
        let registers = value["registers"].flatMap { $0.kind == .object ? $0 : nil }
        return Thread(
            id: value["thread_id"]?.unsigned, name: value["thread_name"]?.string,
            isRequesting: value["is_requesting"]?.bool, registers: registers, frames: frames)
    }

    private func frame(_ value: JSONValue) throws(QueryError) -> Frame {
        guard let address = value["instruction_addr"].flatMap(ModuleDescription.address) else {
            throw .unprocessable("instruction_addr", "missing or not an address")
        }
        var module: Int?
        if let mode = value["addr_mode"]?.string, mode != "abs" {
            guard mode.hasPrefix("rel:"), let number = Int(mode.dropFirst("rel:".count)),
                number >= 0
            else {
                throw .unprocessable("addr_mode", "neither 'abs' nor 'rel:' and a module number")
            }
            module = number
        }
        return Frame(
            address: address, relativeModule: module,
            isReturnAddress: value["adjust_instruction_addr"]?.bool, source: value)
    }

    private static func list(
        _ value: JSONValue?, name: String, limit: Int
    ) throws(QueryError) -> [JSONValue] {
        guard let value, value.kind != .null else { return [] }
        guard value.kind == .array else { throw .unprocessable(name, "not a list") }
        let elements = Array(value.elements)
        guard elements.count <= limit else {
            throw .tooLarge(
                name, "more than \(limit)",
                suggestion: "send fewer at a time")
        }
        return elements
    }
}
