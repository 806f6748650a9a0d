import CallStacks

/// The identifier of a node in links: a hash of the functions from the outermost call to it.
///
/// It does not depend on the other stacks or on which cells are drawn, so a link stays valid when
/// further samples arrive.
public struct CellID: Hashable, Sendable {
    let rawValue: UInt64

    /// Reads the 16 hexadecimal digits of ``description``.
    public init?(_ text: String) {
        guard text.utf8.count == 16, let value = UInt64(text, radix: 16) else { return nil }
        rawValue = value
    }

    /// FNV-1a over the caller's hash and the function.
    init(caller: CellID?, function: FlameFunction) {
        var hash: UInt64 = caller?.rawValue ?? 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for text in [function.image ?? "", function.label, function.name.image?.description ?? ""] {
            for byte in text.utf8 { add(byte) }
            add(0xff)
        }
        add(function.isInlined ? 1 : 0)
        for number in [UInt64(function.line), function.offset?.rawValue ?? 0] {
            for shift in stride(from: 0, to: 64, by: 8) {
                add(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
            }
        }
        rawValue = hash
    }
}

extension CellID: CustomStringConvertible {
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension FlameGraph {
    /// Returns the identifiers of all nodes, in their order.
    public func cellIDs() -> [CellID] {
        var ids: [CellID] = []
        ids.reserveCapacity(nodes.count)
        for node in nodes {
            ids.append(
                CellID(caller: node.parent.map { ids[$0] }, function: functions[node.function]))
        }
        return ids
    }
}
