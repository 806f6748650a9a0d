private import CSwiftDemangle

/// Names that are demangled one after the other in a child process.
///
/// A child has 64 MiB of memory. When it dies or is late, that costs the name it was at, and another
/// child goes on behind it, as long as the budget allows. Names left over stay mangled.
struct ChildDemangling {
    /// Processor time for one name. Real names take microseconds.
    static let nameMillisecondsLimit: Int64 = 200
    /// Names that one child gets, which is what bounds the room for its answers.
    static let namesPerChildLimit = 4_096

    private let names: [ForeignName]
    /// The names for C, each with its NUL.
    private var bytes: [UInt8] = []
    private var starts: [Int] = []

    /// The texts of `names`, `nil` where one is not understood or was left over.
    static func texts(of names: [ForeignName], _ budget: inout DemanglingBudget) -> [LimitedText?] {
        guard !names.isEmpty else { return [] }
        let list = Self(names)
        var texts: [LimitedText?] = []
        while texts.count < names.count, budget.allowsChild() {
            list.addTexts(to: &texts, &budget)
        }
        return texts + Array(repeating: nil, count: names.count - texts.count)
    }

    private init(_ names: [ForeignName]) {
        self.names = names
        for name in names {
            starts.append(bytes.count)
            bytes += name.mangled.utf8
            bytes.append(0)
        }
    }

    /// Starts a child at the first name without an answer.
    private func addTexts(to texts: inout [LimitedText?], _ budget: inout DemanglingBudget) {
        let wanted = names[texts.count...].prefix(Self.namesPerChildLimit)
        let capacity = Demangler.textBytesLimit + 1
        let room = wanted.count * (capacity + MemoryLayout<UInt32>.size)
        let limits = symbolist_child_limits(
            name_milliseconds: Self.nameMillisecondsLimit,
            processor_milliseconds: budget.childProcessorMilliseconds,
            wall_milliseconds: budget.childWallMilliseconds)
        var usage = symbolist_child_usage()
        let answers = unsafe [UInt8](unsafeUninitializedCapacity: room) { out, filled in
            filled = unsafe withWishes(wanted) { wishes in
                unsafe out.withMemoryRebound(to: CChar.self) { out in
                    guard let wishes = wishes.baseAddress, let out = out.baseAddress else {
                        return 0
                    }
                    return unsafe symbolist_demangle_in_child(
                        wishes, wanted.count, capacity, limits, out, &usage)
                }
            }
        }
        budget.childProcessorMilliseconds -= usage.processor_milliseconds
        budget.childWallMilliseconds -= usage.wall_milliseconds
        let count = addTexts(to: &texts, of: wanted, from: answers)
        // The child ended at this name, and perhaps because of it.
        if count < wanted.count { texts.append(nil) }
    }

    private func withWishes(
        _ wanted: ArraySlice<ForeignName>,
        _ body: (UnsafeBufferPointer<symbolist_wish>) -> Int
    ) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress else {
                return 0
            }
            let wishes = unsafe wanted.indices.map { index in
                unsafe symbolist_wish(
                    demangler: wanted[index].demangler.function, name: base + starts[index],
                    length: wanted[index].mangled.utf8.count)
            }
            return unsafe wishes.withUnsafeBufferPointer(body)
        }
    }

    /// - Returns: How many of `wanted` have a whole answer.
    private func addTexts(
        to texts: inout [LimitedText?], of wanted: ArraySlice<ForeignName>, from answers: [UInt8]
    ) -> Int {
        var rest = answers[...]
        var count = 0
        for name in wanted {
            guard let size = Self.size(&rest) else { break }
            if size == symbolist_refused {
                texts.append(nil)
            } else {
                guard size <= rest.count else { break }
                texts.append(LimitedText(bytes: rest.prefix(Int(size)), of: name.mangled))
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
