public import CallStacks
import ErrorDescriptions
import Problems
import SymbolStores
public import Symbolication
import Synchronization

/// Provides local symbols, and those of a server for images that have none locally.
///
/// The server only receives identities of images, and offsets in images that it has. After a
/// failure it gets no further requests.
public actor RemoteSymbolProvider: SymbolProvider {
    private let connection: ServerConnection
    private let local: any SymbolProvider
    private let findsNearestLine: Bool
    private let waitLimit: Duration
    /// The state of requested images on the server.
    private var known: [ImageID: ServerImage] = [:]
    /// The names of the debug files of requested images on the server.
    private let fileNames = Mutex<[ImageID: String]>([:])
    /// The end of the waiting time, which starts at the first wait.
    private var deadline: ContinuousClock.Instant?
    /// Why no further requests are sent to the server.
    public private(set) var failure: ServerRequestError?

    static let firstPollDelay = Duration.milliseconds(500)
    static let pollDelayLimit = Duration.seconds(5)

    /// - Parameters:
    ///   - findsNearestLine: Whether code without a line gets the nearest line of its function.
    ///   - waitLimit: The total waiting time of ``waitForSymbols(of:)``.
    public init(
        asking connection: ServerConnection, beyond local: any SymbolProvider,
        findsNearestLine: Bool,
        waitLimit: Duration
    ) {
        self.connection = connection
        self.local = local
        self.findsNearestLine = findsNearestLine
        self.waitLimit = waitLimit
    }

    /// Returns an image's state on the server, or `nil` if its symbols are local or missing.
    public func image(_ image: ImageID) async -> ServerImage? {
        await images([image])[image]
    }

    /// Returns the state of several images on the server, with one request for all of them.
    public func images(_ images: [ImageID]) async -> [ImageID: ServerImage] {
        let unknown = images.filter { known[$0] == nil }
        let here = await FetchedSymbols(of: unknown, from: local)
        await ask(about: unknown.filter { !here[$0].hasDebugInformation })
        var found: [ImageID: ServerImage] = [:]
        for image in images {
            if let remote = known[image], remote.hasSymbols { found[image] = remote }
        }
        return found
    }

    public nonisolated func imageName(of image: ImageID) -> String? {
        if let name = local.imageName(of: image) { return name }
        return fileNames.withLock { $0[image] }.map { SymbolStores.imageName(ofDebugFile: $0) }
    }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        await symbols(for: image, at: [])
    }

    public func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
        let supply = await local.symbols(for: image, at: offsets)
        if supply.hasDebugInformation { return supply }
        if known[image] == nil { await ask(about: [image]) }
        guard let remote = known[image], isBetter(remote.status, than: supply) else {
            return supply
        }
        guard remote.hasSymbols else { return .corrupt }
        guard failure == nil else { return supply }
        do {
            let (now, results) = try await connection.results(
                remote, at: offsets, findingNearestLine: findsNearestLine)
            known[image] = now
            if now.hasSymbols { return .remote(results.symbols) }
            return now.status == .corrupt ? .corrupt : supply
        } catch {
            record(error)
            return supply
        }
    }

    public func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply {
        await local.symbols(replacingDamagedIndexOf: image)
    }

    /// Whether the server's symbols of an image are better than the local ones.
    private func isBetter(_ status: ImageStatus.State, than supply: SymbolSupply) -> Bool {
        switch (status, supply) {
        case (.found, _), (.noDebugInfo, .missing), (.noDebugInfo, .corrupt), (.corrupt, .missing):
            true
        default: false
        }
    }

    /// Waits until the server has symbols for any of these missing images.
    ///
    /// - Returns: Whether the server has them; `false` if the time is up or the server failed.
    public func waitForSymbols(of images: [ImageID]) async -> Bool {
        let deadline = deadline ?? .now + waitLimit
        self.deadline = deadline
        var delay = Self.firstPollDelay
        while failure == nil {
            if images.contains(where: { known[$0]?.hasSymbols == true }) { return true }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero, (try? await Task.sleep(for: min(delay, left))) != nil
            else { return false }
            delay = min(delay * 2, Self.pollDelayLimit)
            await ask(about: images)
        }
        return false
    }

    private func ask(about images: [ImageID]) async {
        guard failure == nil, !images.isEmpty else { return }
        do {
            for remote in try await connection.images(images) {
                known[remote.image] = remote
                if let name = remote.name { fileNames.withLock { $0[remote.image] = name } }
            }
        } catch {
            record(error)
        }
    }

    private func record(_ error: any Error) {
        failure =
            failure ?? error as? ServerRequestError
            ?? ServerRequestError(
                .unreachable,
                problem: Problem(connection.address.url, detail: ErrorDescription.text(of: error)))
    }

    /// Whether the server has symbols for an image but cannot read them.
    public func isDamaged(_ image: ImageID) -> Bool { known[image]?.status == .corrupt }

    /// Closes all connections.
    public func close() async { await connection.close() }
}
