"""The API's OpenAPI document."""

from tests.web.conftest import Open, Rig

NO_JSON = {
    "/api/events",
    "/api/openapi.json",
    "/api/qr.svg",
    "/api/history/{number}/sheet.{format}",
    "/api/season/rounds.{format}",
    "/api/hub/frames",
    "/api/sounds/{cue}.wav",
}
"""Routes that the document omits: streams, pictures, files, and itself."""


def described(rig: Rig) -> set[tuple[str, str]]:
    paths = rig.client.get("/api/openapi.json").json()["paths"]
    return {(method.upper(), path) for path, calls in paths.items() for method in calls}


def served(rig: Rig) -> set[tuple[str, str]]:
    return {
        (method, route.path.replace(":int}", "}"))
        for route in rig.app.state.site.routes()
        for method in (route.methods or ())
        if route.path.startswith("/api/") and method != "HEAD"
    }


def test_every_address_is_described_and_nothing_else(open_rig: Open) -> None:
    """With and without the simulator, which has further routes."""
    for simulated in (True, False):
        rig = open_rig(simulated=simulated)
        json_only = {call for call in served(rig) if call[1] not in NO_JSON}

        assert json_only == described(rig)


def test_every_command_is_described_with_its_fields(rig: Rig) -> None:
    parts = rig.client.get("/api/openapi.json").json()["components"]["schemas"]

    for command in rig.hub.game_set.commands:
        assert set(parts[command.__name__]["properties"]) == {
            "type",
            *(field for field in command.__struct_fields__),
        }
