/// A numbered constant of the system, such as a signal, with the name and description in its
/// headers. Numbers and rows start at 1.
public protocol SystemConstant: RawRepresentable, Hashable, Sendable where RawValue == UInt64 {
    init(rawValue: UInt64)

    static var rows: [(name: String, meaning: String)] { get }

    /// The prefix for a number that has no row, such as `Unknown signal`.
    static var unknown: String { get }
}

extension SystemConstant {
    /// Returns `nil` if the headers do not contain the name.
    public init?(name: String) {
        guard let row = Self.rows.firstIndex(where: { $0.name == name }) else { return nil }
        self.init(rawValue: UInt64(row) + 1)
    }

    /// The name, such as `SIGSEGV`, or a phrase with the number if it is unknown.
    public var name: String { row?.name ?? numbered }

    /// The meaning, such as `segmentation violation`, or a phrase with the number if it is unknown.
    public var meaning: String { row?.meaning ?? numbered }

    /// The number is shown as signed, because payloads contain numbers such as -1.
    private var numbered: String { "\(Self.unknown): \(Int64(bitPattern: rawValue))" }

    private var row: (name: String, meaning: String)? {
        guard rawValue >= 1, rawValue <= UInt64(Self.rows.count) else { return nil }
        return Self.rows[Int(rawValue) - 1]
    }
}
