import CallStacks
import JSONText

/// The JSON members of a frame, whose name and file are strings or already encoded.
protocol JSONFrame {
    var offset: ImageOffset? { get }
    var address: RuntimeAddress? { get }
    var status: FrameStatus { get }
    var isInApp: Bool { get }
    var functionDistance: UInt64? { get }
    var hasFile: Bool { get }
    var line: UInt32 { get }
    var column: UInt32 { get }
    var isApproximate: Bool { get }
    var isInlined: Bool { get }
    var isCompilerGenerated: Bool { get }
    var reason: String? { get }
    var remarks: [Remark] { get }

    /// Writes `image` and `uuid`.
    func writeImage(to writer: inout JSONWriter)
    /// Writes `function` and `mangled`.
    func writeName(to writer: inout JSONWriter)
    /// Writes `file` and `path`.
    func writeFile(to writer: inout JSONWriter)
}

extension JSONWriter {
    mutating func frame(_ row: some JSONFrame) {
        beginObject()
        members(of: row)
        endObject()
    }

    /// Writes the members that every frame has, in a tree or not.
    mutating func members(of row: some JSONFrame) {
        row.writeImage(to: &self)
        member("offset", row.offset?.rawValue)
        member("address", row.address.map { hex($0.rawValue) })
        member("status", row.status.rawValue)
        member("in_app", row.isInApp)
        row.writeName(to: &self)
        member("function_offset", row.functionDistance)
        row.writeFile(to: &self)
        let hasLine = row.hasFile || row.isCompilerGenerated
        member("line", hasLine ? UInt64(row.line) : nil)
        member("column", row.column > 0 ? UInt64(row.column) : nil)
        member("approximate", row.isApproximate)
        member("inlined", row.isInlined)
        member("compiler_generated", row.isCompilerGenerated)
        if let reason = row.reason { member("reason", reason) }
        if !row.remarks.isEmpty { array("remarks", row.remarks) { $0.string($1.rawValue) } }
    }

    mutating func members(ofImage image: ImageID?, named name: String?) {
        member("image", name)
        member("uuid", image?.description)
    }

    mutating func members(ofName shown: String?, linkageName: String?) {
        member("function", shown)
        member("mangled", linkageName)
    }

    mutating func members(ofFile file: SourceFile?) {
        member("file", file?.name)
        member("path", file?.path)
    }
}

extension SymbolicatedFrame: JSONFrame {
    var hasFile: Bool { file != nil }

    func writeImage(to writer: inout JSONWriter) {
        writer.members(ofImage: image, named: imageName)
    }

    func writeName(to writer: inout JSONWriter) {
        writer.members(ofName: function, linkageName: mangled)
    }

    func writeFile(to writer: inout JSONWriter) { writer.members(ofFile: file) }
}
