/// One of a system's numbered kinds, such as a signal, with the name and the words that its headers
/// give it. Numbers start at 1, as the rows do.
public protocol NumberedName: RawRepresentable, Hashable, Sendable where RawValue == UInt64 {
    init(rawValue: UInt64)

    static var rows: [(name: String, meaning: String)] { get }

    /// What precedes a number that has no row, such as `Unknown signal`.
    static var unknown: String { get }
}

extension NumberedName {
    /// `nil` for a name that the headers do not have.
    public init?(name: String) {
        guard let row = Self.rows.firstIndex(where: { $0.name == name }) else { return nil }
        self.init(rawValue: UInt64(row) + 1)
    }

    /// `SIGSEGV`, or the number in words where there is no name.
    public var name: String { row?.name ?? numbered }

    /// `segmentation violation`, or the number in words where there is no name.
    public var meaning: String { row?.meaning ?? numbered }

    private var numbered: String { "\(Self.unknown): \(rawValue)" }

    private var row: (name: String, meaning: String)? {
        guard rawValue >= 1, rawValue <= UInt64(Self.rows.count) else { return nil }
        return Self.rows[Int(rawValue) - 1]
    }
}
