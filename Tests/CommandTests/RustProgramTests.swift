import Foundation
import TestSupport
import Testing

private enum RustCompiler {
    static let isInstalled: Bool = {
        guard let workspace = try? Workspace() else { return false }
        return (try? shell("rustc --version", in: workspace))?.status == 0
    }()

    /// Runs a shell command that finds the compiler, also where Rust's own installer puts it.
    static func shell(_ line: String, in workspace: Workspace) throws -> Run {
        try workspace.shell("PATH=\"$PATH:$HOME/.cargo/bin\"; \(line)")
    }
}

/// Panics of a Rust program that is built and run here.
@Suite(
    "Panics of Rust programs", .ownThreads,
    .enabled(if: RustCompiler.isInstalled, "rustc is not installed"))
struct RustProgramTests {
    let workspace: Workspace

    init() throws {
        workspace = try Workspace()
        try workspace.file("cask.rs", text: Self.source)
        // At a fixed address, the addresses of a panic are those in the file.
        let build = try RustCompiler.shell(
            "rustc -g -C opt-level=1 -C codegen-units=1 -C relocation-model=static -o cask cask.rs",
            in: workspace)
        try #require(build.status == 0, "\(build.problems)")
    }

    private static let source = """
        struct Cask {
            litres: Vec<u32>,
        }

        impl Cask {
            #[inline(always)]
            fn tap(&self, index: usize) -> u32 {
                self.litres[index] // @tap
            }

            #[inline(never)]
            fn pour(&self, index: usize) -> u32 {
                self.tap(index).wrapping_add(1) // @pour
            }
        }

        #[inline(never)]
        fn serve(cask: &Cask, index: usize) -> u32 {
            let glass = cask.pour(index); // @serve
            glass.wrapping_mul(3)
        }

        fn main() {
            let cask = Cask { litres: vec![1, 2, 3] };
            let glass = serve(&cask, std::env::args().count() + 8); // @main
            println!("{glass}");
        }
        """

    /// The line numbers of the marks in the source, innermost call first.
    private static let marks = source.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated().filter { $0.element.contains("// @") }.map { $0.offset + 1 }

    private func panic() throws -> String {
        let run = try workspace.shell("RUST_BACKTRACE=full ./cask 2>&1 || true")
        #expect(run.text.contains("stack backtrace:"), "\(run.text)")
        return run.text
    }

    /// A frame in the program's source.
    private struct Frame {
        var function: String
        var line: Int
        var address: String
        var isInlined: Bool
    }

    /// Returns the frames in the program's source.
    private func frames(_ panic: String) throws -> [Frame] {
        let run = try workspace.symbolist("symbolicate", "-", "--format", "json", input: panic)
        let object = try run.object()
        let exception = object["exception"] as? [String: Any]
        #expect(
            exception?["message"] as? String
                == "index out of bounds: the len is 3 but the index is 9")
        let threads = try #require(object["threads"] as? [[String: Any]])
        let rows = threads.flatMap { $0["frames"] as? [[String: Any]] ?? [] }
        return try rows.filter { $0["file"] as? String == "cask.rs" }.map { row in
            Frame(
                function: try #require(row["function"] as? String),
                line: try #require(row["line"] as? Int),
                address: try #require(row["address"] as? String),
                isInlined: try #require(row["inlined"] as? Bool))
        }
    }

    @Test("every frame of the program is at the marked line")
    func marked() throws {
        let frames = try frames(try panic())
        #expect(frames.map(\.line) == Self.marks)
        #expect(frames.map(\.isInlined) == [true, false, false, false])
        let names = ["tap", "pour", "serve", "main"]
        for (frame, name) in zip(frames, names) {
            #expect(frame.function.contains(name), "\(frame.function)")
        }
    }

    @Test("every frame has the locations that llvm-symbolizer prints")
    func peer() throws {
        let program = workspace.folder.appendingPathComponent("cask").path
        let cellar = Cellar(built: program, in: workspace)
        let frames = try frames(try panic())
        #expect(!frames.isEmpty)
        for address in Set(frames.map(\.address)) {
            // A panic has return addresses.
            let number = try #require(UInt64(address.dropFirst(2), radix: 16))
            let locations = try cellar.peerLocations(at: "0x" + String(number - 1, radix: 16))
            let lines = locations.compactMap { location in
                location.firstRange(of: "/cask.rs:").flatMap {
                    Int(location[$0.upperBound...].prefix(while: \.isNumber))
                }
            }
            #expect(frames.filter { $0.address == address }.map(\.line) == lines, "\(locations)")
        }
    }

    @Test(
        "a stripped program that crashes in gdb has the marked lines, by its mappings",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/gdb")))
    func crash() throws {
        let source = Self.source.replacing(
            "self.litres[index] // @tap",
            with: "unsafe { std::ptr::read_volatile((index + 7) as *const u8) as u32 } // @tap")
        try workspace.file("cask.rs", text: source)
        let build = try RustCompiler.shell(
            "rustc -g -C opt-level=1 -C codegen-units=1 -C link-arg=-Wl,--build-id=sha1"
                + " -C debug-assertions=off -o cask cask.rs && cp cask whole && strip cask",
            in: workspace)
        try #require(build.status == 0, "\(build.problems)")
        let gdb = try workspace.run(
            "/bin/bash",
            ["-c", "exec gdb -q -batch -ex run -ex bt -ex 'info proc mappings' ./cask"],
            input: "", environment: ["DEBUGINFOD_URLS": ""], in: workspace.folder)
        #expect(gdb.text.contains("SIGSEGV") && gdb.text.contains("in ?? ()"), "\(gdb.text)")
        let whole = Cellar(
            built: workspace.folder.appendingPathComponent("whole").path, in: workspace)
        func same(_ text: String) throws -> String {
            try workspace.symbolist(
                "symbolicate", "-", "--format", "same", "--symbols", whole.program, "--uuid",
                "cask=\(try whole.buildID())", input: text
            ).text
        }
        let once = try same(gdb.text)
        let lines = once.split(separator: "\n").compactMap { line in
            line.firstRange(of: "/cask.rs:").flatMap {
                Int(line[$0.upperBound...].prefix(while: \.isNumber))
            }
        }
        #expect(lines == Self.marks, "\(once)")
        #expect(try same(once) == once)
    }

    @Test("a panic passes through unchanged, with and without names")
    func same() throws {
        let named = try panic()
        _ = try workspace.shell("cp cask whole && strip cask")
        for panic in [named, try panic()] {
            let run = try workspace.symbolist(
                "symbolicate", "-", "--format", "same", "--symbols", "whole",
                input: "before\n\(panic)after\n")
            #expect(run.text == "before\n\(panic)after\n")
        }
    }

    @Test("a program without symbols has frames with addresses and no names")
    func stripped() throws {
        let program = workspace.folder.appendingPathComponent("cask").path
        let expected = try frames(try panic())
        _ = try workspace.shell("strip '\(program)'")
        let panic = try panic()
        #expect(try frames(panic).isEmpty)
        let run = try workspace.symbolist("symbolicate", "-", "--format", "json", input: panic)
        let threads = try #require(try run.object()["threads"] as? [[String: Any]])
        let rows = threads.flatMap { $0["frames"] as? [[String: Any]] ?? [] }
        let own = Set(expected.map(\.address))
        let found = rows.filter { own.contains($0["address"] as? String ?? "") }
        #expect(found.count == own.count)
        #expect(found.allSatisfy { $0["function"] is NSNull })
    }
}
