import CallStacks
import MetricKitPayloads

/// Collects the stacks of a crash report, each innermost frame first.
///
/// Records of inlined calls precede their frame and repeat its address; all are one physical frame.
struct StackCollector {
    private(set) var tree = CallStackTree(form: .threads)
    private let limits: PayloadLimits
    private var start = 0
    /// Whether the last record was an inlined call, whose frame has not been read yet.
    private var awaitsOwner = false

    init(limits: PayloadLimits) { self.limits = limits }

    /// The number of frames in the current stack.
    var depth: Int { tree.frames.count - start }

    /// Whether the next record begins a stack.
    var isAtStart: Bool { depth == 0 || (depth == 1 && awaitsOwner) }

    /// Adds a record to the current stack.
    ///
    /// - Returns: The index of its physical frame, or `nil` if a limit is reached.
    mutating func append(
        _ frame: CallFrame, given: ReportedFunction?, isInlined: Bool = false
    ) -> Int? {
        let isInlined = isInlined || given?.isInlined == true
        if awaitsOwner, let last = tree.frames.indices.last, last >= start,
            tree.frames[last].hasSameAddress(as: frame)
        {
            awaitsOwner = isInlined
            if let given { tree.reportedFunctions[last, default: []].append(given) }
            return last
        }
        guard hasCapacity, tree.frames.count < limits.framesPerTree
        else { return refuse(.frameLimit) }
        guard depth < limits.nestedFrames else { return refuse(.depthLimit) }
        var frame = frame
        frame.parent = depth == 0 ? nil : tree.frames.count - 1
        frame.imageName = frame.imageName.map { String($0.prefix(limits.nameLength)) }
        tree.frames.append(frame)
        let index = tree.frames.count - 1
        if let given { tree.reportedFunctions[index] = [given] }
        awaitsOwner = isInlined
        return index
    }

    /// Adds a frame with all its functions, innermost first.
    mutating func append(_ frame: CallFrame, functions: [ReportedFunction]) -> Int? {
        awaitsOwner = false
        guard let index = append(frame, given: nil) else { return nil }
        if !functions.isEmpty { tree.reportedFunctions[index] = functions }
        return index
    }

    /// The number of stacks with each role.
    private var counts: [StackRole: Int] = [:]

    /// Whether another stack fits.
    private var hasCapacity: Bool { tree.stacks.count < limits.stacksPerTree }

    /// Ends the current stack.
    ///
    /// - Parameter number: The number in the report, or `nil` for the index among stacks of its
    ///   role.
    /// - Returns: Whether the stack was added. If not, later stacks are not added either.
    @discardableResult
    mutating func endStack(
        number: Int? = nil, name: String?, queue: String? = nil, isAttributed: Bool,
        mark: String? = nil, role: StackRole = .thread
    ) -> Bool {
        defer {
            start = tree.frames.count
            awaitsOwner = false
        }
        guard hasCapacity else {
            record(.frameLimit)
            return false
        }
        tree.stacks.append(
            CallStack(
                index: number ?? counts[role, default: 0], name: name, queue: queue,
                isAttributed: isAttributed, frames: start..<tree.frames.count, role: role))
        tree.stacks[tree.stacks.count - 1].mark = mark
        counts[role, default: 0] += 1
        return true
    }

    /// Adds a remark to the last frame.
    mutating func recordOnLastFrame(_ remark: Remark) {
        guard depth > 0 else { return }
        tree.frames[tree.frames.count - 1].remarks.append(remark)
    }

    /// Adds a remark to all stacks.
    mutating func record(_ remark: Remark) {
        tree.remarks.add(remark)
    }

    private mutating func refuse(_ limit: Remark) -> Int? {
        record(limit)
        return nil
    }
}

extension CallFrame {
    fileprivate func hasSameAddress(as other: Self) -> Bool {
        image == other.image && site?.offset == other.site?.offset && address == other.address
            && imageName == other.imageName
    }
}

extension CallSite {
    /// Classifies an offset of a crash report.
    ///
    /// Where instructions are aligned to 4 bytes, an offset reveals more than its position in the
    /// stack: 3 above a multiple was moved back by the writer, and 1 above is the start of an
    /// asynchronous function plus one. On 32-bit ARM, bit 0 marks the Thumb instruction set.
    ///
    /// - Parameter isReturnAddress: Whether the frame called another one.
    init(_ offset: ImageOffset, isReturnAddress: Bool, on architecture: Architecture?) {
        if let architecture, architecture.alignsInstructionsTo4 {
            switch offset.rawValue % 4 {
            case 3:
                self = .adjusted(offset)
                return
            case 1:
                self = .returnAddress(offset)
                return
            default: break
            }
        }
        let isThumb = architecture?.marksThumbInAddresses == true
        let plain = isThumb ? ImageOffset(offset.rawValue & ~1) : offset
        self = isReturnAddress ? .returnAddress(plain) : .programCounter(plain)
    }
}

extension Architecture {
    /// Reads a name from Apple's reports, for an image or a whole report.
    init?(reported name: String) {
        let word = name.prefix { $0 != " " }
        switch word.uppercased() {
        case "ARM-64", "ARM64": self = .arm64
        case "ARM64E": self = .arm64e
        case "X86-64", "X86_64", "AMD64": self = .x86On64
        case "ARM": self = .armv7
        case "X86": self.init(name: "i386")
        default: self.init(name: String(word))
        }
    }
}
