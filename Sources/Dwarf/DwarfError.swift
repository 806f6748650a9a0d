public import ByteReading

/// An error in debug information, or in one of its units, with the position.
public struct DwarfError: Error, Hashable, Sendable {
    /// The kind of an error. It is indirect, so that each of the many values with an optional error
    /// needs only a pointer for it.
    public indirect enum Reason: Hashable, Sendable {
        /// Bytes that violate the standard.
        case reading(ReadingError)
        /// An error of libdwarf, with its `DW_DLE_` number.
        case library(code: UInt64, message: String)
        case missingSection(String)
        case unitVersion(UInt16)
        case addressSize(Int)
        case lineTableVersion(UInt16)
        /// Entries nest deeper than the limit.
        case nesting(limit: Int)
        case tooManyUnits(limit: Int)
        /// The file causes more work than the sizes of its sections explain.
        case workBudget
        case malformed(String)
        /// An error in the split unit of this one.
        case inSplitUnit(DwarfError)
        /// An error in the supplementary file to which this unit refers.
        case inSupplementaryFile(DwarfError)
    }

    public var reason: Reason
    /// The offset of the unit in `.debug_info`, or `nil` if the error is not about one unit.
    public var unit: UInt64?

    public init(_ reason: Reason, unit: UInt64? = nil) {
        self.reason = reason
        self.unit = unit
    }
}

extension DwarfError: CustomStringConvertible {
    /// A text such as
    /// `unit at .debug_info+0x3f0: unsupported line table version 6 (supported: 2 to 5)`.
    public var description: String {
        guard let unit else { return reason.description }
        return "unit at .debug_info+0x\(String(unit, radix: 16)): \(reason)"
    }
}

extension DwarfError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .reading(let error): error.description
        case .library(let code, let message): "\(message) (libdwarf error \(code))"
        case .missingSection(let name): "\(name): is missing"
        case .unitVersion(let version): "unsupported DWARF version \(version) (supported: 2 to 5)"
        case .addressSize(let size):
            "unsupported address size of \(size) bytes (supported: 4 and 8)"
        case .lineTableVersion(let version):
            "unsupported line table version \(version) (supported: 2 to 5)"
        case .nesting(let limit): "entries nest deeper than \(limit)"
        case .tooManyUnits(let limit): "holds more than \(limit) units"
        case .workBudget: "needs more work than its size explains: the file is damaged"
        case .malformed(let what): what
        case .inSplitUnit(let error):
            "split unit\(error.unit.map { " at .debug_info.dwo+0x\(String($0, radix: 16))" } ?? ""): "
                + error.reason.description
        case .inSupplementaryFile(let error): "supplementary file: \(error)"
        }
    }
}

extension DwarfError {
    /// Runs `body` and rethrows its reading errors as errors of the unit at `unit`.
    static func placing<Result: ~Copyable>(
        unit: UInt64?, _ body: () throws(ReadingError) -> Result
    ) throws(DwarfError) -> Result {
        do {
            return try body()
        } catch {
            throw DwarfError(.reading(error), unit: unit)
        }
    }
}
