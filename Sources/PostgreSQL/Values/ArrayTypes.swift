extension ColumnType {
    /// A one-dimensional array without nulls, for instance for `unnest($1)`.
    ///
    /// - Parameter element: A type that is not an array itself.
    public static func array<Element>(of element: ColumnType<Element>) -> Self
    where Value == [Element] {
        let format = ArrayFormat(element: element)
        return Self(
            name: "\(element.name)[]", oid: format.oid, arrayOID: nil,
            write: { values, writer throws(ValueProblem) in
                try format.write(values.lazy.map { $0 }, hasNulls: false, to: &writer)
            },
            read: { reader throws(ValueProblem) in
                var values: [Element] = []
                try format.read(from: &reader) { value throws(ValueProblem) in
                    guard let value else { throw ValueProblem("has a null element") }
                    values.append(value)
                }
                return values
            })
    }

    /// A one-dimensional array in which elements can be null.
    ///
    /// - Parameter element: A type that is not an array itself.
    public static func nullableArray<Element>(of element: ColumnType<Element>) -> Self
    where Value == [Element?] {
        let format = ArrayFormat(element: element)
        return Self(
            name: "\(element.name)[]", oid: format.oid, arrayOID: nil,
            write: { values, writer throws(ValueProblem) in
                try format.write(values, hasNulls: values.contains { $0 == nil }, to: &writer)
            },
            read: { reader throws(ValueProblem) in
                var values: [Element?] = []
                try format.read(from: &reader) { value throws(ValueProblem) in
                    values.append(value)
                }
                return values
            })
    }
}

/// The binary format of an array: the number of dimensions, whether there are nulls, the elements'
/// type, for each dimension its length and first index, and the elements, each after its length, or
/// -1 for null.
private struct ArrayFormat<Element>: Sendable {
    let element: ColumnType<Element>
    let oid: UInt32

    init(element: ColumnType<Element>) {
        guard let oid = element.arrayOID else {
            preconditionFailure("element: \(element.name) is an array itself")
        }
        self.element = element
        self.oid = oid
    }

    func write(
        _ values: some Collection<Element?>, hasNulls: Bool, to writer: inout ValueWriter
    ) throws(ValueProblem) {
        writeHeader(count: values.count, hasNulls: hasNulls, to: &writer)
        for value in values {
            guard let value else {
                writer.append(Int32(-1))
                continue
            }
            try writer.appendSized { writer throws(ValueProblem) in
                try element.write(value, &writer)
            }
        }
    }

    private func writeHeader(count: Int, hasNulls: Bool, to writer: inout ValueWriter) {
        writer.append(Int32(count == 0 ? 0 : 1))
        writer.append(Int32(hasNulls ? 1 : 0))
        writer.append(element.oid)
        if count > 0 {
            writer.append(Int32(clamping: count))
            writer.append(Int32(1))
        }
    }

    func read(
        from reader: inout ValueReader, _ body: (Element?) throws(ValueProblem) -> Void
    ) throws(ValueProblem) {
        for _ in 0..<(try readHeader(from: &reader)) {
            let length = try reader.number(Int32.self)
            guard length >= 0 else {
                try body(nil)
                continue
            }
            try body(try element.value(of: try reader.take(Int(length))))
        }
    }

    /// Returns the number of elements.
    private func readHeader(from reader: inout ValueReader) throws(ValueProblem) -> Int {
        let dimensions = try reader.number(Int32.self)
        _ = try reader.number(Int32.self)
        let type = try reader.number(UInt32.self)
        guard type == element.oid else {
            throw ValueProblem("has elements of type \(type), not \(element.name)")
        }
        guard dimensions != 0 else { return 0 }
        guard dimensions == 1 else { throw ValueProblem("has \(dimensions) dimensions, not 1") }
        let count = try reader.number(Int32.self)
        _ = try reader.number(Int32.self)
        // Each element has a length of 4 bytes at least, so a false count cannot cause a long loop.
        guard count >= 0, Int(count) <= reader.bytes.count / 4 else {
            throw ValueProblem("is truncated")
        }
        return Int(count)
    }
}
