public import CallStacks
import HTMLText
import StackRendering

/// A build with its images.
public struct BuildRow: Hashable, Sendable {
    public struct Image: Hashable, Sendable {
        public var id: ImageID
        public var name: String
        public var architecture: String
        /// The contents of its debug file, or `nil` if there is none.
        public var quality: String?
        public var hasLines: Bool
        /// The size of the debug file, in bytes, or `nil` if there is none.
        public var byteCount: Int64?
        /// The warnings about the debug file.
        public var warnings: [String] = []

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
    /// The commit that it was made from, or `nil` if no upload named one.
    public var commit: SourceCommit?
    public var lastUpload: UnixTime
    public var images: [Image] = []
    /// The size of all debug files, in bytes.
    public var byteCount: Int64 = 0
    /// The diagnostics of its version, or `nil` if there are none.
    public var coverage: VersionCoverageRow?

    public init(build: Build, lastUpload: UnixTime) {
        self.build = build
        self.lastUpload = lastUpload
    }

    var title: String { "\(build.app) \(build.version) (\(build.build))" }

    /// `9 of 11 with lines`.
    var quality: String { "\(images.count(where: \.hasLines)) of \(images.count) with lines" }

    /// `2 warnings`, or `nil` without any.
    var warningText: String? {
        let count = images.reduce(0) { $0 + $1.warnings.count }
        return count > 0 ? counted(count, "warning") : nil
    }

    func link(_ context: PageContext) -> LinkTarget {
        context.link("builds", build.app, build.version, build.build)
    }

    /// The page that confirms the deletion of the build.
    func deletion(_ context: PageContext) -> LinkTarget {
        context.link("builds", build.app, build.version, build.build, "delete")
    }
}

/// The builds for which symbols were uploaded.
public struct BuildListPage: Sendable {
    public var builds: [BuildRow]
    /// The most recently uploaded debug files, newest first.
    public var uploads: [DebugFileRow] = []
    /// The most recently refused uploads, newest first.
    public var refused: [RefusedUpload] = []
    public var neighbours = PageNeighbours()
    /// The app of the URL's query, or `nil` for all apps.
    public var app: String?
    public var now: UnixTime

    public init(builds: [BuildRow], now: UnixTime) {
        self.builds = builds
        self.now = now
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .builds).page(title: "Builds") { html in
            html.element("h1", text: "Builds")
            FilterPills(app: app, without: context.link("builds")).write(to: &html)
            guard !builds.isEmpty else {
                writeEmptiness(to: &html, context)
                return writeUploads(to: &html, context)
            }
            let columns = [
                "App", "Version", "Images", "Size", "Diagnostics", "Frames with function",
                "Uploaded",
            ]
            ListTable(name: "Builds", columns: columns).write(to: &html) { html in
                for row in builds { write(row, to: &html, context) }
            }
            neighbours.write(to: &html, segments: ["builds"], query: [("app", app)], context)
            writeUploads(to: &html, context)
        }
    }

    /// Explains why the list is empty, and what to do about it.
    private func writeEmptiness(to html: inout HTMLWriter, _ context: PageContext) {
        guard app == nil else {
            return FilterPills.writeNoMatch(
                of: "build", all: "All builds", at: context.link("builds"), to: &html)
        }
        html.element(
            "p",
            text: "No builds have been uploaded yet. Drop an Xcode archive on any page, or run:")
        let upload = context.uploadCommand(app: "APP", version: "VERSION", build: "BUILD")
        html.command(upload, id: "command")
    }

    private func writeUploads(to html: inout HTMLWriter, _ context: PageContext) {
        DebugFileList(title: "Last uploads", files: uploads, now: now).write(to: &html, context)
        RefusedUploadSection(uploads: refused, now: now).write(to: &html)
    }

    private func write(_ row: BuildRow, to html: inout HTMLWriter, _ context: PageContext) {
        html.element("tr") { html in
            html.appCell(row.build.app, isFiltered: app != nil) {
                context.link("builds", query: [("app", $0)])
            }
            html.element("td") { html in
                html.element("a", [.href(row.link(context))]) {
                    $0.name("\(row.build.version) (\(row.build.build))")
                }
                if let commit = row.commit {
                    html.element("p", [.class("note")]) { $0.code(commit.description) }
                }
            }
            html.element("td") { html in
                html.text(row.quality)
                if let text = row.warningText {
                    html.element("p", [.class("warn")], text: text)
                }
            }
            html.element("td", [.class("count")], text: byteText(row.byteCount))
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

/// A build, with its images and a link to its deletion.
public struct BuildPage: Sendable {
    public var build: BuildRow
    /// The images for which diagnostics of the build wait, and which no upload of the build
    /// contained.
    public var absent: [MissingRow] = []
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
                html.text("\(build.quality), \(byteText(build.byteCount)), uploaded ")
                TimeText(time: build.lastUpload, now: now).write(to: &html)
                if let commit = build.commit {
                    html.text(", built from commit ")
                    html.code(commit.description)
                }
            }
            ListTable(
                name: "Images", columns: ["Image", "UUID", "Architecture", "Size", "Symbols"]
            ).write(to: &html) { html in
                for image in build.images { write(image, to: &html, context) }
            }
            writeAbsent(to: &html, context)
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
            html.element("td", [.class("count")], text: image.byteCount.map(byteText) ?? "")
            html.element("td", [.class(image.hasLines ? nil : "warn")]) { html in
                html.name(image.quality ?? "missing")
                html.warnings(image.warnings)
            }
        }
    }

    private func writeAbsent(to html: inout HTMLWriter, _ context: PageContext) {
        guard !absent.isEmpty else { return }
        html.element("h2", text: "Missing images")
        html.element(
            "p", [.class("note")],
            text:
                "Diagnostics of this build are waiting for these images, which no upload has included."
        )
        ListTable(name: "Missing images", columns: ["Image", "UUID", "Architecture", "Waiting"])
            .write(to: &html) { html in
                for row in absent {
                    html.element("tr", [HTMLAttribute("data-image", row.id.description)]) { html in
                        html.cell(row.name ?? "???")
                        html.element("td") { html in
                            html.element("a", [.href(context.link("images", row.id.description))]) {
                                $0.code(row.id.description)
                            }
                        }
                        html.cell(row.architecture ?? "")
                        html.count(row.waiting)
                    }
                }
            }
        let upload = context.uploadCommand(
            app: build.build.app, version: build.build.version, build: build.build.build)
        let search = ImageSearchCommands(for: absent.map(\.id))
        html.command((search.commands + [upload]).joined(separator: "\n"), id: "command")
        search.writeOmission(to: &html)
    }

    private func writeDeletion(to html: inout HTMLWriter, _ context: PageContext) {
        html.element("p") { html in
            html.element(
                "a", [.class("button danger"), .href(build.deletion(context))],
                text: "Delete this build…")
        }
    }
}
