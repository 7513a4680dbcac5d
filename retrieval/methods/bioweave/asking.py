"""What BioWeave asks a language model: abstraction, selection and the answer; three calls, one more for a missing hop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from retrieval.methods.bioweave.answering import Result
from retrieval.methods.bioweave.exploration import Exploration
from retrieval.methods.bioweave.plan import Abstraction
from retrieval.methods.bioweave.scoring import Scored
from retrieval.reasoning.abstain import unsupported
from retrieval.reasoning.asker import Asker
from retrieval.reasoning.cited import Reply, Synthesis, escaped, list_offers, read_cited
from retrieval.reasoning.offers import Offer
from retrieval.reasoning.reasoner import Draft
from retrieval.words.guard import addresses_reader


class Selected(Reply):
    """Reply to the selection prompt."""

    keep: list[int] = Field(default_factory=list)
    satisfied: bool = False
    missing: str = ""


class Woven(Synthesis):
    """Reply to the answer prompt."""

    items: list[str] = Field(default_factory=list)
    option: str = ""


async def abstract(asker: Asker, text: str) -> Abstraction:
    """AbstractQuestion."""
    return await asker.ask(Abstraction, "abstract", f"Question: {text}", 150)


async def select_units(
    asker: Asker, exploration: Exploration, scored: Sequence[Scored]
) -> tuple[list[Scored], bool, str]:
    """The selector: what is kept of the top W_2, whether it satisfies the operator, and what is missing."""
    offered = [row for row in scored if not addresses_reader(row.unit.text)][: exploration.settings.verified]
    lines = [f"{n}. [{row.unit.source}] {escaped(row.unit.text)}" for n, row in enumerate(offered, 1)]
    body = (
        f"Question: {exploration.plan.question.text}\nPlan: {exploration.plan.described}\n\n<evidence>\n"
        + "\n".join(lines)
        + "\n</evidence>"
    )
    reply = await asker.ask(Selected, "select", body[: asker.characters + len(body) - len(lines)], 300)
    numbers = [n for n in dict.fromkeys(reply.keep) if 1 <= n <= len(offered)]
    kept = [offered[n - 1] for n in numbers[: exploration.settings.selected]]
    return kept, reply.satisfied, " ".join(reply.missing.split())


async def answer(asker: Asker, exploration: Exploration, selected: Sequence[Scored]) -> Result:
    """GenFinalAnswer over the selected units; every sentence cites some of them."""
    plan = exploration.plan
    offers = [_offer(row) for row in selected if row.unit.quotes]
    if not offers:
        return Result(Draft(reason="no evidence that was found can be cited", reasoner=asker.name))
    options = "".join(f"\n{option.letter}) {option.text}" for option in plan.options)
    body = f"Question: {plan.question.text}{options}\n\n{list_offers(offers)}"
    reply = await asker.ask(Woven, "weave", body, 1000)
    cited = read_cited(reply.sentences, offers)
    if not reply.answerable or not cited.sentences:
        reason = "the language model found no answer in the evidence"
        return Result(Draft(reason=reason, reasoner=asker.name, dropped=cited.dropped))
    quoted = {quote.key for sentence in cited.sentences for quote in sentence.quotes}
    hops = [row.unit.hop for row in selected if row.unit.hop is not None]
    facts = [hop.fact for hop in hops if hop.fact is not None]
    used = [f for f in facts if any(q.key in quoted for part in f.asserted() for q in part.quotes)]
    yes_no = plan.question.kind == "yes_no"
    draft = Draft(
        sentences=cited.sentences,
        dropped=cited.dropped,
        verdict=reply.verdict if yes_no and reply.verdict != "none" else None,
        support="chain",
        facts=tuple({fact.relation.relation_id: fact for fact in used}.values()),
        reasoner=asker.name,
    )
    lenient = replace(exploration.context.abstention, terms=0.0, terms_without_entities=0.0)
    reason = unsupported(plan.question, draft, (), lenient)
    if reason:
        return Result(Draft(reason=reason, reasoner=asker.name))
    letter = reply.option.strip().rstrip(").").upper()
    known = {option.letter for option in plan.options}
    if plan.options and letter not in known:
        return Result(Draft(reason="the language model chose none of the options", reasoner=asker.name))
    items = tuple(dict.fromkeys(" ".join(item.split()) for item in reply.items if item.strip()))
    return Result(draft, items, letter if plan.options else None)


def _offer(row: Scored) -> Offer:
    unit = row.unit
    fact = unit.hop.fact if unit.hop is not None else None
    if fact is not None and fact.relation.kind != "asserted":
        because = "; ".join(premise.clause() for premise in fact.asserted())
        return Offer(
            f"{unit.text} (premises: {because})", unit.quotes, f"inferred, {fact.relation.kind}", fact
        )
    return Offer(unit.quotes[0].text, unit.quotes[:1])
