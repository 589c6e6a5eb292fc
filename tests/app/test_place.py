"""Addresses lead to what was looked at."""

import pytest
from panel.io.location import Location

import jaxlda
from jaxlda_app.jobs import Jobs
from jaxlda_app.place import Place
from jaxlda_app.store import Session

BARS = jaxlda.datasets.bars(num_docs=20, size=3, doc_length=20)[0]
VIEWS = ["Fit", "Topics", "Documents"]


@pytest.fixture
def session():
    jobs = Jobs()
    session = Session(jobs, corpus=BARS)
    yield session
    session.close()
    jobs.close()


def test_an_address_leads_to_its_view_topic_and_document(session):
    place = Place(session, VIEWS)
    place.follow(Location(search="?view=Fit&topic=3&document=7"))
    session.param.update(topic=0, document=0)  # as every new run does
    place.go()
    assert (session.active, session.topic, session.document) == ("Fit", 3, 7)


@pytest.mark.parametrize("search", ["?view=Nothing&topic=-1&document=x", "?topic=1.5", "?view=[]&topic=true", ""])
def test_addresses_of_nothing(session, search):
    place = Place(session, VIEWS)
    place.follow(Location(search=search))
    place.go()
    assert (session.active, session.topic, session.document) == ("Topics", 0, 0)


def test_what_is_looked_at_is_in_the_address(session):
    place, location = Place(session, VIEWS), Location(search="")
    place.follow(location)
    session.active = "Documents"
    session.document = 5
    assert location.query_params == {"view": "Documents", "document": 5}
    session.document = 0
    session.topic = 2
    assert location.query_params == {"view": "Documents", "topic": 2}


def test_what_was_chosen_while_the_page_was_being_drawn_is_in_the_address(session):
    place, location = Place(session, VIEWS), Location(search="?view=Fit")
    session.active = "Documents"
    place.follow(location)
    place.go()
    assert session.active == "Documents" and location.query_params == {"view": "Documents"}


def test_the_run_is_in_the_address(session):
    place, location = Place(session, VIEWS), Location(search="")
    place.follow(location)
    models = [jaxlda.LDA(K, num_warmup=1, num_samples=1, seed=0, progress=False).fit(BARS) for K in (2, 3)]
    session.keep("coarse", models[0], BARS)
    assert "run" not in location.query_params  # there is no other
    session.keep("fine & <b>", models[1], BARS)
    session.topic = 2
    assert location.query_params == {"view": "Topics", "run": "fine & <b>", "topic": 2}
    address = dict(location.query_params)
    session.look_at(session.runs[0])
    assert location.query_params == {"view": "Topics", "run": "coarse"}
    place.look(place.asked(address))
    assert session.current is session.runs[1] and session.topic == 2
    place.look(place.asked({"run": "of somebody else", "topic": "1"}))
    assert session.current is session.runs[1] and session.topic == 1
