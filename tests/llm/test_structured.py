from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from kg_pipeline.llm.structured import Dialect, Question, parse_answer, strict_schema


class Item(BaseModel):
    name: str
    score: float = 0.0


class Answer(BaseModel):
    items: list[Item]


class Verdict(BaseModel):
    default: str  # a property may be called like a word of JSON Schema
    ok: bool = True


WANTED = Answer(items=[Item(name="a", score=1)])


@pytest.mark.parametrize(
    "text",
    [
        '{"items": [{"name": "a", "score": 1}]}',
        '  \n{"items": [{"name": "a", "score": 1}]}\n\n',
        '```json\n{"items": [{"name": "a", "score": 1}]}\n```',
        '```\n{"items": [{"name": "a", "score": 1}]}\n```',
        'Let me think. There are {several} ways, see [1].\n```json\n{"items": [{"name": "a", "score": 1}]}\n```\nDone.',
        '<think>Maybe {"items": []}?</think>{"items": [{"name": "a", "score": 1}]}',
        'so {"items": []} it is</think>\n{"items": [{"name": "a", "score": 1}]}',
        'First {"items": []}, no: {"items": [{"name": "a", "score": 1}]} is better.',
        '{"items": [{"name": "a", "score": 1,},],}',
        'Sure! {"items": [{"name": "a", "score": 1},]} Hope that helps.',
        "{'items': [{'name': 'a', 'score': 1}]}",
        '[{"name": "a", "score": 1}]',
        '{"name": "a", "score": 1}',
        '{"items": [{"name": "a", "score": "1.0"}]}',
        '{"items": [{"name": "a", "score": 1, "why": "because"}]}',
    ],
)
def test_an_answer_is_found_whatever_surrounds_it(text):
    assert parse_answer(text, Answer) == WANTED


@pytest.mark.parametrize(
    "text", ["", "No.", '{"items": [{"name": "a"', "[1, 2, 3]", "{}" * 3, '{"items": 3}', "null", "{" * 5000]
)
def test_what_is_not_an_answer_is_none(text):
    assert parse_answer(text, Answer) is None


def test_text_with_line_breaks_inside_strings_is_read():
    assert parse_answer('{"default": "one\ntwo", "ok": "no"}', Verdict) == Verdict(
        default="one\ntwo", ok=False
    )


@given(st.text(alphabet='{}[]",:abc\\ \n`<think>/', max_size=200))
def test_no_answer_breaks_the_parser(text):
    assert isinstance(parse_answer(text, Answer), Answer | None)


@given(
    st.lists(st.builds(Item, name=st.text(max_size=20), score=st.floats(-1e6, 1e6)), max_size=4),
    st.text("abc .,\n", max_size=40),
)
def test_json_is_found_in_prose(items, prose):
    answer = Answer(items=items)
    found = parse_answer(f"{prose}{answer.model_dump_json()}{prose}", Answer)
    # Lone surrogates cannot be stored and are replaced; text() does not draw them.
    assert found == answer


def test_lone_surrogates_are_replaced_and_pairs_are_kept():
    assert parse_answer(r'{"default": "\ud83e\uddec \udc00"}', Verdict) == Verdict(default="🧬 ?")


def test_the_schema_requires_everything_and_allows_nothing_else():
    schema = strict_schema(Answer)
    item = schema["$defs"]["Item"]
    assert item["required"] == ["name", "score"]
    assert item["additionalProperties"] is False
    assert "default" not in item["properties"]["score"]
    assert strict_schema(Verdict)["required"] == ["default", "ok"]


def test_a_dialect_steps_down_and_survives_storage():
    first = Dialect()
    second = first.after_complaint("json_schema is not supported", structured=True)
    assert second is not None
    assert second.mode == "json_object"
    third = second.after_complaint("nor is that", structured=True)
    assert third is not None
    assert (third.mode, third.after_complaint("whatever", structured=True)) == ("text", None)
    assert first.after_complaint("whatever", structured=False) is None
    assert Dialect.load(third.dump()) == third


@pytest.mark.parametrize(
    "stored", [None, "", "no json", '{"mode": "smoke signals"}', '{"colour": 1}', "[]", '{"mode": []}']
)
def test_an_unreadable_dialect_is_the_default(stored):
    assert Dialect.load(stored) == Dialect()


def test_without_a_schema_mode_the_prompt_carries_it():
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    body = Dialect("json_object").payload("m", Question(messages), Answer, 10)
    assert body["response_format"] == {"type": "json_object"}
    system = body["messages"][0]["content"]
    assert system.startswith("Be brief.")
    assert json.loads(system[system.index("{") :]) == strict_schema(Answer)
    assert "response_format" not in Dialect("text").payload("m", Question(messages), Answer, 10)
    assert Dialect("text").payload("m", Question(messages), None, 10)["messages"] == messages
