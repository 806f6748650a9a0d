import TestSupport
import Testing

/// Runs whose caller closed standard input, output or error, as some daemons and job schedulers do.
@Suite("Closed descriptors", .ownThreads)
struct ClosedDescriptorTests {
    let workspace: Workspace
    let environment: [String: String]

    init() throws {
        workspace = try Workspace()
        environment = [
            "CRASH": Orchard.absolute(Orchard.crash),
            "SYMBOLS": Orchard.absolute(Orchard.symbols), "KIT": Orchard.absolute(Orchard.kit),
        ]
    }

    @Test(
        "a closed standard input has no content",
        arguments: [
            "symbolicate", "lookup --symbols \"$SYMBOLS\"", "atos -o \"$KIT\"", "convert -",
            "inspect -",
            "upload - --server http://127.0.0.1:9 --app a --version 1 --build 1",
        ])
    func input(command: String) throws {
        let run = try workspace.shell(
            "timeout 60 symbolist \(command) <&-", environment: environment)
        #expect(run.status != 124)
    }

    @Test("messages that cannot be written do not end a run")
    func output() throws {
        let run = try workspace.shell(
            """
            cp "$CRASH" other.json
            symbolist symbolicate missing "$CRASH" other.json --symbols "$SYMBOLS" -o out >&- 2>&-
            echo $?; ls out | wc -l
            """, environment: environment)
        #expect(run.text == "1\n2\n")
    }

    @Test("a result that cannot be written is a failure")
    func result() throws {
        let run = try workspace.shell(
            "symbolist symbolicate \"$CRASH\" --symbols \"$SYMBOLS\" >&-", environment: environment)
        #expect(run.status == 1)
        #expect(run.problems.count == 1)
    }
}
