# SPDX-License-Identifier: Apache-2.0
"""A result as a matplotlib figure."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    from ._result import Result


def labelled(result: Result, name: str) -> str:
    unit = result.unit[name]
    return "%s [%s]" % (name, unit) if unit else name


def drawn(pyplot: Any, result: Result, axes: Sequence[str]) -> Any:
    """One panel for each of the axes."""
    chosen = list(axes) or [column.name for column in result.columns if column.role in ("coordinates", "states")]
    figure, panels = pyplot.subplots(len(chosen), 1, squeeze=False, layout="constrained")
    for panel, axis in zip(panels[:, 0], chosen):
        across, _, up = axis.partition(":") if ":" in axis else ("t", "", axis)
        panel.plot(result[across], result[up])
        panel.set_xlabel(labelled(result, across))
        panel.set_ylabel(labelled(result, up))
    figure.suptitle("%s by %s" % (result.info["model"], result.info["by"]))
    return figure
