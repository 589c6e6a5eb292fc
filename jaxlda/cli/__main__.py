"""``python -m jaxlda.cli``."""

import sys

from jaxlda.cli import main

sys.exit(main())
