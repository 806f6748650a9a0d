import CallStacks

/// The key by which equal crashes are grouped.
///
/// `1:` and 32 hexadecimal digits: the 128-bit FNV-1a hash of these parts in UTF-8, each followed
/// by a zero byte:
/// - the kind (`crash`);
/// - the exception's name (`EXC_BAD_ACCESS`), empty if there is none;
/// - for each representative frame of the app, innermost first and without repetitions: `f` and the
///   function's demangled name, or `i` and the image's name if no function is known;
/// - if the app has no frame there: `s` and the name of each image, in the same way.
///
/// Lines, offsets, addresses and versions are not included. Each function is included once, so that
/// stack overflows of different depths are equal. System functions are omitted, because other
/// system versions call the app through different ones, and so is compiler-generated code, except
/// for the reason of a Swift trap.
struct Fingerprint: CustomStringConvertible {
    /// Incremented when the parts change, so that keys of different versions are never equal.
    private static let version = 1
    private static let prefix = Array("\(version):".utf8)
    private static let digits = Array("0123456789abcdef".utf8)

    private let hash: UInt128

    /// - Parameter representative: Frames of the diagnostic, innermost first.
    init(of diagnostic: SymbolicatedDiagnostic, representative: [Int]) {
        let frames = diagnostic.frames
        var parts = DistinctParts()
        parts.append(diagnostic.kind.rawValue)
        parts.append(diagnostic.exceptionName ?? "")
        let rows = representative.lazy.filter {
            !frames[$0].remarks.contains(.duplicateInnermost)
        }
        let appRows = rows.filter { frames[$0].isInApp && frames[$0].describesFault }
        for row in appRows {
            if let function = frames[row].function {
                parts.appendOnce(UInt8(ascii: "f"), function)
            } else {
                parts.appendOnce(UInt8(ascii: "i"), frames[row].imageName ?? "")
            }
        }
        if appRows.isEmpty {
            for row in rows { parts.appendOnce(UInt8(ascii: "s"), frames[row].imageName ?? "") }
        }
        hash = parts.hash.value
    }

    var description: String {
        var text = Self.prefix
        text.reserveCapacity(text.count + 32)
        for shift in stride(from: 124, through: 0, by: -4) {
            text.append(Self.digits[Int(truncatingIfNeeded: hash >> UInt128(shift) & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The distinct parts of a fingerprint, hashed as they are added.
private struct DistinctParts {
    var hash = FNV1a128()
    /// Hashes of the parts, because comparing 200,000 strings of maximum length would take seconds.
    private var seen = Set<UInt128>(minimumCapacity: 12)

    mutating func append(_ part: String) {
        hash.combine(part)
        hash.combine(0)
    }

    /// Appends a part that consists of a mark and a text.
    mutating func appendOnce(_ mark: UInt8, _ text: String) {
        var own = FNV1a128()
        own.combine(mark)
        own.combine(text)
        guard seen.insert(own.value).inserted else { return }
        hash.combine(mark)
        append(text)
    }
}

extension SymbolicatedFrame {
    /// Whether the frame is more than compiler glue between two functions.
    fileprivate var describesFault: Bool { !isCompilerGenerated || isRuntimeFailure }
}
