import CallStacks
import JSONText
import SymbolIntake

/// An image as described in a request, and the identity of the stored image if there is one.
public struct ModuleDescription: Sendable {
    var type: String?
    var debugID: String?
    var codeID: String?
    var codeFile: String?
    var debugFile: String?
    var base: UInt64?
    var size: UInt64?
    var image: ImageID?

    /// The kinds of image that a response may contain; others become `unknown`.
    private static let types: Set<String> = ["macho", "elf", "pe", "pe_dotnet", "wasm"]

    /// Returns `nil` if the value is not an object, or if an address is invalid.
    init?(_ value: JSONValue) {
        guard value.kind == .object else { return nil }
        let type = value["type"]?.string
        self.type = type.flatMap { Self.types.contains($0) ? $0 : nil } ?? "unknown"
        debugID = value["debug_id"]?.string
        codeID = value["code_id"]?.string
        codeFile = value["code_file"]?.string
        debugFile = value["debug_file"]?.string
        for (key, path) in [("image_addr", \Self.base), ("image_size", \Self.size)] {
            guard let number = value[key], number.kind != .null else { continue }
            guard let address = Self.address(number) else { return nil }
            self[keyPath: path] = address
        }
    }

    init(_ image: ListedImage) {
        let isELF = image.id?.hasUUIDLength == false
        type = isELF ? "elf" : "macho"
        debugID = image.id.map { DebugID($0, isBuildID: isELF).hyphenated }
        codeID = image.id?.hex
        codeFile = image.path ?? image.name
        base = image.base?.rawValue
        size = image.size
        self.image = image.id
    }

    /// Reads an address: a number, or a string of decimal digits, or of hexadecimal digits after
    /// `0x`.
    static func address(_ value: JSONValue) -> UInt64? {
        guard let text = value.string else { return value.unsigned }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            return UInt64(text.dropFirst(2), radix: 16)
        }
        return UInt64(text)
    }

    /// Finds the stored image. The code ID of an ELF image is its build ID; the debug ID is only a
    /// part of it.
    ///
    /// Without a stored image, ``image`` is the identity as far as it is known.
    mutating func resolve(
        in symbols: StoredSymbolIndexes, for access: DebugFileAccess
    ) async throws {
        let code = codeID.flatMap { ImageID($0) }
        let id = debugID.flatMap { DebugID($0) }
        if let code, await symbols.contains(code, for: access) {
            image = code
        } else if let id, let stored = try await symbols.image(with: id, for: access) {
            image = stored
        } else {
            image = code ?? id.flatMap { ImageID(bytes: $0.bytes) }
        }
    }

    /// The last component of the path of the code or of the debug file.
    var name: String? {
        (codeFile ?? debugFile)?.split { $0 == "/" || $0 == "\\" }.last.map(String.init)
    }
}
