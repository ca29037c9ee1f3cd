"""The warehouse of a home, wherever the settings say that its catalog and data stand."""

from __future__ import annotations

from pathlib import Path

from muniment.home import Home
from muniment.settings import StoreSettings
from muniment.store.connection import Connect
from muniment.store.current import warehouse_folder
from muniment.store.warehouse import Warehouse


def open_warehouse(
    home: Home, settings: StoreSettings, *, folder: Path | None = None, connect: Connect | None = None
) -> Warehouse:
    """The warehouse in `folder`, by default the published one (or the first, before any publication).

    Raises WarehouseError when it is absent or of another schema.
    """
    catalog, data = _place(settings)
    return Warehouse.open(folder or warehouse_folder(home), connect=connect, catalog=catalog, data=data)


def create_warehouse(home: Home, settings: StoreSettings, *, folder: Path | None = None) -> Warehouse:
    """Make the warehouse with its tables, or open it when it is there."""
    catalog, data = _place(settings)
    return Warehouse.create(folder or warehouse_folder(home), catalog=catalog, data=data)


def _place(settings: StoreSettings) -> tuple[str | None, str | None]:
    return settings.catalog.get_secret_value() if settings.catalog is not None else None, settings.data
