import CallStacks
import DebugFiles
public import SymbolIntake

/// The next step of `sentry-cli` for a file.
public struct AssembleReply: Encodable, Sendable {
    let state: String
    /// Required in every state. A `not_found` without missing chunks would end the upload as if it
    /// were complete.
    let missingChunks: [String]
    var detail: String?
    var dif: DebugInformationFile?

    /// - Parameter debugID: The client's spelling of the identity, or `nil` if it sent none.
    public init(_ state: ChunkedFileState, checksum: SHA1Checksum, debugID: String?) {
        switch state {
        case .missing(let chunks):
            self.state = "not_found"
            missingChunks = chunks.map(\.text)
        case .assembling:
            self.state = "assembling"
            missingChunks = []
        case .accepted(let text):
            // Without a `dif`, clients succeed and do not show the kind.
            self.state = "ok"
            missingChunks = []
            detail = text
        case .rejected(let reason):
            self.state = "error"
            missingChunks = []
            detail = reason
        case .stored(let file):
            self.state = "ok"
            missingChunks = []
            detail = file.detail
            dif = DebugInformationFile(file, checksum: checksum, debugID: debugID)
        }
    }
}

/// A stored debug file, as `sentry-cli` prints it.
struct DebugInformationFile: Encodable {
    struct Contents: Encodable {
        let type: String
        let features: [String]
    }

    let debugId: String
    let objectName: String
    let cpuName: String
    let sha1: String
    let data: Contents

    init(_ file: AssembledFile, checksum: SHA1Checksum, debugID: String?) {
        let kind = DebugFileKind(rawValue: file.kind) ?? .other
        debugId = debugID ?? DebugID(file.image, isBuildID: kind.isELF).hyphenated
        objectName = file.name
        cpuName = file.architecture
        sha1 = checksum.text
        data = Contents(type: Self.type(of: kind), features: ["debug", "symtab"])
    }

    /// Returns the protocol's word for a kind. Clients reject a whole reply that contains an
    /// unknown word.
    private static func type(of kind: DebugFileKind) -> String {
        switch kind {
        case .dSYM, .elfDebug, .elfSupplement: "dbg"
        case .executable, .elfExecutable: "exe"
        case .dylib, .bundle, .elfShared, .kext: "lib"
        case .object, .elfObject: "rel"
        case .dylinker, .preload, .other: "other"
        }
    }
}
