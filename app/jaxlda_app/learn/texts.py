"""What the five screens say. Markup is for stress only."""

from typing import NamedTuple

from jaxlda_app.learn import formulas

__all__ = ["LESSONS", "Lesson"]


class Lesson(NamedTuple):
    """The words of a screen, as HTML."""

    heading: str
    words: str
    formula: str
    letters: str
    """What the letters of the formula mean."""


def _lines(text: str) -> str:
    return " ".join(text.split())


LESSONS = (
    Lesson(
        "What is a topic?",
        _lines("""
            A topic model takes documents apart into topics. To see what that means, let documents be small images. A
            <b>word</b> is one of 25 pixels, a <b>document</b> is 30 dots on them, and a <b>topic</b> is a bar: a row or
            a column of pixels whose dots come together. Each document mixes a few bars. Texts are the same with more
            words: “goal”, “match” and “league” come together as the pixels of a bar do.
        """),
        formulas.MODEL,
        _lines("""
            θ: the topics of a document. φ: the words of a topic. z: the topic of a dot. w: its word. α and β say how
            few topics a document has, and how few words a topic.
        """),
    ),
    Lesson(
        "One dot at a time",
        _lines("""
            Here is one document. All others are sorted already; in this one, each dot has a random topic. The sampler
            takes one dot out and asks two things: <b>which topics do the other dots of this document have?</b> and
            <b>which topics do dots on this pixel have elsewhere?</b> Topics that do well in both are likely. One is
            drawn, and the dot is put back. That is the whole algorithm.
        """),
        formulas.DRAW,
        _lines("""
            The first factor counts the dots of topic k in this document; the second is the share of this pixel among
            all dots of topic k. The dot itself is left out of both.
        """),
    ),
    Lesson(
        "Sweep after sweep",
        _lines("""
            Doing this with every dot of every document is one <b>sweep</b>. At the beginning nothing is sorted: all
            topics look alike. Small accidents grow, because a topic that has a few dots of a row draws the others of
            that row. Press Play and watch the bars come out.
        """),
        formulas.SWEEP,
        "The topics and proportions that the pictures show are these shares of the counts.",
    ),
    Lesson(
        "Real text",
        _lines("""
            The same sampler, with news. Every word of every story has a topic, shown by its colour. At first colours
            are random; then words that occur together find the same topic, and a story ends up with few colours.
        """),
        formulas.DRAW,
        "The same formula as before: only the words are words now.",
    ),
    Lesson(
        "Why one sample is noisy",
        _lines("""
            The sampler never stands still: it draws again and again. If you count the dots of one sample, chance is
            part of the count. Instead of counting where each dot <i>was put</i>, add up the probabilities of <b>all</b>
            topics that it <i>could have been put</i> in. They are known anyway, and cost about one sweep. The results
            are called φᵖ and θᵖ. From the same sample, they are steadier and nearer to the truth.
        """),
        formulas.SOFT,
        "Instead of one for the topic drawn and zero for the others, each dot adds its probabilities.",
    ),
)
