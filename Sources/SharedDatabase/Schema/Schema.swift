import PostgreSQL

/// The tables, and their migrations.
///
/// Entries of a lane are numbered without gaps, so the entries between two cursors can be counted
/// without reading them; `total` serves the same purpose for their bytes. Times are milliseconds
/// since 1970, or `timestamptz` if only the database compares them. Tables are only extended, so
/// that the previous version of the program works with them; a later version removes obsolete
/// parts.
///
///     cluster      one row: the version of the tables in `schema`, the oldest program that can work with
///                  them in `oldest`, the partition of entries that is current in `bucket`, since
///                  `bucket_start`, and when the tables were `made`
///     node         the nodes, with the version of the tables that they know, and when they were last seen
///     lane         one row per lane: its owner, until when, and the number of its claims in `epoch`; `tail`
///                  is the number of its last entry, `total` the stored size of all its entries up to that
///                  one, and `bucket` the partition that its owner appends to
///     reader       the cursor of each reader of a lane, in `place`; `passed` is the `total` at the cursor;
///                  `configured`: at the last start with any exporter
///     entry        one row per entry; partitions are dropped as a whole, so that no row is ever removed or
///                  changed, and nothing has to be vacuumed
///     claimed_key  the keys of repeatable entries that any node has appended, so that each is appended
///                  once, see ``EntryClaims``
///     archive      the objects with the entries of diagnostics, each with the numbers of its first and last
///                  entry, the latest day on which one of its diagnostics arrived, and where in the object
///                  each entry is, see ``ArchivedObject``
///     archive_cursor up to which entry each lane is archived: its number in `place`, and its `total`
///     dead_letter  batches that receivers refused; `rejected`: the number of rejected records if the others
///                  were accepted; `refused_under`: the fingerprint of the settings under which the letter
///                  was refused again; `claimed_by` and `claimed_until`: the node that is sending it again
///     task         the node that does some work for all
///     debug_file   the uploaded slices, one for each image, architecture and owner; the columns
///                  `executable_…` have the code that an ELF debug file lacks, and those named
///                  `companions_…` the files that it is indexed with; `supplement`: the build ID of the
///                  supplementary file among these
///     blob         the object that contains each blob, with its size and SHA-256; `touched`: when an upload
///                  needed it last; `damaged`: the object is missing or has other bytes, so the next upload
///                  of the file replaces it
///     index_object the object that contains the index of each slice, in each format
///     shared_file  the object that contains each symbol map and each chunk of an upload; `expiry`: until
///                  when it stays
///     build        the builds that uploads named, with the images of each in build_image
///     system_image the systems that stored system images belong to, see ``SystemImageTable``
///     upload_refusal the files of uploads that were refused last
///     symbol_change the latest changes of stored symbols, see ``SymbolChangeTable``
///     missing_image images that diagnostics wait for, with their number: one row for those that may use
///                  any app's upload, and one for each app whose diagnostics may only use its own;
///                  `stored`: the symbols of a system image are stored, and its diagnostics wait only if
///                  they are removed
///     missing_system the systems that an image belongs to, as stated by the diagnostics that want it
///     awakening    the missing images whose symbols have changed, until their waiting diagnostics are
///                  marked or their waits suspended
///     image_version the versions of apps whose diagnostics want an image, as first seen
///     diagnostic   one row per diagnostic, in a partition for each day of arrival; `wanted` has the
///                  numbers of the images that it waits for, and 0 for those that have awakened it
///     wait         the diagnostics of a run that wait for an image, see ``PostingList``; the rows of
///                  diagnostics tell whether they still do
///     missing_tally the numbers of diagnostics that wait for each image
///     resend       the diagnostics that are held, or to be sent again when they are `due`, or that the
///                  entry in `taken` sends again
///     sampled_stack the merged stacks of a sampled diagnostic; a revision has another `id`
///     diagnostic_group the diagnostics of an app with one fingerprint, and group_version those of a
///                  version, summed from the counts in group_tally when a list is read, see
///                  ``GroupSummaries``; group_change has the versions whose sums are outdated, and
///                  group_image the images of the app frames, with their newest diagnostic
///     version_tally the numbers of diagnostics and frames by app version and day
///     hour_tally   the numbers of diagnostics by hour of arrival, app and status
///     seen_payload the processed MetricKit payloads, by their keys and by their content
///     version_day  the numbers of payloads by app version and day, with their figures in version_figure
///     folder_import the data folders that were moved to the database, with the lane of each; `letter`: the
///                  last dead letter that was added
///
/// `form` is how a body is stored: see ``Decompression/PackedBody/Form``.
enum Schema {
    /// A change of the tables.
    struct Version {
        /// The oldest program that can work with the changed tables.
        let oldest: Int32
        let statements: [String]
    }

    /// The migrations in order. The first one results in version 1.
    static let versions = [
        Version(oldest: 1, statements: queue),
        Version(
            oldest: 1,
            statements: catalogue + objects + missingImages + sequences + diagnostics + stacks
                + groups + counts),
        Version(oldest: 1, statements: imports + sharedFiles),
        Version(oldest: 1, statements: archive),
        Version(oldest: 1, statements: claims),
        Version(oldest: 1, statements: revisionHistory),
        Version(oldest: 1, statements: executables),
        Version(oldest: 1, statements: sourceCommits),
        Version(oldest: 1, statements: deadLetterSizes),
        Version(oldest: 1, statements: companions),
    ]

    /// The version of the tables that this program needs.
    static let version = Int32(versions.count)
}
