"""The small corpus of the index tests serves search too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "index"))
