import CallStacks
import Ingest
import PostgreSQL
import SymbolIntake
import Synchronization

/// A cache of the numbers of missing images, so that runs do not contend for their rows.
///
/// All nodes need the same few images all the time. The row of an image is written when a
/// diagnostic adds information, and otherwise at most once per minute, in a transaction before the
/// run's. The row of an image that no diagnostic waits for may be removed, see
/// ``ExpiredRowRemoval``, so a run makes sure that the rows exist.
final class MissingImageNumbers: Sendable {
    private struct Key: Hashable {
        let image: ImageID
        let app: String?

        func precedes(_ other: Self) -> Bool {
            image == other.image
                ? (app ?? "") < (other.app ?? "")
                : image.bytes.lexicographicallyPrecedes(other.image.bytes)
        }
    }

    private struct Known {
        let id: Int64
        var image: ImageWaits.Image
        var versions: Set<ImageWaits.AppVersion>

        /// An estimate of the memory that it takes, in bytes. Names and versions come from clients.
        var byteCount: Int {
            versions.reduce(256 + (image.wanted.name?.utf8.count ?? 0)) {
                $0 + 64 + $1.app.utf8.count + $1.version.utf8.count
            }
        }
    }

    /// The known images, forgotten together when there are too many or they take too much memory.
    private struct KnownImages {
        private(set) var images: [Key: Known] = [:]
        private(set) var byteCount = 0

        subscript(key: Key) -> Known? {
            get { images[key] }
            set {
                byteCount += (newValue?.byteCount ?? 0) - (images[key]?.byteCount ?? 0)
                images[key] = newValue
            }
        }

        var isFull: Bool { images.count > countLimit || byteCount > bytesLimit }
    }

    private let pool: ConnectionPool
    private let known = Mutex(KnownImages())

    private static let countLimit = 10_000
    private static let bytesLimit = 32 << 20
    private static let rewriteIntervalMilliseconds: Int64 = 60_000
    /// The versions of an image that are kept, of one app and of all.
    static let versionLimits = (app: 50, image: 1_000)

    init(_ pool: ConnectionPool) { self.pool = pool }

    /// Writes new information about images.
    ///
    /// - Returns: Their numbers.
    func put(_ images: [ImageWaits.Image]) async throws -> [Int64] {
        var (new, ids) = known.withLock { known in
            let new = images.filter { Self.adds($0, to: known) }
            let ids = images.compactMap { image in
                known[Self.key(of: image)].map { (Self.key(of: image), $0.id) }
            }
            return (new, Dictionary(ids) { first, _ in first })
        }
        if !new.isEmpty { ids.merge(try await write(new)) { _, written in written } }
        return try images.map { image in
            guard let id = ids[Self.key(of: image)] else {
                throw JournalError.damage("an image that diagnostics wait for")
            }
            return id
        }
    }

    /// Clears the cache, after a number was found to be outdated.
    func forget() { known.withLock { $0 = KnownImages() } }

    private static func key(of image: ImageWaits.Image) -> Key {
        Key(image: image.wanted.image, app: image.wanted.app)
    }

    private static func adds(_ image: ImageWaits.Image, to known: KnownImages) -> Bool {
        guard let last = known[key(of: image)] else { return true }
        let (old, new) = (last.image, image)
        return old.wanted.isInApp(or: new.wanted) != old.wanted.isInApp
            || (old.wanted.name == nil && new.wanted.name != nil)
            || (old.wanted.architecture == nil && new.wanted.architecture != nil)
            || new.firstSeen < old.firstSeen
            || new.lastSeen.rawValue > old.lastSeen.rawValue &+ rewriteIntervalMilliseconds
            || !last.versions.isSuperset(of: new.versions)
    }

    /// - Returns: The numbers of the images.
    private func write(_ images: [ImageWaits.Image]) async throws -> [Key: Int64] {
        // All nodes write rows in the same order, so that they do not deadlock.
        let images = images.sorted { Self.key(of: $0).precedes(Self.key(of: $1)) }
        let ids = try await pool.withTransaction { transaction in
            let rows = try await transaction.execute(try Self.insertion(of: images))
            let ids = try rows.map { try $0.value(0, .int8) }
            try await transaction.rows(
                "SELECT 1 FROM missing_image WHERE id = ANY ($1) ORDER BY id FOR UPDATE",
                [.value(ids, .array(of: .int8))])
            _ = try await transaction.execute(try Self.versions(of: images, ids))
            return ids
        }
        known.withLock { known in
            if known.isFull { known = KnownImages() }
            for (image, id) in zip(images, ids) { Self.add(image, id, in: &known) }
        }
        return Dictionary(zip(images.map(Self.key(of:)), ids)) { first, _ in first }
    }

    private static func add(
        _ image: ImageWaits.Image, _ id: Int64, in known: inout KnownImages
    ) {
        var image = image
        image.addresses = []
        if let last = known[key(of: image)]?.image {
            image.firstSeen = min(image.firstSeen, last.firstSeen)
            image.lastSeen = max(image.lastSeen, last.lastSeen)
            image.wanted.isInApp = last.wanted.isInApp(or: image.wanted)
            image.wanted.name = last.wanted.name ?? image.wanted.name
            image.wanted.architecture = last.wanted.architecture ?? image.wanted.architecture
        }
        let last = known[key(of: image)]?.versions ?? []
        let versions = last.count < versionLimits.image ? last : []
        known[key(of: image)] = Known(
            id: id, image: image, versions: versions.union(image.versions))
    }

    /// An image whose waits have all ended counts as new.
    private static func insertion(of images: [ImageWaits.Image]) throws -> Statement {
        let waits = "EXISTS (SELECT 1 FROM missing_tally t WHERE t.image = m.id AND waiting <> 0)"
        return try Statement(
            """
            INSERT INTO missing_image AS m (
                image, app, name, architecture, in_app, stored, first_seen, last_seen)
            SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::bool[],
                $6::bool[], $7::int8[], $8::int8[])
            ON CONFLICT (image, app) DO UPDATE SET
                name = coalesce(m.name, excluded.name),
                architecture = coalesce(m.architecture, excluded.architecture),
                in_app = CASE
                    WHEN (m.name IS NULL) = (excluded.name IS NULL) THEN m.in_app OR excluded.in_app
                    WHEN m.name IS NULL THEN excluded.in_app ELSE m.in_app END,
                first_seen = CASE WHEN \(waits) THEN least(m.first_seen, excluded.first_seen)
                    ELSE excluded.first_seen END,
                last_seen = CASE WHEN \(waits) THEN greatest(m.last_seen, excluded.last_seen)
                    ELSE excluded.last_seen END
            RETURNING id
            """,
            [
                .value(images.map(\.wanted.image.bytes), .array(of: .bytea)),
                .value(images.map { $0.wanted.app?.asKey ?? "" }, .array(of: .text)),
                .value(images.map(\.wanted.name?.withoutNUL), .nullableArray(of: .text)),
                .value(images.map(\.wanted.architecture?.asKey), .nullableArray(of: .text)),
                .value(images.map(\.wanted.isInApp), .array(of: .bool)),
                .value(images.map(\.wanted.isStored), .array(of: .bool)),
                .value(images.map(\.firstSeen.rawValue), .array(of: .int8)),
                .value(images.map(\.lastSeen.rawValue), .array(of: .int8)),
            ], limit: .large)
    }

    /// Adds the versions of images, and removes those first seen longest ago beyond the limits,
    /// because both names come from clients.
    private static func versions(
        of images: [ImageWaits.Image], _ ids: [Int64]
    ) throws -> [Statement] {
        let rows = zip(images, ids).flatMap { image, id in image.versions.map { (id, $0) } }
        let numbers = Parameter.value(ids, .array(of: .int8))
        return [
            try Statement(
                """
                INSERT INTO image_version (image, app, version)
                SELECT image, app, version FROM unnest($1::int8[], $2::text[], $3::text[])
                    WITH ORDINALITY AS new (image, app, version, position)
                WHERE NOT EXISTS (
                    SELECT 1 FROM image_version old WHERE old.image = new.image
                        AND old.app = new.app AND old.version = new.version)
                ORDER BY position ON CONFLICT DO NOTHING
                """,
                [
                    .value(rows.map(\.0), .array(of: .int8)),
                    .value(rows.map(\.1.app.asKey), .array(of: .text)),
                    .value(rows.map(\.1.version.asKey), .array(of: .text)),
                ]),
            try Statement(
                """
                DELETE FROM image_version WHERE id IN (
                    SELECT id FROM (
                        SELECT id, row_number() OVER (
                                PARTITION BY image, app ORDER BY id DESC) AS of_app,
                            row_number() OVER (PARTITION BY image ORDER BY id DESC) AS of_image
                        FROM image_version WHERE image = ANY ($1)) v
                    WHERE of_app > \(versionLimits.app) OR of_image > \(versionLimits.image))
                """, [numbers]),
        ]
    }
}
