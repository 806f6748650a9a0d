import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    /// The script for uploads from a Mac, in the shells that are installed as `sh` on various
    /// machines.
    @Suite("The upload script", .ownThreads)
    struct UploadScriptTests {
        private static let shells = ["dash", "bash --posix", "busybox sh"]
        private static let token = "uploading-secret"
        private static let settings = [
            "AUTH_TOKENS_0_NAME": "ci", "AUTH_TOKENS_0_TOKEN": token,
            "AUTH_TOKENS_0_SCOPES": "upload,read",
        ]
        private static let build =
            ["--app", "com.example.orchard", "--version", "1.4 beta"]
            + ["--build", "217"]
        private static let script = projectFolder.appendingPathComponent("Scripts/upload-symbols")

        struct Run {
            var status: Int32
            var text: String
        }

        /// Pipes the script from a server into a shell.
        ///
        /// - Parameter options: The shell's own options.
        private static func run(
            _ shell: String, port: Int, _ arguments: [String], options: String = "",
            environment: [String: String] = [:], in folder: TestFolder
        ) async throws -> Run {
            var all = [
                "PATH": "/usr/bin:/bin", "SYMBOLIST_TOKEN": token, "TMPDIR": folder.path("tmp"),
            ]
            try FileManager.default.createDirectory(
                atPath: folder.path("tmp"), withIntermediateDirectories: true)
            all.merge(environment) { $1 }
            // The file in the project, unlike the one that a service serves, contains no address of
            // a service.
            let source =
                environment["SYMBOLIST_SERVER"] == nil
                ? "curl -fsS http://127.0.0.1:\(port)/upload.sh" : "cat '\(script.path)'"
            let served = try Served(
                [
                    "/bin/sh", "-c",
                    "cd '\(folder.path)' && \(source) | \(shell) \(options) -s -- \"$@\"", "upload",
                ] + arguments,
                environment: all, log: folder.url.appendingPathComponent(UUID().uuidString))
            let status = await served.status
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("tmp"))
            #expect(left == [], "the script leaves files")
            return Run(status: status, text: try String(contentsOf: served.log, encoding: .utf8))
        }

        /// Whether the service has symbols of build 217 of a version.
        private static func isListed(_ version: String, _ site: Site) async throws -> Bool {
            let client = try CommandLineClient([
                "SYMBOLIST_SERVER": "http://127.0.0.1:\(site.port)", "SYMBOLIST_TOKEN": token,
            ])
            let run = try await client.run(
                "symbols", "list", "--app", "com.example.orchard", "--version", version, "--build",
                "217")
            return run.status == 0
        }

        /// Copies two dSYMs into a folder.
        private static func copyBundles(to name: String, in folder: TestFolder) throws {
            let target = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: projectFolder.appendingPathComponent("Symbols/orchard-1.4.0-universal"),
                to: target)
        }

        /// Makes an archive as Xcode does, with the app's executable.
        private static func makeArchive(_ name: String, in folder: TestFolder) throws {
            try copyBundles(to: "\(name)/dSYMs", in: folder)
            try folder.write(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict>
                    <key>ApplicationProperties</key>
                    <dict>
                        <key>CFBundleIdentifier</key>
                        <string>com.example.orchard</string>
                        <key>CFBundleShortVersionString</key>
                        <string>1.4.0</string>
                        <key>CFBundleVersion</key>
                        <string>217</string>
                    </dict>
                </dict></plist>
                """, to: "\(name)/Info.plist")
            let product = folder.path("\(name)/Products/Applications")
            try FileManager.default.createDirectory(
                atPath: product, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: projectFolder.appendingPathComponent(
                    "Symbols/\(Requests.build)/Orchard.app"),
                to: URL(filePath: "\(product)/Orchard.app"))
        }

        @Test("the service serves the project's script, with its own address")
        func handedOut() async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let reply = try await site.client.get("/upload.sh")
            #expect(reply.status == 200)
            let text = try String(contentsOf: Self.script, encoding: .utf8)
            let address = "http://127.0.0.1:\(site.port)"
            #expect(
                reply.text
                    == text.replacing("@SERVER@", with: address, maxReplacements: 1))
            #expect(await served.stop() == 0)
        }

        @Test("the script is portable")
        func portable() throws {
            let folder = try TestFolder()
            try shell("shellcheck -s sh '\(Self.script.path)'", in: folder.url)
        }

        @Test(
            "a folder with spaces is uploaded once, and no trace of the shell has the token",
            arguments: shells)
        func upload(shell: String) async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            try Self.copyBundles(to: "my build/dSYMs", in: folder)
            let dry = try await Self.run(
                shell, port: site.port, ["my build", "--dry-run"] + Self.build, in: folder)
            #expect(dry.status == 0, "\(dry.text)")
            #expect(dry.text.matches(of: #/(?m)^missing /#).count == 4, "\(dry.text)")
            #expect(dry.text.contains("2 files, 4 slices: 0 already there, 4 missing, 0 failed"))
            #expect(site.files(in: "blobs") == [])
            let first = try await Self.run(
                shell, port: site.port, ["my build"] + Self.build, options: "-x", in: folder)
            #expect(first.status == 0, "\(first.text)")
            #expect(!first.text.contains(Self.token))
            let row = /(?m)^uploaded  OrchardKit  arm64   [-0-9A-F]{36}  full DWARF$/
            #expect(first.text.matches(of: row).count == 1, "\(first.text)")
            #expect(first.text.contains("2 files, 4 slices: 0 already there, 4 uploaded, 0 failed"))
            let second = try await Self.run(
                shell, port: site.port, ["my build/", "--wait", "--require"] + Self.build,
                in: folder)
            #expect(second.status == 0, "\(second.text)")
            #expect(second.text.contains("4 already there, 0 uploaded"), "\(second.text)")
            let other = ["--app", "com.example.orchard", "--version", "9", "--build", "217"]
            let unrecorded = try await Self.run(
                shell, port: site.port, ["my build", "--dry-run"] + other, in: folder)
            #expect(unrecorded.text.contains("4 already there"), "\(unrecorded.text)")
            #expect(try await !Self.isListed("9", site))
            #expect(try await Self.isListed("1.4 beta", site))
            #expect(await served.stop() == 0)
        }

        @Test(
            "the commit of the build is the option's, or else that of the CI", arguments: shells)
        func commit(shell: String) async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            try Self.copyBundles(to: "build/dSYMs", in: folder)
            for (options, commit) in [
                ([], "0c1f3a77"), (["--commit", "release/1.4"], "release/1.4"),
            ] {
                let run = try await Self.run(
                    shell, port: site.port, ["build", "--all"] + Self.build + options,
                    environment: ["GITHUB_SHA": "0c1f3a77"], in: folder)
                #expect(run.status == 0, "\(run.text)")
                let builds = try await site.client.get("/v1/builds", token: Self.token).text
                #expect(builds.contains("\"commit\":\"\(commit)\""), "\(builds)")
            }
            #expect(await served.stop() == 0)
        }

        @Test(
            "an .xcarchive of Xcode Cloud names its build, and a missing dSYM fails the job",
            arguments: shells)
        func archive(shell: String) async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            try Self.makeArchive("My Orchard.xcarchive", in: folder)
            let environment = ["CI_ARCHIVE_PATH": folder.path("My Orchard.xcarchive")]
            let required = try await Self.run(
                shell, port: site.port, ["--require"], environment: environment, in: folder)
            // The app is of another build than the dSYMs.
            #expect(required.status == 1, "\(required.text)")
            #expect(required.text.contains("missing "), "\(required.text)")
            let soft = try await Self.run(
                shell, port: site.port, ["--require", "--soft-fail"],
                environment: environment.merging(["GITHUB_ACTIONS": "true"]) { $1 }, in: folder)
            #expect(soft.status == 0)
            #expect(soft.text.contains("::warning::missing "), "\(soft.text)")
            let plain = try await Self.run(
                shell, port: site.port, [], environment: environment, in: folder)
            #expect(plain.status == 0, "\(plain.text)")
            #expect(try await Self.isListed("1.4.0", site))
            #expect(await served.stop() == 0)
        }

        @Test(
            "the property list of a source folder names no build, that of a dSYM's archive does",
            arguments: shells)
        func sourceFolder(shell: String) async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            try Self.copyBundles(to: "source/build", in: folder)
            try folder.write(
                """
                <plist version="1.0"><dict>
                    <key>CFBundleIdentifier</key> <string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
                    <key>CFBundleShortVersionString</key> <string>1.0</string>
                    <key>CFBundleVersion</key> <string>1</string>
                </dict></plist>
                """, to: "source/Info.plist")
            let variables = [
                "PRODUCT_BUNDLE_IDENTIFIER": "com.example.orchard", "MARKETING_VERSION": "9",
                "CURRENT_PROJECT_VERSION": "217",
            ]
            let named = try await Self.run(
                shell, port: site.port, ["source/build"], environment: variables, in: folder)
            #expect(named.status == 0, "\(named.text)")
            #expect(try await Self.isListed("9", site))
            try Self.makeArchive("My Orchard.xcarchive", in: folder)
            let archived = try await Self.run(
                shell, port: site.port, ["My Orchard.xcarchive/dSYMs/OrchardKit.framework.dSYM"],
                environment: variables, in: folder)
            #expect(archived.status == 0, "\(archived.text)")
            #expect(try await Self.isListed("1.4.0", site))
            #expect(await served.stop() == 0)
        }

        @Test(
            "a folder with an archive or an app, and a dSYM beside its app, have the app's build",
            arguments: shells)
        func builtFolders(shell: String) async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            try Self.makeArchive("build/My Orchard.xcarchive", in: folder)
            for (name, version) in [("products", "2.0"), ("release", "3.0"), ("mac", "4.0")] {
                try Self.copyBundles(to: name, in: folder)
                try folder.write(
                    """
                    <plist version="1.0"><dict>
                        <key>CFBundleIdentifier</key> <string>com.example.orchard</string>
                        <key>CFBundleShortVersionString</key> <string>\(version)</string>
                        <key>CFBundleVersion</key> <string>217</string>
                    </dict></plist>
                    """, to: "\(name)/Orchard.app\(name == "mac" ? "/Contents" : "")/Info.plist")
            }
            for (paths, version) in [
                ([], "1.4.0"), (["products/"], "2.0"), (["release/Orchard.app.dSYM"], "3.0"),
                (["mac"], "4.0"),
            ] {
                let run = try await Self.run(shell, port: site.port, paths, in: folder)
                #expect(run.status == 0, "\(paths): \(run.text)")
                #expect(try await Self.isListed(version, site), "\(paths): \(run.text)")
            }
            try folder.write("text", to: "products/Other.app/Info.plist")
            try Self.makeArchive("build/Other.xcarchive", in: folder)
            for (path, text) in [("build", "several archives"), ("products", "missing")] {
                let run = try await Self.run(shell, port: site.port, [path], in: folder)
                #expect(run.status == 2, "\(path): \(run.text)")
                #expect(run.text.contains(text), "\(path): \(run.text)")
            }
            #expect(await served.stop() == 0)
        }

        @Test("a file with an unusual name is sent, or fails the run", arguments: shells)
        func unusualNames(shell: String) async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            try Self.copyBundles(to: #"back\nslash"#, in: folder)
            let sent = try await Self.run(
                shell, port: site.port, [#"back\nslash"#] + Self.build, in: folder)
            #expect(sent.status == 0, "\(sent.text)")
            #expect(sent.text.matches(of: /(?m)^uploaded/).count == 4, "\(sent.text)")
            try folder.write(
                library(1), to: "build/Fig.dSYM/Contents/Resources/DWARF/Fig \"1\"")
            try folder.write(
                library(2), to: "build/Fig\n2.dSYM/Contents/Resources/DWARF/Fig2")
            let partly = try await Self.run(
                shell, port: site.port, ["build"] + Self.build, in: folder)
            #expect(partly.status == 1, "\(partly.text)")
            #expect(partly.text.contains(#" Fig "1""#), "\(partly.text)")
            let failed = /(?m)^failed +Fig2 .* line break in the path/
            #expect(partly.text.contains(failed), "\(partly.text)")
            let soft = try await Self.run(
                shell, port: site.port, ["build", "--soft-fail"] + Self.build,
                environment: ["GITHUB_ACTIONS": "true"], in: folder)
            #expect(soft.status == 0, "\(soft.text)")
            #expect(soft.text.contains("::warning::failed "), "\(soft.text)")
            #expect(await served.stop() == 0)
        }

        @Test("a file that tar cannot read fails the run", arguments: shells)
        func unreadable(shell: String) async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            try Self.copyBundles(to: "dSYMs", in: folder)
            // Permissions do not stop the superuser.
            _ = try writeExecutable(
                """
                #!/bin/sh
                /usr/bin/tar "$@"
                echo 'tar: Fig: Cannot open: Permission denied' >&2
                exit 2

                """, to: folder.url.appendingPathComponent("tools/tar"))
            let run = try await Self.run(
                shell, port: site.port, ["dSYMs"] + Self.build,
                environment: ["PATH": "\(folder.path("tools")):/usr/bin:/bin"], in: folder)
            #expect(run.status == 1, "\(run.text)")
            #expect(run.text.contains("4 uploaded"), "\(run.text)")
            #expect(run.text.contains("tar: Fig: Cannot open"), "\(run.text)")
            #expect(await served.stop() == 0)
        }

        @Test("symbols are found in every folder around them", arguments: shells)
        func folders(shell: String) async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            try Self.copyBundles(to: "dSYMs", in: folder)
            try folder.write(library(1), to: "linux/main.dbg")
            try folder.write("an archive", to: "archive/dSYMs.zip")
            let resources = "dSYMs/Orchard.app.dSYM/Contents/Resources"
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("link"), withDestinationPath: resources)
            for (path, count) in [
                ("linux", 1), ("archive", 1), (resources, 2), ("\(resources)/DWARF/", 2),
                ("link", 2),
                ("\(resources)/../.", 2), ("dSYMs/.", 4), (".", 6),
            ] {
                let run = try await Self.run(
                    shell, port: site.port, [path, "--dry-run"] + Self.build, in: folder)
                #expect(run.status == 0, "\(path): \(run.text)")
                #expect(run.text.contains(" \(count) missing"), "\(path): \(run.text)")
            }
            #expect(await served.stop() == 0)
        }

        @Test("links to folders and dSYMs are followed, and loops are not", arguments: shells)
        func links(shell: String) async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            try Self.copyBundles(to: "dSYMs", in: folder)
            try folder.write("text", to: "linked/readme.txt")
            for (link, target) in [
                ("link", "dSYMs"), ("linked/Orchard.dSYM", "../dSYMs/Orchard.app.dSYM"),
                ("linked/loop", "."), ("linked/loop.dSYM", "."),
            ] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path(link), withDestinationPath: target)
            }
            for (path, count) in [("link", 4), ("link/", 4), ("linked", 2)] {
                let dry = try await Self.run(
                    shell, port: site.port, [path, "--dry-run"] + Self.build, in: folder)
                #expect(dry.status == 0, "\(dry.text)")
                #expect(dry.text.contains(" \(count) missing"), "\(dry.text)")
            }
            let sent = try await Self.run(
                shell, port: site.port, ["linked"] + Self.build, in: folder)
            #expect(sent.status == 0, "\(sent.text)")
            #expect(sent.text.matches(of: /(?m)^uploaded/).count == 2, "\(sent.text)")
            #expect(await served.stop() == 0)
        }

        @Test("two hundred dSYMs are sent together, and only new ones the next time")
        func many() async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            for number in 1...200 as ClosedRange<UInt64> {
                let name = "build/Fig\(number).framework.dSYM/Contents/Resources/DWARF/Fig\(number)"
                try folder.write(library(number), to: name)
            }
            let first = try await Self.run("dash", port: site.port, Self.build, in: folder)
            #expect(first.status == 0, "\(first.text.suffix(500))")
            #expect(first.text.contains("uploading ./build"))
            #expect(first.text.matches(of: #/(?m)^uploaded /#).count == 200)
            #expect(await served.stop() == 0)
        }

        @Test(
            "nothing found, wrong usage, a wrong token and no network have exit codes of their own")
        func failures() async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            let folder = try TestFolder()
            try folder.write("text", to: "empty/readme.txt")
            for name in ["dSYMs", "in/a.xcarchive/dSYMs", "in/b.xcarchive/dSYMs"] {
                try Self.copyBundles(to: name, in: folder)
            }
            let absentToken = ["SYMBOLIST_TOKEN": "", "SYMBOLIST_TOKEN_FILE": "absent"]
            let closed = "http://127.0.0.1:\(try freePort())"
            let rows: [([String], [String: String], Int32, String)] = [
                (["empty"] + Self.build, [:], 3, "no symbols"),
                (["absent"] + Self.build, [:], 1, "not found"),
                ([], [:], 3, "none given"),
                (["dSYMs"], [:], 2, "missing"),
                (["dSYMs", "--bogus"], [:], 2, "unknown option"),
                (["dSYMs", "--app"], [:], 2, "missing value"),
                (["dSYMs", "--wait=x"], [:], 2, "not a number"),
                (["dSYMs", "--soft-fail", "--bogus"], [:], 2, "unknown option"),
                (["dSYMs", "--soft-fail"], [:], 0, "missing"),
                (["dSYMs"] + Self.build, absentToken, 2, "absent: cannot be read"),
                (["dSYMs", "--soft-fail"] + Self.build, absentToken, 0, "absent: cannot be read"),
                (["dSYMs"] + Self.build, ["SYMBOLIST_SERVER": "/"], 2, "address unknown"),
                (["in/a.xcarchive", "in/b.xcarchive/"], [:], 2, "several archives"),
                (
                    ["in/a.xcarchive", "in/b.xcarchive", "--dry-run"] + Self.build, [:], 0,
                    "8 missing"
                ),
                (["dSYMs"] + Self.build, ["SYMBOLIST_TOKEN": "no"], 4, "(401)"),
                (
                    ["dSYMs", "--retries", "1"] + Self.build, ["SYMBOLIST_SERVER": closed], 4,
                    "server: check SYMBOLIST_SERVER"
                ),
                (
                    ["dSYMs", "--soft-fail"] + Self.build,
                    ["SYMBOLIST_TOKEN": "no", "GITHUB_ACTIONS": "true"], 0, "::warning::"
                ),
            ]
            for (arguments, environment, status, text) in rows {
                let run = try await Self.run(
                    "dash", port: site.port, arguments, environment: environment, in: folder)
                #expect(run.status == status, "\(arguments): \(run.text)")
                #expect(run.text.contains(text), "\(arguments): \(run.text)")
            }
            #expect(await served.stop() == 0)
        }

        @Test("after --wait the images that are not indexed are named", arguments: shells)
        func waiting(shell: String) async throws {
            let folder = try TestFolder()
            try Self.copyBundles(to: "dSYMs", in: folder)
            let (server, port) = try await Self.startServer(Self.slow, in: folder)
            let run = try await Self.run(
                shell, port: port, ["dSYMs", "--wait=1"] + Self.build,
                environment: ["SYMBOLIST_SERVER": "http://127.0.0.1:\(port)"], in: folder)
            server.signalEnd()
            #expect(run.status == 0, "\(run.text)")
            #expect(run.text.matches(of: /(?m)^missing .* Orchard/).count == 4, "\(run.text)")
            #expect(run.text.contains("--wait: not indexed after 1 s"), "\(run.text)")
        }

        @Test("a busy server and a lost connection cause a retry, and a refusal does not")
        func unsteady() async throws {
            let folder = try TestFolder()
            try Self.copyBundles(to: "dSYMs", in: folder)
            let (server, port) = try await Self.startServer(Self.unsteady, in: folder)
            let run = try await Self.run(
                "busybox sh", port: port, ["dSYMs"] + Self.build,
                environment: ["SYMBOLIST_SERVER": "http://127.0.0.1:\(port)"], in: folder)
            server.signalEnd()
            #expect(run.status == 1, "\(run.text)")
            #expect(run.text.contains("retrying in 2 s"), "\(run.text)")
            #expect(run.text.contains("reply from server: retrying"), "\(run.text)")
            #expect(run.text.contains("body: too large: send less (413)"), "\(run.text)")
        }

        @Test(
            "the exit code is 4 only for 401, 403 and foreign responses; some statuses are retried",
            arguments: shells)
        func statuses(shell: String) async throws {
            let folder = try TestFolder()
            try Self.copyBundles(to: "dSYMs", in: folder)
            let (server, port) = try await Self.startServer(Self.refusing, in: folder)
            for (status, code, isRetried) in [
                (200, 4, false), (400, 1, false), (401, 4, false), (403, 4, false), (413, 1, false),
                (425, 1, true), (500, 1, true), (501, 1, false), (504, 1, true), (507, 1, false),
            ] as [(Int, Int32, Bool)] {
                let address = "http://127.0.0.1:\(port)/\(status)"
                let run = try await Self.run(
                    shell, port: port, ["dSYMs", "--retries", "1"] + Self.build,
                    environment: ["SYMBOLIST_SERVER": address], in: folder)
                #expect(run.status == code, "\(status): \(run.text)")
                #expect(run.text.contains("retrying in 0 s") == isRetried, "\(run.text)")
            }
            server.signalEnd()
        }

        @Test("a script that is truncated while it loads does nothing")
        func cutOff() throws {
            let folder = try TestFolder()
            let text = try String(contentsOf: Self.script, encoding: .utf8)
            for length in stride(from: 0, to: text.utf8.count - 12, by: 997) {
                let part = Array(text.utf8.prefix(length))
                let file = try folder.write(part, to: "part")
                try shell(
                    "dash '\(file)' dSYMs > out 2>/dev/null || true; ! test -s out", in: folder.url)
            }
        }

        /// The shell scripts of the documentation that use the upload script.
        private static func documentedRecipes() throws -> [String] {
            let page = try String(
                contentsOf: projectFolder.appendingPathComponent(
                    "Documentation/ContinuousIntegration.md"), encoding: .utf8)
            let recipes = page.matches(of: /```sh\n((?s).*?)```/).map { String($0.1) }.filter {
                $0.contains("upload.sh")
            }
            #expect(recipes.count >= 3)
            return recipes
        }

        /// Runs a recipe with an archive, in an environment as in a build phase.
        private static func run(recipe: String, server: String) async throws -> Run {
            let folder = try TestFolder()
            try makeArchive("Orchard.xcarchive", in: folder)
            // The app that it contains is of another build.
            try FileManager.default.removeItem(atPath: folder.path("Orchard.xcarchive/Products"))
            let file = try folder.write(recipe, to: "recipe")
            let run = try Served(
                ["/bin/sh", "-c", "cd '\(folder.path)' && exec sh '\(file)'"],
                environment: [
                    "PATH": "/usr/bin:/bin", "SYMBOLIST_TOKEN": token,
                    "SYMBOLIST_SERVER": server,
                    "CI_ARCHIVE_PATH": folder.path("Orchard.xcarchive"),
                    "DWARF_DSYM_FOLDER_PATH": folder.path("Orchard.xcarchive/dSYMs"),
                    "TARGET_TEMP_DIR": folder.path,
                    "PRODUCT_BUNDLE_IDENTIFIER": "com.example.orchard",
                    "MARKETING_VERSION": "1.4.0", "CURRENT_PROJECT_VERSION": "217",
                    "CONFIGURATION": "Release",
                ], log: folder.url.appendingPathComponent("log"))
            let status = await run.status
            return Run(status: status, text: try String(contentsOf: run.log, encoding: .utf8))
        }

        @Test("the recipes of the documentation upload the files that they describe")
        func recipes() async throws {
            let site = try Site(exports: [], settings: Self.settings)
            let served = try await site.start()
            for recipe in try Self.documentedRecipes() {
                let run = try await Self.run(
                    recipe: recipe, server: "http://127.0.0.1:\(site.port)")
                #expect(run.status == 0, "\(recipe)\n\(run.text)")
                #expect(run.text.contains(/[1-9] (already there|uploaded)/), "\(run.text)")
            }
            #expect(await served.stop() == 0)
        }

        @Test("the recipes of the documentation fail or warn if the service is unreachable")
        func unreachable() async throws {
            let closed = "http://127.0.0.1:\(try freePort())"
            for recipe in try Self.documentedRecipes() {
                let run = try await Self.run(recipe: recipe, server: closed)
                let isSoft = recipe.contains("--soft-fail")
                #expect((run.status == 0) == isSoft, "\(recipe)\n\(run.text)")
                #expect(run.text.contains("warning: ") == isSoft, "\(run.text)")
            }
        }
    }
}
