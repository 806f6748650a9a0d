import CallStacks

/// The images whose frames stayed raw or without lines. Each image of the app has a line with the
/// reason and a remedy. System images share one line if their symbols are simply missing.
struct MissingSymbolsText {
    let text: String

    init(of diagnostic: SymbolicatedDiagnostic, context: ReportContext, style: StackStyle) {
        let (listed, folded) = Self.listed(diagnostic)
        guard !listed.isEmpty || !folded.isEmpty else {
            text = ""
            return
        }
        let lines =
            Self.lines(listed, context: context)
            + (Self.line(folded, of: diagnostic.details, context: context) ?? "")
        text = style.paint("Images without symbols:", as: .heading) + "\n" + lines
    }

    /// Returns the images to list, and those that are simply missing.
    static func listed(
        _ diagnostic: SymbolicatedDiagnostic
    ) -> (listed: [ImageStatus], folded: [ImageStatus]) {
        let (app, system) = diagnostic.imagesLackingSymbols
        let isFolded = { (image: ImageStatus) in
            image.isFolded && !(image.isKernel && diagnostic.details.isOfMac)
        }
        return (app + system.filter { !isFolded($0) }, system.filter(isFolded))
    }

    private static func lines(_ images: [ImageStatus], context: ReportContext) -> String {
        let rows = images.map { cells($0, context: context) }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { padded($0, to: $1) } + row.suffix(1)
            return "  " + cells.joined(separator: "  ") + "\n"
        }.joined()
    }

    /// Returns the reason, name, identity, frame count and remedy.
    private static func cells(_ image: ImageStatus, context: ReportContext) -> [String] {
        [
            image.status.word, shown(image.name ?? "???"), image.image?.description ?? "-",
            counted(image.frameCount, "frame"), remedy(for: image, context: context),
        ]
    }

    /// Returns the remedy for an image without symbols; empty if it needs none.
    static func remedy(for image: ImageStatus, context: ReportContext) -> String {
        let other = image.image.flatMap { context.otherBuilds[$0] }
        if let other { return "the given symbols are of another build, \(other)" }
        if image.isKernel { return "add the kernel's dSYM from Apple's Kernel Debug Kit" }
        if image.isOfSystem, image.status == .noDebugInfo {
            return "has only exported names: add the .symbols file of its shared cache"
        }
        return image.status.remedy
    }

    /// Returns the line about system images, which ends with a command for readers who have the
    /// command line.
    private static func line(
        _ images: [ImageStatus], of details: DiagnosticDetails, context: ReportContext
    ) -> String? {
        guard let line = line(images, system: details.osVersion) else { return nil }
        // Symbols are found by UUID only.
        let hasRemedy = context.isForCommandLine && images.contains { $0.status == .missing }
        let command = hasRemedy ? SystemSymbolCommand(for: details, input: context.input) : nil
        return "  \(line)" + (command.map { ": \($0.text)" } ?? "") + "\n"
    }

    /// Returns `17 frames in 7 system images have no symbols (iPhone OS 18.1, 22B83)`.
    static func line(_ images: [ImageStatus], system: String?) -> String? {
        guard !images.isEmpty else { return nil }
        let frameCount = images.reduce(0) { $0 + $1.frameCount }
        let version = system.map { shown($0).replacing(" (", with: ", ").replacing(")", with: "") }
        return "\(counted(frameCount, "frame")) in \(counted(images.count, "system image")) "
            + "\(frameCount == 1 ? "has" : "have") no symbols" + (version.map { " (\($0))" } ?? "")
    }
}

extension ImageStatus {
    /// Whether no symbols were supplied, which needs no explanation for a system image. Frames
    /// outside all images may belong to any image and are listed.
    fileprivate var isFolded: Bool {
        status == .missing || (status == .unidentified && name != nil)
    }

    /// Whether it is a kernel of Apple's without symbols, which are in no shared cache.
    fileprivate var isKernel: Bool {
        guard let name, image?.hasUUIDLength == true, status == .missing else { return false }
        return ["kernel", "mach_kernel", "xnu"].contains(name) || name.hasPrefix("kernel.")
    }
}

extension ImageStatus.State {
    var word: String {
        switch self {
        case .found: "found"
        case .noDebugInfo: "no debug information"
        case .missing: "missing"
        case .corrupt: "damaged"
        case .unidentified: "no UUID"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .found: ""
        case .noDebugInfo: "has only a symbol table: add the dSYM or debug file of the same build"
        case .missing: "add the dSYM or debug file with this UUID"
        case .corrupt: "add its symbols again"
        case .unidentified: "nothing can be looked up without a UUID"
        }
    }
}

extension DiagnosticDetails {
    /// Whether the system is a Mac's, for which Apple publishes kernels with symbols.
    fileprivate var isOfMac: Bool {
        ["macOS ", "Mac OS X ", "OS X "].contains { osVersion?.hasPrefix($0) == true }
    }
}
