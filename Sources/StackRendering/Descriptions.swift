public import CallStacks

extension SymbolicatedFrame {
    /// The reason for a missing function or line, or `nil` if both are known.
    package var reason: String? {
        if remarks.contains(.offsetOutsideText) { return FrameStatus.outsideCode }
        return isNamelessInlinedCall ? "name not known, perhaps in a dwz file" : status.reason
    }

    /// Whether this is an inlined call whose name is missing from the debug information.
    var isNamelessInlinedCall: Bool { isInlined && status == .notFound }
}

extension FrameStatus {
    /// The reason for an offset past the code of the image.
    static let outsideCode = "beyond the known code of this image"

    /// The reason for a missing function or line, or `nil` if both are known.
    var reason: String? {
        switch self {
        case .symbolicated: nil
        case .symbolOnly: "no line known"
        case .missingImage: "no symbols for this image"
        case .noDebugInfo: "no debug information"
        case .unknownImage: "image not known"
        case .notFound: "no function at this offset"
        case .badOffset: "offset lost"
        case .corruptIndex: "symbols damaged"
        }
    }
}

extension Remark {
    public var words: String {
        switch self {
        case .unknownShape:
            "the input has an unknown structure; the part that could be read is shown"
        case .jsonTruncated: "the input is truncated; the part before is shown"
        case .jsonInvalid: "the input is damaged; the part that could be read is shown"
        case .simulated: "simulated by Xcode: the frames are not of a real program"
        case .metricReport27Unmapped: "a metric report, kept unchanged"
        case .offsetIsLoadAddress:
            "the offset field has the image's load address, and no address gives the offset"
        case .offsetImplausible: "an offset is larger than any image"
        case .offsetOutsideText: "an offset is past the end of its image's known code"
        case .offsetDerived: "an offset was computed from the address"
        case .loadUnaligned: "address and offset do not agree on where the image was loaded"
        case .noOffset: "a frame has neither offset nor a known load address"
        case .negativeOffset: "an offset is negative"
        case .numberOutOfRange: "a number is out of range and was dropped"
        case .noUUID: "a frame names its image without a UUID"
        case .invalidUUID: "a UUID is invalid: it is not 32 hexadecimal digits"
        case .noImageList: "the report lists no images, so its addresses belong to none"
        case .identityUnchecked:
            "the report has no build ID for an image; a file of its name was used unchecked"
        case .nameGiven: "functions without better symbols have the report's names"
        case .nameSuspect: "a caller at the very start of a function is probably in the one before"
        case .framesOmitted: "the report omits frames"
        case .textTruncated: "the report is truncated; the part before is shown"
        case .orientationDefault: "the innermost end of the stacks is unknown; their kind decided"
        case .branchesLost: "the tree was flattened by its sender; branches and counts are lost"
        case .duplicateInnermost: "the report repeats the innermost frame; it is shown once"
        case .sampleCountInconsistent:
            "the samples of some frames are fewer than those of their callees"
        case .sampleCountMissing: "some frames came without a sample count"
        case .depthLimit: "frames beyond the depth limit were dropped"
        case .frameLimit: "frames beyond the limit were dropped"
        case .sizeLimit: "the input exceeds the size limit and was truncated"
        case .identityContradicted:
            "an image is listed with several UUIDs, or several files have its name; it was not looked up"
        case .identityOverridden:
            "an image was looked up by the given UUID, not by the one in the report"
        case .nameLimit: "some names take too long to demangle and stayed mangled"
        }
    }
}

extension DiagnosticKind {
    /// The words for a title without a more specific cause.
    package var words: String {
        switch self {
        case .crash: "Crash"
        case .hang: "Hang"
        case .cpuException: "CPU exception"
        case .diskWriteException: "Disk write exception"
        case .appLaunch: "Slow launch"
        case .memoryException: "Memory exception"
        case .unknown: "Diagnostic"
        }
    }
}
