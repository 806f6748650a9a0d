import ByteReading
public import CallStacks
public import DebugFiles
import SymbolIndexes
public import Symbolication

/// The symbols of one chosen debug file, which may lack an identity.
///
/// Its index is not cached, because a file without an identity cannot be found again.
public actor SingleFileSymbols: SymbolProvider {
    /// The identity for lookups.
    public nonisolated let image: ImageID
    /// Where the code of the image is in the file.
    nonisolated let placement: ImagePlacement
    private let file: DebugFile
    private let name: String
    private var building: Task<SymbolSupply, Never>?

    /// - Parameters:
    ///   - name: The name of the file in errors.
    ///   - standIn: The identity for lookups if the file has none.
    public init(of file: DebugFile, name: String, standIn: ImageID? = nil) {
        self.file = file
        self.name = name
        image = file.id ?? standIn ?? Self.standIn
        placement = file.placement
    }

    /// The placeholder for a missing identity, which no linker creates.
    private static let standIn = ImageID(bytes: [UInt8](repeating: 0xff, count: 16))!

    public func symbols(for image: ImageID) async -> SymbolSupply {
        guard image == self.image else { return .missing }
        if let building { return await building.value }
        let task = Task { [file, name] in await Self.supply(of: file, name: name, standIn: image) }
        building = task
        return await task.value
    }

    private static func supply(
        of file: DebugFile, name: String, standIn: ImageID
    ) async -> SymbolSupply {
        do {
            let built = try await BuiltIndex(of: file, name: name, threads: nil, standIn: standIn)
            return .found(try SymbolIndex(FileBytes(built.bytes)))
        } catch {
            return .corrupt
        }
    }
}
