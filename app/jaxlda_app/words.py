"""Words of the page: numbers of things; and what the library says to people who write Python, said to others."""

import re

__all__ = ["counted", "in_words"]

_INSTEAD = (
    (r";? give a larger max_\w+( to read it)?\.?", ": this server reads no larger ones"),
    (r"^(?:[^:]*: )?is not UTF-8; read as ([\w-]+)", r"the file is not in UTF-8, and read as \1"),
    (r"[;.] [Gg]ive encoding= if it is another one", ""),
    (
        r"every word was dropped\. Relax the options .*",
        "every word was dropped. Let words occur in fewer documents, or keep the stop words.",
    ),
    (r"; read it with jaxlda\.io\.read_mallet_state or jaxlda estimate", ""),
    (r"; those are text \(.*", ". Upload text, a table, or one of the formats in the list"),
    (r"; say (it|which): text \(.*", ". Choose the format in the list"),
    (r"; give (it|its counts) to jaxlda\.Corpus\.from_counts", ""),
    (r"; give the number of one", ". Choose another column"),
    (r": pip install \w+", ", which this server does not have. Save it as CSV"),
    (r" and give the folder", ""),
)


def in_words(message: str) -> str:
    """A message without names of options that the page does not have.

    >>> in_words("a.txt: has 9 words, more than the 8 allowed; give a larger max_size to read it")
    'a.txt: has 9 words, more than the 8 allowed: this server reads no larger ones'
    """
    for pattern, words in _INSTEAD:
        message = re.sub(pattern, words, message, flags=re.DOTALL)
    return message


def counted(number: int, noun: str) -> str:
    """So many things.

    >>> counted(1, "chain"), counted(4000, "token")
    ('1 chain', '4,000 tokens')
    """
    return f"{number:,} {noun}" + "s" * (number != 1)
