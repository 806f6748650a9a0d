extension SymbolicatedFrame {
    /// The file name in Apple's formats, without a folder; `nil` if it is unknown.
    package var fileLabel: String? {
        hasCompilerGeneratedFile ? SourceFile.compilerGeneratedPath : file?.name
    }

    /// The distance from the start of the function, or of the code of an inlined call.
    package var codeDistance: UInt64? { functionDistance ?? callDistance }

    /// The line that the compiler assigned to the instruction itself, or 0 if it assigned none.
    /// Used in formats that cannot mark a line as approximate.
    package var exactLine: UInt32 { isApproximate ? 0 : line }

    /// The column that belongs to ``exactLine``.
    package var exactColumn: UInt32 { isApproximate ? 0 : column }
}
