package import CallStacks

/// A diagnostic to import into another database, with the archive's state for sending it again.
package struct MovedDiagnostic: Sendable {
    /// With the images of its app frames, its sampled stacks, and all images that it waits for,
    /// including those whose waits are suspended.
    package var record: DiagnosticRecord
    /// The time at which it is to be sent again, or `nil`.
    package var marked: UnixTime?
    /// The last entry that sends it again, or `nil`.
    package var revisedBy: Int64?

    package init(record: DiagnosticRecord, marked: UnixTime?, revisedBy: Int64?) {
        self.record = record
        self.marked = marked
        self.revisedBy = revisedBy
    }
}

/// The information of an archive about an image that diagnostics wait for, without the diagnostics.
package struct MovedImage: Sendable {
    package var wanted: WantedImage
    package var firstSeen: UnixTime
    package var lastSeen: UnixTime
    /// In the order in which they were first seen.
    package var versions: [ImageWaits.AppVersion]
    package var systems: [MissingSystem]

    package init(
        wanted: WantedImage, firstSeen: UnixTime, lastSeen: UnixTime,
        versions: [ImageWaits.AppVersion], systems: [MissingSystem]
    ) {
        self.wanted = wanted
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.versions = versions
        self.systems = systems
    }
}

/// A dead letter with the fingerprint of the settings under which it was refused again, if it was.
package struct MovedLetter: Sendable {
    package var letter: DeadLetter
    package var refusedUnder: String?

    package init(letter: DeadLetter, refusedUnder: String?) {
        self.letter = letter
        self.refusedUnder = refusedUnder
    }
}

/// A reader of a journal with its cursor.
package struct MovedReader: Sendable {
    package var name: String
    package var cursor: Int64
    package var wasConfigured: Bool

    package init(name: String, cursor: Int64, wasConfigured: Bool) {
        self.name = name
        self.cursor = cursor
        self.wasConfigured = wasConfigured
    }
}
