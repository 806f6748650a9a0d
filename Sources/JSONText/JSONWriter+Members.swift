extension JSONWriter {
    public mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        if let text { string(text) } else { null() }
    }

    public mutating func member(_ name: StaticString, _ number: UInt64?) {
        key(name)
        if let number { unsigned(number) } else { null() }
    }

    public mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    public mutating func array<Elements: Sequence>(
        _ name: StaticString, _ elements: Elements,
        _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }
}
