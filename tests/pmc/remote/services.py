"""All services on one port, over one bucket of articles."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from tests.pmc.remote.bucket import Bucket
from tests.pmc.remote.replies import article_set, article_xml, not_available, search_result
from tests.pmc.remote.server import Asked, Reply


@dataclass
class Pmc:
    """A search that finds the numbers of each query, the bucket, efetch; `slow` is how many seconds an XML file takes."""

    found: dict[str, list[int]] = field(default_factory=dict)
    bucket: Bucket = field(default_factory=Bucket)
    slow: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)
    running: int = 0
    most: int = 0

    def handler(self, asked: Asked) -> Reply:
        if asked.path == "/esearch.fcgi":
            numbers = next(
                (n for word, n in self.found.items() if f"({word})" in asked.values["term"]), list[int]()
            )
            extra = "" if numbers else "<ErrorList><PhraseNotFound>lupuz</PhraseNotFound></ErrorList>"
            return Reply(search_result(len(numbers), sorted(numbers, reverse=True), extra))
        if asked.path == "/efetch.fcgi":
            numbers = [int(number) for number in asked.values["id"].split(",")]
            known = {int(key.split(".")[0][3:]) for key in self.bucket.objects if key.startswith("PMC")}
            return Reply(article_set(*(article_xml(n) if n in known else not_available(n) for n in numbers)))
        if self.slow and asked.path.endswith(".xml"):
            with self.lock:
                self.running += 1
                self.most = max(self.most, self.running)
            time.sleep(self.slow)
            with self.lock:
                self.running -= 1
        return self.bucket.handler(asked)
