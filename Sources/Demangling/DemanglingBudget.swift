private import CSwiftDemangle

/// What demangling many names may cost together, whatever the names are.
///
/// A hostile index can hold a different name for each of 200,000 frames, and each of them can take
/// as long as one name may. Past a limit names stay mangled; none is lost. Ordinary names, of which
/// a diagnostic has some thousands, stay far below every limit.
public struct DemanglingBudget: Sendable {
    /// Processor time for names that are demangled in this process.
    public static let processorMillisecondsLimit = 1_500
    /// Processor time for names that are demangled in child processes.
    public static let childProcessorMillisecondsLimit = 1_000
    /// How long child processes are waited for.
    public static let childWallMillisecondsLimit = 4_000
    /// Child processes that are started. Each death takes the next one.
    public static let childrenLimit = 64
    /// Demangled text. Real names have some hundred bytes.
    public static let textBytesLimit = 32 << 20

    /// Names between two looks at the clock, which is a system call. A name takes milliseconds at
    /// the worst.
    private static let namesPerMeasurement = 16

    /// Whether a name stayed mangled for a limit.
    public private(set) var isSpent = false

    var nanoseconds: Int64
    var children: Int
    var childProcessorMilliseconds: Int64
    var childWallMilliseconds: Int64
    var textBytes: Int

    private let clock: @Sendable () -> Int64
    /// When the clock was last looked at; `nil` while this thread does something else.
    private var measured: Int64?
    private var namesUntilMeasurement = 0

    public init() {
        self.init(clock: { symbolist_thread_nanoseconds() })
    }

    /// - Parameter clock: Processor time of the calling thread, in nanoseconds.
    init(clock: @escaping @Sendable () -> Int64) {
        self.clock = clock
        nanoseconds = Int64(Self.processorMillisecondsLimit) * 1_000_000
        children = Self.childrenLimit
        childProcessorMilliseconds = Int64(Self.childProcessorMillisecondsLimit)
        childWallMilliseconds = Int64(Self.childWallMillisecondsLimit)
        textBytes = Self.textBytesLimit
    }

    /// After the last of some names that this thread demangled without a break.
    mutating func stop() {
        if measured != nil { measure() }
        measured = nil
    }

    /// Whether one more name may be looked at. From the first on time counts, until ``stop()``.
    mutating func allowsName() -> Bool {
        if measured == nil || namesUntilMeasurement == 0 { measure() }
        namesUntilMeasurement -= 1
        return allowed(nanoseconds > 0)
    }

    /// Whether so much demangled text may be kept.
    mutating func allows(textBytes count: Int) -> Bool {
        guard allowed(count <= textBytes) else { return false }
        textBytes -= count
        return true
    }

    /// Whether one more child may be started.
    mutating func allowsChild() -> Bool {
        guard allowed(children > 0 && childProcessorMilliseconds > 0 && childWallMilliseconds > 0)
        else { return false }
        children -= 1
        return true
    }

    private mutating func allowed(_ isAllowed: Bool) -> Bool {
        if !isAllowed { isSpent = true }
        return isAllowed
    }

    private mutating func measure() {
        let now = clock()
        if let measured { nanoseconds -= now - measured }
        measured = now
        namesUntilMeasurement = Self.namesPerMeasurement
    }
}
