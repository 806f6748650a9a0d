import DebugFiles
import JSONText
import SymbolIndexes

/// How much of a debug file was read, to tell which of two files of one image is better.
///
/// The greater one is better. Units count first, because a damaged unit may still yield any number
/// of functions.
public struct Completeness: Hashable, Comparable, Codable, Sendable {
    public var unitsRead = 0
    /// Units that could be read only in part or not at all.
    public var unitsUnread = 0
    /// Functions and inlined calls that have a name.
    public var functions = 0
    /// Places whose line is known.
    public var lines = 0
    /// As in ``SymbolIndexes/IndexContents/frames``.
    public var frames = 0
    /// The size of all names and paths.
    public var textBytes = 0

    public init() {}

    public static func < (left: Self, right: Self) -> Bool {
        left.counts.lexicographicallyPrecedes(right.counts)
    }

    /// Ascending means better, the most important first. Frames come before lines: where a call loses
    /// its ranges, the lines of the function around it may be more.
    private var counts: [Int] {
        [unitsRead, functions, frames, lines, -unitsUnread, textBytes]
    }
}

extension Completeness {
    init(_ summary: DebugFileSummary, _ index: SymbolIndex) throws(SymbolIndexError) {
        let contents = try index.contents()
        unitsRead = summary.unitsRead
        unitsUnread = summary.unitsFailed
        functions = contents.functions
        lines = contents.lines
        frames = contents.frames
        textBytes = contents.textBytes
    }

    private static var members: KeyValuePairs<String, WritableKeyPath<Self, Int>> {
        [
            "units_read": \.unitsRead, "units_unread": \.unitsUnread, "functions": \.functions,
            "lines": \.lines, "frames": \.frames, "text_bytes": \.textBytes,
        ]
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, path) in Self.members {
            writer.key(name)
            writer.signed(Int64(self[keyPath: path]))
        }
        writer.endObject()
    }

    /// `nil` for what ``write(to:)`` does not write.
    init?(_ json: JSONValue) {
        for (name, path) in Self.members {
            guard let count = json[name]?.unsigned else { return nil }
            self[keyPath: path] = Int(clamping: count)
        }
    }
}

extension StoredDebugFile {
    /// Whether nothing better is asked for: it has lines, and all its units were read.
    public var isSufficient: Bool {
        quality >= .lines && (completeness?.unitsUnread ?? 0) == 0
    }

    /// Whether it knows more than another file of the same image and architecture.
    ///
    /// Of files that an earlier version stored only the quality is known. One all of whose units were
    /// read replaces such a file of its own quality.
    public func isBetter(than other: Self) -> Bool {
        let (level, otherLevel) = (min(quality, .lines), min(other.quality, .lines))
        if level != otherLevel { return level > otherLevel }
        guard let completeness, let otherCompleteness = other.completeness else {
            if quality != other.quality { return quality > other.quality }
            return other.completeness == nil && completeness?.unitsUnread == 0
        }
        if completeness != otherCompleteness { return completeness > otherCompleteness }
        return quality > other.quality
    }
}
