"""A preload module whose readers cannot be warmed."""

from muniment.workers.preloading import prepare

prepare(hook="failing_hook")
