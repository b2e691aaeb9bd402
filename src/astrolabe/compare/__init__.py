"""Score -> Estimate and Comparison: intervals, paired tests, groups, agreement. Pure: no file, no clock.

Everything is deterministic for a seed, whatever the order of the scores and whatever else is in them.
"""

from astrolabe.compare.agreement import Statistic, cohen_kappa, rank_correlation, raw_agreement, sign_test
from astrolabe.compare.bootstrap import RESAMPLES, Interval, interval, intervals
from astrolabe.compare.cells import OVERALL, PART_RANGES, Range
from astrolabe.compare.duels import Duel, tally
from astrolabe.compare.estimates import estimate
from astrolabe.compare.groups import groups
from astrolabe.compare.judges import JudgesAgree, judges_agree
from astrolabe.compare.needed import needed_for, questions_needed
from astrolabe.compare.pairs import Correction, compare_methods
from astrolabe.compare.permutation import adjust, sign_flip_tests

__all__ = [
    "OVERALL",
    "PART_RANGES",
    "RESAMPLES",
    "Correction",
    "Duel",
    "Interval",
    "JudgesAgree",
    "Range",
    "Statistic",
    "adjust",
    "cohen_kappa",
    "compare_methods",
    "estimate",
    "groups",
    "interval",
    "intervals",
    "judges_agree",
    "needed_for",
    "questions_needed",
    "rank_correlation",
    "raw_agreement",
    "sign_flip_tests",
    "sign_test",
    "tally",
]
