public import CallStacks
import ErrorDescriptions
public import Symbolication

/// Symbols of this machine, and those of a server where this machine has none.
///
/// The server is told identities of images and offsets in those that it has, and nothing else. After
/// a failure it is not asked again.
public actor ServerSymbols: SymbolProvider {
    private let connection: ServerConnection
    private let local: any SymbolProvider
    private let fillsGaps: Bool
    private let waitLimit: Duration
    /// What the server said of images that it was asked about.
    private var known: [ImageID: ServerImage] = [:]
    /// When the time to wait is over; it begins with the first wait.
    private var deadline: ContinuousClock.Instant?
    /// Why the server is not asked any more.
    public private(set) var failure: ServerError?

    static let firstPollDelay = Duration.milliseconds(500)
    static let pollDelayLimit = Duration.seconds(5)

    /// - Parameters:
    ///   - fillsGaps: As ``Symbolication/ExactLookup`` does.
    ///   - waitLimit: How long ``arrival(of:)`` waits in all.
    public init(
        asking connection: ServerConnection, beyond local: any SymbolProvider, fillsGaps: Bool,
        waitLimit: Duration = .zero
    ) {
        self.connection = connection
        self.local = local
        self.fillsGaps = fillsGaps
        self.waitLimit = waitLimit
    }

    /// What the server has of an image; `nil` where this machine has the symbols itself, and where the
    /// server has nothing.
    public func image(_ image: ImageID) async -> ServerImage? {
        await images([image])[image]
    }

    /// The same of several images, about which the server is asked together.
    public func images(_ images: [ImageID]) async -> [ImageID: ServerImage] {
        let unknown = images.filter { known[$0] == nil }
        let here = await FetchedSymbols(of: unknown, from: local)
        await ask(about: unknown.filter { !here[$0].holdsDebugInformation })
        var found: [ImageID: ServerImage] = [:]
        for image in images {
            if let answer = known[image], answer.hasSymbols { found[image] = answer }
        }
        return found
    }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        await symbols(for: image, at: [])
    }

    public func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
        let supply = await local.symbols(for: image, at: offsets)
        if supply.holdsDebugInformation { return supply }
        if known[image] == nil { await ask(about: [image]) }
        guard let answer = known[image], isBetter(answer.status, than: supply) else {
            return supply
        }
        guard answer.hasSymbols else { return .corrupt }
        guard failure == nil else { return supply }
        do {
            let (now, answers) = try await connection.answers(
                answer, at: offsets, fillingGaps: fillsGaps)
            known[image] = now
            if now.hasSymbols { return .answered(answers.symbols) }
            return now.status == .corrupt ? .corrupt : supply
        } catch {
            note(error)
            return supply
        }
    }

    public func symbols(insteadOfDamagedFor image: ImageID) async -> SymbolSupply {
        await local.symbols(insteadOfDamagedFor: image)
    }

    /// Whether what a server has of an image says more than what is here.
    private func isBetter(_ status: ImageReport.Status, than supply: SymbolSupply) -> Bool {
        switch (status, supply) {
        case (.found, _), (.noDebugInfo, .missing), (.noDebugInfo, .corrupt), (.corrupt, .missing):
            true
        default: false
        }
    }

    /// Waits until symbols of some of these images, which are missing, have arrived at the server.
    ///
    /// - Returns: Whether they have; otherwise there is no time left, or the server failed.
    public func arrival(of images: [ImageID]) async -> Bool {
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
            for answer in try await connection.images(images) { known[answer.image] = answer }
        } catch {
            note(error)
        }
    }

    private func note(_ error: any Error) {
        failure =
            failure ?? error as? ServerError
            ?? ServerError(
                .unreachable, "\(connection.address): \(ErrorDescription.text(of: error))")
    }

    /// Whether the server has symbols of an image that it cannot read.
    public func isDamaged(_ image: ImageID) -> Bool { known[image]?.status == .corrupt }

    /// Ends all connections.
    public func close() async { await connection.close() }
}
