/// An error in opening, reading or building an index.
public struct SymbolIndexError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The bytes do not begin like an index.
        case notAnIndex
        case formatVersion(UInt16)
        /// The file's length in bytes differs from that in its header.
        case length(stated: UInt64, found: UInt64)
        case headerChecksum
        /// A field of the header has a value that no builder writes.
        case header(String)
        /// A section's position or count does not match the header.
        case misplaced(IndexSection)
        case checksum(IndexSection)
        /// A section contains an invalid number at a position relative to the section's start.
        case corrupt(IndexSection, at: UInt64)
        /// The input exceeds a limit of the format.
        case tooLarge(what: String, limit: UInt64)
    }

    public var reason: Reason

    public init(_ reason: Reason) { self.reason = reason }
}

extension SymbolIndexError: CustomStringConvertible {
    /// A text such as `index: unsupported version 4 (supported: 2): build it again`.
    public var description: String {
        let again = "build it again"
        return switch reason {
        case .notAnIndex: "index: not an index of symbols"
        case .formatVersion(let version):
            "index: unsupported version \(version) (supported: \(IndexLayout.formatVersion)): \(again)"
        case .length(let stated, let found):
            "index: has \(found) bytes, its header says \(stated): \(again)"
        case .headerChecksum: "index: header differs from its checksum: \(again)"
        case .header(let what): "index: \(what): \(again)"
        case .misplaced(let section): "index: section '\(section)' does not fit: \(again)"
        case .checksum(let section):
            "index: section '\(section)' differs from its checksum: \(again)"
        case .corrupt(let section, let offset):
            "index: section '\(section)'+0x\(String(offset, radix: 16)) is damaged: \(again)"
        case .tooLarge(let what, let limit): "index: more than \(limit) \(what)"
        }
    }
}
