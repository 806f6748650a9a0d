import DebugFiles
import JSONText
import SymbolIndexes

/// The readable contents of a debug file, for choosing between two files of the same image.
///
/// A greater value is better. Units are compared first, because a damaged unit may still yield any
/// number of functions.
public struct Completeness: Hashable, Comparable, Codable, Sendable {
    public var unitsRead = 0
    /// The number of units that are unreadable, at least in part.
    public var unitsUnread = 0
    /// The number of functions and inlined calls with a name.
    public var functions = 0
    /// The number of positions with a known line.
    public var lines = 0
    /// See ``SymbolIndexes/IndexContents/frames``.
    public var frames = 0
    /// The total size of names and paths.
    public var textBytes = 0

    public init() {}

    public static func < (left: Self, right: Self) -> Bool {
        left.counts.lexicographicallyPrecedes(right.counts)
    }

    /// The values to compare, the most important one first; greater is better. Frames come before
    /// lines, because losing the ranges of an inlined call may add lines to the enclosing function.
    private var counts: [Int] {
        [unitsRead, functions, frames, lines, -unitsUnread, textBytes]
    }
}

extension Completeness {
    init(_ summary: DebugFileSummary, index: SymbolIndex) throws(SymbolIndexError) {
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

    /// Returns `nil` if the object does not have the form that ``write(to:)`` writes.
    init?(_ json: JSONValue) {
        for (name, path) in Self.members {
            guard let count = json[name]?.unsigned else { return nil }
            self[keyPath: path] = Int(clamping: count)
        }
    }
}

extension StoredDebugFile {
    /// The kind of Apple system images that were not uploaded for a build.
    public static let systemKind = "system"

    /// Whether the image is an Apple system image, for which there is no debug information.
    public var isOfSystem: Bool { kind == Self.systemKind }

    /// The role of the file, or `nil` for an Apple system image.
    private var debugFileKind: DebugFileKind? { DebugFileKind(rawValue: kind) }

    /// Whether the file is ELF. Build IDs may have the length of a UUID, so the identity alone does
    /// not decide.
    public var isELF: Bool { debugFileKind?.isELF == true }

    /// Whether the file describes lines, or has debug information of files that do.
    public var hasLines: Bool { quality >= .lines || isSupplement }

    /// Whether the file describes lines, or is of a kind that usually does.
    public var hasDebugInformation: Bool {
        hasLines || debugFileKind == .elfDebug || debugFileKind == .dSYM
    }

    /// Whether the file is a supplementary file of `dwz`, which has no code to look up. It is stored
    /// for debug files that arrive later, and for clients that request it.
    public var isSupplement: Bool { debugFileKind == .elfSupplement }

    /// Whether the file is an image that a loader maps.
    public var containsCode: Bool { debugFileKind?.containsCode == true }

    /// Whether no better file is needed: the file has lines, and all its units were read. A system
    /// image, which has no lines, only needs to have all its symbols.
    public var isSufficient: Bool {
        if isOfSystem, quality < .lines { return hasAllSymbols }
        if isSupplement { return true }
        return quality >= .lines && (completeness?.unitsUnread ?? 0) == 0
    }

    private var hasAllSymbols: Bool {
        quality >= .exportedSymbols
            && !warnings.contains { DebugFileWarning(line: $0)?.code == .symbolsFileMissing }
    }

    /// The status in API responses.
    public var status: IntakeResult.Status {
        quality >= .lines || (isOfSystem && hasAllSymbols) ? .indexed : .stored
    }

    /// Whether the file has more information than another one of the same image and architecture.
    ///
    /// For files stored by an earlier version, only the quality is known. A completely read file of
    /// the same quality replaces them.
    ///
    /// If both have the same information, a program with its debug information is better than a
    /// debug file that was copied from it, because it can also be sent to clients that request the
    /// code.
    public func isBetter(than other: Self) -> Bool {
        let (level, otherLevel) = (min(quality, .lines), min(other.quality, .lines))
        if level != otherLevel { return level > otherLevel }
        guard let completeness, let otherCompleteness = other.completeness else {
            if quality != other.quality { return quality > other.quality }
            return other.completeness == nil && completeness?.unitsUnread == 0
        }
        if completeness != otherCompleteness { return completeness > otherCompleteness }
        if quality != other.quality { return quality > other.quality }
        return quality >= .lines && containsCode && !other.containsCode
    }
}
