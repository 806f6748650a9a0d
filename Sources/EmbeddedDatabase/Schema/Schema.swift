import GRDB

/// The tables, and the migrations from older files.
///
/// Entries are numbered without gaps, so the entries between two cursors can be counted without
/// reading them; `total` serves the same purpose for their bytes. Times are milliseconds since
/// 1970, and images are stored by the bytes of their identity.
///
///     journal          one row per entry; `total` is the sum of the stored sizes up to and including it;
///                      `app` is the app that the sender's token is bound to
///     reader           the cursor of each reader, in `place`; `passed` is the `total` at the cursor;
///                      `configured`: at the last start with any exporter
///     diagnostic       one row per diagnostic, by address, so that the newest are at the end
///     kept             the entries that diagnostics keep alive, with the number of diagnostics
///     unreferenced     entries up to `swept` that no diagnostic keeps alive any more
///     tally            one row: `kept_bytes` of all of `kept`; every entry up to `swept` was either
///                      removed or is in `kept` or in `unreferenced`
///     missing_image    images that diagnostics wait for, with their number: one row for those that may
///                      use any app's upload, and one for each app whose diagnostics may only use its
///                      own, see `DebugFileAccess`; `stored`: the symbols of a system image are stored,
///                      and its diagnostics wait only if they are removed
///     image_version    the versions of apps whose diagnostics want an image, as first seen
///     missing_system   the systems that an image belongs to, as stated by the diagnostics that want it
///     wait             the diagnostics that wait for each image: by image, because images arrive; the
///                      row of a diagnostic has its images, see ``WantedImageList``
///     symbol_change    the latest changes of stored symbols, see ``SymbolChangeTable``
///     awakening        the missing images whose symbols have changed, until their waiting diagnostics are
///                      marked or their waits suspended
///     dead_letter      batches that receivers refused; `rejected`: the number of rejected records if
///                      the others were accepted; `refused_under`: the fingerprint of the settings under
///                      which the letter was refused again
///     debug_file       the uploaded slices, one for each image, architecture and owner; the columns
///                      `executable_…` have the code that an ELF debug file lacks, and those named
///                      `companions_…` the files that it is indexed with; `supplement`: the build ID
///                      of the supplementary file among these
///     build            the builds that uploads named
///     build_image      the images of each build
///     system_image     the systems that stored system images belong to, see ``SystemImageTable``
///     seen_payload     the processed MetricKit payloads, by their keys, and metric payloads also by their
///                      content
///     version_day      one row per day and version of an app, with the number of its payloads
///     version_figure   the sums of the watched metrics of such a day
///     diagnostic_group the diagnostics of an app with one fingerprint, counted; kind, culprit and exception are
///                      those of the newest
///     group_version    the counts of a group by version, with those of frames
///     version_count    the numbers of diagnostics and frames by app and version
///     group_day        the counts of a group by day of arrival
///     group_image      the images of a group's app frames, with the newest diagnostic that had frames in
///                      each; those of earlier versions' diagnostics are absent
///     diagnostic_hour  the numbers of diagnostics by hour of arrival, app and status
///     sampled_stack    the merged stacks of a sampled diagnostic; a revision has another `id`
///     upload_refusal   the files of uploads that were refused last
///
/// `form` is how a body is stored: see ``PackedBody/Form``.
enum Schema {
    /// `Symb` in the header of the file, which distinguishes it from the databases of other
    /// programs.
    static let applicationID = 0x5379_6d62

    /// The first migration creates the worker's cursor, so that the worker misses no entry.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
        for (name, sql) in migrations {
            migrator.registerMigration(name) { db in try db.execute(sql: sql) }
        }
        return migrator
    }

    /// The statements of the migrations, in order. A database stores the names of those that it
    /// has, so they never change.
    private static let migrations: KeyValuePairs<String, String> = [
        "1: journal, archive, catalogue": journal + diagnostics + waits + catalogue,
        "2: figures of versions": figures,
        // Files of earlier versions have no value here, and any complete file of the same quality
        // replaces them.
        "3: completeness of debug files": "ALTER TABLE debug_file ADD COLUMN completeness TEXT",
        "4: owners": owners + awaitedApps,
        "5: diagnostics by address": addressedDiagnostics,
        "6: readers without exporters, letters sent again": delivery,
        "7: systems of missing images": systems,
        "8: groups, stacks of sampled diagnostics": groups,
        "9: systems of stored images": systemImages,
        "10: stacks of earlier sampled diagnostics": earlierStacks,
        "11: hours of diagnostics, order of missing images": hours + missingOrder,
        "12: numbers of diagnostics by version": versionCounts,
        "13: images of groups": groupImages,
        "14: diagnostics of stored system images": storedImages,
        "15: changes of symbols": symbolChanges,
        "16: history of revisions": revisionHistory,
        "17: executables beside debug files": executables,
        "18: one index for each order of groups": groupIndexes,
        "19: commits of builds": sourceCommits,
        "20: sizes of dead letters": deadLetterSizes,
        "21: index of sampled diagnostics without a list": sampledIndex,
        "22: companions of debug files": companions,
    ]
}
