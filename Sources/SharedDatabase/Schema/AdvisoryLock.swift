import PostgreSQL

/// The advisory locks of the database. Each is held until the end of the transaction.
///
/// The keys are those of earlier versions, because nodes of two versions run together.
enum AdvisoryLock: Int64 {
    /// Allows only one node at a time to change the tables.
    case migration = 0x5379_6d62
    /// Orders changes of symbols. Commits of runs share it, and changes take it exclusively, so
    /// either a change sees the diagnostics of a run, or the commit of the run sees the change.
    case symbolChanges = 5_379_626
    /// Allows only one node at a time to create the partitions of a day.
    case dayPartitions = 5_379_627
    /// Allows only one step at a time to write the sums of groups.
    case groupSums = 5_379_628

    /// Waits for the lock, and holds it exclusively.
    var statement: Statement {
        get throws {
            try Statement("SELECT pg_advisory_xact_lock($1)", [.value(rawValue, .int8)])
        }
    }

    /// Waits for the lock, and shares it with others that only share it.
    var sharedStatement: Statement {
        get throws {
            try Statement("SELECT pg_advisory_xact_lock_shared($1)", [.value(rawValue, .int8)])
        }
    }
}
