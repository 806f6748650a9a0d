import CallStacks
import SymbolIntake

/// The time when the symbols arrived that made a diagnostic readable.
struct SymbolArrival {
    let catalogue: any Catalogue

    /// The number of images whose files are looked up.
    private static let imageLimit = 50

    /// Returns the time when the last of its symbols arrived, or nothing if some are missing or all
    /// were stored before it was received.
    func facts(
        about diagnostic: SymbolicatedDiagnostic, receivedAt arrival: UnixTime,
        with access: DebugFileAccess
    ) async throws -> [(label: String, value: String)] {
        guard diagnostic.imagesLackingSymbols.app.isEmpty else { return [] }
        let found = diagnostic.images.filter { $0.status == .found && !$0.isOfSystem }
            .prefix(Self.imageLimit)
        let files = Dictionary(
            grouping: try await catalogue.debugFiles(of: found.compactMap(\.image)), by: \.image)
        var last: (time: UnixTime, name: String)?
        for image in found {
            guard let id = image.image else { continue }
            let uploads = files[id, default: []].filter {
                access.includes($0.owner) && $0.isSufficient
            }.map(\.upload)
            guard let first = uploads.min(), first > last?.time ?? arrival else { continue }
            last = (first, image.name ?? id.description)
        }
        guard let last else { return [] }
        return [("Readable since", "\(last.time.pageText), when \(last.name) arrived")]
    }
}
