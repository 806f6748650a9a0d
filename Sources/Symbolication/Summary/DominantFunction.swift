import CallStacks
import FlameGraphs

extension SymbolicatedDiagnostic {
    /// The heaviest frame of the function in which a sampled stack spends most of the time under
    /// the app's control, or `nil` if the stacks were not sampled or no function of the app's own
    /// sources is known.
    ///
    /// Calls are merged by function, and the time of system calls is attributed to their callers.
    /// The search starts at the heaviest outermost function, and descends while a callee has at
    /// least half of its caller's time. So it ends where the time is the function's own or is
    /// spread over its callees. It never ends at an entry point, which only waits for events.
    var dominantFunction: Int? {
        guard form == .sampled, let stack = representativeStack else { return nil }
        var own = self
        for row in stack.frames { own.frames[row].isInApp = isOwnSource(frames[row]) }
        var options = FlameGraphBuilder.Options()
        options.showsSystemFrames = false
        options.mergesRecursion = true
        var builder = FlameGraphBuilder(options: options)
        builder.add(stack, of: own)
        guard let function = builder.graph().dominantFunction else { return nil }
        let calls = stack.frames.filter {
            own.frames[$0].isInApp && FlameFunction(own.frames[$0], grouping: .function) == function
        }
        return calls.max { (frames[$0].samples ?? 0, $1) < (frames[$1].samples ?? 0, $0) }
    }

    private func isOwnSource(_ frame: SymbolicatedFrame) -> Bool {
        frame.isInApp && frame.status.isResolved && !frame.isCompilerGenerated
            && !frame.isRuntimeFailure && frame.file?.isOfToolchain != true
            && !frame.remarks.contains(.duplicateInnermost)
    }
}

extension FlameGraph {
    fileprivate var dominantFunction: FlameFunction? {
        guard var node = roots.first else { return nil }
        while let callee = callees(of: node).first,
            function(of: node).isEntryPoint || nodes[callee].total >= nodes[node].total.halved
        {
            node = callee
        }
        return function(of: node)
    }
}

extension FlameFunction {
    /// Whether this is the app's `main`, which runs the system's event loop.
    fileprivate var isEntryPoint: Bool {
        guard case .function(let name) = name else { return false }
        return name == "main" || name.hasSuffix(".main()") || name.hasSuffix(".$main()")
    }
}

extension UInt64 {
    /// Half of this number, rounded up.
    fileprivate var halved: UInt64 { self / 2 + self % 2 }
}
