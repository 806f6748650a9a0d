import Archives
import ByteReading
import CallStacks
import DebugFiles
import Foundation
import Hummingbird
import Synchronization

extension ContractServer {
    func missing(_ body: [UInt8]) throws -> Reply {
        let question = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let asked = question?["uuids"] as? [String] ?? []
        let isForWanted = question?["wanted"] as? Bool ?? false
        guard asked.count <= (isForWanted ? 10_000 : 1_000) else {
            return Reply(.contentTooLarge, "{}")
        }
        let missing = state.withLock { state in
            asked.filter { uuid in
                guard let image = ImageID(uuid) else { return false }
                return !state.images.contains(image)
                    && (!isForWanted || state.wantedImages.contains(image))
            }
        }
        let list = try JSONSerialization.data(withJSONObject: missing)
        let systems = isForWanted ? #", "systems": \#(state.withLock(\.awaitedSystems))"# : ""
        return Reply(.ok, #"{"missing": \#(String(decoding: list, as: UTF8.self))\#(systems)}"#)
    }

    func upload(_ images: [ImageID]) -> Reply {
        state.withLock { state in
            if let reason = state.rejection {
                return Reply(
                    .created,
                    #"{"files": [{"uuid": null, "status": "rejected", "reason": "\#(reason)"}]}"#)
            }
            let known = state.images
            state.images.formUnion(images)
            let status = state.pollsUntilIndexed > 0 ? "stored" : "indexed"
            let reason = state.warning.map { "\"\($0)\"" } ?? "null"
            let files = images.map { image in
                let status = known.contains(image) ? "duplicate" : status
                return #"{"uuid": "\#(image)", "status": "\#(status)", "reason": \#(reason)}"#
            }
            return Reply(.created, #"{"files": [\#(files.joined(separator: ", "))]}"#)
        }
    }

    func lookUp(_ body: [UInt8]) throws -> Reply {
        let question = try JSONDecoder().decode(LookupQuestion.self, from: Data(body))
        let images = state.withLock { state in
            state.lookupsUntilAvailable -= 1
            return question.images.map { asked in
                let known = state.lookupsUntilAvailable < 0 ? ImageID(asked.uuid) : nil
                return known.flatMap { state.lookups[$0] }
                    ?? #"{"uuid": "\#(asked.uuid)", "status": "missing_image", "answers": []}"#
            }
        }
        return Reply(.ok, #"{"images": [\#(images.joined(separator: ", "))]}"#)
    }

    func debugFile(_ path: String) -> Reply {
        let bytes = state.withLock { $0.debugFiles[path] }
        return bytes.map { Reply(.ok, ByteBuffer(bytes: $0)) } ?? Reply(.notFound, "not found")
    }

    func slices(_ uuid: String?) -> Reply {
        state.withLock { state in
            if let list = state.lists["/v1/symbols"] { return Reply(.ok, list) }
            let image = uuid.flatMap { ImageID($0) }
            guard let image, state.images.contains(image) else {
                return Reply(.ok, #"{"files": []}"#)
            }
            state.pollsUntilIndexed = max(0, state.pollsUntilIndexed - 1)
            let status = state.pollsUntilIndexed > 0 ? "stored" : "indexed"
            return Reply(.ok, #"{"files": [{"uuid": "\#(image)", "status": "\#(status)"}]}"#)
        }
    }

    func list(_ path: String) -> Reply {
        Reply(.ok, state.withLock { $0.lists[path] ?? "{}" })
    }

    func removeSystem(_ path: String) -> Reply {
        let build = path.split(separator: "/").last ?? ""
        let isKnown = state.withLock { $0.lists["/v1/systems"]?.contains("\"\(build)\"") == true }
        return isKnown ? Reply(.ok, "{}") : Reply(.notFound, #"{"error": {"code": "not_found"}}"#)
    }

    func remove(_ path: String) -> Reply {
        let uuid = path.split(separator: "/").last ?? ""
        return state.withLock { state in
            let removed = ImageID(uuid).flatMap { state.images.remove($0) }
            return removed == nil
                ? Reply(.notFound, #"{"error": {"code": "unknown", "message": "not here"}}"#)
                : Reply(.ok, "{}")
        }
    }
}

private struct LookupQuestion: Decodable {
    struct Image: Decodable {
        let uuid: String
        let offsets: [UInt64]
    }

    let images: [Image]
}

/// Returns the images of an uploaded body, which may be compressed, and the names of its files if it
/// is an archive.
func uploadedFiles(in body: [UInt8]) throws -> (images: [ImageID], names: [String]) {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("symbolist-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("body")
    try Data(body).write(to: file)
    guard ArchiveKind(start: body) != nil else {
        return (try DebugFile.identities(of: FileBytes(body), name: "body"), [])
    }
    let archive = try UnpackedArchive(
        of: file.path, name: "body", into: folder.appendingPathComponent("out").path
    ) { _ in true }
    let images = try archive.files.flatMap { file -> [ImageID] in
        guard !file.name.hasSuffix("plist"), !file.name.hasSuffix("bcsymbolmap") else { return [] }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file.path)))
        return try DebugFile.identities(of: FileBytes(bytes), name: file.name)
    }
    return (images, archive.files.map(\.name))
}
