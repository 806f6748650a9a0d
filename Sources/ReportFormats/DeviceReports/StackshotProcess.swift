import CallStacks
import JSONText
import MetricKitPayloads

/// One process of a stackshot.
struct StackshotProcess {
    let value: JSONValue
    /// The process's number, or `nil` if the report has no valid one.
    let number: UInt64?
    let name: String?

    /// Returns `nil` if the process is redacted.
    ///
    /// - Parameter member: The process, listed by its number.
    init?(_ member: JSONMember) {
        value = member.value
        guard value.kind == .object else { return nil }
        number = value["pid"]?.unsigned ?? UInt64(member.key)
        name = value["procname"]?.nonEmpty
    }

    /// `Orchard [4711]`
    var label: String {
        guard let number else { return name ?? "" }
        return name.map { "\($0) [\(number)]" } ?? "[\(number)]"
    }

    func diagnostic(in facts: StackshotFacts) -> Diagnostic {
        var threads = StackshotThreads(facts)
        if let list = value["threadById"] { threads.read(list) }
        var diagnostic = Diagnostic(
            kind: .unknown, details: facts.details(ofProcess: name, label: label),
            tree: threads.tree, remarks: facts.remarks)
        let used = Set(diagnostic.tree.frames.compactMap(\.image))
        diagnostic.images = facts.images.filter { $0.id.map(used.contains) ?? false }
        return diagnostic
    }
}

/// Reads the threads of a process. The frames in the kernel precede those of the process.
private struct StackshotThreads {
    private let images: [ListedImage]
    private let architecture: Architecture?
    private var stacks: StackCollector

    init(_ facts: StackshotFacts) {
        images = facts.images
        architecture = facts.architecture
        stacks = StackCollector(limits: facts.limits)
    }

    var tree: CallStackTree { stacks.tree }

    mutating func read(_ list: JSONValue) {
        for thread in list.members {
            let value = thread.value
            for key in ["kernelFrames", "userFrames"] {
                if let frames = value[key] { readFrames(frames) }
            }
            let number = value["id"]?.unsigned ?? UInt64(thread.key)
            let isTaken = stacks.endStack(
                number: number.flatMap { Int(exactly: $0) }, name: value["name"]?.nonEmpty,
                queue: (value["dispatch_queue_label"] ?? value["queue"])?.nonEmpty,
                isAttributed: false)
            if !isTaken { return }
        }
    }

    /// Reads frames, each an index of an image and an offset in it. The first one is where the
    /// thread was, in the kernel and in the process.
    private mutating func readFrames(_ list: JSONValue) {
        var isReturnAddress = false
        for value in list.elements where value.isWhole {
            let parts = Array(value.elements.prefix(2))
            guard parts.count == 2 else { continue }
            let frame = frame(parts[0], offset: parts[1], isReturnAddress: isReturnAddress)
            guard stacks.append(frame, functions: []) != nil else { return }
            isReturnAddress = true
        }
    }

    private func frame(
        _ position: JSONValue, offset: JSONValue, isReturnAddress: Bool
    ) -> CallFrame {
        let index = UInt64(lenient: position).flatMap { Int(exactly: $0) }
        let listed = index.flatMap { images.indices.contains($0) ? images[$0] : nil }
        let image = listed ?? ListedImage()
        let offset = UInt64(lenient: offset)
        // Addresses outside all images are offsets of an entry without an identity.
        let base = image.base?.rawValue ?? 0
        return CallFrame(
            in: image,
            at: offset.map {
                CallSite(
                    ImageOffset($0), in: image, isReturnAddress: isReturnAddress, on: architecture)
            },
            address: offset.map { RuntimeAddress(base &+ $0) })
    }
}
