"""The PMC Cloud Service in small: objects by key, listed and served as S3 does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.pmc.remote.replies import article_xml
from tests.pmc.remote.server import Asked, Reply

_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"


@dataclass
class Bucket:
    """`objects` maps keys to bytes, or to what makes them; `page` is how many prefixes one listing gives."""

    objects: dict[str, bytes | Callable[[], bytes]] = field(default_factory=dict)
    page: int = 1000

    def add(self, number: int, version: int = 1, content: bytes | None = None, **metadata: object) -> str:
        """Put an article with its metadata; returns its source_ref."""
        name = f"PMC{number}.{version}"
        if content is None:
            content = article_xml(number, version=version).encode()
        md5 = hashlib.md5(content).hexdigest()
        url = f"s3://pmc-oa-opendata/{name}/{name}.xml?md5={md5}"
        record = {
            "pmcid": f"PMC{number}",
            "version": version,
            "is_pmc_openaccess": True,
            "is_manuscript": False,
            "is_retracted": False,
            "license_code": "CC BY",
            "xml_url": url,
        } | metadata
        self.objects[f"{name}/{name}.xml"] = content
        self.objects[f"metadata/{name}.json"] = json.dumps(record).encode()
        return url

    def handler(self, asked: Asked) -> Reply:
        key = asked.path.lstrip("/")
        if not key:
            return self._list(asked)
        found = self.objects.get(key)
        if found is None:
            body = f'<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Key>{key}</Key></Error>'
            return Reply(body.encode(), 404)
        kind = "application/json" if key.endswith(".json") else "binary/octet-stream"
        return Reply(found if isinstance(found, bytes) else found(), headers={"Content-Type": kind})

    def _list(self, asked: Asked) -> Reply:
        prefix = asked.values["prefix"]
        assert asked.values["list-type"] == "2"
        assert asked.values["delimiter"] == "/"
        folders = sorted({f"{key.split('/')[0]}/" for key in self.objects if key.startswith(prefix)})
        start = int(asked.values.get("continuation-token", 0))
        shown = folders[start : start + self.page]
        is_cut = start + self.page < len(folders)
        parts = "".join(f"<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>" for folder in shown)
        token = f"<NextContinuationToken>{start + self.page}</NextContinuationToken>" if is_cut else ""
        return Reply(
            f'<?xml version="1.0"?><ListBucketResult xmlns="{_NAMESPACE}"><Prefix>{prefix}</Prefix>'
            f"<KeyCount>{len(shown)}</KeyCount><IsTruncated>{str(is_cut).lower()}</IsTruncated>{token}{parts}"
            "</ListBucketResult>".encode()
        )


def recorded_bucket(shared: Path) -> Bucket:
    """The bucket of the shared test data: real metadata and articles, and synthetic edge cases without files."""
    folder = shared / "data" / "entrez" / "pmc_cloud_s3" / "mock_bucket"
    bucket = Bucket()
    for path in sorted((folder / "metadata").glob("*.json")):
        bucket.objects[f"metadata/{path.name}"] = path.read_bytes()
        bucket.objects[f"{path.stem}/{path.name}"] = path.read_bytes()
    for line in (folder / "INDEX.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        key, local, _, _ = line.split("\t")
        if local != "-":
            bucket.objects[key] = (shared / "data" / local).read_bytes
    return bucket
