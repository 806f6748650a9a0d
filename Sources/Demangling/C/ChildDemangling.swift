private import CSwiftDemangle

/// Names that are demangled one after another in a child process.
///
/// A child has 64 MiB of memory. If it dies or takes too long, only the current name is lost, and
/// another child continues after it while the budget lasts. Remaining names stay mangled.
struct ChildDemangling {
    /// The CPU time limit for one name. Real names take microseconds.
    static let nameMillisecondsLimit: Int64 = 200
    /// The maximum number of names per child, which bounds the buffer for its output.
    static let namesPerChildLimit = 4_096

    private let names: [CDemanglerInput]
    /// The names for C, each with its NUL.
    private var bytes: [UInt8] = []
    private var starts: [Int] = []

    /// Returns the texts of `names`, with `nil` for names that are invalid or were not reached.
    static func texts(
        of names: [CDemanglerInput], budget: inout DemanglingBudget
    ) -> [BoundedText?] {
        guard !names.isEmpty else { return [] }
        let list = Self(names)
        var texts: [BoundedText?] = []
        while texts.count < names.count, budget.allowsChild() {
            list.addTexts(to: &texts, budget: &budget)
        }
        return texts + Array(repeating: nil, count: names.count - texts.count)
    }

    private init(_ names: [CDemanglerInput]) {
        self.names = names
        for name in names {
            starts.append(bytes.count)
            bytes += name.mangled.utf8
            bytes.append(0)
        }
    }

    /// Starts a child at the first name without a result.
    private func addTexts(to texts: inout [BoundedText?], budget: inout DemanglingBudget) {
        let wanted = names[texts.count...].prefix(Self.namesPerChildLimit)
        let capacity = Demangler.textBytesLimit + 1
        let room = wanted.count * (capacity + MemoryLayout<UInt32>.size)
        let limits = symbolist_child_limits(
            name_milliseconds: Self.nameMillisecondsLimit,
            processor_milliseconds: budget.childProcessorMilliseconds,
            wall_milliseconds: budget.childWallMilliseconds)
        var usage = symbolist_child_usage()
        let output = unsafe [UInt8](unsafeUninitializedCapacity: room) { out, filled in
            filled = unsafe withRequests(wanted) { requests in
                unsafe out.withMemoryRebound(to: CChar.self) { out in
                    guard let requests = requests.baseAddress, let out = out.baseAddress else {
                        return 0
                    }
                    return unsafe symbolist_demangle_in_child(
                        requests, wanted.count, capacity, limits, out, &usage)
                }
            }
        }
        budget.childProcessorMilliseconds -= usage.processor_milliseconds
        budget.childWallMilliseconds -= usage.wall_milliseconds
        let count = addTexts(to: &texts, of: wanted, from: output)
        // The child ended at this name, perhaps because of it.
        if count < wanted.count { texts.append(nil) }
    }

    private func withRequests(
        _ wanted: ArraySlice<CDemanglerInput>,
        _ body: (UnsafeBufferPointer<symbolist_wish>) -> Int
    ) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress else {
                return 0
            }
            let requests = unsafe wanted.indices.map { index in
                unsafe symbolist_wish(
                    demangler: wanted[index].demangler.function, name: base + starts[index],
                    length: wanted[index].mangled.utf8.count)
            }
            return unsafe requests.withUnsafeBufferPointer(body)
        }
    }

    /// - Returns: The number of names in `wanted` with complete output.
    private func addTexts(
        to texts: inout [BoundedText?], of wanted: ArraySlice<CDemanglerInput>, from output: [UInt8]
    ) -> Int {
        var rest = output[...]
        var count = 0
        for name in wanted {
            guard let size = Self.size(&rest) else { break }
            if size == symbolist_refused {
                texts.append(nil)
            } else {
                guard size <= rest.count else { break }
                texts.append(BoundedText(bytes: rest.prefix(Int(size)), of: name.mangled))
                rest = rest.dropFirst(Int(size))
            }
            count += 1
        }
        return count
    }

    private static func size(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        let width = MemoryLayout<UInt32>.size
        guard rest.count >= width else { return nil }
        let size = unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
        rest = rest.dropFirst(width)
        return size
    }
}
