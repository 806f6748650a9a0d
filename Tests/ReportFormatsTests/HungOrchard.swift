import CallStacks
import Foundation
import LogExtraction
import MetricKitPayloads
import ReportFixtures
import ReportFormats
import SymbolStores
import Symbolication
import TestSupport
import Testing

/// A real hang of the sample app, in every form that has call trees.
enum HungOrchard {
    static let symbols = LocalSymbolProvider(
        SymbolInventory(paths: [
            projectFolder.appendingPathComponent("Symbols/orchard-1.4.0-arm64-release-dwarf4").path
        ]), cachedIn: nil)

    static func fixture(_ name: String) throws -> [UInt8] {
        let folder = "Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4/"
        return [UInt8](
            try Data(contentsOf: projectFolder.appendingPathComponent(folder + name)))
    }

    /// The hang as MetricKit sent it, outermost first. Inner offsets are one less than return
    /// addresses.
    static func diagnostic() throws -> Diagnostic {
        let payload = PayloadReader().read(try fixture("index-rebuild.hang.json"))
        return try #require(payload.diagnostics.first).resolved()
    }

    /// A frame of the hang, with its address and depth.
    struct Node {
        var frame: CallFrame
        var depth: Int
        /// The offset from the image's start, not moved back.
        var offset: UInt64
        var isLast: Bool

        var image: String { frame.imageName ?? "kernel" }
        var address: String { "0x" + String(frame.address?.rawValue ?? 0, radix: 16) }
        var samples: UInt64 { frame.samples ?? 0 }
    }

    static func nodes() throws -> [Node] {
        let frames = try diagnostic().tree.frames
        var nodes: [Node] = []
        for (index, frame) in frames.enumerated() {
            let parent = frame.parent.flatMap { nodes.dropFirst($0).first }
            let depth = parent.map { $0.depth + 1 } ?? 0
            let offset = (frame.address?.rawValue ?? 0) &- (frame.loadAddress?.rawValue ?? 0)
            let isLast = !frames[(index + 1)...].contains { $0.parent == frame.parent }
            nodes.append(Node(frame: frame, depth: depth, offset: offset, isLast: isLast))
        }
        return nodes
    }

    /// The lines of the image list.
    static func imageList() throws -> String {
        var lines: [String] = []
        var seen: Set<ImageID> = []
        for node in try nodes() {
            guard let id = node.frame.image, seen.insert(id).inserted,
                let base = node.frame.loadAddress?.rawValue
            else { continue }
            let reach = try nodes().filter { $0.frame.image == id }.map(\.offset).max() ?? 0
            let mark = node.image == "kernel" ? "*" : " "
            let own = node.image.hasPrefix("Orchard")
            let path = own ? "/private/var/Orchard.app/\(node.image)" : "/usr/lib/\(node.image)"
            let name = node.image == "Orchard" ? "com.example.orchard 1.4.0 (120)" : node.image
            lines.append(
                "    \(mark)0x\(String(base, radix: 16)) - 0x\(String(base + reach + 0xfff, radix: 16))"
                    + "  \(name)  <\(id)>  \(path)\n")
        }
        return lines.joined()
    }

    /// - Parameter isMovedBack: Whether inner offsets are one less than return addresses.
    static func spindump(isMovedBack: Bool = false) throws -> String {
        var text = """
            Date/Time:        2026-11-20 08:00:00.000 +0000
            OS Version:       iOS 18.1 (Build 22B83)
            Architecture:     arm64e
            Data Source:      Stackshots

            Command:          Orchard
            Path:             /private/var/Orchard.app/Orchard
            Identifier:       com.example.orchard
            Version:          1.4.0 (120)
            PID:              431

            Event:            hang
            Duration:         3.00s

            Heaviest stack for the main thread of the target process:

            """
        let nodes = try nodes()
        for node in nodes[..<15] { text += "  " + line(node, isMovedBack: isMovedBack) + "\n" }
        text += """

            Process:          Orchard [431]
            Architecture:     arm64
            Num samples:      95 (1-95)

              Thread 0x1b7294    DispatchQueue "com.apple.main-thread"(1)    95 samples (1-95)
              <process frontmost, thread QoS user interactive, IO tier 0>

            """
        for node in nodes {
            let isKernel = node.frame.imageName == nil
            let indent = String(repeating: "  ", count: node.depth + 1)
            text += isKernel ? indent.dropLast() + "*" : indent
            text += line(node, isMovedBack: isMovedBack) + " 1-\(node.samples)\n"
        }
        return text + "\n  Binary Images:\n" + (try imageList())
    }

    private static func line(_ node: Node, isMovedBack: Bool) -> String {
        let offset = isMovedBack ? node.frame.site?.offset.rawValue ?? 0 : node.offset
        return "\(node.samples)  ??? (\(node.image) + \(offset)) [\(node.address)]"
    }

    static func sample() throws -> String {
        var text = """
            Analysis of sampling Orchard (pid 431) every 1 millisecond
            Process:         Orchard [431]
            Path:            /private/var/Orchard.app/Orchard
            Identifier:      com.example.orchard
            Version:         1.4.0 (120)
            Code Type:       ARM64

            OS Version:      macOS 26.1 (25B78)
            ----

            Call graph:
                95 Thread_1798804   DispatchQueue_1: com.apple.main-thread  (serial)

            """
        var rulers: [Bool] = []
        for node in try nodes() {
            rulers = Array(rulers.prefix(node.depth)) + [!node.isLast]
            let prefix = rulers.dropLast().enumerated()
                .map { $1 ? "+!:|".map(String.init)[$0 % 4] + " " : "  " }.joined()
            let place =
                "load address 0x\(String(node.frame.loadAddress?.rawValue ?? 0, radix: 16))"
                + " + 0x\(String(node.offset, radix: 16))"
            text +=
                "    + \(prefix)\(node.samples) ???  (in \(node.image))  \(place)"
                + "  [\(node.address)]\n"
        }
        return text + "\nTotal number in stack (recursive counted multiple, when >=5):\n\n"
            + "Binary Images:\n" + (try imageList())
    }

    static func appStoreConnect() throws -> String {
        var text = """
            {"version": "1.0", "productData": [{"signatureId": "hang-1", "diagnosticInsights": [],
            "diagnosticLogs": [{"diagnosticMetaData": {"bundleId": "com.example.orchard",
            "appVersion": "1.4.0", "buildVersion": "120", "osVersion": "iOS 18.1",
            "deviceType": "iPhone17,1", "platformArchitecture": "arm64", "event": "hang",
            "eventDetail": "3.0 s", "writesCaused": ""},
            "callStackTree": [{"callStackPerThread": true, "callStacks": [
            {"callStackRootFrames": [
            """
        var open = 0
        for node in try nodes() {
            if node.depth < open {
                text += "}" + String(repeating: "]}", count: open - node.depth - 1) + ","
            } else if node.depth > 0 {
                text += ", \"subFrames\": ["
            }
            open = node.depth + 1
            let name = node.frame.imageName.map { "\"binaryName\": \"\($0)\", " } ?? ""
            text += """

                {"sampleCount": \(node.samples), "isBlameFrame": \(node.depth == 10), \(name)\
                "binaryUUID": "\(node.frame.image?.description ?? "")", \
                "address": "\(node.frame.address?.rawValue ?? 0)", \
                "offsetIntoBinaryTextSegment": "\(node.offset)"
                """
        }
        return text + String(repeating: "}]", count: open) + "}]}]}]}]}\n"
    }
}

/// A file with its reports and its rewritten text.
struct SymbolicatedFile {
    var file: CrashFile
    var text: String

    init(_ bytes: [UInt8]) async {
        file = CrashFileReader().read(bytes)
        let symbolicator = Symbolicator(provider: HungOrchard.symbols, findsCallStarts: true)
        var edits: [Edit] = []
        for report in file.reports {
            let diagnostic = report.resolved(
                architectureOf: HungOrchard.symbols.architecture(of:))
            let result = await symbolicator.symbolicate(diagnostic)
            edits += report.edits(with: result)
        }
        text = String(decoding: edits.applied(to: bytes), as: UTF8.self)
    }

    init(_ text: String) async { await self.init(Array(text.utf8)) }

    /// The frames of the first report.
    var frames: [CallFrame] { file.reports.first?.resolved().tree.frames ?? [] }
}
