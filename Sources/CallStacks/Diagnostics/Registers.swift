/// The registers of the thread that stopped the process.
public struct Registers: Hashable, Sendable {
    public struct Register: Hashable, Sendable {
        public var name: String
        public var value: UInt64

        public init(_ name: String, _ value: UInt64) {
            self.name = name
            self.value = value
        }
    }

    /// `ARM Thread State (64-bit)`
    public var kind: String
    public var values: [Register]
    /// The meaning of the last register: `(Data Abort) byte write Translation fault`.
    public var meaning: String?

    public init(kind: String, values: [Register], meaning: String? = nil) {
        self.kind = kind
        self.values = values
        self.meaning = meaning
    }
}
