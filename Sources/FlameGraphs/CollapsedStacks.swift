/// Flame graphs as collapsed stacks, one line per stack: `thread;outermost;…;innermost weight`.
///
/// The weights of all lines sum to that of the graphs.
public struct CollapsedStacks {
    /// The size limit of the text, in bytes. The weights of further stacks are added up in one line
    /// per thread.
    public static let byteLimit = 256 << 20
    /// The element that replaces frames omitted from a stack that is too deep.
    static let omission = "(frames omitted)"
    /// The only element of the line that sums up the stacks beyond ``byteLimit``.
    static let rest = "(stacks omitted)"

    public private(set) var bytes: [UInt8] = []
    private let byteLimit: Int

    public init(byteLimit: Int = Self.byteLimit) { self.byteLimit = byteLimit }

    /// Adds the stacks of one thread.
    ///
    /// - Parameter thread: The first element of each line, or `nil` for none.
    public mutating func add(_ graph: FlameGraph, thread: String?) {
        let prefix = thread.map { Self.element($0) + ";" } ?? ""
        let names = graph.functions.map { Self.element($0.label) }
        var rest: UInt64 = 0
        var open: [String] = []
        graph.visit { node in
            open.append(names[graph.nodes[node].function])
            let own = graph.nodes[node].own
            guard own > 0 else { return }
            if bytes.count < byteLimit {
                add(
                    DeepStack.shortened(open, omission: Self.omission), weight: own,
                    prefix: prefix)
            } else {
                rest.add(own)
            }
        } leave: { _ in
            open.removeLast()
        }
        if rest > 0 { add([Self.rest], weight: rest, prefix: prefix) }
    }

    private mutating func add(_ stack: [String], weight: UInt64, prefix: String) {
        bytes.append(contentsOf: prefix.utf8)
        for (position, name) in stack.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ";")) }
            bytes.append(contentsOf: name.utf8)
        }
        bytes.append(contentsOf: " \(weight)\n".utf8)
    }

    /// Returns a name without the characters that separate elements and lines.
    private static func element(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case ";": scalars.append(":")
            case _ where scalar.properties.generalCategory == .control,
                "\u{2028}", "\u{2029}":
                scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        return scalars.isEmpty ? "???" : String(scalars)
    }
}
