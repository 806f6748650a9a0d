import Archives
import ByteReading
public import CallStacks
import ErrorDescriptions
import Glibc
import Problems
import SharedCaches
public import SymbolStores

/// Uploads the symbols of system images that a service lacks.
///
/// For each system the service receives one query about all its images, and one archive. A cache
/// takes gigabytes, but a service needs only some megabytes of symbols from it.
public struct SystemUpload: Sendable {
    /// The images to upload.
    public enum Choice: Sendable {
        /// The images with frames in stored diagnostics.
        case wanted
        /// The images that the service does not have.
        case all
        /// These images, whether or not the service has them.
        case only(Set<ImageID>)
    }

    /// The result for one image.
    public struct Row: Sendable {
        public let image: SystemImage
        public let functionCount: Int
        /// The size of the extracted file in bytes.
        public let byteCount: Int
        /// Whether the file has all symbols of the image, and not only the exported ones.
        public let hasAllSymbols: Bool
        /// Why it was not stored, or `nil` if it was.
        public let problem: String?
    }

    /// The result of an upload.
    public struct Result: Sendable {
        /// One row for each image that could be read.
        public var rows: [Row] = []
        /// The number of images to upload, including those that could not be read.
        public var chosenCount = 0
        /// Images that could not be read, at least in part.
        public var problems: [SymbolStoreError] = []
        public var packedByteCount: Int64 = 0
        /// The systems with images that diagnostics wait for and that are not in the list. The
        /// service returns them for ``Choice/wanted`` only.
        public var awaitedSystems: [AwaitedSystem] = []

        /// The images of ``awaitedSystems``.
        public var absent: [MissingSystemImage] { MissingSystemImage.images(of: awaitedSystems) }
    }

    private let list: SystemImageList
    private let connection: ServerConnection
    private let statedSystem: SystemBuild?
    private let filter: PathFilter
    private let isDryRun: Bool

    /// - Parameters:
    ///   - statedSystem: The system of all images, or `nil` to use the systems in the names of
    ///     their folders.
    ///   - filter: A filter for the images, by the path of their cache or file followed by their
    ///     own.
    ///   - isDryRun: Whether to ask what is missing, but send nothing.
    public init(
        _ list: SystemImageList, to connection: ServerConnection,
        comingWith statedSystem: SystemBuild?, choosing filter: PathFilter,
        isDryRun: Bool
    ) {
        self.list = list
        self.connection = connection
        self.statedSystem = statedSystem
        self.filter = filter
        self.isDryRun = isDryRun
    }

    /// - Throws: ``ServerRequestError`` if the service refuses or cannot be reached, and ``UploadError``
    ///   if the archive cannot be created.
    public func run(_ choice: Choice) async throws -> Result {
        var result = Result()
        for (system, images) in imagesBySystem {
            try await upload(choice, among: images, of: system, result: &result)
        }
        result.awaitedSystems = result.awaitedSystems.without(Set(list.images.map(\.id)))
        result.rows.sort { $0.image.name < $1.image.name }
        result.problems.sort { ($0.problem.subject ?? "") < ($1.problem.subject ?? "") }
        return result
    }

    /// The images by system, in their original order.
    private var imagesBySystem: [(system: SystemBuild?, images: [SystemImage])] {
        var groups: [(system: SystemBuild?, images: [SystemImage])] = []
        for image in list.images where filter.contains(image.displayPath) {
            let system = statedSystem ?? image.system
            if let index = groups.firstIndex(where: { $0.system == system }) {
                groups[index].images.append(image)
            } else {
                groups.append((system, [image]))
            }
        }
        return groups
    }

    private func upload(
        _ choice: Choice, among images: [SystemImage], of system: SystemBuild?,
        result: inout Result
    ) async throws {
        let chosen = try await chosen(choice, among: images, of: system, result: &result)
        guard !chosen.isEmpty else { return }
        result.chosenCount += chosen.count
        let (cuts, problems) = cut(chosen)
        result.problems += problems
        guard !cuts.isEmpty else { return }
        guard !isDryRun else {
            result.rows += cuts.map { Row($0, problem: nil) }
            return
        }
        let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        let file = try CompressedCopy(
            packing: cuts.map { ("\($0.image.id).macho", FileBytes($0.bytes)) }, in: folder)
        let slices = try await connection.upload(system: file, of: system)
        result.rows += cuts.map { row(of: $0, slices: slices) }
        result.packedByteCount += file.byteCount
    }

    private func chosen(
        _ choice: Choice, among images: [SystemImage], of system: SystemBuild?,
        result: inout Result
    ) async throws -> [SystemImage] {
        let isWanted: Bool
        switch choice {
        case .wanted: isWanted = true
        case .all: isWanted = false
        case .only(let ids): return images.filter { ids.contains($0.id) }
        }
        // A query with a system makes the service record it for the images that it has, so a dry
        // run must not send it.
        let missing = try await connection.missing(
            amongSystem: images.map(\.id), isWanted: isWanted, of: isDryRun ? nil : system)
        result.awaitedSystems = missing.awaitedSystems
        return images.filter { missing.images.contains($0.id) }
    }

    fileprivate struct Cut {
        let image: SystemImage
        let bytes: [UInt8]
        let functionCount: Int
        let hasAllSymbols: Bool
    }

    private func cut(_ images: [SystemImage]) -> ([Cut], [SymbolStoreError]) {
        var cuts: [Cut] = []
        var problems: [SymbolStoreError] = []
        for image in images {
            do throws(SymbolStoreError) {
                let cut = try image.cut()
                cuts.append(
                    Cut(
                        image: image, bytes: cut.bytes, functionCount: cut.functionCount,
                        hasAllSymbols: cut.isComplete))
                problems += cut.problems.map {
                    SymbolStoreError(image.displayPath, detail: $0.line)
                }
            } catch { problems.append(error) }
            list.releasePages()
        }
        return (cuts, problems)
    }

    private func row(of cut: Cut, slices: [StoredSlice]) -> Row {
        let slice = slices.first { $0.image == cut.image.id }
        let isStored = ["indexed", "stored", "duplicate"].contains(slice?.status)
        return Row(
            cut,
            problem: isStored ? nil : slice?.reason ?? "the server does not name it in its response"
        )
    }
}

extension SystemUpload.Row {
    fileprivate init(_ cut: SystemUpload.Cut, problem: String?) {
        self.init(
            image: cut.image, functionCount: cut.functionCount, byteCount: cut.bytes.count,
            hasAllSymbols: cut.hasAllSymbols, problem: problem)
    }
}

extension ServerConnection {
    /// Returns those of the given system images that the service does not have, and the systems with
    /// other images that its diagnostics wait for.
    ///
    /// - Parameters:
    ///   - isWanted: Whether to return only images with frames in stored diagnostics.
    ///   - system: The system of the images, which the service records for those that it has.
    func missing(
        amongSystem images: [ImageID], isWanted: Bool, of system: SystemBuild?
    ) async throws -> MissingImageResponse {
        var missing = MissingImageResponse()
        for start in stride(from: 0, to: images.count, by: Self.systemQuestionLimit) {
            let asked = images[start..<min(start + Self.systemQuestionLimit, images.count)]
            let response = try await self.missing(
                of: asked, query: system?.query ?? [], isWanted: isWanted)
            missing.images.formUnion(response.images)
            missing.awaitedSystems = response.awaitedSystems
        }
        return missing
    }

    /// The maximum number of identities in one query, which is enough for any cache.
    private static let systemQuestionLimit = 10_000

    func upload(
        system file: CompressedCopy, of system: SystemBuild?
    ) async throws -> [StoredSlice] {
        try await upload(
            file, query: [(name: "name", value: "system.tar.zst")] + (system?.query ?? []))
    }
}

extension SystemBuild {
    fileprivate var query: [(name: String, value: String)] {
        [(name: "os", value: name), (name: "os_build", value: build)]
    }
}
