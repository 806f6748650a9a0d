import ByteReading
import Decompression
import ELF

// Some distributions, such as Fedora, strip programs but keep the names of functions
// (MiniDebugInfo): an ELF file with only a symbol table, as an xz stream in `.gnu_debugdata`.

extension ELFImage {
    /// The maximum size of the file in `.gnu_debugdata`, in bytes: two million symbols with names of
    /// a hundred bytes.
    private static let packedFileLimit: UInt64 = 256 << 20

    /// Returns `.symtab`, or else `.dynsym` and the table in `.gnu_debugdata`, which has the functions
    /// that `.dynsym` lacks.
    func symbolTables() -> [Result<CodeSymbols, ReadingError>] {
        let own = Result { () throws(ReadingError) in try symbols() }
        if let symbols = try? own.get(), symbols.isFull { return [.success(CodeSymbols(symbols))] }
        let packed = Result { () throws(ReadingError) in try packedSymbols() }
        return [
            Self.table(own, isPacked: false), Self.table(packed, isPacked: true),
        ].compactMap(\.self)
    }

    private static func table(
        _ symbols: Result<ELFSymbols?, ReadingError>, isPacked: Bool
    ) -> Result<CodeSymbols, ReadingError>? {
        switch symbols {
        case .success(let symbols):
            symbols.map { .success(CodeSymbols($0, isPacked: isPacked)) }
        case .failure(let error): .failure(error)
        }
    }

    private func packedSymbols() throws(ReadingError) -> ELFSymbols? {
        guard let stream = try packedSymbolFile() else { return nil }
        do {
            let file = try XZStream(stream).inflated(limit: Self.packedFileLimit)
            return try ELFImage(file.named("file")).symbols()
        } catch {
            let isInside = error.subject != stream.subject
            let subject = isInside ? "\(error.subject) in \(stream.subject)" : stream.subject
            let problem = "\(error.reason): add the debug file of the same build"
            throw ReadingError(.malformed(problem), in: subject, at: error.offset)
        }
    }
}

extension CodeSymbols {
    fileprivate init(_ symbols: ELFSymbols, isPacked: Bool = false) {
        self.init(names: symbols.names, isFull: symbols.isFull, isPacked: isPacked) {
            body throws(ReadingError) in
            try symbols.forEach { symbol in
                body(
                    CodeSymbol(
                        name: symbol.name, address: symbol.address, size: symbol.size,
                        rank: symbol.rank))
            }
        }
    }
}
