import CallStacks

/// What stopped a process, in a name and a sentence.
///
/// The name is that of an Objective-C exception, else of the Mach exception, else of the signal. The
/// message is what the program said: that exception's, else the reason of a Swift trap, which
/// optimised code keeps only as the name of an inlined call. Then comes what the system said of the
/// exception. Only a report that says none of this gets what the Mach exception or signal means in
/// general. A redacted message says less than that.
struct ExceptionSummary {
    let name: String?
    let message: String?

    /// - Parameter innermost: The rows of the frame that was executing, innermost first.
    init(_ details: DiagnosticDetails, innermost: some Sequence<SymbolicatedFrame>) {
        let mach = details.exceptionType.map(MachException.init(rawValue:))
        let signal = details.signal.map(DarwinSignal.init(rawValue:))
        name =
            details.objectiveCExceptionName ?? mach?.name ?? details.exceptionName ?? signal?.name
        let isExplained = details.fields[.terminationDescription] != nil
        let messages = [
            details.objectiveCExceptionMessage, details.runtimeMessage.flatMap(\.withoutNotes),
            innermost.lazy.compactMap(\.runtimeFailure).first, details.fields[.exceptionMessage],
            details.applicationMessages.lazy.compactMap(\.withoutNotes).first,
            isExplained ? nil : mach?.meaning, isExplained ? nil : signal?.meaning,
            details.terminationReason,
        ].compactMap(\.self)
        message = messages.first { $0 != RedactionLevel.placeholder } ?? messages.first
    }
}

extension String {
    /// The message without the lines that the loader, the runtime and the simulator leave in every
    /// report, which say nothing of what happened; `nil` where nothing else is in it.
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
