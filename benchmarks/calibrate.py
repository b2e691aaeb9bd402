"""Print the constants of `astrolabe.parts.match`: fitted on all labels, thresholds on held-out questions.

Run: python benchmarks/calibrate.py (two data sets of people's labels in ../shared/data; about 90 s of CPU)
"""

import sys

import numpy as np
from topic_matching import USED, Labelled, argkp, fit, held_out, summhay

GRID = np.arange(1.0, 4.01, 0.05)


def main() -> None:
    """Fit both calibrations and choose their thresholds."""
    from sklearn.metrics import cohen_kappa_score

    pairs, covered = argkp(), summhay()
    for name, used in USED.items():
        vector, stems, letters = fit(pairs, covered, _all(pairs), _all(covered), used)
        of_pairs, of_covered = held_out(pairs, covered, used)
        kappas = [
            cohen_kappa_score(pairs.label > 0, of_pairs >= cut)
            + cohen_kappa_score(covered.label > 0, of_covered >= cut)
            for cut in GRID
        ]
        threshold = GRID[int(np.argmax(kappas))]
        sys.stdout.write(
            f"Calibration(name={name!r}, vector={vector:.2f}, stems={stems:.2f}, letters={letters:.2f}, "
            f"threshold={threshold:.2f})\n"
        )


def _all(labelled: Labelled) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.arange(len(labelled.label))


if __name__ == "__main__":
    main()
