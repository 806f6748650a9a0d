import Foundation
import TestSupport
import Testing

/// The graph of modules in ARCHITECTURE.md: which module may import which.
///
/// The package manifest does not enforce it, because a target may import any module that it can
/// reach through another one.
@Suite("Architecture")
struct ArchitectureTests {
    /// The modules that each module may import, of this project and of others.
    static let allowed: [String: Set<String>] = [
        "Problems": [],
        "CallStacks": [],
        "ByteReading": ["Glibc"],
        "JSONText": ["Problems"],
        "HTMLText": ["PercentEncoding"],
        "HTTPDates": ["Foundation"],
        "HexadecimalDigits": [],
        "PercentEncoding": [],
        "TaskCoordination": ["Dispatch", "Glibc", "Synchronization"],
        "ClientLibraries": ["Glibc"],
        "Decompression": [
            "Problems", "ByteReading", "CLibDeflate", "CLibLzma", "CLibZ", "CLibZstd",
            "Synchronization",
        ],
        "MachO": ["ByteReading", "CallStacks"],
        "SharedCaches": ["Algorithms", "MachO", "ByteReading", "CallStacks"],
        "ELF": ["ByteReading", "CallStacks", "CLibElf"],
        "Dwarf": ["Algorithms", "ByteReading", "CallStacks", "CLibDwarf", "Synchronization"],
        "DebugFiles": ["MachO", "ELF", "Dwarf", "Decompression", "ByteReading", "CallStacks"],
        "Demangling": ["CLLVMDemangle", "CSwiftDemangle"],
        "SymbolIndexes": [
            "Algorithms", "ByteReading", "CallStacks", "JSONText", "Synchronization",
        ],
        "Symbolication": [
            "SymbolIndexes", "FlameGraphs", "Demangling", "CallStacks", "Synchronization",
        ],
        "SymbolStores": [
            "Problems", "Symbolication", "SymbolIndexes", "DebugFiles", "Archives", "SharedCaches",
            "ByteReading", "CFileSystem", "CallStacks", "TaskCoordination", "Foundation",
            "FoundationEssentials",
            "Glibc", "Synchronization",
        ],
        "MetricKitPayloads": ["Problems", "CallStacks", "JSONText"],
        "StackRendering": ["Problems", "FlameGraphs", "CallStacks", "JSONText"],
        "FlameGraphs": ["ByteReading", "CallStacks", "JSONText"],
        "Pages": [
            "CPageAssets", "PercentEncoding", "HTMLText", "FlameGraphs", "StackRendering",
            "CallStacks",
            "FoundationEssentials",
        ],
        "ReportFormats": [
            "Algorithms", "Problems", "Symbolication", "MetricKitPayloads", "StackRendering",
            "JSONText", "ByteReading", "CallStacks",
        ],
        "LogExtraction": [
            "Algorithms", "Problems", "ReportFormats", "MetricKitPayloads", "Archives",
            "Decompression",
            "JSONText",
            "CallStacks",
        ],
        "Redaction": ["ReportFormats", "JSONText", "CallStacks"],
        "ReportProcessing": [
            "Problems", "LogExtraction", "Redaction", "ReportFormats", "MetricKitPayloads",
            "StackRendering",
            "FlameGraphs", "JSONText", "CallStacks",
        ],
        "MetricKitSignals": [
            "MetricKitPayloads", "Symbolication", "OTLP", "JSONText", "CallStacks", "Crypto",
            "Foundation",
        ],
        "Atos": ["CallStacks", "StackRendering"],
        "Archives": ["Problems", "CLibArchive", "Glibc"],
        "OTLP": [
            "Problems", "ByteReading", "Foundation", "FoundationEssentials", "GRPCCore",
            "GRPCProtobuf",
            "SwiftProtobuf",
        ],
        "SymbolIntake": [
            "HexadecimalDigits",
            "Problems", "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles", "Archives",
            "Decompression", "JSONText", "ByteReading", "CallStacks", "TaskCoordination",
            "CChildProcess", "Crypto",
            "Foundation", "Glibc", "Logging", "Metrics", "Synchronization",
        ],
        "Ingest": [
            "HexadecimalDigits",
            "Algorithms", "Problems", "SymbolIntake", "Symbolication", "MetricKitSignals",
            "Redaction", "ReportFormats", "MetricKitPayloads",
            "StackRendering", "FlameGraphs", "HTMLText", "OTLP", "CallStacks", "Crypto", "Logging",
            "Metrics", "ServiceLifecycle", "Synchronization", "TaskCoordination", "Tracing",
        ],
        "SentryProtocol": [
            "HexadecimalDigits", "SymbolIntake", "DebugFiles", "CallStacks", "Crypto", "Foundation",
        ],
        "ErrorDescriptions": [
            "AsyncHTTPClient", "Foundation", "GRPCCore", "Glibc", "NIOCore", "NIOHTTP1", "NIOPosix",
            "NIOSSL",
        ],
        "CertificateFiles": ["Problems", "ErrorDescriptions", "Foundation", "NIOSSL"],
        "PostgreSQL": [
            "Problems", "ClientLibraries", "TaskCoordination", "FoundationEssentials", "Glibc",
            "Synchronization",
        ],
        "Kafka": [
            "Algorithms", "Problems", "ClientLibraries", "TaskCoordination", "Glibc",
            "Synchronization",
        ],
        "ObjectStorage": [
            "HTTPDates", "HexadecimalDigits", "PercentEncoding",
            "Problems", "JSONText", "TaskCoordination", "ErrorDescriptions", "AsyncHTTPClient",
            "Crypto", "Foundation", "Glibc", "NIOCore", "NIOHTTP1", "Synchronization",
        ],
        "EmbeddedDatabase": [
            "CSQLiteMemory", "Problems", "Ingest", "SymbolIntake", "MetricKitSignals", "DebugFiles",
            "Decompression",
            "CallStacks", "TaskCoordination", "Dispatch", "Foundation", "GRDB", "GRDBSQLite",
            "Glibc", "Synchronization",
        ],
        "SharedDatabase": [
            "Problems", "Ingest", "SymbolIntake", "MetricKitSignals", "PostgreSQL", "DebugFiles",
            "Decompression", "ByteReading", "CallStacks", "TaskCoordination",
            "FoundationEssentials",
            "Synchronization",
        ],
        "SharedStorage": [
            "Problems", "SharedDatabase", "ObjectStorage", "Ingest", "SymbolIntake",
            "Decompression", "CallStacks", "Crypto", "Foundation", "Logging", "Synchronization",
        ],
        "Exporting": [
            "HTTPDates",
            "Problems", "Ingest", "Kafka", "OTLP", "Decompression", "ErrorDescriptions",
            "CertificateFiles", "TaskCoordination",
            "AsyncHTTPClient",
            "Foundation",
            "GRPCCore",
            "GRPCNIOTransportHTTP2", "GRPCProtobuf", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
            "Synchronization",
        ],
        "Telemetry": [
            "HexadecimalDigits",
            "OTLP", "JSONText", "CallStacks", "CoreMetrics", "Foundation", "Glibc",
            "Instrumentation", "Logging", "ServiceLifecycle", "Synchronization", "Tracing",
        ],
        "ServerConfiguration": [
            "Problems", "Telemetry", "Symbolication", "CallStacks", "Algorithms", "Crypto",
            "Foundation", "Logging", "Yams",
        ],
        "ServiceClient": [
            "HTTPDates", "PercentEncoding",
            "Problems", "SymbolStores", "Symbolication", "DebugFiles", "SharedCaches", "Archives",
            "JSONText",
            "ByteReading",
            "CallStacks", "ErrorDescriptions", "CertificateFiles",
            "AsyncHTTPClient", "Foundation", "Glibc", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
            "Synchronization",
        ],
        "Debuginfod": [
            "Problems", "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles",
            "CallStacks",
            "AsyncHTTPClient", "Foundation", "Glibc", "NIOCore", "NIOHTTP1", "Synchronization",
        ],
        "DebuginfodServer": [
            "SymbolIntake", "JSONText", "ByteReading", "CallStacks",
        ],
        "SymbolicatorAPI": ["Algorithms", "Problems", "SymbolIntake", "JSONText", "CallStacks"],
        "MozillaSymbolication": [
            "Problems", "SymbolIntake", "Symbolication", "SymbolIndexes", "Demangling", "JSONText",
            "CallStacks",
        ],
        "HTTPService": [
            "HTTPDates", "HexadecimalDigits",
            "CUploadScript", "DebuginfodServer", "MozillaSymbolication", "SymbolicatorAPI",
            "SentryProtocol",
            "Problems", "Ingest", "SymbolIntake", "Symbolication", "MetricKitSignals",
            "MetricKitPayloads",
            "StackRendering", "FlameGraphs",
            "OTLP", "DebugFiles", "Decompression", "JSONText", "CallStacks", "LogExtraction",
            "ReportFormats", "Redaction", "ReportProcessing", "Pages", "HTMLText", "Crypto",
            "ErrorDescriptions", "CertificateFiles",
            "Foundation", "GRPCCore", "GRPCNIOTransportHTTP2", "GRPCProtobuf", "Glibc", "HTTPTypes",
            "Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "HummingbirdTLS", "Logging",
            "Metrics", "NIOCore", "NIOHPACK", "NIOHTTP1", "NIOHTTP2", "NIOHTTPTypes", "NIOSSL",
            "NIOTLS", "ServiceLifecycle", "Synchronization",
        ],
        "symbolist": [
            "Problems", "HTTPService", "SentryProtocol", "EmbeddedDatabase", "SharedDatabase",
            "SharedStorage", "ObjectStorage", "PostgreSQL", "Kafka", "Exporting", "Telemetry",
            "Ingest",
            "SymbolIntake",
            "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles", "SharedCaches",
            "MetricKitSignals", "MetricKitPayloads", "StackRendering", "OTLP", "JSONText",
            "CallStacks", "FlameGraphs", "TaskCoordination",
            "ServerConfiguration", "ServiceClient", "CMalloc", "CBuildInformation", "Atos",
            "Debuginfod", "CertificateFiles", "ClientLibraries",
            "LogExtraction", "ReportFormats", "ReportProcessing",
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

    @Test("every module with Swift sources is in the table")
    func modules() throws {
        let targets = Set(try swiftFiles(in: "Sources").map(\.target))
        #expect(targets == Set(Self.allowed.keys))
    }

    @Test("imports go down in the drawing of ARCHITECTURE.md, never sideways")
    func layers() throws {
        let page = try architecture()
        let drawing = try #require(page.split(separator: "```").dropFirst().first)
        var rows: [String: Int] = [:]
        for (row, line) in drawing.split(separator: "\n").enumerated() {
            for word in line.split(separator: " ").map(String.init)
            where Self.allowed[word] != nil {
                rows[word] = row
            }
        }
        #expect(Set(rows.keys) == Set(Self.allowed.keys))
        for (module, imports) in Self.allowed {
            for name in imports {
                guard let upper = rows[module], let lower = rows[name] else { continue }
                #expect(upper < lower, "\(module) imports \(name), which is not below it")
            }
        }
    }

    @Test("every module has a purpose in the code map of ARCHITECTURE.md")
    func purposes() throws {
        let page = try architecture()
        let map = try #require(page.components(separatedBy: "## Code map").last)
        let named = map.split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap {
            $0.dropFirst(2).prefix { $0 != "|" }.split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
        #expect(Set(Self.allowed.keys).subtracting(named) == [])
    }

    private func architecture() throws -> String {
        try String(
            contentsOf: projectFolder.appendingPathComponent("ARCHITECTURE.md"), encoding: .utf8)
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
