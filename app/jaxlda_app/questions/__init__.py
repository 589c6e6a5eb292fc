"""What views ask: pure functions of a snapshot, a file for each view. They run in the background."""
