"""Measures the grouping of siblings with overlapping evidence.

    python benchmarks/clusters.py [--siblings 50 500 5000] [--passages 20]

Every sibling has so many passages of 400 tokens, of which neighbours share most; groups stay below 50,000 tokens.
Prints seconds of processor time and the number of groups.
"""

import argparse
import sys
import time

from astrolabe.parts.evidence_clusters import Evidence, clusters


def main() -> None:
    """Measure each number of siblings."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--siblings", type=int, nargs="+", default=[50, 500, 5000])
    options.add_argument("--passages", type=int, default=20)
    given = options.parse_args()
    for siblings in given.siblings:
        wanted = range(given.passages)
        many = max(40, 2 * siblings)
        evidence = [
            Evidence(frozenset(f"p{(7 * place + step) % many}" for step in wanted)) for place in range(siblings)
        ]
        sizes = {passage: 400 for one in evidence for passage in one.passages}
        began = time.process_time()
        groups = clusters(evidence, sizes, budget=50_000)
        took = time.process_time() - began
        sys.stdout.write(f"{siblings:6} siblings: {1000 * took:8.1f} ms, {len(groups)} groups\n")


if __name__ == "__main__":
    main()
