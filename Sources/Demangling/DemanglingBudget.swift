private import CSwiftDemangle

/// The limits on demangling many names together.
///
/// A hostile index can have a different name for each of 200,000 frames, each as slow to demangle
/// as possible. Names beyond a limit stay mangled; none is dropped. The name that exceeds a time
/// limit is still finished, which takes milliseconds at worst. The names of an ordinary diagnostic,
/// some thousands, are far below all limits.
public struct DemanglingBudget: Sendable {
    /// The CPU time limit for names demangled in this process.
    public static let processorMillisecondsLimit = 1_500
    /// The CPU time limit for names demangled in child processes.
    public static let childProcessorMillisecondsLimit = 1_000
    /// The wall-clock time limit for child processes.
    public static let childWallMillisecondsLimit = 4_000
    /// The maximum number of child processes. Each one that dies is replaced by another.
    public static let childrenLimit = 64
    /// The maximum size of all demangled text, in bytes. Real names have some hundred bytes.
    public static let textBytesLimit = 32 << 20

    /// The number of short names between two readings of the clock, because each reading is a
    /// system call. It is read before every long name.
    private static let namesPerMeasurement = 16

    /// Whether a name stayed mangled because of a limit.
    public private(set) var isSpent = false

    var nanoseconds: Int64
    var children: Int
    var childProcessorMilliseconds: Int64
    var childWallMilliseconds: Int64
    var textBytes: Int

    private let clock: @Sendable () -> Int64
    /// The last reading of the clock, or `nil` while the clock is stopped.
    private var measured: Int64?
    private var namesUntilMeasurement = 0

    public init() {
        self.init(clock: { symbolist_thread_nanoseconds() })
    }

    /// - Parameter clock: Returns the CPU time of the calling thread, in nanoseconds.
    init(clock: @escaping @Sendable () -> Int64) {
        self.clock = clock
        nanoseconds = Int64(Self.processorMillisecondsLimit) * 1_000_000
        children = Self.childrenLimit
        childProcessorMilliseconds = Int64(Self.childProcessorMillisecondsLimit)
        childWallMilliseconds = Int64(Self.childWallMillisecondsLimit)
        textBytes = Self.textBytesLimit
    }

    /// Stops the clock after a run of names.
    mutating func stop() {
        if measured != nil { measure() }
        measured = nil
    }

    /// Charges one name and starts the clock if needed. Returns whether it may be demangled.
    mutating func allowsName(isLong: Bool = false) -> Bool {
        if measured == nil || isLong || namesUntilMeasurement == 0 { measure() }
        namesUntilMeasurement -= 1
        return allowed(nanoseconds > 0)
    }

    /// Charges demangled text. Returns whether it may be kept.
    mutating func allows(textBytes count: Int) -> Bool {
        guard allowed(count <= textBytes) else { return false }
        textBytes -= count
        return true
    }

    /// Charges a child process. Returns whether it may be started.
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
