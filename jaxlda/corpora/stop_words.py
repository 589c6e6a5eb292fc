"""Words that say little by themselves, in 58 languages: the lists of the package ``stopwordsiso``."""

from functools import lru_cache

__all__ = ["languages", "stop_words"]

_PAIRS = (
    "af=afrikaans ar=arabic bg=bulgarian bn=bengali br=breton ca=catalan cs=czech da=danish de=german el=greek "
    "en=english eo=esperanto es=spanish et=estonian eu=basque fa=persian fi=finnish fr=french ga=irish "
    "gl=galician gu=gujarati ha=hausa he=hebrew hi=hindi hr=croatian hu=hungarian hy=armenian id=indonesian "
    "it=italian ja=japanese ko=korean ku=kurdish la=latin lt=lithuanian lv=latvian mr=marathi ms=malay nl=dutch "
    "no=norwegian pl=polish pt=portuguese ro=romanian ru=russian sk=slovak sl=slovenian so=somali st=sotho "
    "sv=swedish sw=swahili th=thai tl=tagalog tr=turkish uk=ukrainian ur=urdu vi=vietnamese yo=yoruba zh=chinese "
    "zu=zulu"
)
NAMES = {code: name for code, _, name in (pair.partition("=") for pair in _PAIRS.split())}
"""Languages by their codes."""


def languages() -> dict[str, str]:
    """The languages that :func:`stop_words` knows: ISO 639-1 codes, and what they are called.

    >>> len(languages()), languages()["de"]
    (58, 'german')
    """
    return dict(NAMES)


@lru_cache(maxsize=8)
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language, by its name or code; of several together, joined by ``+``.

    ``"english"`` is the list of scikit-learn (318 words), as ever; ``"en"`` the longer one of ``stopwordsiso``.

    Examples
    --------
    >>> "und" in stop_words("german"), "und" in stop_words("de+fr"), len(stop_words("english"))
    (True, True, 318)
    """
    if language == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    if "+" in language:
        return frozenset().union(*(stop_words(one.strip()) for one in language.split("+")))
    codes = {name: code for code, name in NAMES.items()} | {code: code for code in NAMES}
    if language.lower() not in codes:
        raise ValueError(
            f"there are no stop words of {language!r}; known are {', '.join(NAMES.values())} and their codes "
            f"({', '.join(NAMES)}). Words of your own are given as a list"
        )
    from stopwordsiso import stopwords

    return frozenset(stopwords(codes[language.lower()]))
