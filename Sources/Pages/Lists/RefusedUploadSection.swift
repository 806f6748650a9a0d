public import CallStacks
import HTMLText

/// An uploaded file that was refused.
public struct RefusedUpload: Hashable, Sendable {
    public var name: String
    public var reason: String
    public var time: UnixTime
    public var app: String?
    public var version: String?
    public var build: String?

    public init(
        name: String, reason: String, time: UnixTime, app: String?, version: String?, build: String?
    ) {
        self.name = name
        self.reason = reason
        self.time = time
        self.app = app
        self.version = version
        self.build = build
    }

    /// The last component of its path.
    private var fileName: Substring? { name.split(separator: "/").last }

    /// Whether the file was probably meant to be the debug file of an image.
    public func isAbout(_ row: MissingRow) -> Bool {
        guard let image = row.name, app == nil || row.app == nil || app == row.app,
            version == nil || row.version == nil || version == row.version
        else { return false }
        return fileName.map(String.init) == image
    }
}

/// A list of the most recently refused uploads.
struct RefusedUploadSection {
    let uploads: [RefusedUpload]
    let now: UnixTime

    /// The number of uploads that are listed.
    private static let limit = 20

    func write(to html: inout HTMLWriter) {
        guard !uploads.isEmpty else { return }
        html.element("h2", text: "Refused uploads")
        ListTable(name: "Refused uploads", columns: ["File", "For", "Refused", "Why"])
            .write(to: &html) { html in
                for upload in uploads.prefix(Self.limit) {
                    html.element("tr") { html in
                        html.cell(upload.name)
                        html.cell(subject(of: upload))
                        html.element("td") { TimeText(time: upload.time, now: now).write(to: &$0) }
                        html.cell(upload.reason)
                    }
                }
            }
    }

    /// `com.example.shop 1.4.0 (217)`
    private func subject(of upload: RefusedUpload) -> String {
        let build = upload.build.map { "(\($0))" }
        let parts = [upload.app, upload.version, build].compactMap(\.self)
        return parts.isEmpty ? "all apps" : parts.joined(separator: " ")
    }
}
