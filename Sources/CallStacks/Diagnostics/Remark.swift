/// A fact about a diagnostic that matters to readers of its symbolicated form.
///
/// The raw values are stable: programs read them.
public enum Remark: String, Hashable, Sendable, CaseIterable {
    // Shapes
    case unknownShape = "unknown_shape"
    case jsonTruncated = "json_truncated"
    case jsonInvalid = "json_invalid"
    case simulated
    case metricReport27Unmapped = "metric_report_27_unmapped"
    // Offsets
    case offsetIsLoadAddress = "offset_is_load_address"
    case offsetImplausible = "offset_implausible"
    case offsetOutsideText = "offset_outside_text"
    case offsetDerived = "offset_derived"
    case loadUnaligned = "load_unaligned"
    case noOffset = "no_offset"
    case negativeOffset = "negative_offset"
    case numberOutOfRange = "number_out_of_range"
    // Identity
    case noUUID = "no_uuid"
    case invalidUUID = "invalid_uuid"
    case noImageList = "no_image_list"
    case identityContradicted = "identity_contradicted"
    case identityOverridden = "identity_overridden"
    case identityUnchecked = "identity_unchecked"
    // Names
    case nameGiven = "name_given"
    case nameSuspect = "name_suspect"
    // Stacks
    case framesOmitted = "frames_omitted"
    case textTruncated = "text_truncated"
    case orientationDefault = "orientation_default"
    case branchesLost = "branches_lost"
    case duplicateInnermost = "duplicate_innermost"
    case sampleCountInconsistent = "sample_count_inconsistent"
    case sampleCountMissing = "sample_count_missing"
    // Limits
    case depthLimit = "depth_limit"
    case frameLimit = "frame_limit"
    case sizeLimit = "size_limit"
    case nameLimit = "name_limit"
}

extension Remark {
    /// Whether it says that the input was truncated.
    public var isEarlyEnd: Bool { self == .jsonTruncated || self == .textTruncated }
}

extension [Remark] {
    public mutating func add(_ remark: Remark) {
        if !contains(remark) { append(remark) }
    }
}
