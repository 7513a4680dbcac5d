"""Formulas as one line of plain text: MathML read from its tree, TeX with its commands taken off."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import zip_longest

from lxml import etree

from kg_pipeline.pmc.jats.xml import MATHML, all_text, local_name

#: Names of a formula in MathML, whether or not it says that it is.
MATH = (f"{{{MATHML}}}math", "math")
#: Stands for a formula that is only an image.
PLACEHOLDER = "[formula]"

_SKIPPED = frozenset({"annotation", "annotation-xml", "mphantom", "mprescripts", "none"})
_SCRIPTED = frozenset({"msup", "msub", "msubsup", "munder", "mover", "munderover"})
_ROWS = frozenset({"mrow", "math", "mstyle", "semantics", "mpadded"})
#: Operators that, raised, are the sign of degrees.
_DEGREES = frozenset("∘°º")
_ATOMS = frozenset({"mi", "mn", "mo", "mtext", "ms"})
#: Names of the elements that formulas are full of, by what they are called with and without their namespace.
_NAMES = {form: name for name in _SCRIPTED | _ROWS | _ATOMS for form in (name, f"{{{MATHML}}}{name}")}
_TEX_BODY = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
_TEX_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_TEX_GROUP = re.compile(
    r"\\(?:math\w+|text\w*|operatorname\*?|rm|bf|it|bar|hat|tilde|vec|overline)\s*\{([^{}]*)\}"
)
_TEX_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_TEX_COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
_TEX_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}(?:\{[^{}]*\})?")
_TEX_PREAMBLE = re.compile(r"\\(?:documentclass|usepackage|setlength)(?:\[[^\]]*\])?(?:\{[^{}]*\})+")
_TEX_SYMBOLS = {
    "times": "×", "cdot": "·", "pm": "±", "mp": "∓", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠",
    "ne": "≠", "approx": "≈", "sim": "~", "propto": "∝", "infty": "∞", "to": "→", "rightarrow": "→",
    "leftarrow": "←", "rightleftharpoons": "⇌", "sum": "∑", "prod": "∏", "int": "∫", "partial": "∂", "in": "∈",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "circ": "°", "prime": "′", "degree": "°", "quad": " ", "qquad": " ", "log": "log", "ln": "ln", "exp": "exp",
    "min": "min", "max": "max", "sin": "sin", "cos": "cos", "tan": "tan", "lim": "lim", "Pr": "Pr",
}  # fmt: skip


def render_formula(element: etree._Element) -> str:
    """The formula once: from MathML if there is any, else from TeX, else its own text, else a placeholder."""
    direct = [child for child in element if child.tag in MATH]
    if len(direct) > 1:
        return " ".join("".join(_each_part(element)).split())
    if element.tag in MATH:
        math: etree._Element | None = element
    else:
        math = element[0] if direct and direct[0] is element[0] else next(element.iter(*MATH), None)
    if math is not None and (line := " ".join(render_mathml(math).split())):
        return line
    tex = element if element.tag == "tex-math" else next(element.iter("tex-math"), None)
    if tex is not None:
        return plain_tex(all_text(tex)) or PLACEHOLDER
    if element.tag in {*MATH, "tex-math", "alternatives"}:
        return PLACEHOLDER
    text = "".join(_own_text(element)).strip()
    return text or PLACEHOLDER


def render_mathml(element: etree._Element) -> str:
    """One line for a MathML tree: `HR=0.6`, `x^2`, `a/b`, `√(n)`."""
    tag = _NAMES.get(element.tag) or local_name(element)
    if tag in _ATOMS:
        text = all_text(element) if len(element) else element.text or ""
        return text if len(text) == 1 and not text.isspace() else " ".join(text.split())
    if tag in _SKIPPED:
        return ""
    if tag == "mspace":
        return " "
    parts = [render_mathml(child) for child in element]
    if tag in _ROWS and parts:
        return "".join(parts)
    if tag in _SCRIPTED and parts and not all(part.strip() for part in parts[1:]):
        return "".join(parts)  # a script without content
    match tag, parts:
        case "mfrac", [top, bottom]:
            return f"{_group(top)}/{_group(bottom)}"
        case "msup" | "mover", [base, upper]:
            if tag == "mover" or upper in _DEGREES:
                return f"{base}{'°' if tag == 'msup' else upper}"
            return f"{base}^{_group(upper)}"
        case "msub" | "munder", [base, lower]:
            return f"{base}_{_group(lower)}"
        case "msubsup" | "munderover", [base, lower, upper]:
            return f"{base}_{_group(lower)}^{_group(upper)}"
        case "mmultiscripts", [base, *_]:
            return _with_scripts(base, list(element)[1:])
        case "msqrt", _:
            return f"√({''.join(parts)})"
        case "mroot", [base, index]:
            return f"{base}^(1/{index})"
        case "mtr" | "mtd", _:
            return "".join(parts) + " "
        case "mfenced", _:
            separator = element.get("separators", ",")[:1]
            return element.get("open", "(") + separator.join(parts) + element.get("close", ")")
    return "".join([element.text or "", *parts]) if not parts else "".join(parts)


def _with_scripts(base: str, scripts: list[etree._Element]) -> str:
    """A base with pairs of scripts, lower and upper, after it and, past a `mprescripts`, before it: `18F`, `x_i^2`."""
    names = [local_name(script) for script in scripts]
    middle = names.index("mprescripts") if "mprescripts" in names else len(names)
    texts = [render_mathml(script).strip() for script in scripts]
    after, before = texts[:middle], texts[middle + 1 :]
    text = base
    for lower, upper in zip_longest(after[::2], after[1::2], fillvalue=""):
        text += (f"_{_group(lower)}" if lower else "") + (f"^{_group(upper)}" if upper else "")
    for lower, upper in zip_longest(before[::2], before[1::2], fillvalue=""):
        is_isotope = upper.isdigit() and not lower and text[:1].isalpha()
        mark = f"^{_group(upper)}" if upper and not is_isotope else upper
        text = f"{mark}{f'_{_group(lower)}' if lower else ''}{text}"
    return text


def plain_tex(source: str) -> str:
    """TeX without preamble, environments and commands; known symbols become Unicode."""
    body = _TEX_BODY.search(source)
    text = body.group(1) if body else _TEX_PREAMBLE.sub(" ", source)
    text = _TEX_ENVIRONMENT.sub(" ", text).replace("$", " ").replace("&", " ").replace("\\\\", " ")
    text = _TEX_COMMAND.sub(lambda m: _TEX_SYMBOLS.get(m[1], m[0]), text)
    for _ in range(8):  # innermost braces first, to a bounded depth
        before = text
        text = _TEX_FRACTION.sub(lambda m: f"{_group(m[1].strip())}/{_group(m[2].strip())}", text)
        text = _TEX_ROOT.sub(r"√(\1)", text)
        text = _TEX_GROUP.sub(r"\1", text)
        if text == before:
            break
    text = _TEX_COMMAND.sub(" ", text)
    text = re.sub(r"\\[,;:! ]", " ", text).replace("\\", "").replace("~", " ")
    text = re.sub(r"([_^])\s*\{([^{}]*)\}", lambda m: m[1] + _group(m[2].strip()), text)
    return " ".join(text.translate({ord("{"): None, ord("}"): None}).split())


def _group(text: str) -> str:
    """Brackets around an operand of several parts, so that the line keeps the meaning of the formula."""
    bare = text.strip()
    simple = len(bare) < 2 or bare.isalnum() or re.fullmatch(r"[-+−]?[\w.]+|\w*[+\-−*′]", bare)
    return bare if simple or (bare.startswith("(") and bare.endswith(")")) else f"({bare})"


def _each_part(element: etree._Element) -> Iterable[str]:
    """Formulas in MathML that stand in a row, and the text between them."""
    for child in element:
        if child.tag in MATH:
            yield f" {render_mathml(child)} "
        yield child.tail or ""


def _own_text(element: etree._Element) -> Iterable[str]:
    yield element.text or ""
    for child in element:
        if child.tag not in {"label", "alt-text", "long-desc", "object-id", "graphic", "inline-graphic"}:
            yield all_text(child)
        yield child.tail or ""
