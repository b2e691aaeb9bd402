"""Foreign benchmarks as our records, a file each."""
