public import CallStacks
package import MetricKitPayloads

/// One report of a file.
public struct CrashReport: Sendable {
    public var format: CrashFormat
    /// The report's text in the file, in bytes.
    public var range: Range<Int>
    /// The report's name in a file with several: a process, or the number of a log.
    public var label: String?
    /// Whether the file is known to be truncated inside the report before it is read.
    var isTruncated = false
    /// Identities by image name that replace those in the report.
    private var overrides: [String: ImageID] = [:]
    /// The same report in other forms in the same file, such as the JSON after a translated report.
    /// They are used only to write the file in its own format.
    public package(set) var repetitions: [CrashReport] = []
    package var content: Content
    /// Writes functions into the report, or `nil` if its format cannot contain them.
    package private(set) var rewriter: (any ReportRewriter)?
    /// The layout of the log around the report, or `nil` outside of a log.
    package var logLayout: LogLayout?

    /// A diagnostic, complete or pending the architectures of its debug files.
    package enum Content: Sendable {
        case resolved(Diagnostic)
        case received(ReceivedDiagnostic)
    }

    package init(
        _ format: CrashFormat, range: Range<Int>, label: String? = nil, content: Content,
        rewriter: (any ReportRewriter)?
    ) {
        self.format = format
        self.range = range
        self.label = label
        self.content = content
        self.rewriter = rewriter
    }

    /// Replaces the identities in the report.
    ///
    /// - Parameter overrides: The new identities by image name.
    package mutating func replaceIdentities(by overrides: [String: ImageID]) {
        self.overrides = overrides
        for index in repetitions.indices { repetitions[index].overrides = overrides }
    }

    /// Moves a report, with its repetitions, from a text to the file that contains the text.
    ///
    /// - Parameters:
    ///   - range: Maps a range of the text to the file.
    ///   - rewriter: Wraps the rewriter of the text in one for the file.
    package mutating func embed(
        range: (Range<Int>) -> Range<Int>, rewriter: (any ReportRewriter) -> any ReportRewriter
    ) {
        self.range = range(self.range)
        self.rewriter = self.rewriter.map(rewriter)
        for index in repetitions.indices {
            repetitions[index].embed(range: range, rewriter: rewriter)
        }
    }

    /// The images in which frames can be looked up, in order of first appearance.
    public var imageIDs: [ImageID] {
        switch content {
        case .received(let diagnostic): return diagnostic.imageIDs
        case .resolved(let diagnostic):
            var seen: Set<ImageID> = []
            return diagnostic.tree.frames.compactMap(\.image).filter { seen.insert($0).inserted }
        }
    }

    /// The app's bundle identifier, if the report has it.
    public var app: String? {
        switch content {
        case .resolved(let diagnostic): diagnostic.details.bundleIdentifier
        case .received(let diagnostic): diagnostic.details.bundleIdentifier
        }
    }

    /// The images that the report lists, or else those that its frames name.
    public var images: [ListedImage] {
        if case .resolved(let diagnostic) = content, !diagnostic.images.isEmpty {
            return diagnostic.images
        }
        return imageIDs.map { ListedImage(id: $0) }
    }

    /// Whether frames can be looked up only with ``ImagePlacement``.
    public var wantsPlacements: Bool {
        guard case .resolved(let diagnostic) = content else { return false }
        return diagnostic.tree.offsetOrigin != .image
    }

    /// Returns the diagnostic with decoded offsets, in the orientation of its format.
    ///
    /// - Parameters:
    ///   - architectureOf: The architecture of an image's debug file, if available.
    ///   - placementOf: The location of an image's code in its file, if available.
    public func resolved(
        architectureOf: (ImageID) -> Architecture? = { _ in nil },
        placementOf: (ImageID) -> ImagePlacement? = { _ in nil }
    ) -> Diagnostic {
        var diagnostic =
            switch content {
            case .resolved(let diagnostic): diagnostic
            case .received(let diagnostic): diagnostic.resolved(architectureOf: architectureOf)
            }
        diagnostic.replaceIdentities(by: overrides)
        // Frames of .ips refer to entries of the list.
        if format != .ips { diagnostic.removeContradictedIdentities() }
        diagnostic.place(by: placementOf)
        let hasRemark = diagnostic.remarks.contains(where: \.isEarlyEnd)
        if isTruncated, !hasRemark { diagnostic.remarks.append(.textTruncated) }
        return diagnostic
    }

    /// Returns the edits that write a symbolicated diagnostic into the file, in bytes of the file;
    /// empty if nothing was resolved.
    ///
    /// - Parameters:
    ///   - options: Optional details to write.
    ///   - budget: The budget of the file. Frames that exceed it stay unchanged.
    public func edits(
        with diagnostic: SymbolicatedDiagnostic, options: RewritingOptions = [],
        budget: inout EditBudget
    ) -> [Edit] {
        let diagnostic = options.contains(.fullPaths) ? diagnostic.namingFilesByPaths() : diagnostic
        let frames = FrameFunctions(diagnostic, annotates: options.contains(.annotations))
        return rewriter?.edits(with: frames, budget: &budget) ?? []
    }
}

/// Writes functions in a report's format at the positions of its frames.
package protocol ReportRewriter: Sendable {
    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit]
}
