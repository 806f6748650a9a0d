public import CallStacks

extension SymbolicatedFrame {
    /// Why a row has no function or no line, for people; `nil` where nothing is wanting.
    var reason: String? {
        remarks.contains(.offsetOutsideText) ? FrameStatus.outsideCode : status.reason
    }
}

extension FrameStatus {
    /// Why nothing is found at an offset that no code of the image reaches.
    static let outsideCode = "beyond the known code of this image"

    /// Why there is no function or no line, for people; `nil` where nothing is wanting.
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
    /// What was noticed, for people.
    public var words: String {
        switch self {
        case .unknownShape:
            "the input has a shape that is not known; it is shown as far as it was read"
        case .jsonTruncated: "the input ends early; what came before is shown"
        case .jsonInvalid: "the input is damaged; what could be read is shown"
        case .simulated: "simulated by Xcode: the frames belong to no real program"
        case .metricReport27Unmapped: "a metric report, kept as it came"
        case .offsetIsLoadAddress:
            "the offset field holds the image's load address, and no address tells the offset"
        case .offsetImplausible: "an offset is larger than any image"
        case .offsetOutsideText: "an offset lies beyond all known code of its image"
        case .offsetDerived: "an offset was computed from the address"
        case .loadUnaligned: "address and offset do not agree on where the image was loaded"
        case .noOffset: "a frame has neither offset nor a known load address"
        case .negativeOffset: "an offset is negative"
        case .numberOutOfRange: "a number is out of range and was left out"
        case .noUUID: "a frame names its image without a UUID"
        case .invalidUUID: "a UUID has another form than 32 hexadecimal digits"
        case .noImageList: "the report lists no images, so addresses belong to none"
        case .nameGiven: "functions without symbols have the names that the report gives them"
        case .nameSuspect: "a caller at the very start of a function is probably in the one before"
        case .framesOmitted: "the report leaves frames out"
        case .textTruncated: "the report ends early; what came before is shown"
        case .orientationDefault:
            "nothing tells which end of a stack is innermost; its kind decided"
        case .branchesLost: "the tree was flattened by its sender; branches and counts are lost"
        case .duplicateInnermost: "the innermost frame was reported twice and is shown once"
        case .sampleCountInconsistent:
            "the samples of some frames are fewer than those of their callees"
        case .sampleCountMissing: "some frames came without a sample count"
        case .depthLimit: "frames beyond the depth limit were left out"
        case .frameLimit: "rows beyond the limit were left out"
        case .sizeLimit: "the input is larger than the limit and was cut"
        case .identityOverridden:
            "an image is looked up by the UUID that was given for it, not by the one in the report"
        case .nameLimit: "some names would take too long to demangle and stayed as they are"
        }
    }
}

extension DiagnosticKind {
    /// How a title begins where nothing says more.
    var words: String {
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
