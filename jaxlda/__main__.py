"""``python -m jaxlda``."""

import sys

from jaxlda.cli import main

sys.exit(main())
