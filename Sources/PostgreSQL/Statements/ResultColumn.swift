/// A column of a result.
struct ResultColumn: Hashable, Sendable {
    let name: String
    /// The type's number in the server's catalogue.
    let type: UInt32
    /// Whether values are in the binary format, which this client always requests.
    let isBinary: Bool
}
