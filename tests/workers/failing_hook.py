"""Readers that cannot be warmed."""


def warm() -> None:
    raise RuntimeError("the model is not installed")
