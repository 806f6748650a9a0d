import Foundation
import TestSupport
import Testing

/// Holds the drawing of ARCHITECTURE.md: which module may import which.
///
/// The package manifest does not hold it, because a target may import whatever it can reach through
/// another one.
@Suite("Architecture")
struct ArchitectureTests {
    /// What each module may import, of ours and of others.
    static let allowed: [String: Set<String>] = [
        "CallStacks": [],
        "ByteReading": ["Glibc"],
        "JSONText": [],
        "Decompression": ["ByteReading", "CLibDeflate", "CLibZ", "CLibZstd", "Synchronization"],
        "MachO": ["ByteReading", "CallStacks"],
        "ELF": ["ByteReading", "CallStacks", "CLibElf"],
        "Dwarf": ["ByteReading", "CallStacks", "CLibDwarf", "Synchronization"],
        "DebugFiles": ["MachO", "ELF", "Dwarf", "Decompression", "ByteReading", "CallStacks"],
        "Demangling": ["CLLVMDemangle", "CSwiftDemangle"],
        "SymbolIndexes": ["ByteReading", "CallStacks", "JSONText", "Synchronization"],
        "Symbolication": ["SymbolIndexes", "Demangling", "CallStacks", "Synchronization"],
        "SymbolStores": [
            "Symbolication", "SymbolIndexes", "DebugFiles", "Archives", "ByteReading", "CallStacks",
            "Foundation", "FoundationEssentials", "Glibc",
        ],
        "MetricKitPayloads": ["CallStacks", "JSONText"],
        "StackRendering": ["CallStacks", "JSONText"],
        "CrashFiles": [
            "Symbolication", "MetricKitPayloads", "StackRendering", "JSONText", "CallStacks",
            "Archives", "Decompression",
        ],
        "MetricKitSignals": [
            "MetricKitPayloads", "OTLP", "JSONText", "CallStacks", "Crypto", "Foundation",
        ],
        "Atos": ["CallStacks", "StackRendering"],
        "Archives": ["CLibArchive", "Glibc"],
        "OTLP": [
            "Foundation", "FoundationEssentials", "GRPCCore", "GRPCProtobuf", "SwiftProtobuf",
        ],
        "SymbolIntake": [
            "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles", "Archives",
            "Decompression", "JSONText", "ByteReading", "CallStacks", "CChildProcess", "Crypto",
            "Foundation", "Glibc", "Logging", "Metrics", "Synchronization",
        ],
        "Ingest": [
            "SymbolIntake", "Symbolication", "MetricKitSignals", "MetricKitPayloads",
            "StackRendering", "OTLP", "CallStacks", "Crypto", "Logging", "Metrics",
            "ServiceLifecycle", "Synchronization", "Tracing",
        ],
        "ErrorDescriptions": [
            "AsyncHTTPClient", "Foundation", "GRPCCore", "Glibc", "NIOCore", "NIOHTTP1", "NIOPosix",
            "NIOSSL",
        ],
        "EmbeddedDatabase": [
            "Ingest", "SymbolIntake", "MetricKitSignals", "DebugFiles", "Decompression",
            "CallStacks", "Foundation", "GRDB", "Glibc", "Synchronization",
        ],
        "Exporting": [
            "Ingest", "OTLP", "Decompression", "ErrorDescriptions", "AsyncHTTPClient", "Foundation",
            "GRPCCore",
            "GRPCNIOTransportHTTP2", "GRPCProtobuf", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
            "Synchronization",
        ],
        "Telemetry": [
            "OTLP", "JSONText", "CallStacks", "CoreMetrics", "Foundation", "Glibc",
            "Instrumentation", "Logging", "ServiceLifecycle", "Synchronization", "Tracing",
        ],
        "ServerConfiguration": [
            "Telemetry", "Symbolication", "Configuration", "Crypto", "Foundation", "Logging",
            "Yams",
        ],
        "SymbolUpload": [
            "SymbolStores", "Symbolication", "DebugFiles", "Archives", "JSONText", "ByteReading",
            "CallStacks", "ErrorDescriptions",
            "AsyncHTTPClient", "Foundation", "Glibc", "NIOCore", "NIOHTTP1", "NIOPosix",
        ],
        "Debuginfod": [
            "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles", "CallStacks",
            "AsyncHTTPClient", "Foundation", "Glibc", "NIOCore", "NIOHTTP1",
        ],
        "SymbolServer": [
            "Ingest", "SymbolIntake", "Symbolication", "MetricKitSignals", "MetricKitPayloads",
            "StackRendering",
            "OTLP", "DebugFiles", "Decompression", "JSONText", "CallStacks", "CrashFiles", "Crypto",
            "ErrorDescriptions",
            "Foundation", "GRPCCore", "GRPCNIOTransportHTTP2", "GRPCProtobuf", "Glibc", "HTTPTypes",
            "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "HummingbirdTLS", "Logging",
            "Metrics", "NIOCore", "NIOHPACK", "NIOHTTP1", "NIOHTTP2", "NIOHTTPTypes", "NIOSSL",
            "NIOTLS", "ServiceLifecycle", "Synchronization",
        ],
        "symbolist": [
            "SymbolServer", "EmbeddedDatabase", "Exporting", "Telemetry", "Ingest", "SymbolIntake",
            "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles", "MetricKitSignals",
            "MetricKitPayloads", "StackRendering", "OTLP", "JSONText", "CallStacks",
            "ServerConfiguration", "SymbolUpload", "CMalloc", "Atos", "Debuginfod", "CrashFiles",
            "Decompression", "ArgumentParser", "AsyncHTTPClient", "ErrorDescriptions", "Foundation",
            "FoundationEssentials", "Glibc", "Logging", "Metrics", "NIOCore", "NIOHTTP1", "NIOSSL",
            "ServiceLifecycle", "Synchronization", "Tracing", "UnixSignals",
        ],
    ]

    @Test("every import follows the drawing", arguments: allowed.keys.sorted())
    func imports(target: String) throws {
        for file in try swiftFiles(in: "Sources/\(target)") {
            for (number, line) in zip(1..., file.lines) {
                guard let module = importedModule(line) else { continue }
                #expect(
                    Self.allowed[target]?.contains(module) == true,
                    "\(file.path):\(number) imports \(module); see ARCHITECTURE.md")
            }
        }
    }

    @Test("every module with Swift sources stands in the drawing")
    func modules() throws {
        let targets = Set(try swiftFiles(in: "Sources").map(\.target))
        #expect(targets == Set(Self.allowed.keys))
    }

    @Test("each C library is imported by one module")
    func libraries() {
        let importers = Self.allowed.flatMap { target, modules in
            modules.filter(isLibrary).map { ($0, target) }
        }
        for (library, targets) in Dictionary(grouping: importers, by: \.0) {
            #expect(targets.count == 1, "\(library) has \(targets.count) importers")
        }
    }

    @Test(
        "an import is recognised in every form",
        arguments: [
            ("import Foundation", "Foundation"),
            ("@unsafe private import struct Foundation.Date", "Foundation"),
            ("public import func Glibc.memchr", "Glibc"),
            ("    let text = \"import Foundation\"", nil),
        ] as [(String, String?)])
    func forms(line: String, module: String?) {
        #expect(importedModule(Substring(line)) == module)
    }

    /// Whether a module is one of ours that wraps a C library: `CLibDwarf`, `CSwiftDemangle`.
    private func isLibrary(_ module: String) -> Bool {
        module.first == "C" && module.dropFirst().first?.isUppercase == true
    }

    private static let levels: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private",
    ]
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor",
    ]

    /// `Foundation`, of a line such as `@unsafe private import struct Foundation.Date`.
    private func importedModule(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let keyword = words.firstIndex(of: "import"),
            words[..<keyword].allSatisfy({ $0.hasPrefix("@") || Self.levels.contains($0) }),
            let name = words[(keyword + 1)...].first(where: { !Self.kinds.contains($0) })
        else { return nil }
        return name.split(separator: ".").first.map(String.init)
    }
}
