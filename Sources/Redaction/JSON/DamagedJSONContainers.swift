/// The open containers of damaged JSON, whose brackets may not match.
struct DamagedJSONContainers {
    enum Kind { case object, array }

    private struct Container {
        let kind: Kind
        let context: KeyContext
        /// The members that name the member `value`.
        var pair = PairName()
        /// The latest key.
        var key = ""
    }

    private var open: [Container] = []
    private var objectCount = 0
    /// The number of open containers beyond ``depthLimit``.
    private var deeperCount = 0

    /// The maximum number of containers that are tracked. Call trees nest deeper, but private
    /// values do not.
    private static let depthLimit = 4_096

    /// The context of the values in the innermost container.
    var context: KeyContext { open.last?.context ?? KeyContext() }

    var isInObject: Bool { open.last?.kind != .array }

    mutating func open(_ kind: Kind, _ context: KeyContext) {
        guard open.count < Self.depthLimit else {
            deeperCount += 1
            return
        }
        open.append(Container(kind: kind, context: context))
        if kind == .object { objectCount += 1 }
    }

    /// Closes the innermost container of a kind, and those inside it. A bracket without such a
    /// container is ignored.
    mutating func close(_ kind: Kind) {
        if deeperCount > 0 {
            deeperCount -= 1
            return
        }
        guard (kind == .object ? objectCount : open.count - objectCount) > 0 else { return }
        while let container = open.popLast() {
            if container.kind == .object { objectCount -= 1 }
            if container.kind == kind { return }
        }
    }

    /// Returns the context of the value after a key.
    mutating func child(named name: String) -> KeyContext {
        // Arrays have no keys, so the closing brackets of the innermost arrays are missing.
        if deeperCount == 0 { while !isInObject { open.removeLast() } }
        if context.key != nil, Self.structureKeys.contains(name) { closeAll() }
        if !open.isEmpty { open[open.count - 1].key = name }
        guard name == "value", let pair = open.last?.pair else {
            let child = context.child(named: name)
            // Undamaged registers are redacted as a whole, with the names of what they point to.
            return context.key == .state && child.key == .name ? context : child
        }
        return context.child(of: pair)
    }

    /// Keeps the value of the latest key if it is a name.
    mutating func addToPair(_ value: String) {
        guard let container = open.last else { return }
        if container.key == "key" { open[open.count - 1].pair.key = value }
        if container.key == "name" { open[open.count - 1].pair.title = value }
    }

    mutating func setPair(_ pair: PairName) {
        if !open.isEmpty { open[open.count - 1].pair = pair }
    }

    private mutating func closeAll() {
        open = []
        objectCount = 0
        deeperCount = 0
    }

    /// Keys of stacks, images and records. They are never below a private key, so if one appears
    /// there, a bracket is missing.
    private static let structureKeys: Set<String> = [
        "threads", "frames", "lastExceptionBacktrace", "backtrace", "usedImages", "binaryImages",
        "binary_images", "callStacks", "callStackTree", "callStackRootFrames", "subFrames",
        "stacktrace", "debug_meta", "imageOffset", "instruction_addr", "legacyInfo",
        "sharedCache", "resourceLogs", "scopeLogs", "logRecords",
    ]
}
