import CallStacks
import Foundation
import SymbolStores
import Symbolication
import TestSupport

extension TestFolder {
    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path(name), withDestinationPath: target)
    }

    /// Returns the names in a subfolder, in order, or none if it does not exist.
    func names(in name: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
    }

    /// Returns the functions at an offset, according to the debug files in paths of the folder.
    func names(
        _ image: ImageID, at offset: ImageOffset, in paths: [String], isCached: Bool
    ) async -> [String] {
        await LocalSymbolProvider(
            SymbolInventory(paths: paths.map { path($0) }),
            cachedIn: isCached ? IndexFolder(path: path("cache")) : nil
        ).names(image, at: offset)
    }

    /// A path in it as the test wrote it.
    func relative(_ path: String) -> String {
        path.hasPrefix(self.path + "/") ? String(path.dropFirst(self.path.count + 1)) : path
    }
}

/// An ELF library of one function with the identity of `number` twenty times.
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

extension LocalSymbolProvider {
    /// Returns the functions at an offset, innermost first, or the status if there are none.
    func names(_ image: ImageID, at offset: ImageOffset = functionOffset) async -> [String] {
        var lookup = OffsetLookup(provider: self)
        let answer = await lookup.result(for: image, at: offset)
        let frames = lookup.frames(of: answer)
        return frames.isEmpty ? [answer.status.rawValue] : frames.map { $0.function ?? "?" }
    }

    /// Returns the status of a lookup.
    func status(_ image: ImageID, at offset: ImageOffset) async -> FrameStatus {
        var lookup = OffsetLookup(provider: self)
        return await lookup.result(for: image, at: offset).status
    }
}
