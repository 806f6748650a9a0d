/// The widths of the fields of a scope record, in bits.
struct ScopeRecord: Equatable, Sendable {
    var distanceBits = 0
    var nameBits = 0
    var fileBits = 0
    var lineBits = 0
    var columnBits = 0
    /// The size of a record in bytes.
    var size = 1

    /// The number of bits for a function's start, or the location of a call.
    var siteBits: Int { fileBits + lineBits + columnBits }

    var bits: Int { distanceBits + nameBits + siteBits }

    /// The fields of a record, one after another.
    struct Fields: Equatable {
        var distance: UInt64
        var name: UInt64
        /// The file + 1, line and column of a call, or `start >> scale` of a function.
        var site: UInt64
    }

    func packed(_ fields: Fields) -> UInt128 {
        UInt128(fields.distance) | UInt128(fields.name) &<< UInt128(distanceBits)
            | UInt128(fields.site) &<< UInt128(distanceBits + nameBits)
    }

    func site(file: UInt64, line: UInt64, column: UInt64) -> UInt64 {
        file | line << UInt64(fileBits) | column << UInt64(fileBits + lineBits)
    }

    func fits(column: UInt32) -> Bool { column.bitsNeeded <= columnBits }
}
