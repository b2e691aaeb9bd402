"""How well the matcher of `topics_local` tells which key points an argument expresses (people's labels: argkp).

Run: python benchmarks/argkp.py (needs ../shared/data; about 90 s of CPU). Weights are fitted on other questions than
those tested. Exits with 1 where a figure differs from `astrolabe.metrics.agreement` by more than 0.005.
"""

import sys

import numpy as np
from topic_matching import USED, argkp, calibrations, held_out, summhay

from astrolabe.metrics.agreement import FIGURES

TOLERANCE = 0.005


def main() -> int:
    """Print the figures and compare them with the table that reports print."""
    from sklearn.metrics import average_precision_score, cohen_kappa_score, f1_score

    pairs, covered = argkp(), summhay()
    matches = pairs.label > 0
    wrong = 0
    sys.stdout.write(f"{len(matches):,} pairs, {matches.mean():.1%} match; token overlap alone: about 0.32\n")
    for calibration in calibrations():
        sums, _ = held_out(pairs, covered, USED[calibration.name])
        precision = average_precision_score(matches, sums)
        each = [
            average_precision_score(matches[pairs.group == group], sums[pairs.group == group])
            for group in np.unique(pairs.group)
        ]
        said = sums >= calibration.threshold
        kappa = cohen_kappa_score(matches, said)
        sys.stdout.write(
            f"{calibration.name}: average precision {precision:.3f} (mean over {len(each)} questions "
            f"{np.mean(each):.3f}), kappa {kappa:.3f}, F1 {f1_score(matches, said):.3f}\n"
        )
        told = FIGURES[calibration.name]
        wrong += abs(told.average_precision - precision) > TOLERANCE
        wrong += abs(told.pairs_kappa - kappa) > TOLERANCE
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
