public import struct FoundationEssentials.UUID

extension ColumnType<Bool> {
    public static var bool: Self {
        Self(
            name: "bool", oid: 16, arrayOID: 1000,
            write: { value, writer in writer.append(UInt8(value ? 1 : 0)) },
            read: { reader throws(ValueProblem) in try reader.number(UInt8.self) != 0 })
    }
}

extension ColumnType where Value: FixedWidthInteger & Sendable {
    fileprivate init(integer name: String, oid: UInt32, arrayOID: UInt32) {
        self.init(
            name: name, oid: oid, arrayOID: arrayOID,
            write: { value, writer in writer.append(value) },
            read: { reader throws(ValueProblem) in try reader.number() })
    }
}

extension ColumnType<Int16> {
    public static var int2: Self { Self(integer: "int2", oid: 21, arrayOID: 1005) }
}

extension ColumnType<Int32> {
    public static var int4: Self { Self(integer: "int4", oid: 23, arrayOID: 1007) }
}

extension ColumnType<Int64> {
    public static var int8: Self { Self(integer: "int8", oid: 20, arrayOID: 1016) }
}

extension ColumnType<Double> {
    public static var float8: Self {
        Self(
            name: "float8", oid: 701, arrayOID: 1022,
            write: { value, writer in writer.append(value.bitPattern) },
            read: { reader throws(ValueProblem) in Double(bitPattern: try reader.number()) })
    }
}

extension ColumnType<String> {
    /// Text without NUL characters, which the server cannot store. Also reads `varchar`, `char(n)`
    /// and `name`.
    public static var text: Self {
        Self(
            name: "text", oid: 25, arrayOID: 1009, aliases: [1043, 1042, 19],
            write: { value, writer throws(ValueProblem) in
                guard !value.utf8.contains(0) else {
                    throw ValueProblem("contains a NUL character")
                }
                writer.append(contentsOf: value.utf8)
            },
            read: { reader throws(ValueProblem) in
                guard let text = String(validating: reader.takeAll(), as: UTF8.self) else {
                    throw ValueProblem("is not valid UTF-8")
                }
                return text
            })
    }
}

extension ColumnType<[UInt8]> {
    public static var bytea: Self {
        Self(
            name: "bytea", oid: 17, arrayOID: 1001,
            write: { value, writer in writer.append(contentsOf: value) },
            read: { reader in Array(reader.takeAll()) })
    }
}

extension ColumnType<UUID> {
    public static var uuid: Self {
        Self(
            name: "uuid", oid: 2950, arrayOID: 2951,
            write: { value, writer in
                let (high, low) = value.words
                writer.append(high)
                writer.append(low)
            },
            read: { reader throws(ValueProblem) in
                UUID(high: try reader.number(), low: try reader.number())
            })
    }
}

extension ColumnType<Timestamp> {
    public static var timestamptz: Self {
        Self(
            name: "timestamptz", oid: 1184, arrayOID: 1185,
            write: { value, writer in writer.append(value.microsecondsSince2000) },
            read: { reader throws(ValueProblem) in
                Timestamp(microsecondsSince2000: try reader.number())
            })
    }
}
