from __future__ import annotations

from metasearch.replicas import SharingState
from tests.cases import each
from tests.server.fake import FakeEngine


@each("mode", ["alone", "shared", "away"])
async def test_a_replica_is_ready_with_and_without_the_shared_server(serve, mode) -> None:
    """/readyz says how it is, if there is one; so does /metrics, with counts."""
    engine = FakeEngine()
    engine.sharing = SharingState(mode, commands=7, failures=2)
    client = await serve(engine)
    ready = await client.get("/readyz")
    text = await (await client.get("/metrics")).text()

    assert ready.status == 200
    assert (await ready.json()).get("sharing", "alone") == mode
    assert f"metasearch_shared_away {float(mode == 'away')}\n" in text
    assert "metasearch_shared_commands_total 7.0\n" in text
    assert "metasearch_shared_failures_total 2.0\n" in text
