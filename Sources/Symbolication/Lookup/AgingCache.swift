/// A cache of values that is bounded in bytes. A value is evicted if it is not used while half of
/// the bound fills with other values.
struct AgingCache<Key: Hashable, Value> {
    private var recent: [Key: Value] = [:]
    /// The previous ``recent``.
    private var earlier: [Key: Value] = [:]
    /// The bytes of ``recent``.
    private var byteCount = 0
    private let bytesLimit: Int

    /// The approximate overhead of an entry, in bytes.
    private static var entryBytes: Int { 96 }

    init(bytesLimit: Int) { self.bytesLimit = bytesLimit }

    /// Returns the cached value of a key.
    ///
    /// - Parameter byteCount: Returns the size of a value with its key, without overhead.
    mutating func value(for key: Key, byteCount: (Value) -> Int) -> Value? {
        if let value = recent[key] { return value }
        guard let value = earlier[key] else { return nil }
        add(value, for: key, byteCount: byteCount(value))
        return value
    }

    mutating func add(_ value: Value, for key: Key, byteCount: Int) {
        let byteCount = byteCount + Self.entryBytes
        if self.byteCount + byteCount > bytesLimit / 2 {
            earlier = recent
            recent = [:]
            self.byteCount = 0
        }
        guard byteCount <= bytesLimit / 2, recent.updateValue(value, forKey: key) == nil
        else { return }
        self.byteCount += byteCount
    }
}
