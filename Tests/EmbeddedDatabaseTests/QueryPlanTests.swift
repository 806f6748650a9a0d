import CallStacks
import Foundation
import GRDB
import Ingest
import Testing

@testable import EmbeddedDatabase

/// How SQLite finds the rows of lists, which may be a few of a million.
@Suite("Query plans")
struct QueryPlanTests {
    private func plan(_ sql: String, _ arguments: StatementArguments) throws -> [String] {
        let queue = try DatabaseQueue()
        try Schema.migrator.migrate(queue)
        return try queue.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments)
                .map { $0["detail"] }
        }
    }

    private func expectSearch(_ sql: String, _ arguments: StatementArguments) throws {
        let plan = try plan(sql, arguments)
        #expect(!plan.isEmpty)
        for step in plan { #expect(step.hasPrefix("SEARCH"), "\(sql): \(plan)") }
    }

    @Test("no list of groups scans a table or sorts, whatever its order and filters")
    func groups() throws {
        for order in GroupQuery.Order.allCases {
            for app in [nil, "a"] {
                for version in app == nil ? [nil] : [nil, "1.0"] {
                    for kind in [nil, DiagnosticKind.hang] {
                        var query = GroupQuery(app: app, order: order)
                        query.version = version
                        query.kind = kind
                        query.readability = .raw
                        query.text = app == nil && kind == nil ? nil : "x"
                        for after in [nil, GroupQuery.Position(key: 1, id: 1)] {
                            query.after = after
                            let list = GroupListStatement(query)
                            try expectSearch(list.sql, list.arguments)
                        }
                    }
                }
            }
        }
    }

    @Test("a text is looked for in one pass over all groups")
    func text() throws {
        var query = GroupQuery()
        query.text = "x"
        let list = GroupListStatement(query)
        let plan = try plan(list.sql, list.arguments)
        #expect(plan == ["SCAN own", "USE TEMP B-TREE FOR ORDER BY"])
    }

    @Test("versions and their counts are found through an index")
    func versions() throws {
        try expectSearch(VersionCountTable.versionsStatement, ["a"])
        try expectSearch(VersionCountTable.coverageStatement, ["a", "1.0"])
    }

    @Test("no list of diagnostics scans or sorts for an app, a fingerprint, a version or a kind")
    func diagnostics() throws {
        for (app, fingerprint, version, kind) in [
            (nil, nil, nil, nil), ("a", nil, nil, nil), ("a", nil, "1", nil),
            ("a", nil, nil, .hang),
            (nil, "1:a", nil, nil), (nil, "1:a", "1", nil), ("a", "1:a", "1", nil),
        ] as [(String?, String?, String?, DiagnosticKind?)] {
            var query = DiagnosticQuery()
            (query.app, query.fingerprint, query.version, query.kind) =
                (app, fingerprint, version, kind)
            let list = DiagnosticListStatement(query)
            try expectSearch(list.sql, list.arguments)
            guard let index = try plan(list.sql, list.arguments).first else { continue }
            if version != nil { #expect(index.contains("version=?"), "\(index)") }
            if kind != nil { #expect(index.contains("kind=?"), "\(index)") }
        }
    }

    @Test("missing images of all apps are listed in the order of an index")
    func missing() throws {
        for scope in MissingQuery.Scope.allCases {
            for place in [nil, MissingListQuery.Position(key: 7, id: 7)] {
                var query = MissingListQuery(scope: scope)
                query.after = place
                let all = MissingListStatement(query)
                try expectSearch(all.sql, all.arguments)
                query.app = "a"
                let one = MissingListStatement(query)
                try expectNoTableScan(one.sql, one.arguments)
                query.boundApp = "a"
                let bound = MissingListStatement(query)
                try expectNoTableScan(bound.sql, bound.arguments)
            }
        }
    }

    @Test("the groups that wait for an image are found through the waits")
    func waiting() throws {
        for app in [nil, "a"] { try expectNoTableScan(GroupTable.waitingStatement, [7, app]) }
    }

    @Test("the groups with frames in an image are found and ordered through indexes")
    func using() throws {
        for app in [nil, "a"] { try expectSearch(GroupTable.usingStatement, [Data(), app]) }
    }

    @Test("expired dead letters and the sum of all are found through an index")
    func deadLetters() throws {
        try expectSearch(DeadLetterTable.expiredStatement, [1, 2])
        let plan = try plan(DeadLetterTable.extentStatement, [])
        #expect(plan == ["SCAN dead_letter USING COVERING INDEX dead_letter_refusal"])
    }

    @Test("the diagnostics of the last hours are counted without a scan")
    func hours() throws {
        for app in [nil, "a"] { try expectNoTableScan(HourTable.countStatement, [7, app]) }
    }

    /// Expects no table to be read as a whole, although the found rows may be sorted.
    private func expectNoTableScan(_ sql: String, _ arguments: StatementArguments) throws {
        let plan = try plan(sql, arguments)
        #expect(plan.contains { $0.hasPrefix("SEARCH") })
        for step in plan {
            let tables = ["missing_image", "own", "image_version", "diagnostic", "wait"]
            #expect(!tables.contains { step.hasPrefix("SCAN \($0)") }, "\(sql): \(plan)")
        }
    }

    @Test("the stacks of a version or a group are found through indexes")
    func stacks() throws {
        for subject in [
            FlameQuery.Subject.version("1.0", app: "a", kind: .hang),
            .group(fingerprint: "1:a", app: "a"), .group(fingerprint: "1:a", app: nil),
        ] {
            let list = SampledStackListStatement(FlameQuery(subject))
            try expectSearch(list.sql, list.arguments + [10_000])
        }
    }
}
