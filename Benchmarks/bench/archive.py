"""Fills the database of a service with a million diagnostics, as if they had arrived within the last month."""

import sqlite3
import time
from pathlib import Path

DIAGNOSTICS, GROUPS, APPS, VERSIONS, IMAGES = 1_000_000, 20_000, 4, 60, 2_000
#: Groups that have three tenths of all diagnostics.
LARGE_GROUPS = 8
#: The group of hangs among them, and the number of its diagnostics with stacks.
HANGS, STACKS = 7, 10_000
#: The age of the oldest diagnostic, within the default retention.
MILLISECONDS = 29 * 86_400_000

#: The group and the version of a diagnostic follow from its number by multiplicative hashing.
DIAGNOSTIC = f"""
WITH RECURSIVE numbers (n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {DIAGNOSTICS}),
hashed AS (
    SELECT n, n * 2654435761 % 4294967296 >> 8 AS hash, n * 40503 % 65536 % {VERSIONS} AS minor
    FROM numbers),
drawn AS (
    SELECT n, minor, iif(hash % 10 < 3, hash / 10 % {LARGE_GROUPS}, hash / 10 % {GROUPS}) AS grp
    FROM hashed)
INSERT INTO diagnostic (
    entry, position, uid, arrival, kind, status, state, revision, app, version, build,
    exception_name, culprit, fingerprint, frames, symbolicated, wanted)
SELECT :first + n, 0, CAST('bench-' || n AS BLOB), :start + n * {MILLISECONDS} / {DIAGNOSTICS},
    iif(grp % 8 = 7, 'hang', 'crash'), iif(grp % 10 = 9, 'raw', 'symbolicated'), 1, 1,
    'com.example.app' || (grp % {APPS}), '1.' || minor || '.0', '1',
    iif(grp % 8 = 7, NULL, 'EXC_BREAKPOINT'), 'function' || grp || '(_:among:)', '1:bench' || grp,
    120, iif(grp % 10 = 9, 0, 110), iif(grp % 10 = 9, (:image + n % {IMAGES}) || ':4', '')
FROM drawn
"""

#: What the service keeps beside the diagnostics, in the order of its dependencies.
DERIVED = [
    """
    INSERT INTO diagnostic_group (
        app, fingerprint, kind, culprit, exception_name, diagnostics, unreadable, first_seen,
        last_seen, newest_entry, newest_position)
    SELECT app, fingerprint, kind, culprit, exception_name, count(*), sum(status = 'raw'),
        min(arrival), max(arrival), max(entry), 0
    FROM diagnostic WHERE entry > :first GROUP BY fingerprint, app
    """, """
    INSERT INTO group_version
    SELECT own.id, version, own.app, count(*), sum(frames), sum(symbolicated), min(arrival),
        max(arrival)
    FROM diagnostic JOIN diagnostic_group AS own USING (fingerprint, app)
    WHERE entry > :first GROUP BY own.id, version
    """, """
    INSERT OR REPLACE INTO version_count
    SELECT app, version, sum(diagnostics), sum(frames), sum(symbolicated)
    FROM group_version GROUP BY app, version
    """, """
    INSERT INTO group_day
    SELECT own.id, arrival / 86400000, count(*)
    FROM diagnostic JOIN diagnostic_group AS own USING (fingerprint, app)
    WHERE entry > :first GROUP BY own.id, arrival / 86400000
    """, """
    INSERT INTO diagnostic_hour
    SELECT arrival / 3600000, app, status, count(*)
    FROM diagnostic WHERE entry > :first GROUP BY arrival / 3600000, app, status
    """, f"""
    INSERT INTO sampled_stack (entry, position, size, form, stack)
    SELECT entry, position, size, form, stack
    FROM (
        SELECT entry, position FROM diagnostic WHERE fingerprint = '1:bench{HANGS}'
        ORDER BY entry DESC LIMIT {STACKS})
    CROSS JOIN (SELECT size, form, stack FROM sampled_stack ORDER BY length(stack) LIMIT 1)
    ORDER BY entry
    """, f"""
    WITH RECURSIVE numbers (n) AS (
        SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {IMAGES} - 1)
    INSERT INTO missing_image (
        id, image, app, name, architecture, in_app, waiting, first_seen, last_seen, frames)
    SELECT :image + n, randomblob(16), '', 'Image' || n, 'arm64', 1, 0, :start,
        :start + {MILLISECONDS}, 0
    FROM numbers
    """, """
    INSERT INTO wait SELECT CAST(wanted AS INTEGER), entry, position
    FROM diagnostic WHERE entry > :first AND wanted <> '' ORDER BY 1, 2
    """, """
    UPDATE missing_image SET waiting = (SELECT count(*) FROM wait WHERE wait.image = id)
    WHERE id >= :image
    """, """
    DELETE FROM missing_image WHERE waiting = 0
    """, """
    INSERT OR IGNORE INTO image_version (image, app, version)
    SELECT CAST(wanted AS INTEGER), app, version || ' (' || build || ')'
    FROM diagnostic WHERE entry > :first AND wanted <> '' GROUP BY 1
    """, """
    UPDATE sqlite_sequence SET seq = (SELECT max(entry) FROM diagnostic) WHERE name = 'journal'
    """]


def fill(data: Path):
    """Adds diagnostics to the database of a service that is not running."""
    database = sqlite3.connect(data / "symbolist.sqlite", isolation_level=None)
    try:
        numbers = {
            "first": _number(database, "SELECT max(number) FROM journal"),
            "image": _number(database, "SELECT max(id) FROM missing_image") + 1,
            "start": int(time.time() * 1_000) - MILLISECONDS}
        database.execute("BEGIN IMMEDIATE")
        for statement in [DIAGNOSTIC, *DERIVED]:
            names = [name for name in numbers if f":{name}" in statement]
            database.execute(statement, {name: numbers[name] for name in names})
        database.execute("COMMIT")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        database.close()


def most_wanted(data: Path) -> str:
    """Returns the image that most diagnostics wait for, in hexadecimal digits."""
    database = sqlite3.connect(data / "symbolist.sqlite")
    try:
        row = database.execute(
            "SELECT hex(image) FROM missing_image WHERE in_app ORDER BY waiting DESC LIMIT 1")
        return row.fetchone()[0]
    finally:
        database.close()


def _number(database: sqlite3.Connection, query: str) -> int:
    return database.execute(query).fetchone()[0] or 0
