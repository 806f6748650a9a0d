import Algorithms
public import CallStacks
import JSONText
public import SymbolIntake

extension StackTraceQuery {
    /// Finds the stored images of the modules.
    public mutating func resolveModules(
        in symbols: StoredSymbolIndexes, for access: DebugFileAccess
    ) async throws {
        for number in modules.indices {
            try await modules[number].resolve(in: symbols, for: access)
        }
    }

    /// The identities of the modules.
    public var images: [ImageID] { modules.compactMap(\.image) }

    /// Returns the query as a diagnostic, whose stacks have the innermost frame first.
    ///
    /// - Parameter architectureOf: Returns the architecture of an image's debug file, if there is
    ///   one. Requests do not name it, and addresses on 32-bit ARM may have a Thumb bit.
    public func diagnostic(
        architectureOf: (ImageID) -> Architecture? = { _ in nil }
    ) -> Diagnostic {
        let table = ModuleTable(modules)
        let hasThumbBits = modules.map { module in
            module.image.flatMap(architectureOf)?.marksThumbInAddresses == true
        }
        var tree = CallStackTree(form: .threads)
        for (number, thread) in threads.enumerated() {
            let first = tree.frames.count
            let rule = ReturnAddressRule(thread, signal: signal)
            for (position, frame) in thread.frames.enumerated() {
                var call = callFrame(
                    frame, isReturnAddress: rule.isReturnAddress(frame, at: position),
                    table: table, hasThumbBits: hasThumbBits)
                call.parent = position == 0 ? nil : tree.frames.count - 1
                tree.frames.append(call)
            }
            tree.stacks.append(
                CallStack(
                    index: number, name: thread.name, isAttributed: thread.isRequesting ?? false,
                    frames: first..<tree.frames.count))
        }
        return Diagnostic(kind: .crash, tree: tree)
    }

    /// - Parameter hasThumbBits: For each module, whether bit 0 of an address is not part of it.
    private func callFrame(
        _ frame: Frame, isReturnAddress: Bool, table: ModuleTable, hasThumbBits: [Bool]
    ) -> CallFrame {
        guard let number = module(of: frame, table: table) else {
            return CallFrame(
                image: nil, imageName: nil, site: nil, address: RuntimeAddress(frame.address))
        }
        let module = modules[number]
        let isRelative = frame.relativeModule != nil
        let distance = isRelative ? frame.address : frame.address - (module.base ?? 0)
        let offset = ImageOffset(hasThumbBits[number] ? distance & ~1 : distance)
        return CallFrame(
            image: module.image, imageName: module.name,
            site: isReturnAddress ? .returnAddress(offset) : .programCounter(offset),
            address: isRelative ? nil : RuntimeAddress(frame.address),
            loadAddress: module.base.map { RuntimeAddress($0) })
    }

    /// The indexes of the modules that frames are in, with or without an identity.
    var usedModules: Set<Int> {
        let table = ModuleTable(modules)
        return threads.reduce(into: []) { used, thread in
            used.formUnion(thread.frames.lazy.compactMap { module(of: $0, table: table) })
        }
    }

    /// Returns the index of a frame's module, or `nil` if no module covers its address, or there is no
    /// module with the given number.
    func module(of frame: Frame, table: ModuleTable) -> Int? {
        guard let number = frame.relativeModule else { return table.module(at: frame.address) }
        return modules.indices.contains(number) ? number : nil
    }
}

/// The rule that decides which addresses of a thread are return addresses.
///
/// If the sender states this for any frame, all other frames have return addresses. Otherwise all
/// frames but the innermost have them, and the innermost one does too if a signal shows that the
/// thread was stopped elsewhere.
private struct ReturnAddressRule {
    /// Whether the sender states the kind of any address of the thread.
    private let isStated: Bool
    /// The instruction that was executing, if the thread received a signal that names it.
    private let counter: UInt64?

    /// `SIGILL`, `SIGBUS` (which differs between Linux and Apple's systems), and `SIGSEGV`.
    private static let crashSignals: Set<UInt64> = [4, 7, 10, 11]

    /// - Complexity: O(*n*) in the number of frames, so make one for each thread.
    init(_ thread: StackTraceQuery.Thread, signal: UInt64?) {
        isStated = thread.frames.contains { $0.isReturnAddress != nil }
        counter =
            signal.map(Self.crashSignals.contains) == true ? thread.programCounter : nil
    }

    func isReturnAddress(_ frame: StackTraceQuery.Frame, at position: Int) -> Bool {
        if let isReturnAddress = frame.isReturnAddress { return isReturnAddress }
        if isStated || position > 0 { return true }
        return counter.map { $0 != frame.address } ?? false
    }
}

extension StackTraceQuery.Thread {
    /// The register with the address of the instruction that was executing.
    fileprivate var programCounter: UInt64? {
        for name in ["pc", "rip", "eip", "$pc"] {
            if let value = registers?[name] { return ModuleDescription.address(value) }
        }
        return nil
    }
}

/// The modules of a process by address.
struct ModuleTable {
    private let rows: [(base: UInt64, size: UInt64?, number: Int)]

    init(_ modules: [ModuleDescription]) {
        rows = modules.enumerated().compactMap { number, module in
            module.base.map { ($0, module.size == 0 ? nil : module.size, number) }
        }.sorted { ($0.base, $0.number) < ($1.base, $1.number) }
    }

    /// Returns the index of the module at an address. A module without a size ends where the next
    /// one starts.
    func module(at address: UInt64) -> Int? {
        let next = rows.partitioningIndex { $0.base > address }
        guard next > 0 else { return nil }
        let row = rows[next - 1]
        return row.size.map { address - row.base < $0 } ?? true ? row.number : nil
    }
}
