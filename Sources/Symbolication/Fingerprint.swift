import CallStacks

/// The key by which equal crashes are grouped.
///
/// `1:` and 32 hexadecimal digits: the 128-bit FNV-1a hash of these parts in UTF-8, each followed by
/// a zero byte:
/// - the kind (`crash`);
/// - the exception's name (`EXC_BAD_ACCESS`), empty where there is none;
/// - of the representative rows of the app, innermost first, each part only where it comes first:
///   `f` and the function's shown name, or `i` and the image's name where no function is known;
/// - where the app has no row there: `s` and the name of each image, in the same way.
///
/// Lines, offsets, addresses and versions take no part. Taking each function once makes stack
/// overflows of different depths equal. Functions of the system take no part, because another system
/// version calls the app through others; neither does what the compiler generated, but for the
/// reason of a Swift trap.
struct Fingerprint: CustomStringConvertible {
    /// Counted up when the parts change, so that keys of different rules are never equal.
    private static let version = 1

    private let hash: UInt128

    init(of diagnostic: SymbolicatedDiagnostic) {
        var parts = DistinctParts()
        parts.append(diagnostic.kind.rawValue)
        parts.append(diagnostic.exceptionName ?? "")
        let rows = diagnostic.representativeRows.lazy.map { diagnostic.frames[$0] }
            .filter { !$0.remarks.contains(.duplicateInnermost) }
        let appRows = rows.filter { $0.isInApp && ($0.isWritten || $0.isRuntimeFailure) }
        for row in appRows {
            parts.appendOnce(row.name.map { "f\($0)" } ?? "i\(row.imageName ?? "")")
        }
        if appRows.isEmpty {
            for row in rows { parts.appendOnce("s\(row.imageName ?? "")") }
        }
        hash = parts.hash.value
    }

    var description: String {
        let digits = String(hash, radix: 16)
        return "\(Self.version):" + String(repeating: "0", count: 32 - digits.count) + digits
    }
}

/// Parts of a fingerprint as they are hashed.
private struct DistinctParts {
    var hash = FNV1a128()
    private var seen: Set<String> = []

    mutating func append(_ part: String) {
        for byte in part.utf8 { hash.combine(byte) }
        hash.combine(0)
    }

    mutating func appendOnce(_ part: String) {
        if seen.insert(part).inserted { append(part) }
    }
}

extension SymbolicatedFrame {
    fileprivate var name: String? { function ?? mangled }

    private var isMadeByCompiler: Bool { isCompilerGenerated && status.isResolved }

    fileprivate var isWritten: Bool { !isMadeByCompiler }
}
