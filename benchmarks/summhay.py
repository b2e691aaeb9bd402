"""How well the matcher of `topics_local` tells how far a summary covers an insight (people's labels: SummHay).

Run: python benchmarks/summhay.py (needs ../shared/data; about 90 s of CPU). Weights are fitted on other subtopics than
those tested. Exits with 1 where a figure differs from `astrolabe.metrics.agreement` by more than 0.005.
"""

import sys

import numpy as np
from topic_matching import USED, argkp, calibrations, held_out, summhay

from astrolabe.metrics.agreement import FIGURES

TOLERANCE = 0.005


def main() -> int:
    """Print the figures and compare them with the table that reports print."""
    from sklearn.metrics import cohen_kappa_score, f1_score

    pairs, covered = argkp(), summhay()
    wrong = 0
    sys.stdout.write(f"{len(covered.label)} insights; word containment alone: about 0.66, gpt-4o as judge: 0.746\n")
    for calibration in calibrations():
        _, sums = held_out(pairs, covered, USED[calibration.name])
        likely = 1.0 / (1.0 + np.exp(calibration.threshold - sums))
        correlation = float(np.corrcoef(likely, covered.label)[0, 1])
        said = sums >= calibration.threshold
        kappa = cohen_kappa_score(covered.label > 0, said)
        sys.stdout.write(
            f"{calibration.name}: Pearson r {correlation:.3f}; fully or partly against not: kappa {kappa:.3f}, "
            f"F1 {f1_score(covered.label > 0, said):.3f}\n"
        )
        told = FIGURES[calibration.name]
        wrong += abs(told.correlation - correlation) > TOLERANCE
        wrong += abs(told.covered_kappa - kappa) > TOLERANCE
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
