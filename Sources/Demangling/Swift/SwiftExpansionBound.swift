/// An upper bound for the length of the text that a mangled Swift name can demangle to, computed in
/// one pass.
///
/// A Swift name can refer back to its own parts: `AA` is the first one, `AB` the second. A part may
/// contain references too, so a tuple of the previous part doubles the text every few bytes:
///
///     $s1a1bV_ACtD               (a.b, a.b)
///     $s1a1bV_ACt_ADt…           each step contains the previous one twice
///
/// A reference is counted as long as everything up to the end of the part that it refers to. The
/// bound is close for real names: the *n*-th part cannot be longer than everything up to the *n*-th
/// operator that certainly creates a part, and most references are to the module and the first
/// types.
struct SwiftExpansionBound {
    /// The bound, or some number above the limit if the bound exceeds it.
    private(set) var bytes: Int
    private let limit: Int

    var isReached: Bool { bytes > limit }

    /// Whether the name has an operator that is unknown to the reader.
    var isUncertain: Bool { reader.isLost || containsUncertainName }

    /// The maximum text per byte of an operator. The longest in real names is
    /// `protocol witness for … in conformance …`, 30 bytes for two.
    private static let operatorBytes = 40
    /// The maximum text of a standard type. The longest is
    /// `Swift.AutoreleasingUnsafeMutablePointer`, for `SA`.
    private static let standardTypeBytes = 48
    /// The text of a generic parameter count, the `_` in `r0__l`, which prints up to 128 names.
    private static let indexBytes = 768
    /// The runtime's own limit of repetitions, as in `A2048b` and `S2048i`.
    private static let repeatLimit = 2_048

    /// The maximum nesting of names: a specialization names the closure that it was made for.
    private static let nestingLimit = 4

    private var reader: SwiftNameReader
    private var containsUncertainName = false
    /// Bounds of the text up to and including the *n*-th part that can be referred to.
    private var parts: [Int] = []
    private let nesting: Int
    /// Whether identifiers may be mangled names, which the runtime demangles while printing.
    private let containsNames: Bool

    init(of mangled: Substring, limit: Int) {
        let prefix = mangled.hasPrefix("_T0") ? 3 : 2
        self.init(mangled.bytes(from: prefix), limit: limit, nesting: 0)
    }

    /// - Parameter name: The name without its prefix.
    private init(_ name: [UInt8], limit: Int, nesting: Int) {
        self.limit = limit
        self.nesting = nesting
        reader = SwiftNameReader(name)
        containsNames = Self.mayContainNames(name)
        reader.keepsIdentifiers = containsNames
        bytes = 64
        while !isReached, let event = reader.next() { add(event) }
    }

    /// Whether `name` contains a prefix of mangled names anywhere.
    private static func mayContainNames(_ name: [UInt8]) -> Bool {
        var previous: (UInt8, UInt8) = (0, 0)
        for byte in name {
            switch Unicode.Scalar(byte) {
            case "$", "@": return true
            case "0" where previous == (UInt8(ascii: "_"), UInt8(ascii: "T")): return true
            default: previous = (previous.1, byte)
            }
        }
        return false
    }

    private mutating func add(_ event: SwiftNameReader.Event) {
        switch event {
        case .operator(let count):
            bytes += count * Self.operatorBytes
        case .index:
            bytes += Self.indexBytes
        case .identifier(let count):
            bytes += count + heldBytes(count)
            parts.append(bytes)
        case .words(let count):
            // Each word is one letter, `0aB`.
            bytes += count * reader.longestWordBytes
        case .part:
            bytes += Self.operatorBytes
            parts.append(bytes)
        case .standardType(let count):
            repeated(Self.standardTypeBytes, count: count)
        case .reference(let index, let count):
            // If the reader is lost, the reference may be inside a nested name, which has its own
            // positions.
            let isKnown = parts.indices.contains(index) && !(reader.isLost && containsNames)
            repeated(isKnown ? parts[index] : bytes, count: count)
        }
    }

    /// Whether `name` without underscores may be a mangled name, unlike `$0` and `$__lazy_storage`.
    private static func isPrefixed(_ name: ArraySlice<UInt8>) -> Bool {
        switch name.first.map({ Unicode.Scalar($0) }) {
        case "$": "sSe".utf8.contains(name.dropFirst().first ?? 0)
        case "T": name.dropFirst().first == UInt8(ascii: "0")
        case "@": true
        default: false
        }
    }

    /// Returns the additional text of the identifier just read if it is a mangled name.
    private mutating func heldBytes(_ count: Int) -> Int {
        guard containsNames else { return 0 }
        let text = reader.identifierBytes
        let name = text.drop { $0 == UInt8(ascii: "_") }
        guard text.count >= count else { return limit + 1 }
        guard Self.isPrefixed(name) else { return 0 }
        guard name.first == UInt8(ascii: "$"), nesting < Self.nestingLimit else { return limit + 1 }
        let held = Self(Array(name.dropFirst(2)), limit: limit, nesting: nesting + 1)
        containsUncertainName = containsUncertainName || held.isUncertain
        return held.bytes
    }

    /// Saturates: 2,048 times the limit fits easily, and more does not matter.
    private mutating func repeated(_ size: Int, count: Int) {
        bytes += min(size, limit + 1) * min(max(count, 1), Self.repeatLimit)
    }
}
