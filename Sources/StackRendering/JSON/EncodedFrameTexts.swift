import CallStacks
import JSONText

/// The names and files of looked-up functions as encoded frame members, by their indices.
struct EncodedFrameTexts {
    private var image = EncodedMembers()
    private var names = EncodedMembers()
    private var files = EncodedMembers()
    /// Whether each name is compiler-generated.
    private var isCompilerGenerated: [Bool] = []

    init(_ writer: inout JSONWriter) {
        // Piece 0 is for functions without a name or a file.
        names.append(by: &writer) { $0.members(ofName: nil, linkageName: nil) }
        files.append(by: &writer) { $0.members(ofFile: nil) }
    }

    mutating func setImage(_ id: ImageID, named name: String?, by writer: inout JSONWriter) {
        image = EncodedMembers()
        image.append(by: &writer) { $0.members(ofImage: id, named: name) }
    }

    mutating func learn(
        names newNames: [FunctionName], files newFiles: [SourceFile], by writer: inout JSONWriter
    ) {
        for name in newNames[isCompilerGenerated.count...] {
            names.append(by: &writer) {
                $0.members(ofName: name.shown, linkageName: name.linkageName)
            }
            isCompilerGenerated.append(name.isCompilerGenerated)
        }
        for file in newFiles[(files.count - 1)...] {
            files.append(by: &writer) { $0.members(ofFile: file) }
        }
    }

    func writeImage(to writer: inout JSONWriter) { image.write(0, to: &writer) }

    func writeName(_ number: Int?, to writer: inout JSONWriter) {
        names.write(number.map { $0 + 1 } ?? 0, to: &writer)
    }

    func writeFile(_ number: Int?, to writer: inout JSONWriter) {
        files.write(number.map { $0 + 1 } ?? 0, to: &writer)
    }

    func isCompilerGenerated(_ name: Int?) -> Bool { name.map { isCompilerGenerated[$0] } ?? false }
}

/// A frame of a looked-up offset.
struct LookedUpFrame: JSONFrame {
    var function: ResolvedFunction
    let offset: ImageOffset?
    var functionDistance: UInt64?
    let texts: EncodedFrameTexts
    /// Whether the frame counts as the app's: in every image but Apple's own.
    let isInApp: Bool

    var address: RuntimeAddress? { nil }
    var status: FrameStatus { function.status }
    var hasFile: Bool { function.file != nil }
    var line: UInt32 { function.line }
    var column: UInt32 { function.column }
    var isApproximate: Bool { function.isApproximate }
    var isInlined: Bool { function.isInlined }
    var isCompilerGenerated: Bool {
        !function.isInSourceFile || texts.isCompilerGenerated(function.name)
    }
    var reason: String? { function.status.reason }
    var remarks: [Remark] { [] }

    func writeImage(to writer: inout JSONWriter) { texts.writeImage(to: &writer) }

    func writeName(to writer: inout JSONWriter) { texts.writeName(function.name, to: &writer) }

    func writeFile(to writer: inout JSONWriter) { texts.writeFile(function.file, to: &writer) }
}
