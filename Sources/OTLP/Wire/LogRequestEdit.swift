/// Changes to the records of an encoded request.
package struct LogRequestEdit: Sendable {
    private let layout: LogRequestLayout
    private var changes: [Int: Part] = [:]
    /// Whether records were removed. Scopes and resources without records are then omitted.
    private var isShorter = false

    /// A message of the request after the changes.
    private enum Part {
        case same
        case changed(Content)
        case removed
    }

    /// The content of a changed message, as pieces of the request and of the new records, so that
    /// the bytes are copied only once even if messages are nested.
    private struct Content {
        var pieces: [ArraySlice<UInt8>] = []
        var byteCount = 0

        mutating func append(_ piece: ArraySlice<UInt8>) {
            pieces.append(piece)
            byteCount += piece.count
        }

        mutating func append(_ content: Content) {
            pieces += content.pieces
            byteCount += content.byteCount
        }
    }

    package init(of layout: LogRequestLayout) { self.layout = layout }

    /// - Parameter record: The pieces of the encoded record.
    package mutating func replace(at position: Int, with record: [ArraySlice<UInt8>]) {
        changes[position] = .changed(
            Content(pieces: record, byteCount: record.reduce(0) { $0 + $1.count }))
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
        let content = content
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.byteCount)
        for piece in content.pieces { bytes += piece }
        return bytes
    }

    /// The pieces of ``encoded``, in order.
    package var pieces: [ArraySlice<UInt8>] { content.pieces }

    private var content: Content {
        let parts = layout.resources.map(part)
        let whole = LogRequestLayout.MessageRange(
            whole: layout.bytes.indices, content: layout.bytes.indices)
        switch joined(parts, at: layout.resources.map(\.message), in: whole, field: 1) {
        case .same:
            var content = Content()
            content.append(layout.bytes[...])
            return content
        case .changed(let content): return content
        case .removed: return Content()
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

    /// Returns the number of pieces of a message with these parts. Each part has bytes before it,
    /// and a head.
    private func pieceCount(of parts: [Part]) -> Int {
        parts.reduce(1) {
            if case .changed(let content) = $1 { $0 + content.pieces.count + 2 } else { $0 + 1 }
        }
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
        var content = Content()
        content.pieces.reserveCapacity(pieceCount(of: parts))
        var copied = message.content.lowerBound
        for (part, range) in zip(parts, ranges) {
            if case .same = part { continue }
            content.append(layout.bytes[copied..<range.whole.lowerBound])
            copied = range.whole.upperBound
            guard case .changed(let changed) = part else { continue }
            var head: [UInt8] = []
            head.appendHead(field: field, count: changed.byteCount)
            content.append(head[...])
            content.append(changed)
        }
        content.append(layout.bytes[copied..<message.content.upperBound])
        return .changed(content)
    }
}
