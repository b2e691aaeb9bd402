"""Comparison -> page: tables in four formats and one self-contained HTML file."""

from astrolabe.report.banners import all_banners
from astrolabe.report.material import Bucket, Built, Cost, Elsewhere, Judged, Material
from astrolabe.report.pair_table import pairs
from astrolabe.report.table import Cell, Column, Table
from astrolabe.report.tables import all_tables, main_table
from astrolabe.report.write import FORMATS, Format, write_report

__all__ = [
    "FORMATS",
    "Bucket",
    "Built",
    "Cell",
    "Column",
    "Cost",
    "Elsewhere",
    "Format",
    "Judged",
    "Material",
    "Table",
    "all_banners",
    "all_tables",
    "main_table",
    "pairs",
    "write_report",
]
