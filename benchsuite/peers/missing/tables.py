"""Tables of Markdown from records, a line for each network, share, seed and method."""

from __future__ import annotations

from statistics import fmean
from typing import Any

Record = dict[str, Any]

OURS = "ensemble"
#: Heading and digits of each column; more is better in those of `BETTER`.
COLUMNS = {
    "p20": ("precision@20", 3),
    "p100": ("@100", 3),
    "ap": ("average precision", 3),
    "uniform": ("AUC uniform", 4),
    "matched": ("AUC degree-matched", 4),
    "error": ("calibration error", 3),
    "predicted": ("first 100: predicted", 2),
    "true": ("true", 2),
    "cpu": ("CPU s", 2),
}
BETTER = ("p20", "p100", "ap", "uniform", "matched")


def distinct(records: list[Record], key: str) -> list[Any]:
    return list(dict.fromkeys(record[key] for record in records))


def mean(records: list[Record], column: str) -> float | None:
    values = [record[column] for record in records if record.get(column) is not None]
    return fmean(values) if values else None


def cell(value: float | None, digits: int, bold: bool = False) -> str:
    text = "–" if value is None else f"{value:.{digits}f}"
    return f"**{text}**" if bold else text


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def head(cells: list[str]) -> str:
    return line(cells) + "|---" * len(cells) + "|\n"


def page(records: list[Record]) -> str:
    """For each share that was hidden: where we lose, means over networks, and all rows."""
    text = ""
    for share in distinct(records, "share"):
        of_share = [record for record in records if record["share"] == share]
        seeds = sorted(distinct(of_share, "seed"))
        text += f"## {share:.0%} of the edges hidden; seeds {', '.join(map(str, seeds))}\n\n"
        text += losses(of_share) + "\n" + by_method(of_share) + "\n" + rows(of_share) + "\n"
    return text


def of(records: list[Record], **wanted: Any) -> list[Record]:
    return [record for record in records if all(record[key] == value for key, value in wanted.items())]


def losses(records: list[Record]) -> str:
    """Ours less the best of the others, network by network; the worst network of each column is bold."""
    others = [method for method in distinct(records, "method") if method != OURS]
    table: dict[str, dict[str, tuple[float, float, str]]] = {}
    for network in distinct(records, "network"):
        cells = {}
        for column in BETTER:
            ours = mean(of(records, network=network, method=OURS), column)
            means = [(mean(of(records, network=network, method=method), column), method) for method in others]
            known = [(value, method) for value, method in means if value is not None]
            if ours is not None and known:
                best, method = max(known)
                cells[column] = (ours - best, best, method)
        table[network] = cells
    worst = {column: min((cells[column][0] for cells in table.values() if column in cells), default=None) for column in BETTER}
    text = "Ours (`ensemble`) less the best of all others, means over seeds; in brackets which that is. The worst network of each column is bold.\n\n"
    text += head(["network", *(COLUMNS[column][0] for column in BETTER)])
    for network, cells in table.items():
        shown = []
        for column in BETTER:
            if column not in cells:
                shown.append("–")
                continue
            difference, _, method = cells[column]
            number = f"{difference:+.{COLUMNS[column][1]}f}"
            shown.append(f"{f'**{number}**' if difference == worst[column] else number} ({method})")
        text += line([network, *shown])
    return text


def by_method(records: list[Record]) -> str:
    """Means over the networks that every method of a full run scored, and how often ours is behind."""
    methods = distinct(records, "method")
    networks = distinct(records, "network")
    text = "Means over networks; in brackets on how many networks ours (`ensemble`) is below. `n` is the number of networks a method was run on.\n\n"
    text += head(["method", "n", *(COLUMNS[column][0] for column in (*BETTER, "error", "cpu"))])
    for method in methods:
        on = [network for network in networks if of(records, network=network, method=method)]
        cells = [method, str(len(on))]
        for column in (*BETTER, "error", "cpu"):
            theirs = {network: mean(of(records, network=network, method=method), column) for network in on}
            ours = {network: mean(of(records, network=network, method=OURS), column) for network in on}
            known = [value for value in theirs.values() if value is not None]
            text_of = cell(fmean(known) if known else None, COLUMNS[column][1])
            if method != OURS and column in BETTER and known:
                behind = sum(1 for network in on if None not in (theirs[network], ours[network]) and ours[network] < theirs[network] - 1e-12)
                text_of += f" ({behind})"
            cells.append(text_of)
        text += line(cells)
    return text


def rows(records: list[Record]) -> str:
    """All methods on all networks, means over seeds; the best of each column is bold."""
    text = "All rows, means over seeds; the best of each column on a network is bold.\n\n"
    text += head(["network: nodes/edges, seeds", "method", *(heading for heading, _ in COLUMNS.values())])
    for network in distinct(records, "network"):
        here = of(records, network=network)
        methods = distinct(here, "method")
        means = {method: {column: mean(of(here, method=method), column) for column in COLUMNS} for method in methods}
        seeds = len(distinct(here, "seed"))
        name = f"{network}: {here[0]['nodes']}/{here[0]['edges']}, {seeds} {'seed' if seeds == 1 else 'seeds'}"
        for method in methods:
            cells = [name, method]
            for column, (_, digits) in COLUMNS.items():
                value = means[method][column]
                known = [row[column] for row in means.values() if row[column] is not None]
                best = value is not None and ((column in BETTER and value == max(known)) or (column == "error" and value == min(known)))
                cells.append(cell(value, digits, best))
            text += line(cells)
    return text
