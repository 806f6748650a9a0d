import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Symbols that arrive late", .ownThreads)
    struct LateSymbolTests {
        @Test("many of them at once do not delay new requests")
        func storm() async throws {
            let backend = try Backend()
            try await backend.start()
            let site = try Site(exports: [backend.url])
            // A batch whose response is late is sent again, and the backend shares the machine.
            let served = try await site.start(settings: ["EXPORT_0_TIMEOUT": "600s"])
            let waiting = (0..<3_000).map { "waiting \($0)" }
            for start in stride(from: 0, to: waiting.count, by: 100) {
                let records = waiting[start..<start + 100].map {
                    Requests.crash($0, in: identity(1))
                }
                try await site.client.deliver(logs: Requests.logs(records))
            }
            #expect(await eventually { backend.missing(of: waiting).isEmpty })
            #expect(try await site.client.upload(library(1)).status == 201)
            let last = waiting.last ?? ""
            #expect(await eventually { waiting.contains { backend.copies(of: $0).count > 1 } })
            let fresh = (0..<20).map { "fresh \($0)" }
            for id in fresh {
                let body = try Requests.logs([Requests.crash(id, in: identity(2))])
                try await site.client.deliver(logs: body)
            }
            #expect(await eventually { waiting.allSatisfy { backend.copies(of: $0).count > 1 } })
            #expect(backend.missing(of: fresh).isEmpty)
            let end = backend.copies(of: last).last?.number ?? 0
            for id in fresh { #expect(backend.copies(of: id).first?.number ?? .max < end) }
            #expect(backend.ambiguous(of: waiting) == [])
            let revisions = Set(waiting.map { backend.copies(of: $0).map(\.revision) })
            #expect(revisions == [[1, 2]])
            #expect(await served.stop() == 0)
            await backend.stop()
        }

        @Test("files of one build cause one revision")
        func oneRevision() async throws {
            let backend = try Backend()
            try await backend.start()
            let site = try Site(exports: [backend.url])
            let served = try await site.start()
            let body = try Requests.fixtureCrash("crash")
            try await site.client.deliver(logs: body)
            #expect(await eventually { backend.copies(of: "crash").count == 1 })
            for file in try Requests.orchardFiles() {
                #expect(try await site.client.upload(file).status == 201)
            }
            #expect(await eventually { backend.copies(of: "crash").count == 2 })
            let copies = backend.copies(of: "crash")
            #expect(copies.map(\.revision) == [1, 2])
            #expect(copies.map(\.status) == ["raw", "symbolicated"])
            #expect(await served.stop() == 0)
            #expect(backend.copies(of: "crash").count == 2)
            await backend.stop()
        }

        @Test("release a record that was held for them, across a restart")
        func held() async throws {
            let backend = try Backend()
            try await backend.start()
            let site = try Site(exports: [backend.url], settings: ["HOLD": "1h"])
            var served = try await site.start()
            #expect(
                try await site.client.send(logs: Requests.fixtureCrash("held")).status == 200)
            let plain = try Requests.logs([Requests.plain("passing")])
            try await site.client.deliver(logs: plain)
            #expect(await eventually { backend.missing(of: ["passing"]).isEmpty })
            await served.kill()
            served = try await site.start()
            #expect(backend.copies(of: "held").isEmpty)
            for file in try Requests.orchardFiles() {
                #expect(try await site.client.upload(file).status == 201)
            }
            #expect(await eventually { !backend.copies(of: "held").isEmpty })
            #expect(await served.stop() == 0)
            let copies = backend.copies(of: "held")
            #expect(copies.map(\.revision) == [1])
            #expect(copies.map(\.status) == ["symbolicated"])
            await backend.stop()
        }

        @Test("result in one content per revision, for receivers that lag and after kills")
        func oneContent() async throws {
            let backends = [try Backend(), try Backend()]
            try await backends[0].start()
            let ids = (0..<6).map { "crash \($0)" }
            let site = try Site(exports: backends.map(\.url))
            var served = try await site.start()
            for id in ids {
                let body = try Requests.fixtureCrash(id, uid: "the client's")
                try await site.client.deliver(logs: body)
            }
            #expect(await eventually { backends[0].missing(of: ids).isEmpty })
            let files = try Requests.orchardFiles()
            #expect(try await site.client.upload(files[0]).status == 201)
            // Before the revisions are sent, or while they are.
            await served.kill()
            served = try await site.start(settings: ["STACKTRACE_FORMAT": "json"])
            try await backends[1].start()
            #expect(await eventually { backends[1].missing(of: ids).isEmpty })
            #expect(try await site.client.upload(files[1]).status == 201)
            for backend in backends {
                #expect(
                    await eventually {
                        ids.allSatisfy { id in
                            backend.copies(of: id).contains { $0.status == "symbolicated" }
                        }
                    })
            }
            #expect(await served.stop() == 0)
            for id in ids {
                let copies = backends.flatMap { $0.copies(of: id) }
                let contents = Dictionary(grouping: copies, by: \.revision)
                    .mapValues { Set($0.map(\.content)).count }
                #expect(contents.values.allSatisfy { $0 == 1 }, "\(contents)")
                #expect(copies.allSatisfy { $0.uid == "the client's" })
                for backend in backends {
                    let last = backend.copies(of: id).max { $0.revision ?? 0 < $1.revision ?? 0 }
                    #expect(last?.status == "symbolicated")
                }
            }
            for backend in backends { await backend.stop() }
        }

        @Test("that never arrive release a held record at the end of its hold, across a restart")
        func heldInVain() async throws {
            let backend = try Backend()
            try await backend.start()
            let site = try Site(exports: [backend.url], settings: ["HOLD": "3s"])
            var served = try await site.start()
            #expect(
                try await site.client.send(logs: Requests.fixtureCrash("held")).status == 200)
            await served.kill()
            served = try await site.start()
            #expect(await eventually { !backend.copies(of: "held").isEmpty })
            #expect(await served.stop() == 0)
            let copies = backend.copies(of: "held")
            #expect(copies.map(\.revision) == [1])
            #expect(copies.map(\.status) == ["raw"])
            await backend.stop()
        }
    }
}
