"""Upkeep of a warehouse's files: merging, expiry of snapshots, orphans. Run under the writer lock only."""

from __future__ import annotations

from datetime import timedelta

import duckdb

from muniment.store.connection import literal, quoted

#: A file of which at least this share of rows is deleted is written anew.
_REWRITE_SHARE = 0.5


def merge_adjacent(cursor: duckdb.DuckDBPyConnection, alias: str) -> None:
    """Merge small adjacent files and rewrite mostly deleted ones. Older snapshots keep their files until expiry."""
    cursor.execute(f"CALL ducklake_rewrite_data_files({literal(alias)}, delete_threshold => {_REWRITE_SHARE})")
    cursor.execute(f"CALL ducklake_merge_adjacent_files({literal(alias)})")


def expire(cursor: duckdb.DuckDBPyConnection, alias: str, keep: set[int]) -> list[int]:
    """Forget every snapshot but `keep` and the newest, then delete the files that only those had.

    The list is explicit: expiry by age could take one that CURRENT names. Returns the ids forgotten.
    """
    rows = cursor.execute(f"SELECT snapshot_id FROM {quoted(alias)}.snapshots() ORDER BY ALL").fetchall()
    known = [int(row[0]) for row in rows]
    gone = [snapshot_id for snapshot_id in known[:-1] if snapshot_id not in keep]
    if gone:
        cursor.execute(f"CALL ducklake_expire_snapshots({literal(alias)}, versions => {gone})")
    cursor.execute(f"CALL ducklake_cleanup_old_files({literal(alias)}, cleanup_all => true)")
    return gone


def collect_orphans(cursor: duckdb.DuckDBPyConnection, alias: str, older_than: timedelta) -> list[str]:
    """Delete data files older than `older_than` that no snapshot knows; returns their paths, sorted."""
    rows = cursor.execute(
        f"CALL ducklake_delete_orphaned_files({literal(alias)}, "
        f"older_than => now() - INTERVAL '{older_than.total_seconds()} seconds')"
    ).fetchall()
    return sorted(str(row[0]) for row in rows)
