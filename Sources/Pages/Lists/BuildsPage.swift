public import CallStacks
import HTMLText
import StackRendering

/// A build with its images.
public struct BuildRow: Hashable, Sendable {
    public struct Image: Hashable, Sendable {
        public var id: ImageID
        public var name: String
        public var architecture: String
        /// What its debug file has, or `nil` if there is none.
        public var quality: String?
        public var hasLines: Bool

        public init(
            id: ImageID, name: String, architecture: String, quality: String?, hasLines: Bool
        ) {
            self.id = id
            self.name = name
            self.architecture = architecture
            self.quality = quality
            self.hasLines = hasLines
        }
    }

    public var build: Build
    public var firstUpload: UnixTime
    public var lastUpload: UnixTime
    public var images: [Image] = []
    /// The diagnostics of its version, or `nil` if there are none.
    public var coverage: VersionCoverageRow?

    public init(build: Build, firstUpload: UnixTime, lastUpload: UnixTime) {
        self.build = build
        self.firstUpload = firstUpload
        self.lastUpload = lastUpload
    }

    var title: String { "\(build.app) \(build.version) (\(build.build))" }

    /// `9 of 11 with lines`.
    var quality: String { "\(images.count(where: \.hasLines)) of \(images.count) with lines" }

    func link(_ context: PageContext) -> LinkTarget {
        context.link("builds", build.app, build.version, build.build)
    }
}

/// The builds that symbols were uploaded for.
public struct BuildsPage: Sendable {
    public var builds: [BuildRow]
    /// The uploads that were refused last, newest first.
    public var refused: [RefusedUpload] = []
    public var neighbours = PageNeighbours()
    public var app: String?
    public var now: UnixTime

    public init(builds: [BuildRow], now: UnixTime) {
        self.builds = builds
        self.now = now
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .builds).page(title: "Builds") { html in
            html.element("h1", text: "Builds")
            guard !builds.isEmpty else {
                html.element(
                    "p",
                    text:
                        "No symbols were uploaded for a build. Drop an Xcode archive on any page, or run:"
                )
                let upload = UploadCommand(context, app: "APP", version: "VERSION", build: "BUILD")
                html.command(upload.text, id: "command")
                return RefusedUploads(uploads: refused, now: now).write(to: &html)
            }
            let columns = [
                "App", "Version", "Images", "Diagnostics", "Frames with function", "Uploaded",
            ]
            ListTable(name: "Builds", columns: columns).write(to: &html) { html in
                for row in builds { write(row, to: &html, context) }
            }
            neighbours.write(to: &html, segments: ["builds"], query: [("app", app)], context)
            RefusedUploads(uploads: refused, now: now).write(to: &html)
        }
    }

    private func write(_ row: BuildRow, to html: inout HTMLWriter, _ context: PageContext) {
        html.element("tr") { html in
            html.cell(row.build.app)
            html.element("td") { html in
                html.element("a", [.href(row.link(context))]) {
                    $0.name("\(row.build.version) (\(row.build.build))")
                }
            }
            html.element("td", text: row.quality)
            html.element("td", [.class("count")]) { html in
                guard let coverage = row.coverage else { return html.text("0") }
                let target = context.link(
                    query: [("app", row.build.app), ("version", row.build.version)])
                html.element("a", [.href(target)], text: grouped(coverage.diagnostics))
            }
            html.element(
                "td", [.class("count")], text: row.coverage.map { percent($0.readable) } ?? "")
            html.element("td") { TimeText(time: row.lastUpload, now: now).write(to: &$0) }
        }
    }
}

/// A build: its images, and the form that deletes it.
public struct BuildPage: Sendable {
    public var build: BuildRow
    public var canDelete: Bool
    public var now: UnixTime

    public init(build: BuildRow, canDelete: Bool, now: UnixTime) {
        self.build = build
        self.canDelete = canDelete
        self.now = now
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .builds).page(title: build.title) { html in
            html.element("h1") { $0.name(build.title) }
            html.element("p") { html in
                html.text("\(build.quality), uploaded ")
                TimeText(time: build.lastUpload, now: now).write(to: &html)
            }
            ListTable(name: "Images", columns: ["Image", "UUID", "Architecture", "Symbols"])
                .write(to: &html) { html in
                    for image in build.images { write(image, to: &html, context) }
                }
            if canDelete { writeDeletion(to: &html, context) }
        }
    }

    private func write(
        _ image: BuildRow.Image, to html: inout HTMLWriter, _ context: PageContext
    ) {
        html.element("tr") { html in
            html.cell(image.name)
            html.element("td") { html in
                html.element("a", [.href(context.link("images", image.id.description))]) {
                    $0.code(image.id.description)
                }
            }
            html.cell(image.architecture)
            html.element("td", [.class(image.hasLines ? nil : "warn")]) {
                $0.name(image.quality ?? "missing")
            }
        }
    }

    private func writeDeletion(to html: inout HTMLWriter, _ context: PageContext) {
        let segments = [
            "builds", build.build.app, build.build.version, build.build.build, "delete",
        ]
        html.element("details", [.class("part")]) { html in
            html.element("summary", text: "Delete this build")
            html.element(
                "p",
                text: "This removes the build and those of the app’s debug files that belong to no "
                    + "other build. Diagnostics of the build lose their function names on these pages."
            )
            html.element(
                "form",
                [
                    .class("controls"), HTMLAttribute("method", "post"),
                    .action(LinkTarget(prefix: context.prefix, segments: segments)),
                ]
            ) { $0.element("button", [.class("danger")], text: "Delete") }
        }
    }
}
