"""How the services are reached; what changes between machines, not between corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from kg_pipeline.pmc.remote import cloud, entrez, europepmc

#: Articles an efetch request, unless set otherwise.
BATCH = 30


class RemoteSettings(BaseModel):
    """Addresses, identity and bounds. Times are in seconds.

    NCBI asks for `tool` and `email`, and for an `api_key` from those who send more than three requests a second.
    All processes that share `limiter_folder` share the rate limits.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    entrez_url: str = Field(entrez.OFFICIAL_URL, pattern=r"^https?://")
    cloud_url: str = Field(cloud.OFFICIAL_URL, pattern=r"^https?://")
    europepmc_url: str = Field(europepmc.OFFICIAL_URL, pattern=r"^https?://")
    limiter_folder: Path
    tool: str = "kg-pipeline"
    email: str = Field("", repr=False)
    api_key: SecretStr = SecretStr("")
    search: Literal["entrez", "europepmc"] = "entrez"
    articles: Literal["cloud", "entrez", "europepmc"] = "cloud"
    threads: int = Field(8, ge=1, le=64, description="requests under way at the same time")
    batch: int = Field(BATCH, ge=1, le=50, description="articles an efetch request")
    requests_per_second: float = Field(0, ge=0, description="of E-utilities; 0: 3, or 10 with a key")
    tries: int = Field(6, ge=1, le=20)
    first_wait: float = Field(1.0, ge=0)
    longest_wait: float = Field(60.0, ge=0)
    connect_timeout: float = Field(10.0, gt=0)
    read_timeout: float = Field(30.0, gt=0)
    deadline: float = Field(300.0, gt=0, description="of one request with all its repetitions")
    patience: int = Field(5, ge=1, description="requests that may fail one after the other before a run ends")
    trust_environment: bool = Field(True, description="use proxies that the environment names")

    @property
    def entrez_rate(self) -> float:
        """Requests a second to E-utilities."""
        if self.requests_per_second:
            return self.requests_per_second
        return entrez.RATE_WITH_KEY if self.api_key.get_secret_value() else entrez.RATE
