public import FlameGraphs
public import Problems
public import StackRendering

/// One report in an output format.
public enum RenderedReport: Sendable {
    case document([UInt8])
    /// A report for ``OutputFormat/speedscope``, in which several reports share one document.
    case profile(SpeedscopeProfile)
}

/// Why a report cannot be represented in an output format.
public enum RenderingRefusal: DescribedError, Hashable {
    case crashText(AppleCrashText.Refusal)
    /// The format is for sampled stacks, and the report has none.
    case withoutSamples

    /// The problem without its subject, the report.
    public var problem: Problem {
        switch self {
        case .crashText(let refusal): refusal.problem
        case .withoutSamples:
            Problem(
                detail: "has no sampled stacks, so there is no profile", suggestion: "use text")
        }
    }
}
