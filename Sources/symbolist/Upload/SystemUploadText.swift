import CallStacks
import ServiceClient
import StackRendering
import SymbolStores

/// The text that `upload --system` prints: a line per image, then a summary.
struct SystemUploadText {
    private let result: SystemUpload.Result
    private let list: SystemImageList
    private let statedSystem: SystemBuild?
    private let choice: SystemUpload.Choice
    private let isDryRun: Bool

    /// - Parameter statedSystem: The system that the user names, or `nil`.
    init(
        _ result: SystemUpload.Result, of list: SystemImageList, statedSystem: SystemBuild?,
        choice: SystemUpload.Choice, isDryRun: Bool
    ) {
        self.result = result
        self.list = list
        self.statedSystem = statedSystem
        self.choice = choice
        self.isDryRun = isDryRun
    }

    var lines: String {
        let rows = result.rows.filter { $0.problem == nil }.map(columns) + absent.map(columns)
        return (rows + [summary]).map { Console.oneLine($0) + "\n" }.joined()
    }

    private var absent: [MissingSystemImage] { result.absent }

    /// Returns `sent     UIKitCore   arm64e  A0E1CEFB-…  173262 functions  10 MB`.
    private func columns(_ row: SystemUpload.Row) -> String {
        columns(
            isDryRun ? "to send" : "sent", row.image.name, row.image.architecture.name,
            row.image.id,
            "\(counted(row.functionCount, "function"))  \(UploadText.size(Int64(row.byteCount)))")
    }

    /// Returns `absent   Foundation  arm64e  …  wanted by 812 reports of iPhone OS 18.0 (22A3370)`.
    private func columns(_ image: MissingSystemImage) -> String {
        let waits = image.waits.map {
            "\(counted($0.diagnosticCount, "report")) of \($0.system.nameAndBuild)"
        }
        return columns(
            "absent", image.name ?? "–", image.waits.first?.system.architecture ?? "", image.id,
            "wanted by \(waits.joined(separator: ", "))")
    }

    private func columns(
        _ status: String, _ name: String, _ architecture: String, _ id: ImageID, _ end: String
    ) -> String {
        let columns = [
            UploadText.padded(status, to: 7), UploadText.padded(name, to: nameWidth),
            UploadText.padded(architecture, to: 6), UploadText.padded(id.description, to: 36), end,
        ]
        return columns.joined(separator: "  ")
    }

    private var nameWidth: Int {
        let names = result.rows.map(\.image.name) + absent.compactMap(\.name)
        return min(names.map(\.count).max() ?? 0, Self.nameWidthLimit)
    }

    private static let nameWidthLimit = 40

    /// Returns `iPhone OS 26.1 (23B85), 3,512 images: 9 wanted, 9 sent (41 MB → 12 MB)`.
    private var summary: String {
        let count = list.images.count
        let start = "\(systems), \(grouped(count)) \(count == 1 ? "image" : "images")"
        guard result.chosenCount > 0 else {
            return "\(start): the server needs none of them" + awaited
        }
        let outcome =
            isDryRun ? "\(stored) to send (\(size))" : "\(stored) sent (\(size) → \(packedSize))"
        return "\(start): \(grouped(result.chosenCount)) \(reason), \(outcome)"
    }

    /// The systems of the images, each once.
    private var systems: String {
        if let statedSystem { return statedSystem.nameAndBuild }
        var seen: Set<String> = []
        let names = list.caches.map { $0.system?.nameAndBuild ?? $0.systemName }
            .filter { seen.insert($0).inserted }
        return names.isEmpty ? list.systemNames : names.joined(separator: ", ")
    }

    /// Why the images were chosen.
    private var reason: String {
        switch choice {
        case .wanted: "wanted"
        case .all: "missing"
        case .only: "selected"
        }
    }

    private var stored: String { grouped(result.rows.count { $0.problem == nil }) }

    private var size: String {
        UploadText.size(result.rows.reduce(0) { $0 + Int64($1.byteCount) })
    }

    private var packedSize: String { UploadText.size(result.packedByteCount) }

    /// Returns `; waits for iPhone OS 18.6 (22G86) arm64e: 9 images`, or an empty string if the
    /// server waits for no images.
    private var awaited: String {
        let parts = result.awaitedSystems.prefix(Self.awaitedCount).map { awaited in
            let system = awaited.system
            let name = [system.nameAndBuild, system.architecture].filter { !$0.isEmpty }
            return "\(name.joined(separator: " ")): \(counted(awaited.images.count, "image"))"
        }
        return parts.isEmpty ? "" : "; waits for " + parts.joined(separator: ", ")
    }

    /// The maximum number of systems in the summary.
    private static let awaitedCount = 8
}

extension SystemBuild {
    /// `iPhone OS 18.1 (22B83)`, without the parts that are unknown.
    fileprivate var nameAndBuild: String {
        [name, build.isEmpty ? "" : "(\(build))"].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
