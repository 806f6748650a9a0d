import Foundation
import TestSupport
import Testing

/// Reports that name an image with several UUIDs.
@Suite("symbolicate, identities that contradict each other", .ownThreads)
struct ContradictingIdentityTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private static let app = "4c4c448155553144a199bfceae3fe729"
    private static let kit = "4c4c44e355553144a1033964daaddc31"
    private static let other = "0123456789abcdef0123456789abcdef"
    private static let appFrame =
        "0   Orchard                       \t0x0000000104a30484 0x104a2c000 + 17540\n"

    /// The crash with the UUIDs of its two images, and images listed before them.
    private static func crash(app: String = app, kit: String = kit, first: String = "") -> String {
        SameFormTests.crash
            .replacing(Self.app, with: app).replacing(Self.kit, with: kit)
            .replacing("Binary Images:\n", with: "Binary Images:\n" + first)
    }

    private func run(_ text: String, _ format: String, _ more: String...) throws -> Run {
        let file = try workspace.file("x.crash", text: text)
        return try workspace.run(
            executable.path,
            [
                "symbolicate", file, "--format", format, "--symbols",
                Orchard.absolute(Orchard.symbols),
            ] + more, input: "", environment: [:], in: workspace.folder)
    }

    @Test(
        "of two reports in a file that name an image with different UUIDs, each has its own",
        arguments: [false, true])
    func twoReports(isReversed: Bool) throws {
        var reports = [Self.crash(), Self.crash(app: Self.other)]
        if isReversed { reports.reverse() }
        let same = try run(reports.joined(), "same")
        let halves = same.text.components(separatedBy: "\nEOF\n")
        try #require(halves.count == 3)
        let (known, unknown) = isReversed ? (halves[1], halves[0]) : (halves[0], halves[1])
        #expect(known.contains("pick(_:in:) + 36"))
        #expect(!known.contains(Self.appFrame))
        #expect(unknown.contains(Self.appFrame))
        #expect(unknown.contains("hash_row + 136"))
        #expect(same.problems.contains { $0.contains("01234567-89AB-CDEF-0123-456789ABCDEF") })
        let values = try run(reports.joined(), "json").json() as? [[String: Any]]
        let statuses = try #require(values).map { $0["status"] as? String }
        #expect(
            statuses == (isReversed ? ["partial", "symbolicated"] : ["symbolicated", "partial"]))
    }

    @Test("of two images with one UUID, both are looked up by it")
    func oneUUID() throws {
        let same = try run(Self.crash(kit: Self.app), "same")
        #expect(same.text.contains("pick(_:in:) + 36"))
        // The symbols of the other image are not used, though the name matches.
        #expect(!same.text.contains("hash_row"))
    }

    @Test(
        "frames of an image that is listed with two UUIDs stay as received, and the reason is shown",
        arguments: [(app, other), (other, app)])
    func twoUUIDs(first: String, second: String) throws {
        let entry = "0x104a2c000 - 0x104a3bfff Orchard arm64e  <\(first)> /A\n"
        let text = Self.crash(app: second, first: entry)
        let same = try run(text, "same")
        #expect(same.text.contains(Self.appFrame))
        #expect(same.text.contains("hash_row + 136"))
        #expect(same.problems.contains { $0.contains("an image is listed with several UUIDs") })
        #expect(!same.problems.contains { $0.contains("has no UUID") })
        #expect(try run(text, "text").text.contains("identity_contradicted"))
        #expect(try run(text, "json").text.contains("identity_contradicted"))
        let chosen = try run(text, "same", "--uuid", "Orchard=\(Self.app)!")
        #expect(chosen.text.contains("pick(_:in:) + 36"))
    }

    @Test("an image at two addresses with two UUIDs has the frames of each looked up by its own")
    func twoAddresses() throws {
        let entry = "0x106a2c000 - 0x106a3bfff Orchard arm64e  <\(Self.other)> /A\n"
        let frame = Self.appFrame.replacing(
            "0x0000000104a30484 0x104a2c000", with: "0x0000000106a30484 0x106a2c000")
        let text = Self.crash(first: entry)
            .replacing(Self.appFrame, with: Self.appFrame + frame)
        let same = try run(text, "same")
        #expect(same.text.contains("pick(_:in:) + 36"))
        #expect(same.text.contains("0x0000000106a30484 0x106a2c000 + 17540\n"))
        #expect(same.problems.contains { $0.contains("01234567-89AB-CDEF-0123-456789ABCDEF") })
    }
}
