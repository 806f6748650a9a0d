import CallStacks
import JSONText

extension JSONWriter {
    mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        if let text { string(text) } else { null() }
    }

    mutating func member(_ name: StaticString, _ number: UInt64?) {
        key(name)
        if let number { unsigned(number) } else { null() }
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    mutating func array<Elements: Sequence>(
        _ name: StaticString, _ elements: Elements,
        _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }

    /// The members that every frame has, in a tree or not.
    mutating func members(of row: SymbolicatedFrame) {
        member("image", row.imageName)
        member("uuid", row.image?.description)
        member("offset", row.offset?.rawValue)
        member("address", row.address.map { hex($0.rawValue) })
        member("status", row.status.rawValue)
        member("in_app", row.isInApp)
        member("function", row.function)
        member("mangled", row.mangled)
        member("function_offset", row.functionDistance)
        member("file", row.file?.name)
        member("path", row.file?.path)
        let hasLine = row.file != nil || row.isCompilerGenerated
        member("line", hasLine ? UInt64(row.line) : nil)
        member("column", row.column > 0 ? UInt64(row.column) : nil)
        member("approximate", row.isApproximate)
        member("inlined", row.isInlined)
        member("compiler_generated", row.isCompilerGenerated)
        if let reason = row.reason { member("reason", reason) }
        if !row.remarks.isEmpty { array("remarks", row.remarks) { $0.string($1.rawValue) } }
    }

    /// A frame as a value of its own.
    mutating func frame(_ row: SymbolicatedFrame) {
        beginObject()
        members(of: row)
        endObject()
    }
}
