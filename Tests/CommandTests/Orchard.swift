import Foundation
import TestSupport

/// The build of the sample app used by the tests, with paths relative to the project folder.
enum Orchard {
    static let symbols = "Symbols/orchard-1.4.0-arm64-release-dwarf4"
    static let app = "\(symbols)/Orchard.app.dSYM"
    static let kit = "\(symbols)/OrchardKit.framework.dSYM"
    static let kitFile = "\(kit)/Contents/Resources/DWARF/OrchardKit"
    static let universal = "Symbols/orchard-1.4.0-universal/Orchard.app.dSYM"
    static let archive = "Symbols/orchard-1.4.0-arm64-size/dSYMs.zip"

    static let diagnostics = "Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4"
    static let crash = "\(diagnostics)/array-index.crash.json"
    /// An `.ips` of the same build, which has the architecture of each image.
    static let report = "\(diagnostics)/async-resume.report.ips"
    static let hang = "\(diagnostics)/index-rebuild.hang.json"

    static let kitID = "4C4C44E3-5555-3144-A103-3964DAADDC31"
    /// An offset in the kit with an inlined call.
    static let inlinedOffset = "0x4170"

    static func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: projectFolder.appendingPathComponent(path))
    }

    /// Returns a project path as a quoted absolute path, and an option unchanged.
    static func argument(_ word: String) -> String {
        word.hasPrefix("-") ? word : "'\(absolute(word))'"
    }

    static func absolute(_ path: String) -> String {
        projectFolder.appendingPathComponent(path).path
    }
}
