"""A corpus in a few lines: how large it is, what is known of it, and what was left out when it was read."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxlda.corpora.written import Removed, Written

__all__ = ["Summary", "summarised"]


@dataclass(frozen=True)
class Summary:
    """The numbers of a corpus; prints as text, and :attr:`table` is a pandas Series."""

    documents: int
    empty_documents: int
    missing_texts: int
    words: int
    tokens: int
    shortest: int
    median: float
    longest: int
    labels: int
    columns: tuple[str, ...]
    """Names of the metadata."""
    order: bool
    """Whether tokens are known in the order in which they were written."""
    texts: bool
    phrases: int
    bytes: int
    """Of the counts and the words, and of the order of tokens and the texts where they are kept."""
    removed: tuple[Removed, ...]

    @property
    def table(self) -> Any:
        """The numbers as a pandas Series."""
        import pandas as pd

        skipped = ("removed", "columns")
        return pd.Series({name: value for name, value in vars(self).items() if name not in skipped}, name="corpus")

    @property
    def removed_table(self) -> Any:
        """What was left out, as a pandas table: reason, words, tokens and examples."""
        import pandas as pd

        return pd.DataFrame(self.removed, columns=list(Removed._fields))

    def __str__(self) -> str:
        lines = [
            f"{self.documents:,} documents ({self.empty_documents:,} empty, {self.missing_texts:,} missing), "
            f"{self.words:,} words, {self.tokens:,} tokens",
            f"tokens per document: {self.shortest:,} to {self.longest:,}, median {self.median:g}",
        ]
        if self.labels:
            lines.append(f"labels: {self.labels:,}")
        if self.columns:
            lines.append(f"metadata: {', '.join(self.columns)}")
        if self.phrases:
            lines.append(f"phrases: {self.phrases:,}")
        kept = [name for name, there in (("order of tokens", self.order), ("texts", self.texts)) if there]
        lines.append(f"kept: {', '.join(kept) or 'counts only'}; {self.bytes / 1e6:.1f} MB")
        for reason, words, tokens, examples in self.removed:
            lines.append(f"removed: {words:,} words, {tokens:,} tokens: {reason} ({', '.join(examples)})")
        return "\n".join(lines)

    __repr__ = __str__


def summarised(corpus: Any) -> Summary:
    """The summary of a corpus."""
    n_d, written = corpus.n_d, corpus.written or Written()
    x = corpus.counts
    size = x.data.nbytes + x.indices.nbytes + x.indptr.nbytes + corpus.vocab.nbytes
    size += 0 if written.order is None else written.order.nbytes
    size += sum(len(text.encode(errors="replace")) for text in written.texts or ())
    return Summary(
        documents=corpus.num_docs,
        empty_documents=int((n_d == 0).sum()),
        missing_texts=written.missing,
        words=corpus.num_words,
        tokens=corpus.num_tokens,
        shortest=int(n_d.min()),
        median=float(np.median(n_d)),
        longest=int(n_d.max()),
        labels=0 if corpus.label_names is None else len(corpus.label_names),
        columns=tuple(corpus.doc_columns or ()),
        order=written.order is not None,
        texts=written.texts is not None,
        phrases=len(written.phrases),
        bytes=int(size),
        removed=written.removed,
    )
