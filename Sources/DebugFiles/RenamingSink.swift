public import CallStacks

/// A sink that replaces placeholders with the names in a ``BitcodeSymbolMap`` and forwards the
/// records.
public struct RenamingSink<Base: DebugRecordSink>: DebugRecordSink {
    public private(set) var base: Base
    private let map: BitcodeSymbolMap

    public init(_ base: Base, names map: BitcodeSymbolMap) {
        self.base = base
        self.map = map
    }

    public mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        let map = map
        return map.withName(of: utf8) { base.number(ofName: $0) }
    }

    public mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        let map = map
        return map.withName(of: name) { name in
            map.withName(of: folder) { base.number(ofFile: name, folder: $0) }
        }
    }

    public mutating func add(_ function: FunctionRecord) { base.add(function) }
    public mutating func add(_ symbol: SymbolRecord) { base.add(symbol) }
    public mutating func add(rowsWithoutFunction rows: [LineRow]) {
        base.add(rowsWithoutFunction: rows)
    }
    public mutating func add(functionStart: ImageOffset) { base.add(functionStart: functionStart) }
}

extension RenamingSink: Sendable where Base: Sendable {}
