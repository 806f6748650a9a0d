import CallStacks
import HTMLText
import StackRendering

/// The app's images without symbols, and the commands that supply them.
struct Remedies {
    /// The maximum number of images that are listed.
    static let imageLimit = 5

    /// What a user can do about missing symbols, above the commands.
    static let advice =
        "Drop the dSYM or debug file anywhere on this page. Or find it on the Mac that built the "
        + "app, and upload it:"

    let images: [ImageStatus]
    let details: DiagnosticDetails
    let context: PageContext

    init(of diagnostic: SymbolicatedDiagnostic, in context: PageContext) {
        images = diagnostic.imagesLackingSymbols.app
        details = diagnostic.details
        self.context = context
    }

    func write(to html: inout HTMLWriter) {
        guard !images.isEmpty else { return }
        html.element("section", [.class("remedy"), HTMLAttribute("aria-label", "Missing symbols")])
        {
            html in
            html.element("ul") { html in
                for image in images.prefix(Self.imageLimit) { write(image, to: &html) }
                let rest = images.count - Self.imageLimit
                if rest > 0 { html.element("li", text: counted(rest, "more image")) }
            }
            guard !commands.isEmpty else { return }
            html.element("p", text: Self.advice)
            html.command(commands, id: "remedy")
            search.writeOmission(to: &html)
        }
    }

    private func write(_ image: ImageStatus, to html: inout HTMLWriter) {
        html.element("li") { html in
            html.element("b") { $0.name(image.name ?? "???") }
            html.text(" \(image.status.problem): \(counted(image.frameCount, "frame"))")
            guard let id = image.image else { return }
            html.text(", UUID ")
            html.element("a", [.href(context.link("images", id.description))]) {
                $0.code(id.description)
            }
        }
    }

    /// The commands that find the debug files on a Mac and upload them.
    private var commands: String {
        let searches = search.commands
        guard !searches.isEmpty else { return "" }
        return (searches + [upload]).joined(separator: "\n")
    }

    private var search: ImageSearchCommands { ImageSearchCommands(for: images.compactMap(\.image)) }

    private var upload: String {
        context.uploadCommand(
            app: details.bundleIdentifier, version: details.appVersion, build: details.appBuild)
    }
}

extension ImageStatus.State {
    /// The status as a predicate: `has no symbols`.
    var problem: String {
        switch self {
        case .found: "has symbols"
        case .noDebugInfo: "has only a symbol table"
        case .missing: "has no symbols"
        case .corrupt: "has damaged symbols"
        case .unidentified: "has no UUID, so its symbols cannot be looked up"
        }
    }
}
