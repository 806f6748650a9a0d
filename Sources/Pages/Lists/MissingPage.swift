public import CallStacks
import HTMLText
import StackRendering

/// An image whose symbols diagnostics wait for.
public struct MissingRow: Hashable, Sendable {
    public var name: String?
    public var id: ImageID
    public var architecture: String?
    /// The app with its version and build.
    public var app: String?
    public var version: String?
    public var build: String?
    public var waiting: Int
    public var lastSeen: UnixTime
    /// Another image of the same name whose symbols are stored.
    public var otherBuild: ImageID?
    public var reason: String
    /// A refused upload of the image.
    public var refusal: RefusedUpload?
    /// The systems that contain the image.
    public var systems: [String] = []

    public init(
        name: String?, id: ImageID, architecture: String?, app: String?, version: String?,
        build: String?, waiting: Int, lastSeen: UnixTime, otherBuild: ImageID? = nil,
        reason: String
    ) {
        self.name = name
        self.id = id
        self.architecture = architecture
        self.app = app
        self.version = version
        self.build = build
        self.waiting = waiting
        self.lastSeen = lastSeen
        self.otherBuild = otherBuild
        self.reason = reason
    }
}

/// The images whose symbols diagnostics wait for, by app, with the command that uploads them.
public struct MissingPage: Sendable {
    /// The selection of images in the URL's query.
    public struct Filter: Hashable, Sendable {
        public var app: String?
        /// Whether the page lists only system images.
        public var showsSystem = false

        public init(app: String? = nil, showsSystem: Bool = false) {
            self.app = app
            self.showsSystem = showsSystem
        }

        var query: [(name: String, value: String?)] {
            [("app", app), ("scope", showsSystem ? "system" : nil)]
        }
    }

    public var filter: Filter
    /// One page of the images of apps; empty in a list of system images.
    public var app: [MissingRow] = []
    /// One page of system images, or the first ones below the images of apps.
    public var system: [MissingRow] = []
    /// Whether there are more system images than those below the images of apps.
    public var hasMoreSystem = false
    public var neighbours = PageNeighbours()
    /// The most recently refused uploads, newest first.
    public var refused: [RefusedUpload] = []
    public var now: UnixTime

    public init(filter: Filter = Filter(), now: UnixTime) {
        self.filter = filter
        self.now = now
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .missing).page(title: title) { html in
            let state = app.map { "\($0.id):\($0.waiting)" }.joined(separator: " ")
            // The script removes rows and adds others in place, and tells from the state how many
            // diagnostics became readable.
            html.element(
                "h1",
                [
                    HTMLAttribute("data-state", filter.showsSystem ? nil : state),
                    HTMLAttribute("data-live", isSet: !filter.showsSystem),
                ], text: title)
            writePills(to: &html, context)
            if filter.showsSystem {
                html.systemAdvice(context)
                writeSystemTable(to: &html)
            } else {
                if app.isEmpty {
                    let whose = filter.app == nil ? "apps" : "this app"
                    html.element("p", text: "No diagnostics are waiting for symbols of \(whose).")
                }
                for (number, group) in groups.enumerated() {
                    html.element("section", [HTMLAttribute("data-group", plain(group.title))]) {
                        write(group, number, to: &$0, context)
                    }
                }
            }
            neighbours.write(
                to: &html, segments: ["missing"], query: filter.query, words: .positions, context)
            RefusedUploadSection(uploads: refused, now: now).write(to: &html)
            if !filter.showsSystem { writeSystem(to: &html, context) }
        }
    }

    private func writePills(to html: inout HTMLWriter, _ context: PageContext) {
        let all = Filter(showsSystem: filter.showsSystem)
        FilterPills(app: filter.app, without: context.link("missing", query: all.query))
            .write(to: &html)
    }

    private var title: String { filter.showsSystem ? "Missing system symbols" : "Missing symbols" }

    /// The rows of one build, whose symbols one command uploads.
    private struct Group {
        let first: MissingRow
        let rows: [MissingRow]

        var title: String {
            let version = [first.version, first.build.map { "(\($0))" }].compactMap(\.self)
            return ([first.app ?? "Unknown app"] + version).joined(separator: " ")
        }

        /// `16 diagnostics wait`, or `at least 16 diagnostics wait`, because a diagnostic may wait
        /// for several images.
        var waitingText: String {
            let count = rows.map(\.waiting).max() ?? 0
            let bound = rows.count > 1 ? "at least " : ""
            return bound + counted(count, "diagnostic") + (count == 1 ? " waits" : " wait")
        }
    }

    private var groups: [Group] {
        struct Key: Hashable { let app, version, build: String? }
        var order: [Key] = []
        var rows: [Key: [MissingRow]] = [:]
        for row in app {
            let key = Key(app: row.app, version: row.version, build: row.build)
            if rows[key] == nil { order.append(key) }
            rows[key, default: []].append(row)
        }
        return order.compactMap { key in
            rows[key].flatMap { rows in rows.first.map { Group(first: $0, rows: rows) } }
        }
    }

    private static let columns = ["Image", "UUID", "Architecture", "Waiting", "Last", "Why"]

    private func write(
        _ group: Group, _ number: Int, to html: inout HTMLWriter, _ context: PageContext
    ) {
        html.element("h2") { html in
            html.name(group.title)
            html.element("span", [.class("note")], text: " \(group.waitingText)")
        }
        ListTable(name: "Images of \(plain(group.title))", columns: Self.columns).write(to: &html) {
            html in
            for (index, row) in group.rows.enumerated() {
                write(row, "image\(number)-\(index)", to: &html, context)
                writeCommand(
                    for: row, "command\(number)-\(index)", isOpen: group.rows.count == 1,
                    to: &html, context)
            }
        }
        guard group.rows.count > 1 else { return }
        html.element("p", text: "All images of this build:")
        html.command(commands(for: group.rows, context), id: "command\(number)")
        ImageSearchCommands(for: group.rows.map(\.id)).writeOmission(to: &html)
    }

    /// - Parameter id: The identifier of the row's UUID in the page.
    private func write(
        _ row: MissingRow, _ id: String, to html: inout HTMLWriter, _ context: PageContext
    ) {
        html.element("tr", [HTMLAttribute("data-image", row.id.description)]) { html in
            html.cell(row.name ?? "???")
            html.element("td") { html in
                let uuid = row.id.description
                html.element("a", [.href(context.link("images", uuid)), .id(id)]) { $0.code(uuid) }
                html.text(" ")
                html.copyButton(of: id, label: "Copy \(uuid)")
            }
            html.cell(row.architecture ?? "")
            html.count(row.waiting)
            html.element("td") { TimeText(time: row.lastSeen, now: now).write(to: &$0) }
            html.element("td") { writeReason(of: row, to: &$0) }
        }
    }

    private func writeReason(of row: MissingRow, to html: inout HTMLWriter) {
        if let refusal = row.refusal {
            html.text("refused ")
            TimeText(time: refusal.time, now: now).write(to: &html)
            html.text(": ")
            html.name(refusal.reason)
        } else if let other = row.otherBuild {
            html.text("another build is here: ")
            html.code(other.description)
        } else {
            html.name(row.reason)
        }
    }

    /// Writes a row with the command for one image. Files dropped on it are compared with the
    /// image, as in the row above.
    ///
    /// - Parameter id: The identifier of the command in the page.
    private func writeCommand(
        for row: MissingRow, _ id: String, isOpen: Bool, to html: inout HTMLWriter,
        _ context: PageContext
    ) {
        html.element(
            "tr", [.class("command-row"), HTMLAttribute("data-image", row.id.description)]
        ) { html in
            html.element("td", [HTMLAttribute("colspan", "\(Self.columns.count)")]) { html in
                html.element("details", [HTMLAttribute("open", isSet: isOpen)]) { html in
                    html.element("summary") { html in
                        html.text("Command for ")
                        html.name(row.name ?? "???")
                    }
                    html.command(commands(for: [row], context), id: id)
                }
            }
        }
    }

    /// Returns the commands that find and upload the symbols of images of the same build.
    private func commands(for rows: [MissingRow], _ context: PageContext) -> String {
        let upload = context.uploadCommand(
            app: rows.first?.app, version: rows.first?.version, build: rows.first?.build)
        let search = ImageSearchCommands(for: rows.map(\.id))
        return (search.commands + [upload]).joined(separator: "\n")
    }

    private func writeSystem(to html: inout HTMLWriter, _ context: PageContext) {
        guard !system.isEmpty else { return }
        html.element("details", [.class("part")]) { html in
            html.element("summary") { html in
                html.element("b", text: "System images")
                let count = hasMoreSystem ? "more than \(system.count)" : "\(system.count)"
                html.element("span", [.class("note")], text: " \(count)")
            }
            html.systemAdvice(context)
            writeSystemTable(to: &html)
            guard hasMoreSystem else { return }
            let all = Filter(app: filter.app, showsSystem: true)
            html.element(
                "a", [.class("more"), .href(context.link("missing", query: all.query))],
                text: "All system images")
        }
    }

    private func writeSystemTable(to html: inout HTMLWriter) {
        guard !system.isEmpty else {
            return html.element("p", text: "No diagnostics are waiting for system symbols.")
        }
        ListTable(name: "System images", columns: ["Image", "UUID", "Waiting", "Systems"])
            .write(to: &html) { html in
                for row in system {
                    html.element("tr") { html in
                        html.cell(row.name ?? "???")
                        html.element("td") { $0.code(row.id.description) }
                        html.count(row.waiting)
                        html.cell(row.systems.joined(separator: ", "))
                    }
                }
            }
    }
}

extension HTMLWriter {
    /// Writes how to add the symbols of system images.
    ///
    /// - Parameter subject: The images, with their verb.
    mutating func systemAdvice(
        subject: String = "These images belong", _ context: PageContext
    ) {
        element(
            "p", [.class("note")],
            text:
                "\(subject) to the operating system; the app’s build does not include the symbols. "
                + "If you have the system’s shared cache or a DeviceSupport folder, upload what is "
                + "missing:")
        command(context.systemUploadCommand, id: "system-command")
    }
}
