import CallStacks

/// The lines that say which process of which device a report is of, in groups.
struct CrashFormHeader {
    let sections: [String]

    private typealias Row = (label: String, value: String?)

    init(_ details: DiagnosticDetails, _ layout: CrashFormLayout) {
        let groups = layout == .mac ? Self.mac(details) : Self.embedded(details)
        sections = groups.map { rows in
            rows.map { row in row.value.map { layout.headerLine(row.label, $0) } ?? "" }.joined()
        }.filter { !$0.isEmpty }
    }

    private static func embedded(_ details: DiagnosticDetails) -> [[Row]] {
        [
            [
                row(.incident, details), row(.reporterKey, details),
                ("Hardware Model", details.deviceType), ("Process", details.process),
                row(.path, details), ("Identifier", details.bundleIdentifier),
                ("Version", details.versionWithBuild), ("Code Type", details.codeType),
                row(.role, details), row(.parentProcess, details), row(.coalition, details),
            ],
            [
                ("Date/Time", details.timestamp), row(.launchTime, details),
                ("OS Version", details.osVersion), row(.releaseType, details),
                row(.basebandVersion, details),
                ("Report Version", "104"),
            ],
        ]
    }

    private static func mac(_ details: DiagnosticDetails) -> [[Row]] {
        [
            [
                ("Process", details.process), row(.path, details),
                ("Identifier", details.bundleIdentifier), ("Version", details.versionWithBuild),
                ("Code Type", details.codeType), row(.parentProcess, details),
                row(.responsible, details), row(.userID, details),
            ],
            [
                ("Date/Time", details.timestamp), ("OS Version", details.osVersion),
                ("Report Version", "12"), ("Anonymous UUID", details.fields[.reporterKey]),
            ],
            [row(.sleepWake, details)], [row(.timeAwake, details), row(.timeSinceWake, details)],
            [row(.integrityProtection, details)],
        ]
    }

    private static func row(_ field: ReportField, _ details: DiagnosticDetails) -> Row {
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
