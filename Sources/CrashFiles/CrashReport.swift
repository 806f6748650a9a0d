public import CallStacks
import MetricKitPayloads

/// One report of a file.
public struct CrashReport: Sendable {
    public var format: CrashFormat
    /// Its text in the file, in bytes.
    public var range: Range<Int>
    /// What the report is called where a file holds several: a process, a log's number.
    public var label: String?
    /// Whether the file was known to break off in it before it was read.
    var isCut = false
    /// Identities by the names of images, in place of those that the report states.
    var overrides: [String: ImageID] = [:]
    var content: Content
    /// How the report is written with an answer; `nil` where its form has no place for one.
    let rewriting: (any ReportRewriting)?
    /// How the log has its lines that the report stands in; `nil` where it stands in none.
    var logForm: LogForm?

    /// A diagnostic, at once or when the architectures of its debug files are known.
    enum Content: Sendable {
        case resolved(Diagnostic)
        case received(ReceivedDiagnostic)
    }

    init(
        _ format: CrashFormat, range: Range<Int>, label: String? = nil, content: Content,
        rewriting: (any ReportRewriting)?
    ) {
        self.format = format
        self.range = range
        self.label = label
        self.content = content
        self.rewriting = rewriting
    }

    /// The images that frames can be looked up in, in the order in which they first appear.
    public var imageIDs: [ImageID] {
        switch content {
        case .received(let diagnostic): return diagnostic.imageIDs
        case .resolved(let diagnostic):
            var seen: Set<ImageID> = []
            return diagnostic.tree.frames.compactMap(\.image).filter { seen.insert($0).inserted }
        }
    }

    /// The identifier of the app, as far as the report names it.
    public var app: String? {
        switch content {
        case .resolved(let diagnostic): diagnostic.details.bundleIdentifier
        case .received(let diagnostic): diagnostic.details.bundleIdentifier
        }
    }

    /// The images that the report lists, or else those that its frames name.
    public var images: [ReportedImage] {
        if case .resolved(let diagnostic) = content, !diagnostic.images.isEmpty {
            return diagnostic.images
        }
        return imageIDs.map { ReportedImage(id: $0) }
    }

    /// The diagnostic with true offsets, in the direction of its form.
    ///
    /// - Parameter architectureOf: The architecture of an image's debug file, where one is at hand.
    public func resolved(
        architectureOf: (ImageID) -> Architecture? = { _ in nil }
    ) -> Diagnostic {
        var diagnostic =
            switch content {
            case .resolved(let diagnostic): diagnostic
            case .received(let diagnostic): diagnostic.resolved(architectureOf: architectureOf)
            }
        diagnostic.replaceIdentities(by: overrides)
        let isTold = diagnostic.remarks.contains(where: \.isEarlyEnd)
        if isCut, !isTold { diagnostic.remarks.append(.textTruncated) }
        return diagnostic
    }

    /// The changes that put an answer into the file, each in bytes of the file. None where nothing
    /// was resolved.
    ///
    /// - Parameters:
    ///   - options: What is written besides what the format always has.
    ///   - budget: That of the file; what does not fit stays as it is.
    public func edits(
        with answer: SymbolicatedDiagnostic, options: WritingOptions = [],
        _ budget: inout EditBudget
    ) -> [Edit] {
        let answer = options.contains(.fullPaths) ? answer.namingFilesByPaths() : answer
        let frames = AnsweredFrames(answer, annotates: options.contains(.annotations))
        return rewriting?.edits(with: frames, &budget) ?? []
    }
}

/// Knows where the frames of a report stand in its text, and how its format writes functions.
protocol ReportRewriting: Sendable {
    func edits(with answers: AnsweredFrames, _ budget: inout EditBudget) -> [Edit]
}
