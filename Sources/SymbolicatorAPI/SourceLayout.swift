public import CallStacks

/// The path of a stored file in one of the layouts of symbol servers that Sentry reads.
///
/// | Layout | Mach-O | ELF |
/// |---|---|---|
/// | `unified` | `67/e9247c…/debuginfo`, `…/executable` | `13/26c62d…/debuginfo`, `…/executable` |
/// | `native` | `67E9/247C/814E/392B/A027/DBDE6748FCBF`, `….app` | `13/26c62d….debug`, `13/26c62d…` |
/// | `symstore`, `ssqp` | `_.dwarf/mach-uuid-sym-67e9…/_.dwarf`, `Shop/mach-uuid-67e9…/Shop` | `_.debug/elf-buildid-sym-1326…/_.debug`, `libx.so/elf-buildid-1326…/libx.so` |
///
/// Letters may be in either case.
public struct SourceLayout: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case debugInformation, code
    }

    public var image: ImageID
    public var kind: Kind

    /// - Parameter path: The components of the path below the base address.
    /// - Returns: `nil` for the path of another layout or another kind of file.
    public init?(path: [String]) {
        let found = Self.unified(path) ?? Self.native(path) ?? Self.symbolStore(path)
        guard let (digits, kind) = found, let image = ImageID(digits) else { return nil }
        self.image = image
        self.kind = kind
    }

    private static func unified(_ path: [String]) -> (String, Kind)? {
        guard path.count == 3, path[0].utf8.count == 2 else { return nil }
        switch path[2] {
        case "debuginfo": return (path[0] + path[1], .debugInformation)
        case "executable": return (path[0] + path[1], .code)
        default: return nil
        }
    }

    private static func native(_ path: [String]) -> (String, Kind)? {
        guard let last = path.last else { return nil }
        if path.count == 2, path[0].utf8.count == 2 {
            let ending = ".debug"
            return last.hasSuffix(ending)
                ? (path[0] + last.dropLast(ending.count), .debugInformation)
                : (path[0] + last, .code)
        }
        guard path.map(\.utf8.count).prefix(5) == [4, 4, 4, 4, 4], path.count == 6 else {
            return nil
        }
        let ending = ".app"
        return last.hasSuffix(ending)
            ? (path.joined().dropLast(ending.count).description, .code)
            : (path.joined(), .debugInformation)
    }

    private static func symbolStore(_ path: [String]) -> (String, Kind)? {
        guard path.count == 3 else { return nil }
        let middle = path[1].lowercased()
        for (prefix, kind) in [
            ("mach-uuid-sym-", Kind.debugInformation), ("elf-buildid-sym-", .debugInformation),
            ("mach-uuid-", .code), ("elf-buildid-", .code),
        ] where middle.hasPrefix(prefix) {
            return (String(middle.dropFirst(prefix.count)), kind)
        }
        return nil
    }
}
