"""A preload module that cannot be imported: multiprocessing says nothing about it."""

import there_is_no_such_module  # noqa: F401  # pyright: ignore[reportMissingImports, reportUnusedImport]
