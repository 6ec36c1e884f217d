"""The hub's own Wi-Fi: when it opens and closes, nmcli, and the set-up page."""

import asyncio
import re
from collections import deque

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from centerpiece.config import NetworkSettings
from centerpiece.service import problems
from centerpiece.wifi.nmcli import OWN, CommandFailed, Network, NetworkTrouble, Nmcli, run, terse
from centerpiece.wifi.set_up_page import (
    NetworkKeeper,
    SetupPage,
    fields_of,
    join_request_of,
    run_keeper,
)
from centerpiece.wifi.which_network import (
    LOOK_AGAIN,
    LOST_PATIENCE,
    UNKNOWN_PATIENCE,
    JoinRequest,
    NetworkView,
    WifiStatus,
    end_join,
    step,
)

PATIENCE = 60.0
SETTINGS = NetworkSettings(ssid="centerpiece-x", password="twelveletter")

AWAY = NetworkView()
AWAY_SAVED = NetworkView(saved=True)
HOME = NetworkView(home=True, saved=True)
OPEN = NetworkView(own=True)


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """Keep problem files in a folder of the test."""
    monkeypatch.setattr(problems, "FOLDER", tmp_path / "problems")
    monkeypatch.setattr(problems, "CARD", tmp_path)
    return tmp_path


def after(link, *moments):
    """Return the status and the actions after a series of (now, seen)."""
    actions = []
    for now, seen in moments:
        link, action = step(link, seen, now, PATIENCE)
        actions.append(action)
    return link, actions


def test_a_hub_that_knows_no_network_opens_its_own_soon():
    link, actions = after(WifiStatus("looking", 0), (5, AWAY), (UNKNOWN_PATIENCE, AWAY))

    assert ("own", [None, "open"]) == (link.phase, actions)


def test_a_known_network_gets_its_time():
    """A router starts more slowly than the hub."""
    link, actions = after(WifiStatus("looking", 0), (59, AWAY_SAVED), (59.5, HOME))

    assert ("home", [None, None]) == (link.phase, actions)


def test_a_known_network_that_does_not_come_is_not_waited_for_longer():
    """The hub is at a friend's house."""
    link, actions = after(WifiStatus("looking", 0), (59, AWAY_SAVED), (60, AWAY_SAVED))

    assert ("own", [None, "open"]) == (link.phase, actions)


def test_a_network_that_goes_away_later_gets_more_time():
    """A router's restart must not open the hub's own network."""
    gone = (100, AWAY_SAVED)
    link, actions = after(WifiStatus("home", 0), gone, (100 + LOST_PATIENCE - 1, AWAY_SAVED))
    assert ("looking", [None, None]) == (link.phase, actions)

    link, actions = after(link, (100 + LOST_PATIENCE, AWAY_SAVED))
    assert ("own", ["open"]) == (link.phase, actions)


def test_with_nobody_in_its_network_the_hub_looks_for_home_again():
    """It has to close its own network for that: a radio is in one network at a time."""
    empty = NetworkView(own=True, saved=True, guests=0)
    link, actions = after(WifiStatus("own", 0), (LOOK_AGAIN - 1, empty), (LOOK_AGAIN, empty))
    assert ("looking", [None, "close"]) == (link.phase, actions)

    link, _ = after(link, (LOOK_AGAIN + 10, HOME))
    assert "home" == link.phase


def test_a_phone_in_the_hubs_network_is_never_thrown_out():
    """The time until the network closes counts from when the last phone has left."""
    phone = NetworkView(own=True, saved=True, guests=1)
    link, actions = after(WifiStatus("own", 0), *((hour * 3600.0, phone) for hour in range(1, 9)))

    assert ("own", [None] * 8) == (link.phase, actions)
    empty = phone._replace(guests=0)
    _, actions = after(link, (8 * 3600 + 10, empty), (8 * 3600 + LOOK_AGAIN, empty))
    assert [None, "close"] == actions


def test_guests_that_cannot_be_counted_are_guests():
    """Without the tool `iw` the hub stays where it is."""
    _, actions = after(WifiStatus("own", 0), (9999, NetworkView(own=True, saved=True, guests=None)))

    assert [None] == actions


def test_a_cable_makes_the_own_network_superfluous():
    """It closes unless a phone is in it."""
    cable = NetworkView(own=True, home=True)

    assert "close" == after(WifiStatus("own", 0), (1, cable))[1][0]
    assert after(WifiStatus("own", 0), (1, cable._replace(guests=2)))[1][0] is None


def test_an_own_network_that_is_open_at_the_start_is_taken_over():
    """The service restarts, NetworkManager keeps the network."""
    assert ("own", [None]) == (lambda link, did: (link.phase, did))(
        *after(WifiStatus("looking", 0), (1, OPEN))
    )


def test_without_a_radio_nothing_is_tried():
    _, actions = after(WifiStatus("looking", 0), (9999, NetworkView(radio=False)))

    assert [None] == actions


def test_a_join_that_fails_opens_the_way_back():
    """The person's phone finds the hub again, and the page gives the reason."""
    assert (WifiStatus("own", 7, trouble="wrong password"), "open") == end_join("wrong password", 7)
    assert (WifiStatus("home", 7), None) == end_join("", 7)


seen = st.builds(
    NetworkView,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0, 1, None]),
)


@given(st.lists(st.tuples(st.floats(0.1, 1000), seen), max_size=40))
def test_whatever_happens_no_phone_is_thrown_out_and_no_home_is_left(moments):
    """Property of any series of network states."""
    link, now = WifiStatus("looking", 0.0), 0.0
    for pause, what in moments:
        now += pause
        link, action = step(link, what, now, PATIENCE)
        if action == "close":
            assert what.own
            assert 0 == what.guests
        if action == "open":
            assert what.radio
            assert not what.home
            assert not what.own


@given(st.lists(st.tuples(st.floats(0.1, 1000), seen), max_size=20))
def test_whatever_happened_a_lonely_hub_can_be_reached_in_the_end(moments):
    """With a radio and no network, the own one opens within its patience."""
    link, now = WifiStatus("looking", 0.0), 0.0
    for pause, what in moments:
        now += pause
        link, _ = step(link, what, now, PATIENCE)
    actions = []
    for _ in range(3):
        now += LOST_PATIENCE
        link, action = step(link, AWAY, now, PATIENCE)
        actions.append(action)

    assert "open" in actions


# NetworkManager's own command


class FakeNmcli:
    """Answers nmcli commands by a part of their words, and records them."""

    def __init__(self, **answers):
        self.answers = answers
        self.commands = []

    def __call__(self, command, limit):
        line = " ".join(command)
        self.commands.append(line)
        for words, answer in self.answers.items():
            if words.replace("_", " ") in line:
                answer = answer.popleft() if isinstance(answer, deque) else answer
                if isinstance(answer, Exception):
                    raise answer
                return answer
        return ""


DEVICES = """wlan0:wifi:{state}:{name}
lo:loopback:connected (externally):lo
eth0:ethernet:unavailable:
"""


def test_what_nmcli_says_is_understood():
    nmcli = FakeNmcli(
        device=DEVICES.format(state="connected", name="Home"),
        connection_show="Home:802-11-wireless\nlo:loopback\n",
    )

    assert (
        NetworkView(radio=True, home=True, own=False, saved=True, guests=0) == Nmcli(nmcli).look()
    )


def test_the_own_network_is_told_from_others_and_its_guests_are_counted():
    nmcli = FakeNmcli(
        station="Station aa:bb (on wlan0)\n\tsignal: -40\nStation cc:dd (on wlan0)\n",
        device=DEVICES.format(state="connected", name=OWN),
        connection_show=f"{OWN}:802-11-wireless\n",
    )

    assert (
        NetworkView(radio=True, home=False, own=True, saved=False, guests=2) == Nmcli(nmcli).look()
    )


def test_a_blocked_radio_is_no_radio():
    """Wi-Fi is blocked until the country was set."""
    nmcli = FakeNmcli(device=DEVICES.format(state="unavailable", name=""))

    assert not Nmcli(nmcli).look().radio


def test_a_machine_without_network_manager_is_left_alone():
    assert (
        NetworkView(radio=False) == Nmcli(FakeNmcli(nmcli=CommandFailed(127, "not found"))).look()
    )


def test_names_with_colons_and_backslashes_survive():
    """Terse mode escapes both."""
    assert ["a:b", "c\\d", "", "e"] == terse(r"a\:b:c\\d::e")


@given(st.lists(st.text(st.characters(blacklist_characters="\n\r", codec="utf-8")), min_size=1))
def test_terse_lines_are_read_as_they_were_written(fields):
    """Property of any fields, escaped as nmcli does."""
    line = ":".join(field.replace("\\", "\\\\").replace(":", "\\:") for field in fields)

    assert fields == terse(line)


def test_the_strongest_of_each_name_is_listed_once():
    """Hidden networks have no name and are left out."""
    nmcli = FakeNmcli(wifi_list="Cafe:40:\nHome:60:WPA2\n:90:WPA2\nHome:80:WPA2\n")

    assert [Network("Home", 80, True), Network("Cafe", 40, False)] == Nmcli(nmcli).networks()


def test_a_wrong_password_is_forgotten_and_told():
    """nmcli saves a profile for it, which would be tried for ever."""
    kinds = ["Other:802-11-wireless\n", "Home:802-11-wireless\n"]
    nmcli = FakeNmcli(
        wifi_list="Home:60:WPA2\n",
        wifi_connect=CommandFailed(4, "Error: Secrets were required, but not provided."),
        connection_show=deque([kinds[0], "".join(kinds)]),
    )

    with pytest.raises(NetworkTrouble, match="“Home” did not accept the password"):
        Nmcli(nmcli).join(JoinRequest("Home", "wrongwrong"))
    assert "nmcli connection delete id Home" == nmcli.commands[-1]


def test_a_network_that_is_not_heard_is_tried_as_a_hidden_one():
    """If that fails too, the sentence doubts its name."""
    nmcli = FakeNmcli(wifi_connect=CommandFailed(10, "No network with SSID"))

    with pytest.raises(NetworkTrouble, match="No network “Hom” was found"):
        Nmcli(nmcli).join(JoinRequest("Hom", "password"))
    assert any(line.endswith("hidden yes") for line in nmcli.commands)


def test_a_real_command_ends_in_time_and_its_failure_has_words():
    """The only test here that starts a process."""
    assert "hello\n" == run(("echo", "hello"), 10)
    with pytest.raises(CommandFailed, match="127"):
        run(("/no/such/nmcli",), 10)
    with pytest.raises(CommandFailed, match="exit code 3: odd"):
        run(("sh", "-c", "echo odd >&2; exit 3"), 10)


# The keeper: decisions and NetworkManager together


class FakeRadio:
    """A radio, the routers in range by name and password, and the network it is in."""

    def __init__(self, routers=None, saved=()):
        self.routers = routers or {}
        self.saved = set(saved)
        self.joined = None
        self.guests = 0
        self.works = True

    def look(self):
        for name in self.saved & self.routers.keys():
            if self.joined is None:
                self.joined = name
        if self.joined not in (*self.routers, OWN):
            self.joined = None
        own = self.joined == OWN
        return NetworkView(
            True, self.joined is not None and not own, own, bool(self.saved), self.guests
        )

    def networks(self):
        return [Network(name, 50, True) for name in self.routers]

    def open(self, ssid, password):
        if not self.works:
            raise NetworkTrouble("blocked")
        self.joined = OWN
        self.password = password

    def close(self):
        self.joined = None

    def join(self, target):
        self.joined = None
        if self.routers.get(target.ssid) != target.password:
            raise NetworkTrouble("wrong password")
        self.saved.add(target.ssid)
        self.joined = target.ssid


def test_a_first_evening_without_typing():
    """No network, so the own one opens; a wrong password; the right one; home after a restart."""
    radio = FakeRadio({"House": "right-one"})
    keeper = NetworkKeeper(SETTINGS, radio, now=0)

    keeper.tick(UNKNOWN_PATIENCE)
    assert ("own", OWN) == (keeper.link.phase, radio.joined)
    assert ["House"] == [network.ssid for network in keeper.networks]

    keeper.join(JoinRequest("House", "wrong-one"), lambda: 20.0)
    assert ("own", OWN, "wrong password") == (keeper.link.phase, radio.joined, keeper.link.trouble)

    keeper.join(JoinRequest("House", "right-one"), lambda: 40.0)
    assert ("home", "House") == (keeper.link.phase, radio.joined)

    again = NetworkKeeper(SETTINGS, radio, now=0)
    again.tick(5)
    assert "home" == again.link.phase


def test_a_home_that_vanishes_and_returns():
    """The own network opens after a while, and closes once home is back and nobody is in it."""
    radio = FakeRadio({"House": "x"}, saved={"House"})
    keeper = NetworkKeeper(SETTINGS, radio, now=0)
    keeper.tick(1)
    routers, radio.routers = radio.routers, {}
    for now in (10, 10 + LOST_PATIENCE):
        keeper.tick(now)
    assert OWN == radio.joined
    assert "it has opened its own, “centerpiece-x”" in problems.known()["network"]

    radio.routers, radio.guests = routers, 1
    keeper.tick(5000)
    assert OWN == radio.joined
    radio.guests = 0
    for now in (5000, 5000 + LOOK_AGAIN, 5005 + LOOK_AGAIN):
        keeper.tick(now)
    assert "House" == radio.joined
    assert {} == problems.known()


def test_a_network_that_cannot_be_opened_is_tried_again(caplog):
    """It is logged once, not every minute."""
    radio = FakeRadio()
    radio.works = False
    keeper = NetworkKeeper(SETTINGS, radio, now=0)
    for minute in range(1, 6):
        keeper.tick(minute * 60)
    assert 1 == sum("blocked" in record.message for record in caplog.records)

    radio.works = True
    keeper.tick(400)
    assert OWN == radio.joined


@pytest.mark.parametrize("password", ["", "twelveletter"])
def test_the_own_network_is_kept_in_memory_and_has_a_password_or_none(password):
    """netplan rewrites saved profiles."""
    nmcli = FakeNmcli()
    Nmcli(nmcli).open("centerpiece-x", password)
    (added,) = (line for line in nmcli.commands if "connection add" in line)

    assert "save no" in added
    assert bool(password) == ("wpa-psk wifi-sec.psk twelveletter" in added)
    assert nmcli.commands[-1].endswith(f"connection up {OWN}")


# The page


@pytest.fixture
def keeper():
    keeper = NetworkKeeper(SETTINGS, FakeRadio({"House & Home": "x", "Cafe": "y"}), now=0)
    keeper.tick(UNKNOWN_PATIENCE)
    return keeper


@pytest.fixture
def pending(keeper):
    """Return the page's queue of requests to join."""
    return SetupPage(keeper).pending


def ask(keeper, method, path, pending=None, check=lambda device, number: "", port=80, **more):
    """Send one request to the page, in this process."""

    async def once():
        page = SetupPage(keeper, check, port)
        page.pending = page.pending if pending is None else pending
        app = page.app()
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://10.42.0.1:8000") as web:
            return await web.request(method, path, **more)

    return asyncio.run(once())


def test_the_page_lists_what_is_in_the_air(keeper):
    """With escaped names, and a link to play without joining any."""
    answer = ask(keeper, "GET", "/")

    assert 200 == answer.status_code
    assert ["House &amp; Home", "Cafe"] == re.findall(r'name="ssid" value="(.*?)"', answer.text)
    assert "http://10.42.0.1/" in answer.text
    assert "http://10.42.0.1:8080/" in ask(keeper, "GET", "/", port=8080).text


def test_a_request_is_taken_and_the_phone_is_told_what_happens(keeper, pending):
    """The answer comes before the network closes that carries it."""
    answer = ask(keeper, "POST", "/join", pending, data={"ssid": "Cafe", "password": "12345678"})

    assert 200 == answer.status_code
    assert "tries to join “Cafe”" in answer.text
    assert "If the network “centerpiece-x” is there again" in answer.text
    assert JoinRequest("Cafe", "12345678") == pending.get_nowait()


def test_one_request_waits_and_no_more(keeper, pending):
    """Repeated requests must not keep the hub away for hours."""
    form = {"ssid": "Cafe", "password": "12345678"}
    answers = [ask(keeper, "POST", "/join", pending, data=form) for _ in range(9)]

    assert [200, *[429] * 8] == [answer.status_code for answer in answers]
    assert 1 == pending.qsize()
    assert "Look here again" in answers[-1].text


def test_why_it_did_not_work_is_on_the_page(keeper):
    keeper.join(JoinRequest("Cafe", "wrong"), lambda: 30.0)

    assert "wrong password" in ask(keeper, "GET", "/").text


@pytest.fixture
def new_hub(tmp_path):
    """Return the keeper of a hub that nobody has set up."""
    settings = structs.replace(SETTINGS, open_until_set_up=True)
    keeper = NetworkKeeper(settings, FakeRadio({"Cafe": "12345678"}), 0, tmp_path / "set-up")
    keeper.tick(UNKNOWN_PATIENCE)
    return keeper


def test_a_new_hub_is_open_until_somebody_has_set_it_up(new_hub, pending):
    """Set up needs the number on the face; the next network has the password."""
    radio = new_hub.radio
    assert "" == radio.password
    wrong = ask(new_hub, "POST", "/play", check=lambda *asked: "Not that.", data={"number": "1"})
    assert (422, True) == (wrong.status_code, "Not that." in wrong.text)
    asked = []

    played = ask(
        new_hub,
        "POST",
        "/play",
        check=lambda *who: asked.append(who) or "",
        data={"number": " 42 "},
    )

    assert (200, [("127.0.0.1", "42")]) == (played.status_code, asked)
    assert "twelveletter" in played.text
    assert OWN == radio.joined, "nobody is thrown out"
    radio.joined = None
    new_hub.tick(1e6)
    new_hub.tick(2e6)
    assert "twelveletter" == radio.password


def test_a_new_hub_that_went_home_has_its_password_from_then_on(new_hub):
    """Joining the Wi-Fi of the house is setting it up, once it has worked."""
    new_hub.join(JoinRequest("Cafe", "wrong-one"), lambda: 20.0)
    assert "" == new_hub.radio.password
    new_hub.join(JoinRequest("Cafe", "12345678"), lambda: 40.0)

    assert not new_hub.open_to_all


def test_at_home_the_page_changes_nothing(keeper, pending):
    """Otherwise anybody in the house could send the hub away."""
    keeper.link = WifiStatus("home", 0)
    answer = ask(keeper, "POST", "/join", pending, data={"ssid": "Cafe", "password": "12345678"})

    assert (409, True) == (answer.status_code, pending.empty())
    assert "nothing to set up" in ask(keeper, "GET", "/").text


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Origin": "http://evil.example"}, 403), ({"Host": "evil.example"}, 421)],
)
def test_other_pages_cannot_use_it(keeper, pending, headers, status):
    """A foreign page may be open on the same phone."""
    answer = ask(keeper, "POST", "/join", pending, data={"ssid": "Cafe"}, headers=headers)

    assert (status, True) == (answer.status_code, pending.empty())


@pytest.mark.parametrize(
    "form",
    [
        b"",
        b"\xff\xfe",
        b"ssid=",
        b"ssid=" + b"x" * 33,
        b"ssid=%00abc",
        b"ssid=--help",
        b"ssid=Cafe&password=short",
        b"ssid=Cafe&password=" + b"x" * 65,
        b"x" * 5000,
        b"a=1&b=2&c=3&d=4&e=5",
    ],
)
def test_a_form_that_makes_no_sense_is_answered_with_the_form(keeper, pending, form):
    """With a sentence, and no request is queued."""
    answer = ask(keeper, "POST", "/join", pending, content=form)

    assert (422, True) == (answer.status_code, pending.empty())
    assert 'role="alert"' in answer.text
    assert "<form" in answer.text


@given(st.binary(max_size=200))
def test_no_form_is_too_odd(body):
    """The result is a request that nmcli can take, or a ValueError with a sentence."""
    try:
        target = join_request_of(fields_of(body))
    except ValueError:
        return
    assert 1 <= len(target.ssid.encode()) <= 32
    assert not target.ssid.startswith("-")


def test_the_network_closes_after_the_answer_has_reached_the_phone(keeper):
    """The answer travels in the network that joining closes."""
    paused = []
    join = keeper.radio.join

    async def once():
        joined = asyncio.Event()
        loop = asyncio.get_running_loop()

        def join_and_tell(target):
            join(target)
            loop.call_soon_threadsafe(joined.set)

        async def pause(seconds):
            paused.append((seconds, keeper.radio.joined))

        keeper.radio.join = join_and_tell
        pending = asyncio.Queue()
        pending.put_nowait(JoinRequest("Cafe", "y"))
        task = asyncio.create_task(run_keeper(keeper, pending, lambda: 50.0, pause))
        await asyncio.wait_for(joined.wait(), 30)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(once())

    assert [(2.0, OWN)] == paused
