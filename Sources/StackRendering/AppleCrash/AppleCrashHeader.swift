import CallStacks

/// The lines that identify the process and its device, in groups.
struct AppleCrashHeader {
    let sections: [String]

    private typealias Row = (label: String, value: String?)

    init(_ details: DiagnosticDetails, layout: AppleCrashLayout) {
        let groups = layout == .mac ? Self.mac(details) : Self.embedded(details)
        sections = groups.map { rows in
            rows.map { row in row.value.map { layout.headerLine(row.label, $0) } ?? "" }.joined()
        }.filter { !$0.isEmpty }
    }

    private static func embedded(_ details: DiagnosticDetails) -> [[Row]] {
        [
            [
                row(.incident, of: details), row(.reporterKey, of: details),
                ("Hardware Model", details.deviceType), ("Process", details.process),
                row(.path, of: details), ("Identifier", details.bundleIdentifier),
                ("Version", details.versionWithBuild), ("Code Type", details.codeType),
                row(.role, of: details), row(.parentProcess, of: details),
                row(.coalition, of: details),
            ],
            [
                ("Date/Time", details.timestamp), row(.launchTime, of: details),
                ("OS Version", details.osVersion), row(.releaseType, of: details),
                row(.basebandVersion, of: details),
                ("Report Version", "104"),
            ],
        ]
    }

    private static func mac(_ details: DiagnosticDetails) -> [[Row]] {
        [
            [
                ("Process", details.process), row(.path, of: details),
                ("Identifier", details.bundleIdentifier), ("Version", details.versionWithBuild),
                ("Code Type", details.codeType), row(.parentProcess, of: details),
                row(.responsible, of: details), row(.userID, of: details),
            ],
            [
                ("Date/Time", details.timestamp), ("OS Version", details.osVersion),
                ("Report Version", "12"), ("Anonymous UUID", details.fields[.reporterKey]),
            ],
            [row(.sleepWake, of: details)],
            [row(.timeAwake, of: details), row(.timeSinceWake, of: details)],
            [row(.integrityProtection, of: details)],
        ]
    }

    private static func row(_ field: ReportField, of details: DiagnosticDetails) -> Row {
        (field.rawValue, details.fields[field])
    }
}

extension DiagnosticDetails {
    fileprivate var process: String? { fields[.process] ?? processName }

    private static let codeTypes = ["arm64": "ARM-64", "x86_64": "X86-64", "armv7": "ARM"]

    fileprivate var codeType: String? {
        fields[.codeType]
            ?? architecture.map { name in
                Self.codeTypes.first { name.hasPrefix($0.key) }?.value ?? name
            }
    }
}
