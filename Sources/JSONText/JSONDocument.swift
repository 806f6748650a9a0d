/// One JSON value in memory: a flat array of nodes over the bytes that it was read from.
///
/// Each node has the index of the node after its contents, so iterating over a value, searching it
/// and freeing it need no recursion, at any depth. A truncated or invalid document keeps the values
/// read so far. Its open containers end where reading failed, and ``failure`` is the reason.
public final class JSONDocument: Sendable {
    public let bytes: [UInt8]
    /// Why the value is incomplete, or `nil` if it is complete.
    public let failure: JSONError?
    let nodes: [Node]

    /// A node of 16 bytes. Positions of 32 bits suffice for every text that ``JSONLimits`` allow.
    struct Node {
        var kind: JSONToken.Kind
        var hasEscapes: Bool
        /// Whether it is a container without an end in the text.
        var isOpen: Bool
        var start: UInt32
        var end: UInt32
        /// The index of the node after this one and all that it contains.
        var next: UInt32
    }

    /// Reads the next value of `reader` as far as possible.
    public init(readingFrom reader: inout JSONReader, limits: JSONLimits = JSONLimits()) {
        var builder = Builder(tokensLimit: limits.tokens, byteCount: reader.end - reader.offset)
        failure = builder.read(from: &reader)
        nodes = builder.nodes
        bytes = reader.bytes
    }

    /// Reads the first value of a text.
    public convenience init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) {
        var reader = JSONReader(bytes, limits: limits)
        self.init(readingFrom: &reader, limits: limits)
    }

    /// The value, or `nil` if the text ended or failed before a value started.
    public var root: JSONValue? { nodes.isEmpty ? nil : JSONValue(document: self, index: 0) }
}

extension JSONDocument {
    /// Converts tokens to nodes, and closes open containers at the end.
    private struct Builder {
        let tokensLimit: Int
        var nodes: [Node] = []
        private var open: [Int] = []

        /// - Parameter byteCount: The size of the text, for reserving capacity.
        init(tokensLimit: Int, byteCount: Int) {
            self.tokensLimit = min(tokensLimit, Int(UInt32.max))
            nodes.reserveCapacity(min(byteCount / Self.bytesPerNode, Self.nodesAtOnce))
            open.reserveCapacity(min(byteCount / Self.bytesPerNode, Self.usualDepth))
        }

        /// The average text per node in a report.
        private static let bytesPerNode = 12
        /// The limit of capacity reserved up front, because a large text may be one string.
        private static let nodesAtOnce = 4_096

        private static let usualDepth = 128

        mutating func read(from reader: inout JSONReader) -> JSONError? {
            do throws(JSONError) {
                while let token = try reader.next() {
                    guard token.kind.closesContainer || nodes.count < tokensLimit
                    else { throw JSONError(.tokensLimit(tokensLimit), at: reader.offset) }
                    add(token)
                    if reader.isBetweenValues { return nil }
                }
                return nil
            } catch {
                closeAll(at: error.offset)
                return error
            }
        }

        private mutating func add(_ token: JSONToken) {
            if token.kind.closesContainer {
                if let container = open.popLast() {
                    close(container, at: token.range.upperBound, isOpen: false)
                }
                return
            }
            if token.kind.opensContainer { open.append(nodes.count) }
            nodes.append(
                Node(
                    kind: token.kind, hasEscapes: token.hasEscapes, isOpen: false,
                    start: UInt32(clamping: token.range.lowerBound),
                    end: UInt32(clamping: token.range.upperBound),
                    next: UInt32(clamping: nodes.count + 1)))
        }

        private mutating func closeAll(at end: Int) {
            if nodes.last?.kind == .key { nodes.removeLast() }
            while let container = open.popLast() { close(container, at: end, isOpen: true) }
        }

        private mutating func close(_ container: Int, at end: Int, isOpen: Bool) {
            nodes[container].end = UInt32(clamping: end)
            nodes[container].next = UInt32(clamping: nodes.count)
            nodes[container].isOpen = isOpen
        }
    }
}
