#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/commands.md is what the program prints."""
import subprocess
import sys
from pathlib import Path

program, page = sys.argv[1:]
printed = subprocess.run([program, "manual"], capture_output=True, text=True, check=True).stdout
if printed != Path(page).read_text(encoding="utf-8"):
    sys.exit(f"{page} is not up to date: write it with `talus manual`")
