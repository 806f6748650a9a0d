import Foundation
import TestSupport

/// The release build of the sample app.
enum Orchard {
    static let folder = "Symbols/orchard-1.4.0-arm64-release-dwarf4"
    static let dSYM = "\(folder)/Orchard.app.dSYM/Contents/Resources/DWARF/Orchard"
    static let kitDSYM = "\(folder)/OrchardKit.framework.dSYM/Contents/Resources/DWARF/OrchardKit"
    static let strippedKit = "\(folder)/Orchard.app/Frameworks/OrchardKit.framework/OrchardKit"
    static let kit = "4C4C44E3-5555-3144-A103-3964DAADDC31"
    static let build = "app=com.example.orchard&version=1.4.0&build=217"

    /// Packs the app's dSYM with a shell command, in which `$out` is the archive.
    static func packed(_ line: String) throws -> [UInt8] {
        let folder = try TestFolder()
        let out = folder.url.appendingPathComponent("out").path
        try shell("out='\(out)'; \(line)", in: projectFolder.appendingPathComponent(Self.folder))
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: out)))
    }
}

/// An ELF library with one function, whose build ID is `number` twenty times.
func library(_ number: UInt8) -> [UInt8] {
    var file = ELFBuilder.library(buildID: [UInt8](repeating: number, count: 20))
    file.add([.init("f", at: 0x1010, size: 0x10)])
    return file.bytes()
}

/// An ELF program with the bytes of one function.
func program(buildID: [UInt8]) -> [UInt8] {
    var file = ELFBuilder.library(buildID: buildID)
    file.add([.init("f", at: 0x1010, size: 0x10)])
    for number in file.sections.indices where file.sections[number].name == ".text" {
        file.sections[number].type = 1
        file.sections[number].contents = [UInt8](repeating: 0x90, count: 0x100)
    }
    return file.bytes()
}

/// The build ID of ``library(_:)``.
func identity(_ number: UInt8) -> String {
    String(repeating: (number < 16 ? "0" : "") + String(number, radix: 16), count: 20)
}
