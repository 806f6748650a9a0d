import CallStacks
import Foundation
import Logging
import SymbolStores
import Symbolication
import Synchronization
import TestSupport

@testable import SymbolIntake

/// A data folder for one test, and the service's parts that work on it.
final class Intake: Sendable {
    let folder: URL
    let catalogue = MemoryCatalogue()
    let storage: SymbolStorage
    let symbols: StoredSymbolIndexes
    let bundles: UploadIntake
    private let arrivals = Arrivals()

    init(
        sharedIndexes: (any IndexStore)? = nil,
        _ change: (inout IntakeSettings) -> Void = { _ in }
    ) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var settings = IntakeSettings(
            data: folder.appendingPathComponent("data").path, workerCount: 2,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        settings.executable = executable
        change(&settings)
        storage = SymbolStorage(
            settings: settings, catalogue: catalogue,
            blobs: BlobFolder(path: settings.data + "/blobs"), sharedIndexes: sharedIndexes)
        try storage.prepare()
        symbols = StoredSymbolIndexes(storage)
        bundles = UploadIntake(storage, symbols: symbols) { [arrivals] in arrivals.add($0) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The new images, one for each time they were reported.
    var arrived: [ImageID] { tidings.flatMap(\.self) }

    /// The new images, by upload.
    var tidings: [[ImageID]] { arrivals.tidings }

    var removal: SymbolRemoval { SymbolRemoval(storage, symbols: symbols) }
    var upkeep: StorageMaintenance { StorageMaintenance(storage, symbols: symbols) }

    /// Uploads bytes.
    func upload(
        _ bytes: [UInt8], named name: String = "upload", of app: String? = nil,
        build: Build? = nil, replacing replaces: Bool = false
    ) async throws -> [IntakeResult] {
        let path = storage.folders.newIncomingPath()
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let terms = UploadOptions(
            owner: SymbolOwner(app: build?.app ?? app), build: build, replaces: replaces)
        return try await bundles.process(fileAt: path, named: name, options: terms)
    }

    /// Uploads a copy of a file or folder of the project.
    func upload(
        _ path: String, named name: String = "upload", of app: String? = nil, build: Build? = nil
    ) async throws -> [IntakeResult] {
        let copy = storage.folders.newIncomingPath()
        try FileManager.default.copyItem(
            atPath: projectFolder.appendingPathComponent(path).path, toPath: copy)
        return try await bundles.process(
            fileAt: copy, named: name,
            options: UploadOptions(owner: SymbolOwner(app: build?.app ?? app), build: build))
    }

    /// The files in the data folder, by relative path, sorted.
    var files: [String] {
        let data = URL(fileURLWithPath: storage.folders.path)
        let all = FileManager.default.subpaths(atPath: data.path) ?? []
        return all.filter {
            !((try? data.appendingPathComponent($0).resourceValues(forKeys: [.isDirectoryKey])
                .isDirectory) ?? false)
        }.sorted()
    }

    /// Returns the only file in a folder of the data folder.
    func soleFile(in name: String) throws -> String {
        let found = files.filter { $0.hasPrefix(name + "/") }
        guard found.count == 1 else { throw UnexpectedFiles(names: found) }
        return "\(storage.folders.path)/\(found[0])"
    }

    /// Returns the functions at an offset, innermost first, or the status if there are none.
    func names(
        _ image: ImageID, at offset: ImageOffset = functionOffset,
        for access: DebugFileAccess = .everything
    ) async -> [String] {
        var lookup = OffsetLookup(provider: symbols.provider(for: access))
        let answer = await lookup.result(for: image, at: offset)
        let frames = lookup.frames(of: answer)
        return frames.isEmpty ? [answer.status.rawValue] : frames.map { $0.function ?? "?" }
    }

    /// Returns the same storage with another program for workers.
    func storage(running program: String) throws -> SymbolStorage {
        var settings = storage.settings
        settings.executable = program
        return SymbolStorage(
            settings: settings, catalogue: catalogue,
            blobs: BlobFolder(path: storage.folders.blobs))
    }

    /// Creates a program that runs a line of shell, in which `$2` is the job, and then the
    /// executable.
    func wrapper(_ line: String) throws -> String {
        try writeExecutable(
            "#!/bin/sh\n\(line)\nexec '\(executable)' \"$@\"\n",
            to: folder.appendingPathComponent("wrapper-\(UUID().uuidString)"))
    }
}

struct UnexpectedFiles: Error {
    let names: [String]
}

private final class Arrivals: Sendable {
    private let all = Mutex<[[ImageID]]>([])

    var tidings: [[ImageID]] { all.withLock(\.self) }

    func add(_ images: [ImageID]) { all.withLock { $0.append(images) } }
}

/// The built executable, next to the tests.
let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("symbolist").path

/// Builds of the sample app.
enum Orchard {
    static let symbols = "Symbols/orchard-1.4.0-arm64-release-dwarf4"
    static let kitDSYM = "\(symbols)/OrchardKit.framework.dSYM/Contents/Resources/DWARF/OrchardKit"
    static let strippedKit = "\(symbols)/Orchard.app/Frameworks/OrchardKit.framework/OrchardKit"
    static let kit = ImageID("4C4C44E3-5555-3144-A103-3964DAADDC31")!
    /// An offset in the kit with an inlined call.
    static let inlinedOffset = ImageOffset(0x4170)

    static let universal =
        "Symbols/orchard-1.4.0-universal/Orchard.app.dSYM/Contents/Resources/DWARF/Orchard"
    static let universalX86 = ImageID("4C4C44D4-5555-3144-A104-F12055FC3F9C")!
    static let universalArm = ImageID("4C4C44EF-5555-3144-A121-1B167ACF6C1C")!

    static let build = Build(app: "com.example.orchard", version: "1.4.0", build: "217")
}

/// Returns an ELF library with one function, whose identity is `number` repeated twenty times.
func library(_ number: UInt8, function: String = "f") -> [UInt8] {
    var file = ELFBuilder.library(buildID: [UInt8](repeating: number, count: 20))
    file.add([.init(function, at: 0x1010, size: 0x10)])
    return file.bytes()
}

/// The identity of ``library(_:function:)``.
func identity(_ number: UInt8) -> ImageID {
    ImageID(bytes: [UInt8](repeating: number, count: 20))!
}

/// An offset in the function of ``library(_:function:)``.
let functionOffset = ImageOffset(0x1018)

extension StoredSymbolIndexes {
    // With access to everything.

    func cachedSymbols(for image: ImageID) -> SymbolSupply? {
        provider(for: .everything).cachedSymbols(for: image)
    }

    func symbols(for image: ImageID) async -> SymbolSupply {
        await provider(for: .everything).symbols(for: image)
    }

    func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply {
        await provider(for: .everything).symbols(replacingDamagedIndexOf: image)
    }
}
