import Foundation
import TestSupport
import Testing

/// Checks that the pages for users agree with one another and with the sources.
@Suite("Documentation")
struct DocumentationTests {
    static let pages: [String] = {
        let folder = projectFolder.appendingPathComponent("Documentation")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let others = ["README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY", "CHANGELOG"]
        return others.map { "\($0).md" }
            + names.filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }
    }()

    static func text(_ page: String) throws -> String {
        try String(contentsOf: projectFolder.appendingPathComponent(page), encoding: .utf8)
    }

    @Test("the README has at most 150 lines")
    func length() throws {
        #expect(
            try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
                .count <= 151)
    }

    @Test("every link leads to a file of the project and to a heading of it", arguments: pages)
    func links(page: String) throws {
        let folder = projectFolder.appendingPathComponent(page).deletingLastPathComponent()
        for match in try Self.text(page).matches(of: /\]\(([^)\s]+)\)/) {
            let target = match.output.1
            if target.hasPrefix("http") { continue }
            let path = target.prefix { $0 != "#" }
            let file =
                path.isEmpty
                ? projectFolder.appendingPathComponent(page)
                : folder.appendingPathComponent(String(path))
            #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(target)")
            guard target.contains("#"), let anchor = target.split(separator: "#").last else {
                continue
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(anchors(of: text).contains(String(anchor)), "\(page): \(target)")
        }
    }

    @Test("every page of the documentation is linked from the README")
    func reachable() throws {
        let readme = try Self.text("README.md")
        for page in Self.pages where page != "README.md" {
            #expect(readme.contains("(\(page)"), "\(page)")
        }
    }

    @Test("every metric of the sources is in Operations.md, and no other")
    func metrics() throws {
        var exported: Set<Substring> = []
        for file in try swiftFiles(in: "Sources") {
            for line in file.lines {
                exported.formUnion(line.matches(of: /"(symbolist_[a-z_]+)"/).map(\.output.1))
                guard file.target == "Telemetry" else { continue }
                exported.formUnion(line.matches(of: /"(process_[a-z]+_[a-z_]+)",/).map(\.output.1))
            }
        }
        let page = try Self.text("Documentation/Operations.md")
        let documented = Set(page.matches(of: /\n\| `([a-z_]+)` \|/).map(\.output.1))
        #expect(exported.count > 40)
        #expect(exported.subtracting(documented) == [])
        #expect(documented.subtracting(exported) == [])
    }

    /// The anchors that GitHub creates for headings: lower case, without punctuation, with hyphens
    /// for spaces, and numbered when they repeat.
    private func anchors(of text: String) -> Set<String> {
        var counts: [String: Int] = [:]
        var anchors: Set<String> = []
        for line in text.split(separator: "\n") where line.hasPrefix("#") {
            let title = line.drop { $0 == "#" }.dropFirst().lowercased()
            let anchor = String(
                title.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                    .map { $0 == " " ? "-" : $0 })
            let count = counts[anchor, default: 0]
            anchors.insert(count == 0 ? anchor : "\(anchor)-\(count)")
            counts[anchor] = count + 1
        }
        return anchors
    }
}
