/// Changes to the records of an encoded request.
package struct LogRequestEdit: Sendable {
    private let layout: LogRequestLayout
    private var changes: [Int: Part] = [:]
    /// Whether records were removed. Scopes and resources without records are then omitted.
    private var isShorter = false

    /// A message of the request after the changes.
    private enum Part {
        case same
        case changed([UInt8])
        case removed
    }

    package init(of layout: LogRequestLayout) { self.layout = layout }

    /// - Parameter record: The encoded record.
    package mutating func replace(at position: Int, with record: [UInt8]) {
        changes[position] = .changed(record)
    }

    package mutating func remove(at position: Int) {
        changes[position] = .removed
        isShorter = true
    }

    /// Removes all records but one.
    package mutating func keepOnly(_ position: Int) {
        for other in layout.records.indices where other != position { remove(at: other) }
        isShorter = true
    }

    /// The changed request.
    package var encoded: [UInt8] {
        let parts = layout.resources.map(part)
        let whole = LogRequestLayout.MessageRange(
            whole: layout.bytes.indices, content: layout.bytes.indices)
        switch joined(parts, at: layout.resources.map(\.message), in: whole, field: 1) {
        case .same: return layout.bytes
        case .changed(let bytes): return bytes
        case .removed: return []
        }
    }

    private func part(of resource: LogRequestLayout.ResourceRanges) -> Part {
        let scopes = layout.scopes[resource.scopes]
        return joined(
            scopes.map(part), at: scopes.map(\.message), in: resource.message, field: 2)
    }

    private func part(of scope: LogRequestLayout.ScopeRanges) -> Part {
        joined(
            scope.records.map { changes[$0] ?? .same }, at: Array(layout.records[scope.records]),
            in: scope.message, field: 2)
    }

    /// Returns the content of a message in which the fields of one number are replaced by other
    /// parts.
    private func joined(
        _ parts: [Part], at ranges: [LogRequestLayout.MessageRange],
        in message: LogRequestLayout.MessageRange,
        field: UInt8
    ) -> Part {
        if isShorter, parts.allSatisfy({ if case .removed = $0 { true } else { false } }) {
            return .removed
        }
        if parts.allSatisfy({ if case .same = $0 { true } else { false } }) { return .same }
        var content: [UInt8] = []
        content.reserveCapacity(message.content.count + 1_024)
        var copied = message.content.lowerBound
        for (part, range) in zip(parts, ranges) {
            if case .same = part { continue }
            content += layout.bytes[copied..<range.whole.lowerBound]
            copied = range.whole.upperBound
            guard case .changed(let bytes) = part else { continue }
            Self.writeHead(field: field, count: bytes.count, to: &content)
            content += bytes
        }
        content += layout.bytes[copied..<message.content.upperBound]
        return .changed(content)
    }

    /// Writes the tag and the length of a field.
    private static func writeHead(field: UInt8, count: Int, to output: inout [UInt8]) {
        output.append(field << 3 | 2)
        var rest = count
        while rest >= 0x80 {
            output.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(rest))
    }
}
