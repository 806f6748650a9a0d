public import CallStacks
import SymbolIndexes
public import SymbolIntake
import Symbolication

/// Breakpad symbol files of stored images.
public struct BreakpadFiles: Sendable {
    private let symbols: StoredSymbolIndexes
    private let downloads: DebugFileDownloads

    /// - Parameter downloads: Decides which files may be sent.
    public init(_ symbols: StoredSymbolIndexes, downloads: DebugFileDownloads) {
        self.symbols = symbols
        self.downloads = downloads
    }

    /// Returns the text of an image's symbol file, or `nil` if no file of the image may be sent to
    /// the client.
    public func text(of id: DebugID, for access: DebugFileAccess) async throws -> BreakpadText? {
        guard let image = try await symbols.image(with: id, for: access),
            let file = try await downloads.file(of: image, for: access, where: { _ in true })
        else { return nil }
        let name = file.name.split(separator: "/").last.map(String.init) ?? file.name
        let provider = symbols.provider(for: access)
        switch await provider.symbols(for: image) {
        case .found(let index): return try BreakpadText(index, moduleName: name)
        default: return nil
        }
    }
}
