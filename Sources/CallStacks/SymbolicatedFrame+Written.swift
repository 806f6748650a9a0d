extension SymbolicatedFrame {
    /// The file as Apple's formats show it, without its folder; `nil` where none is known.
    package var writtenFile: String? {
        hasUnwrittenFile ? "<compiler-generated>" : file?.name
    }

    /// The distance from the start of the function, or of the code of an inlined call.
    package var writtenDistance: UInt64? { functionDistance ?? callDistance }

    /// The line that the compiler gave the instruction itself. 0 where it gave none: a neighbour's
    /// line would pass for its own.
    package var writtenLine: UInt32 { isApproximate ? 0 : line }

    /// The column that belongs to ``writtenLine``.
    package var writtenColumn: UInt32 { isApproximate ? 0 : column }
}
