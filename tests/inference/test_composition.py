from __future__ import annotations

from kg_pipeline.inference.composition import THROUGH, rule_frame, rules
from kg_pipeline.vocabulary.predicates import PREDICATES

TABLE = {(rule.first, rule.second): rule for rule in rules()}


def test_rules_stay_in_the_closed_set_and_lower_confidence() -> None:
    for rule in rules():
        assert {rule.first, rule.second, rule.conclusion} <= PREDICATES.keys()
        assert 0 < rule.factor < 1
    assert len(TABLE) == len(rules()) == rule_frame().height


def test_signs_multiply() -> None:
    for rule in rules():
        signs = [PREDICATES[name].sign for name in (rule.first, rule.second, rule.conclusion)]
        through_effects = {rule.first, rule.second} <= {
            "activates",
            "inhibits",
            "increases",
            "decreases",
            "causes",
        }
        if through_effects and rule.second != "causes":
            assert signs[0] * signs[1] == signs[2], rule.name
    assert TABLE["inhibits", "inhibits"].conclusion == "increases"
    assert TABLE["activates", "inhibits"].conclusion == "decreases"


def test_two_steps_that_both_lower_are_the_least_sure_of_effects() -> None:
    assert TABLE["inhibits", "decreases"].factor < TABLE["activates", "decreases"].factor


def test_what_befalls_an_illness_is_concluded_with_care() -> None:
    assert TABLE["activates", "decreases"].on_disorders == "supported"
    assert TABLE["inhibits", "decreases"].on_disorders == "never"
    assert TABLE["increases", "causes"].on_disorders == "free"


def test_rules_meet_in_kinds_that_exist() -> None:
    assert {rule.through for rule in rules()} <= {"", *THROUGH}
    assert TABLE["inhibits", "increases"].through == "molecules"
    assert TABLE["subclass_of", "treats"].through == "chemicals"


def test_no_symmetric_predicate_is_a_premise() -> None:
    used = {name for rule in rules() for name in (rule.first, rule.second)}
    assert not used & {name for name, predicate in PREDICATES.items() if predicate.symmetric}


def test_what_must_not_compose_does_not() -> None:
    assert ("treats", "treats") not in TABLE
    assert ("biomarker_of", "causes") not in TABLE
    assert ("part_of", "causes") not in TABLE
    assert ("treats", "causes") not in TABLE
    assert ("regulates", "regulates") not in TABLE  # two steps without a sign say nothing
    assert ("treats", "subclass_of") not in TABLE  # a drug for one kind of a disease is not one for all of it
