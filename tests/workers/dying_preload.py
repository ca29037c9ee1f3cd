"""A preload module that takes the fork server with it."""

import os

os._exit(3)
