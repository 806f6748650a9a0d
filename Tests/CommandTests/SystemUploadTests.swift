import CallStacks
import ContractServer
import Foundation
import TestSupport
import Testing

/// `upload --system`, with a generated shared cache.
@Suite("Uploads of system symbols", .ownThreads)
struct SystemUploadTests {
    let workspace: Workspace
    let server = ContractServer()
    private static let view = "A1A1A1A1-A1A1-A1A1-A1A1-A1A1A1A1A1A1"
    private static let alpha = "A2A2A2A2-A2A2-A2A2-A2A2-A2A2A2A2A2A2"

    init() throws {
        workspace = try Workspace()
        for file in SharedCacheBuilder(.iOS26).files() {
            try workspace.file("Support/\(file.name)", Data(file.bytes))
        }
    }

    private func upload(_ arguments: String..., to url: String) async throws -> Run {
        try await onOwnThread {
            try workspace.run(
                executable.path, ["upload", "--system"] + arguments, input: "",
                environment: workspace.environment(["SYMBOLIST_SERVER": url]),
                in: workspace.folder)
        }
    }

    @Test("upload --system sends one query, and only the images that diagnostics wait for")
    func uploadWanted() async throws {
        server.change { $0.wantedImages = [ImageID(Self.view)!, ImageID(Self.alpha)!] }
        try await server.serve { url in
            let run = try await upload("Support", to: url)
            #expect(run.status == 0)
            #expect(run.problems.isEmpty)
            #expect(run.text.contains("\(Self.view)  5 functions  744 B\n"))
            #expect(run.text.contains("ios 26.1 arm64e, 4 images: 2 wanted, 2 sent ("))
            let requests = server.allRequests
            try #require(requests.map(\.path) == ["/v1/symbols/missing", "/v1/symbols"])
            #expect(Set(requests[1].images.map(\.description)) == [Self.view, Self.alpha])
            #expect(requests[1].query["app"] == nil)
            let again = try await upload("Support", to: url)
            #expect(again.status == 0)
            #expect(again.text == "ios 26.1 arm64e, 4 images: the server needs none of them\n")
            #expect(server.allRequests.count == 3)
            let all = try await upload("Support", "--all", to: url)
            #expect(all.text.contains("4 images: 2 missing, 2 sent ("))
        }
    }

    @Test("upload --system names the systems that the server waits for if it needs no image")
    func awaitedSystems() async throws {
        server.change {
            $0.awaitedSystems = #"""
                [{"os": "iPhone OS 18.6", "build": "22G86", "arch": "arm64e", "images": [{}, {}]},
                {"os": "iPhone OS 18.7", "build": "22H20", "arch": "arm64e", "images": [{}]}]
                """#
        }
        try await server.serve { url in
            let run = try await upload("Support", to: url)
            #expect(run.status == 0)
            #expect(
                run.text == "ios 26.1 arm64e, 4 images: the server needs none of them; waits for "
                    + "iPhone OS 18.6 (22G86) arm64e: 2 images, "
                    + "iPhone OS 18.7 (22H20) arm64e: 1 image\n")
        }
    }

    /// A system that diagnostics wait for, with an image of the cache and one that is not in it.
    private static let otherSystem = """
        [{"os": "iPhone OS 18.6", "build": "22G86", "arch": "arm64e", "images": [
        {"uuid": "\(view)", "name": "ViewKit", "diagnostics": 3},
        {"uuid": "B1B1B1B1-B1B1-B1B1-B1B1-B1B1B1B1B1B1", "name": "Foundation", "diagnostics": 812}
        ]}, {"os": "iPhone OS 18.7", "build": "22H20", "arch": "arm64e", "images": [
        {"uuid": "B1B1B1B1-B1B1-B1B1-B1B1-B1B1B1B1B1B1", "name": "Foundation", "diagnostics": 1}]}]
        """

    @Test("upload --system lists the images that diagnostics wait for and that it does not have")
    func absent() async throws {
        server.change {
            $0.wantedImages = [ImageID(Self.view)!]
            $0.awaitedSystems = Self.otherSystem
        }
        try await server.serve { url in
            let run = try await upload("Support", to: url)
            #expect(run.status == 0)
            let lines = run.text.split(separator: "\n").map(String.init)
            try #require(lines.count == 3)
            #expect(lines[0].hasPrefix("sent     ViewKit     arm64e  \(Self.view)  5 functions  "))
            #expect(
                lines[1] == "absent   Foundation  arm64e  B1B1B1B1-B1B1-B1B1-B1B1-B1B1B1B1B1B1  "
                    + "wanted by 812 reports of iPhone OS 18.6 (22G86), "
                    + "1 report of iPhone OS 18.7 (22H20)")
            #expect(lines[2].hasPrefix("ios 26.1 arm64e, 4 images: 1 wanted, 1 sent ("))
            let stated = try await upload("Support", "--os", "visionOS 26.1 (23N49)", to: url)
            #expect(stated.text.contains("absent   Foundation"))
            #expect(
                stated.text.contains(
                    "visionOS 26.1 (23N49), 4 images: the server needs none of them; waits for "
                        + "iPhone OS 18.6 (22G86) arm64e: 1 image, "
                        + "iPhone OS 18.7 (22H20) arm64e: 1 image\n"))
            #expect(try await upload("Support", "--quiet", to: url).text.isEmpty)
        }
    }

    @Test("upload --system --json has a row for each image, and the images that are absent")
    func uploadJSON() async throws {
        server.change {
            $0.wantedImages = [ImageID(Self.view)!]
            $0.awaitedSystems = Self.otherSystem
        }
        try await server.serve { url in
            let planned = try await upload("Support", "--json", "--dry-run", to: url).object()
            let plan = try #require(planned["slices"] as? [[String: Any]])
            #expect(plan.map { $0["status"] as? String } == ["missing"])
            let sent = try await upload("Support", "--json", to: url).object()
            let row = try #require((sent["slices"] as? [[String: Any]])?.first)
            #expect(row["uuid"] as? String == Self.view)
            #expect(row["name"] as? String == "ViewKit")
            #expect(row["status"] as? String == "uploaded")
            #expect(row["quality"] as? Int == 2)
            let absent = try #require(sent["absent"] as? [[String: Any]])
            #expect(absent.map { $0["name"] as? String } == ["Foundation"])
            let systems = try #require(absent.first?["systems"] as? [[String: Any]])
            #expect(systems.map { $0["build"] as? String } == ["22G86", "22H20"])
            #expect(systems.map { $0["diagnostics"] as? Int } == [812, 1])
            let summary = try #require(sent["summary"] as? [String: Any])
            let counts = ["images": 4, "chosen": 1, "uploaded": 1, "failed": 0, "absent": 1]
            for (key, count) in counts { #expect(summary[key] as? Int == count, "\(key)") }
            #expect((summary["sent"] as? Int ?? 0) > 0)
        }
    }

    @Test("upload --system --dry-run names the images that it would send, and sends nothing")
    func dryRun() async throws {
        let folder = "iOS DeviceSupport/iPhone17,1 26.1 (23B85)/Symbols"
        for file in SharedCacheBuilder(.iOS26).files() {
            try workspace.file("\(folder)/\(file.name)", Data(file.bytes))
        }
        server.change { $0.wantedImages = [ImageID(Self.view)!, ImageID(Self.alpha)!] }
        try await server.serve { url in
            let run = try await upload("iOS DeviceSupport", "--dry-run", to: url)
            #expect(run.status == 0)
            #expect(run.problems.isEmpty)
            #expect(run.text.contains("\(Self.view)  5 functions  744 B\n"))
            #expect(run.text.contains("iPhone OS 26.1 (23B85), 4 images: 2 wanted, 2 to send ("))
            #expect(!run.text.contains("sent"))
            let image = try await upload("Support", "--image", "ViewKit", "--dry-run", to: url)
            #expect(image.text.contains("4 images: 1 selected, 1 to send ("))
            #expect(server.allRequests.map(\.path) == ["/v1/symbols/missing"])
            // The service would record the system of the images that it has.
            #expect(server.allRequests.allSatisfy { $0.query["os_build"] == nil })
            #expect(server.images.isEmpty)
        }
    }

    @Test("upload --system obeys --exclude, --include, --allow-empty and --soft-fail")
    func uploadOptions() async throws {
        server.change { $0.wantedImages = [ImageID(Self.view)!, ImageID(Self.alpha)!] }
        try await server.serve { url in
            let others = try await upload("Support", "--exclude", "ViewKit", "--dry-run", to: url)
            #expect(others.text.contains(": 1 wanted, 1 to send ("))
            #expect(!others.text.contains("ViewKit"))
            let one = try await upload("Support", "--include", "ViewKit", "--dry-run", to: url)
            #expect(one.text.contains("to send  ViewKit"))
            #expect(one.text.contains(": 1 wanted, 1 to send ("))
            try workspace.file("empty/readme", text: "")
            #expect(try await upload("empty", "--soft-fail", to: url).status == 0)
            #expect(try await upload("empty", "--allow-empty", to: url).status == 0)
            #expect(try await upload("absent", "--allow-empty", to: url).status == 1)
        }
    }

    @Test(
        "upload --system refuses the options of builds",
        arguments: [
            ["--commit", "5f3c2b1"], ["--wait=1"],
            ["--require", "A1A1A1A1-A1A1-A1A1-A1A1-A1A1A1A1A1A1"],
            ["--require-from", "Support"], ["--jobs", "2"], ["--no-strip-ast"], ["--force"],
            ["--verbose"],
        ])
    func optionsOfBuilds(arguments: [String]) async throws {
        let option = try #require(arguments.first?.split(separator: "=").first)
        let run = try workspace.run(
            executable.path,
            ["upload", "--system", "Support", "--server", "http://127.0.0.1:1"] + arguments,
            input: "", environment: workspace.environment(), in: workspace.folder)
        #expect(run.status == 2)
        #expect(
            run.problems == [
                "symbolist upload: \(option) does not go with --system: see 'symbolist upload --help'"
            ])
    }

    @Test("upload --system ends with 4 and sends nothing if the token is for one app")
    func uploadRefused() async throws {
        server.change {
            $0.scriptedResponses["/v1/symbols/missing"] = [
                .init(403, message: "wanted: images of systems serve all apps: use a token for all")
            ]
        }
        try await server.serve { url in
            let run = try await upload("Support", to: url)
            #expect(run.status == 4)
            #expect(run.problems.count == 1)
            #expect(run.problems.first?.contains("returned 403 (wanted: ") == true)
            #expect(server.allRequests.map(\.path) == ["/v1/symbols/missing"])
        }
    }

    @Test("upload --system names the system of the folder, or the given one")
    func uploadedSystem() async throws {
        let folder = "iOS DeviceSupport/iPhone17,1 26.1 (23B85)/Symbols"
        for file in SharedCacheBuilder(.iOS26).files() {
            try workspace.file("\(folder)/\(file.name)", Data(file.bytes))
        }
        server.change { $0.wantedImages = [ImageID(Self.view)!] }
        try await server.serve { url in
            #expect(try await upload("iOS DeviceSupport", to: url).status == 0)
            let stated = ["os": "iPhone OS 26.1", "os_build": "23B85"]
            #expect(server.allRequests.map { $0.query["os"] } == [stated["os"], stated["os"]])
            #expect(server.allRequests.map { $0.query["os_build"] } == ["23B85", "23B85"])
            _ = try await upload("Support", "--os", "visionOS 26.1 (23N49)", "--all", to: url)
            let last = try #require(server.allRequests.last)
            #expect(last.query["os"] == "visionOS 26.1")
            #expect(last.query["os_build"] == "23N49")
            #expect(try await upload("Support", "--os", "visionOS", to: url).status == 2)
        }
    }

    @Test("upload --system ends with 3 without a system image, and excludes --app")
    func uploadUsage() async throws {
        try await server.serve { url in
            try workspace.file("empty/readme", text: "")
            #expect(try await upload("empty", to: url).status == 3)
            #expect(
                try await upload("Support", "--app", "com.example.orchard", to: url).status == 2)
            #expect(server.allRequests.isEmpty)
        }
    }
}
