import CallStacks

/// Diagnostics for tests, written as trees.
struct Call {
    var function: String?
    var samples: UInt64?
    var callees: [Call]
    var isInApp = true
    var isInlined = false
    var line: UInt32 = 0

    init(_ function: String?, _ samples: UInt64? = nil, _ callees: [Call] = []) {
        self.function = function
        self.samples = samples
        self.callees = callees
    }

    /// The same call in an image of the system.
    var ofSystem: Self {
        var call = self
        call.isInApp = false
        return call
    }

    func at(line: UInt32) -> Self {
        var call = self
        call.line = line
        return call
    }
}

extension SymbolicatedDiagnostic {
    /// A sampled diagnostic with a stack for each list of roots.
    static func sampled(_ stacks: [Call]...) -> Self {
        var diagnostic = Self.empty(.sampled)
        for (index, roots) in stacks.enumerated() {
            let start = diagnostic.frames.count
            for root in roots { diagnostic.add(root, parent: nil) }
            diagnostic.stacks.append(
                CallStack(
                    index: index, name: nil, isAttributed: index == 0,
                    frames: start..<diagnostic.frames.count))
        }
        return diagnostic
    }

    /// A crash with one thread, innermost function first.
    static func crash(_ functions: [String]) -> Self {
        var diagnostic = Self.empty(.threads)
        for (row, function) in functions.enumerated() {
            diagnostic.append(Call(function), parent: row == 0 ? nil : row - 1)
        }
        diagnostic.stacks = [
            CallStack(
                index: 0, name: nil, isAttributed: true, frames: 0..<functions.count)
        ]
        return diagnostic
    }

    static func empty(_ form: CallStackTree.Form) -> Self {
        Self(
            kind: form == .sampled ? .hang : .crash, details: DiagnosticDetails(),
            status: .symbolicated, culprit: nil, fingerprint: "", form: form, stacks: [],
            frames: [], images: [], remarks: [])
    }

    private mutating func add(_ call: Call, parent: Int?) {
        let row = append(call, parent: parent)
        for callee in call.callees { add(callee, parent: row) }
    }

    @discardableResult
    mutating func append(_ call: Call, parent: Int?) -> Int {
        let row = frames.count
        let offset = ImageOffset(UInt64(row) * 4)
        var frame = SymbolicatedFrame(
            physical: row,
            frame: CallFrame(
                image: nil, imageName: call.isInApp ? "Orchard" : "UIKitCore",
                site: .programCounter(offset), samples: call.samples),
            status: call.function == nil ? .missingImage : .symbolicated)
        frame.parent = parent
        frame.function = call.function
        frame.isInApp = call.isInApp
        frame.isInlined = call.isInlined
        frame.line = call.line
        frames.append(frame)
        return row
    }
}
