import CallStacks

/// The name and message of the exception that ended a process.
///
/// The name is that of an Objective-C exception, or else of the Mach exception, or else of the
/// signal. The message is preferably the program's own: that of the exception, or else the reason
/// of a Swift trap, which optimised code contains only as the name of an inlined call. A process
/// that was stopped for another reason, such as a resource limit, may also be at a trap, whose
/// reason is not used. The system's description of the exception comes next, and the general
/// meaning of the Mach exception or signal last. A redacted message is used only if there is no
/// other.
struct ExceptionSummary {
    let name: String?
    let message: String?

    /// - Parameters:
    ///   - form: The form of the stacks. The leaf of a sampled one was not stopped at a trap.
    ///   - innermost: The frames of the executing physical frame, innermost first.
    init(
        _ details: DiagnosticDetails, kind: DiagnosticKind, form: CallStackTree.Form,
        innermost: some Sequence<SymbolicatedFrame>
    ) {
        let mach = details.exceptionType.map(MachException.init(rawValue:))
        let signal = details.signal.map(DarwinSignal.init(rawValue:))
        name =
            details.objectiveCExceptionName?.nonBlank ?? mach?.name
            ?? details.exceptionName?.nonBlank ?? signal?.name
        let isExplained = details.fields[.terminationDescription] != nil
        let isCrash = kind == .crash || (kind == .unknown && form == .threads)
        let mayBeTrap = isCrash && details.mayBeTrap
        let trap = mayBeTrap ? innermost.lazy.compactMap(\.runtimeFailure).first : nil
        let messages = [
            details.objectiveCExceptionMessage, details.runtimeMessage.flatMap(\.withoutNotes),
            trap, details.fields[.exceptionMessage],
            details.applicationMessages.lazy.compactMap(\.withoutNotes).first,
            isExplained ? nil : mach?.meaning, isExplained ? nil : signal?.meaning,
            details.terminationReason,
        ].compactMap { $0?.nonBlank }
        message = messages.first { $0 != RedactionLevel.placeholder } ?? messages.first
    }
}

extension DiagnosticDetails {
    /// Whether the exception is that of a trap instruction: an illegal instruction or a breakpoint,
    /// depending on the processor. If neither exception nor signal is known, it may be one.
    fileprivate var mayBeTrap: Bool {
        let mach =
            exceptionType.map(MachException.init(rawValue:))
            ?? exceptionName.flatMap(MachException.init(name:))
        let signal = signal.map(DarwinSignal.init(rawValue:))
        return switch (mach?.name, signal?.name) {
        case ("EXC_BAD_INSTRUCTION", _), ("EXC_BREAKPOINT", _), (nil, nil): true
        case (nil, "SIGILL"), (nil, "SIGTRAP"): true
        case ("EXC_CRASH", "SIGILL"), ("EXC_CRASH", "SIGTRAP"): true
        default: false
        }
    }
}

extension String {
    /// The text, or `nil` if it has only white space.
    fileprivate var nonBlank: String? { allSatisfy(\.isWhitespace) ? nil : self }

    /// The message without the lines that the loader, the runtime and the simulator add to every
    /// report, or `nil` if it has no others.
    fileprivate var withoutNotes: String? {
        let lines = split(separator: "\n").filter { !$0.isNote }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}

extension Substring {
    /// `dyld3 mode`, `CoreSimulator 802.6 - Device: …`, `objc[4711]: garbage collection is OFF`
    fileprivate var isNote: Bool {
        (hasPrefix("dyld") && hasSuffix(" mode")) || hasPrefix("dyld4 config: ")
            || hasPrefix("CoreSimulator ")
            || (hasPrefix("objc[") && hasSuffix("garbage collection is OFF"))
    }
}
