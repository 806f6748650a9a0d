import Foundation
import SymbolIntake
import TestSupport
import Testing

@testable import HTTPService

@Suite("The catalogue over HTTP", .ownThreads)
struct CatalogueTests {
    @Test("stored files are listed by app, version, build and UUID, and can be removed")
    func lists() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols?\(Orchard.build)", projectFile(Orchard.kitDSYM))
            _ = try await service.post(
                "/v1/symbols?app=b&version=1.0%20beta%2F2&build=5%25", library(1))
            func uuids(_ query: String) async throws -> [String] {
                try await service.get("/v1/symbols\(query)").list("files")
                    .compactMap { $0["uuid"] as? String }
            }
            #expect(Set(try await uuids("")) == [Orchard.kit, identity(1)])
            #expect(try await uuids("?\(Orchard.build)") == [Orchard.kit])
            #expect(try await uuids("?app=b") == [identity(1)])
            #expect(try await uuids("?version=1.0%20beta%2F2") == [identity(1)])
            #expect(try await uuids("?build=5%25") == [identity(1)])
            #expect(try await uuids("?uuid=\(Orchard.kit.lowercased())") == [Orchard.kit])
            #expect(try await uuids("?app=c") == [])
            #expect(try await uuids("?limit=1").count == 1)
            let image = try await service.get("/v1/symbols/\(Orchard.kit)")
            #expect(try image.object()["uuid"] as? String == Orchard.kit)
            let file = try #require(try image.list("files").first)
            #expect(file["quality"] as? String == "full")
            #expect(file["arch"] as? String == "arm64")
            #expect((file["uploaded_at"] as? String)?.hasSuffix("Z") == true)
            for query in ["limit=0", "limit=x", "limit=10001", "uuid=xyz"] {
                #expect(try await service.get("/v1/symbols?\(query)").status == 400)
            }
            try expectError(try await service.get("/v1/symbols/xyz"), 400, "bad_uuid")
            try expectError(try await service.get("/v1/symbols/\(identity(9))"), 404, "not_found")
        }
    }

    @Test("an unknown parameter refuses what would otherwise store or remove too much")
    func unknownParameters() async throws {
        try await RunningService.run { service in
            let path = "/v1/symbols"
            let refused = try await service.post("\(path)?app=a&vversion=1&build=1", library(1))
            try expectError(refused, 400, "unknown_parameter", "'vversion' is unknown")
            _ = try await service.post("\(path)?\(Orchard.build)", projectFile(Orchard.kitDSYM))
            let builds = "/v1/builds/com.example.orchard/1.4.0/217"
            for (target, word) in [("\(path)/\(Orchard.kit)?ap=m", "ap"), ("\(builds)?a", "a")] {
                let answer = try await service.send("DELETE", target)
                try expectError(answer, 400, "unknown_parameter", "'\(word)' is unknown")
            }
            let stored = try await service.get(path).list("files")
            #expect(stored.compactMap { $0["uuid"] as? String } == [Orchard.kit])
        }
    }

    @Test("a plus sign in a query is a space, as browsers and most libraries encode it")
    func plusSigns() async throws {
        try await RunningService.run { service in
            let build = "app=My+App&version=1.0+beta&build=7%2B1"
            _ = try await service.post("/v1/symbols?\(build)&name=Kit+1", library(1))
            let stored = try #require(try await service.get("/v1/builds").list("builds").first)
            #expect(stored["app"] as? String == "My App")
            #expect(stored["version"] as? String == "1.0 beta")
            #expect(stored["build"] as? String == "7+1")
            for app in ["My+App", "My%20App"] {
                let files = try await service.get("/v1/symbols?app=\(app)").list("files")
                #expect(files.map { $0["name"] as? String } == ["Kit 1"])
            }
        }
    }

    @Test("a build has the commit that an upload or a query about its images named last")
    func commits() async throws {
        try await RunningService.run { service in
            func build() async throws -> [String: Any] {
                try #require(try await service.get("/v1/builds").list("builds").first)
            }
            let kit = try projectFile(Orchard.kitDSYM)
            _ = try await service.post("/v1/symbols?\(Orchard.build)", kit)
            #expect(try await build().keys.contains("commit") == false)
            _ = try await service.post("/v1/symbols?\(Orchard.build)&commit=5f3c2b1", kit)
            #expect(try await build()["commit"] as? String == "5f3c2b1")
            let question = Array(#"{"uuids": ["\#(Orchard.kit)"]}"#.utf8)
            let path = "/v1/symbols/missing?\(Orchard.build)"
            _ = try await service.post("\(path)&commit=ignored&record=false", question)
            #expect(try await build()["commit"] as? String == "5f3c2b1")
            _ = try await service.post("\(path)&commit=9a8b7c6", question)
            _ = try await service.post(path, question)
            #expect(try await build()["commit"] as? String == "9a8b7c6")
            for page in ["/builds", "/builds/com.example.orchard/1.4.0/217"] {
                #expect(try await service.open(page).text.contains("9a8b7c6<"))
            }
            let long = String(repeating: "a", count: 101)
            for commit in ["two%20words", "a%0Ab", "%C3%A9", long] {
                for path in ["/v1/symbols", "/v1/symbols/missing"] {
                    let answer = try await service.post(
                        "\(path)?\(Orchard.build)&commit=\(commit)", question)
                    try expectError(answer, 400, "bad_commit")
                }
            }
        }
    }

    @Test("removing a build removes the files that no other build has")
    func removal() async throws {
        try await RunningService.run { service in
            for build in ["1", "2"] {
                _ = try await service.post("/v1/symbols?app=a&version=1&build=\(build)", library(1))
            }
            _ = try await service.post("/v1/symbols?app=a&version=1.0%20%2B%25&build=2", library(2))
            let first = try await service.send("DELETE", "/v1/builds/a/1/1")
            #expect(first.status == 200)
            #expect(try first.list("removed").isEmpty)
            let odd = try await service.send("DELETE", "/v1/builds/a/1.0%20%2B%25/2")
            #expect(try odd.list("removed").map { $0["uuid"] as? String } == [identity(2)])
            let last = try await service.send("DELETE", "/v1/builds/a/1/2")
            #expect(try last.list("removed").map { $0["uuid"] as? String } == [identity(1)])
            try expectError(try await service.send("DELETE", "/v1/builds/a/1/2"), 404, "not_found")
            _ = try await service.post("/v1/symbols", library(3))
            let removed = try await service.send("DELETE", "/v1/symbols/\(identity(3))")
            #expect(try removed.list("removed").count == 1)
            try expectError(
                try await service.send("DELETE", "/v1/symbols/\(identity(3))"), 404, "not_found")
            #expect(try await service.get("/v1/builds").list("builds").isEmpty)
        }
    }

    @Test("missing images are returned in the client's spelling")
    func missing() async throws {
        try await RunningService.run { service in
            _ = try await service.post("/v1/symbols", projectFile(Orchard.kitDSYM))
            _ = try await service.post("/v1/symbols", projectFile(Orchard.strippedKit))
            let asked = [Orchard.kit.lowercased(), identity(7).uppercased()]
            let body = try JSONSerialization.data(withJSONObject: ["uuids": asked])
            let answer = try await service.post("/v1/symbols/missing", [UInt8](body))
            #expect(answer.status == 200)
            #expect(try answer.object()["missing"] as? [String] == [asked[1]])
            for body in ["", "[]", "{\"uuids\":[1]}", "{\"uuids\":\"a\"}"] {
                try expectError(
                    try await service.post("/v1/symbols/missing", Array(body.utf8)), 400,
                    "malformed")
            }
            try expectError(
                try await service.post("/v1/symbols/missing", Array("{\"uuids\":[\"x\"]}".utf8)),
                400,
                "bad_uuid")
            let many = try JSONSerialization.data(
                withJSONObject: ["uuids": [String](repeating: Orchard.kit, count: 10_001)])
            try expectError(
                try await service.post("/v1/symbols/missing", [UInt8](many)), 413, "too_many_uuids")
        }
    }

    @Test("files that need not be uploaded are recorded as part of the build")
    func missingOfBuild() async throws {
        try await RunningService.run { service in
            _ = try await service.post(
                "/v1/symbols?app=a&version=1&build=1", projectFile(Orchard.kitDSYM))
            let body = try JSONSerialization.data(withJSONObject: [
                "uuids": [Orchard.kit, identity(7)]
            ])
            let question = "/v1/symbols/missing?app=a&version=1&build=2"
            #expect(try await service.post(question, [UInt8](body)).status == 200)
            let build = try #require(
                try await service.get("/v1/builds").list("builds").first {
                    $0["build"] as? String == "2"
                })
            let images = try #require(build["images"] as? [[String: Any]])
            #expect(images.map { $0["uuid"] as? String } == [Orchard.kit])
            #expect(images.first?["name"] as? String == "upload")
            #expect(images.first?["has_debug_information"] as? Bool == true)
            #expect(service.symbols.appImages().count == 1)
            let dryRun = "/v1/symbols/missing?app=a&version=1&build=3&record=false"
            #expect(
                try await service.post(dryRun, [UInt8](body)).object()["missing"] as? [String]
                    == [identity(7).description])
            #expect(try await service.get("/v1/builds").list("builds").count == 2)
            try expectError(
                try await service.post("/v1/symbols/missing?app=a", [UInt8](body)), 400,
                "incomplete_build")
        }
    }
}
