"""Pictures of an evaluation: scores per topic in pairs, ranks of one topic in pairs, the calls of a module.

Each is laid out in points on one sheet without axes, because nothing in it is a measured scale except the bars.
"""

from plait.evaluate.pictures.bars import swap_bars
from plait.evaluate.pictures.bump import rank_bump
from plait.evaluate.pictures.calls import call_graph
from plait.evaluate.pictures.intervals import interval_rows
from plait.evaluate.pictures.sheet import dark_variables, to_png, to_svg

__all__ = ["call_graph", "dark_variables", "interval_rows", "rank_bump", "swap_bars", "to_png", "to_svg"]
