import Foundation
import TestSupport
import Testing

@testable import HTTPService

@Suite("Looking up offsets", .ownThreads)
struct LookupTests {
    static let stranger = "11111111-1111-1111-1111-111111111111"

    private func question(_ uuid: String, _ offsets: [UInt64], nearest: Bool = false) -> [UInt8] {
        Array(
            #"{"images":[{"uuid":"\#(uuid)","offsets":\#(offsets)}],"nearest":\#(nearest)}"#.utf8)
    }

    private func image(
        _ service: RunningService, _ uuid: String, _ offsets: [UInt64], nearest: Bool = false,
        _ headers: [String: String] = [:]
    ) async throws -> [String: Any] {
        let answer = try await service.post(
            "/v1/lookup", question(uuid, offsets, nearest: nearest), headers)
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(try answer.list("images").first)
    }

    @Test("a lookup returns a description of the image and the frames of each offset")
    func answers() async throws {
        try await RunningService.run { service in
            let bundle = try Orchard.packed("tar czf $out .")
            #expect(try await service.post("/v1/symbols", bundle).status == 201)
            let found = try await image(service, Orchard.kit, [0x4170, 0, 1 << 40])
            #expect(found["uuid"] as? String == Orchard.kit)
            #expect(found["name"] as? String == "OrchardKit")
            #expect(found["arch"] as? String == "arm64")
            #expect(found["base"] as? Int == 0)
            #expect(found["status"] as? String == "found")
            let answers = try #require(found["answers"] as? [[String: Any]])
            #expect(answers.map { $0["offset"] as? Int } == [0x4170, 0, 1 << 40])
            #expect(
                answers.map { $0["status"] as? String } == [
                    "symbolicated", "not_found", "not_found",
                ])
            #expect(answers.map { $0["outside_code"] as? Bool } == [nil, nil, true])
            let frames = try #require(answers.first?["frames"] as? [[String: Any]])
            #expect(frames.map { $0["function"] as? String } == ["hash_weight", "hash_row"])
            #expect(frames.map { $0["function_offset"] as? Int } == [nil, 136])
            let missing = try await image(service, Self.stranger, [1])
            #expect(missing["status"] as? String == "missing_image")
            #expect((missing["answers"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("code without a line has none, or the nearest one on request")
    func nearest() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            for isNearest in [false, true] {
                let found = try await image(service, Orchard.kit, [0x4028], nearest: isNearest)
                let answers = try #require(found["answers"] as? [[String: Any]])
                let frame = try #require((answers.first?["frames"] as? [[String: Any]])?.first)
                #expect(frame["approximate"] as? Bool == isNearest)
                #expect((frame["line"] as? Int == 0) == !isNearest)
            }
        }
    }

    @Test("invalid or too large queries are rejected")
    func refused() async throws {
        try await RunningService.run { service in
            for body in ["", "{}", #"{"images":[{"uuid":"x"}]}"#, #"{"images":[1]}"#] {
                try expectError(
                    try await service.post("/v1/lookup", Array(body.utf8)), 400, "malformed")
            }
            try expectError(
                try await service.post("/v1/lookup", question("xyz", [])), 400, "bad_uuid")
            let long = try await service.post(
                "/v1/lookup", question(String(repeating: "z", count: 1 << 16), []))
            #expect(long.status == 400 && long.text.count < 1_000)
            let offsets = [UInt64](repeating: 1, count: LookupController.offsetLimit)
            let most = try await service.post("/v1/lookup", question(Self.stranger, offsets))
            #expect(most.status == 200)
            try expectError(
                try await service.post("/v1/lookup", question(Self.stranger, offsets + [1])),
                413, "too_many_offsets")
            let image = #"{"uuid":"\#(Self.stranger)","offsets":[]},"#
            let images = String(repeating: image, count: LookupController.imageLimit)
            let last = image.dropLast()
            try expectError(
                try await service.post(
                    "/v1/lookup", Array(#"{"images":[\#(images)\#(last)]}"#.utf8)), 413,
                "too_many_images")
        }
    }

    @Test("a token for one app finds no images of other apps")
    func boundToOneApp() async throws {
        let tokens = Tokens([
            .init(token: "mine", scopes: [.upload, .read], app: "a"),
            .init(token: "other", scopes: [.read], app: "b"),
        ])
        try await RunningService.run {
            $0.tokens = tokens
        } use: { service in
            let mine = TokenTests.bearer("mine")
            _ = try await service.post(
                "/v1/symbols?app=a&version=1&build=1", projectFile(Orchard.kitDSYM), mine)
            for (token, status) in [("mine", "found"), ("other", "missing_image")] {
                let found = try await image(
                    service, Orchard.kit, [0x4170], TokenTests.bearer(token))
                #expect(found["status"] as? String == status)
            }
        }
    }

    @Test("a file compressed on its own keeps the client's name")
    func name() async throws {
        try await RunningService.run { service in
            let packed = try Orchard.packed(
                "gzip -c OrchardKit.framework.dSYM/Contents/Resources/DWARF/OrchardKit > $out")
            _ = try await service.post("/v1/symbols?name=OrchardKit", packed)
            #expect(
                try await image(service, Orchard.kit, [])["name"] as? String == "OrchardKit")
        }
    }
}
