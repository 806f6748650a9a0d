/// A numbered constant of the system, such as a signal, with the name and description of its
/// headers. Numbers start at 1, as the rows do.
public protocol SystemConstant: RawRepresentable, Hashable, Sendable where RawValue == UInt64 {
    init(rawValue: UInt64)

    static var rows: [(name: String, meaning: String)] { get }

    /// The prefix for a number that has no row, such as `Unknown signal`.
    static var unknown: String { get }
}

extension SystemConstant {
    /// Returns `nil` if the headers do not have the name.
    public init?(name: String) {
        guard let row = Self.rows.firstIndex(where: { $0.name == name }) else { return nil }
        self.init(rawValue: UInt64(row) + 1)
    }

    /// `SIGSEGV`, or for an unknown number a phrase with it.
    public var name: String { row?.name ?? numbered }

    /// `segmentation violation`, or for an unknown number a phrase with it.
    public var meaning: String { row?.meaning ?? numbered }

    private var numbered: String { "\(Self.unknown): \(rawValue)" }

    private var row: (name: String, meaning: String)? {
        guard rawValue >= 1, rawValue <= UInt64(Self.rows.count) else { return nil }
        return Self.rows[Int(rawValue) - 1]
    }
}
