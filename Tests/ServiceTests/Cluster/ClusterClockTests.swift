import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Nodes with wrong clocks", .ownThreads)
    struct ClusterClockTests {
        /// A library that moves the wall clock of a program by `CLOCK_OFFSET` seconds.
        ///
        /// libfaketime also moves the timers of the kernel, which count from the clocks that it
        /// leaves alone, so that no timer of the program would fire.
        private static let movedClock = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stdlib.h>
            #include <sys/time.h>
            #include <time.h>

            static long offset(void) {
                const char *text = getenv("CLOCK_OFFSET");
                return text ? atol(text) : 0;
            }

            int clock_gettime(clockid_t id, struct timespec *now) {
                int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
                int result = real(id, now);
                if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) now->tv_sec += offset();
                return result;
            }

            int gettimeofday(struct timeval *now, void *zone) {
                struct timespec time;
                if (clock_gettime(CLOCK_REALTIME, &time)) return -1;
                now->tv_sec = time.tv_sec;
                now->tv_usec = time.tv_nsec / 1000;
                return 0;
            }

            time_t time(time_t *target) {
                struct timespec now;
                clock_gettime(CLOCK_REALTIME, &now);
                if (target) *target = now.tv_sec;
                return now.tv_sec;
            }
            """

        /// Compiles ``movedClock`` in a folder, and returns the library.
        private static func compiledClock(in folder: TestFolder) async throws -> String {
            let (source, library) = ("\(folder.path)/clock.c", "\(folder.path)/clock.so")
            try movedClock.write(toFile: source, atomically: true, encoding: .utf8)
            let compiler = try FinishedProgram(
                "gcc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"])
            try #require(compiler.status == 0, "\(compiler.output)")
            return library
        }

        /// A line of shell that runs the program with another wall clock.
        private static func clock(_ days: Int, _ library: String) -> String {
            "export CLOCK_OFFSET=\(days * 86_400) LD_PRELOAD=\(library)"
        }

        @Test("a day before and after: all arrives, once more with symbols, at the database's time")
        func wrongDays() async throws {
            let cluster = try await TestCluster(nodes: 2)
            let (backend, sites) = (cluster.backend, cluster.sites)
            let start = Date()
            let folder = try TestFolder()
            let moved = try await Self.compiledClock(in: folder)
            var nodes = try await [
                sites[0].start(prefix: Self.clock(1, moved)),
                sites[1].start(prefix: Self.clock(-1, moved)),
            ]
            let ids = ["early", "late"]
            for (site, id) in zip(sites, ids) {
                let body = try Requests.logs([Requests.crash(id, in: identity(1))])
                try await site.client.deliver(logs: body)
            }
            #expect(await eventually { backend.missing(of: ids).isEmpty })
            #expect(try await sites[0].client.upload(library(1)).status == 201)
            #expect(await eventually { backend.rawOnes(of: ids).isEmpty })
            for id in ids { #expect(backend.copies(of: id).map(\.revision) == [1, 2], "\(id)") }

            let listed = try await sites[1].client.get("/v1/diagnostics").object()
            let diagnostics = listed["diagnostics"] as? [[String: Any]] ?? []
            #expect(diagnostics.count == 2)
            for diagnostic in diagnostics {
                let arrival = try #require(diagnostic["received_at"] as? String)
                let moment = try Date(
                    arrival,
                    strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
                #expect(abs(moment.timeIntervalSince(start)) < 3_600, "\(arrival)")
            }
            // The lane of a node that is gone is adopted after its lease, neither before nor a day later.
            await backend.stop()
            let body = try Requests.logs([Requests.plain("left")])
            try await sites[0].client.deliver(logs: body)
            await nodes.removeFirst().kill()
            try await backend.start()
            #expect(await eventually { !backend.copies(of: "left").isEmpty })
            for node in nodes { #expect(await node.stop() == 0) }
            await cluster.end()
        }
    }
}
