public import Ingest

extension EmbeddedDatabase: SampledStackArchive {
    public func sampledStackIDs(_ query: FlameQuery) async throws(JournalError) -> [Int64] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try SampledStackTable(db).ids(query) }
        }
    }

    public func sampledStacks(_ ids: [Int64]) async throws(JournalError) -> [Int64: [UInt8]] {
        try await asJournal { () async throws(DatabaseProblem) in
            let stored = try await read { db in try SampledStackTable(db).stacks(ids) }
            var stacks: [Int64: [UInt8]] = [:]
            for (id, body) in stored { stacks[id] = try body.unpacked() }
            return stacks
        }
    }

    public func diagnosticCount(_ query: FlameQuery) async throws(JournalError) -> Int {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try SampledStackTable(db).diagnosticCount(query) }
        }
    }
}
