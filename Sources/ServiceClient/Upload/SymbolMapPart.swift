import ByteReading
import SymbolStores

/// A symbol map to upload, or the property list that refers to it.
struct SymbolMapPart: Sendable {
    /// The name by which the server recognises it, which contains the UUID.
    let name: String
    let bytes: FileBytes

    /// Returns `nil` if the file cannot be read.
    init?(_ file: SymbolMapFile) {
        guard let bytes = try? MappedFile.bytes(of: file.path) else { return nil }
        name = file.part.fileName
        self.bytes = bytes
    }
}
