/// Changes to the records of an encoded request.
package struct LogRequestEdit: Sendable {
    private let layout: LogRequestLayout
    private var changes: [Int: Change] = [:]
    /// Whether records were removed. Scopes and resources without records are then omitted.
    private var isShorter = false

    private enum Change {
        /// The pieces of the encoded record, and their size in bytes.
        case replaced([ArraySlice<UInt8>], count: Int)
        case removed
    }

    package init(of layout: LogRequestLayout) { self.layout = layout }

    /// - Parameter record: The pieces of the encoded record.
    package mutating func replace(at position: Int, with record: [ArraySlice<UInt8>]) {
        changes[position] = .replaced(record, count: record.reduce(0) { $0 + $1.count })
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
        switch state(of: .request) {
        case .same: return layout.bytes
        case .removed: return []
        case .changed(let count):
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count)
            write(.request, to: &bytes)
            return bytes
        }
    }
}

extension LogRequestEdit {
    /// The request, or a message in it.
    private enum Node {
        case request
        case resource(LogRequestLayout.ResourceRanges)
        case scope(LogRequestLayout.ScopeRanges)
        /// The record at a position.
        case record(Int)

        /// The number of the field that contains it.
        var field: UInt8 {
            switch self {
            case .request, .resource: 1
            case .scope, .record: 2
            }
        }
    }

    /// What the changes make of a message.
    private enum State {
        case same
        /// Its content has another size, in bytes.
        case changed(count: Int)
        case removed
    }

    private func range(of node: Node) -> LogRequestLayout.MessageRange {
        switch node {
        case .request:
            LogRequestLayout.MessageRange(
                whole: layout.bytes.indices, content: layout.bytes.indices)
        case .resource(let resource): resource.message
        case .scope(let scope): scope.message
        case .record(let position): layout.records[position]
        }
    }

    private func forEachChild(of node: Node, _ body: (Node) -> Void) {
        switch node {
        case .request: for resource in layout.resources { body(.resource(resource)) }
        case .resource(let resource):
            for scope in layout.scopes[resource.scopes] { body(.scope(scope)) }
        case .scope(let scope): for position in scope.records { body(.record(position)) }
        case .record: break
        }
    }

    private func state(of node: Node) -> State {
        if case .record(let position) = node {
            return switch changes[position] {
            case .replaced(_, let count): .changed(count: count)
            case .removed: .removed
            case nil: .same
            }
        }
        var count = range(of: node).content.count
        var (isSame, isEmpty) = (true, true)
        forEachChild(of: node) { child in
            let state = state(of: child)
            if case .same = state {
            } else {
                isSame = false
                count -= range(of: child).whole.count
            }
            if case .removed = state {} else { isEmpty = false }
            if case .changed(let size) = state { count += fieldSize(count: size) }
        }
        if isShorter, isEmpty { return .removed }
        return isSame ? .same : .changed(count: count)
    }

    /// Writes the content of a changed message, and copies what is unchanged, so that the bytes of
    /// nested messages are copied only once.
    private func write(_ node: Node, to bytes: inout [UInt8]) {
        if case .record(let position) = node {
            guard case .replaced(let pieces, _) = changes[position] else { return }
            for piece in pieces { bytes += piece }
            return
        }
        let content = range(of: node).content
        var copied = content.lowerBound
        forEachChild(of: node) { child in
            let state = state(of: child)
            if case .same = state { return }
            let range = range(of: child).whole
            bytes += layout.bytes[copied..<range.lowerBound]
            copied = range.upperBound
            guard case .changed(let count) = state else { return }
            bytes.appendHead(field: child.field, count: count)
            write(child, to: &bytes)
        }
        bytes += layout.bytes[copied..<content.upperBound]
    }
}
