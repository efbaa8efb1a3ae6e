"""Worked examples of the Western styles: a work, and its entry in each. Each entry was held against
the style's manual, and against citeproc-js (docs/decisions/0034)."""
# ruff: noqa: E501 - an entry is one line

from __future__ import annotations

from typing import Any

from metasearch.record import Author, Record


def _author(name: str) -> Author:
    family, comma, given = name.partition(", ")
    return Author(f"{given} {family}", family, given) if comma else Author(name)


def _record(*authors: str, editors: tuple[str, ...] = (), **fields: Any) -> Record:
    fields = {"language": "en"} | fields
    return Record(
        source="db",
        authors=tuple(map(_author, authors)),
        editors=tuple(map(_author, editors)),
        **fields,
    )


_ARTICLE: dict[str, Any] = {
    "title": "Effects of dam removal on fish",
    "venue": "Journal of Applied Ecology",
    "year": 2021,
    "volume": "58",
    "issue": "3",
    "pages": "512-524",
    "doi": "10.1111/1365-2664.13801",
    "type": "article",
}

WORKS: dict[str, Record] = {
    "article": _record("Smith, Jane A.", **_ARTICLE),
    "two authors": _record("Smith, Jane A.", "Müller, Karl-Heinz", **_ARTICLE),
    "three authors": _record("van der Berg, Jan Pieter", "Lee, J. S.", "García-López, María", **_ARTICLE),
    "a body": _record("World Health Organization", **_ARTICLE),
    "a person and a body": _record("Smith, Jane A.", "ATLAS Collaboration", **_ARTICLE),
    "nobody": _record(**_ARTICLE),
    "no year": _record("Smith, Jane A.", **_ARTICLE | {"year": None}),
    "neither name nor year": _record(**_ARTICLE | {"year": None}),
    "a question": _record("Smith, Jane A.", **_ARTICLE | {"title": "Do dams matter?"}),
    "a subtitle": _record("Smith, Jane A.", **_ARTICLE | {"title": "Dams", "subtitle": "A review"}),
    "an article number": _record("Smith, Jane A.", **_ARTICLE | {"pages": "e1001"}),
    "a date and an address": _record(
        "Smith, Jane A.", **_ARTICLE | {"date": "2021-03-15", "doi": None, "url": "https://example.org/a?b=1&c=2"}
    ),
    "only a journal and a year": _record(
        "Smith, Jane A.", title="Dams", venue="Lakes", year=2021, type="article"
    ),
    "Chinese": _record(
        "王小明", "李 雷", title="湖泊沉积物研究进展", venue="科学通报", year=2012, volume="55", issue="34", pages="32-39", type="article", language="zh",
    ),
    "editorial": _record("Smith, Jane A.", **_ARTICLE | {"type": "editorial"}),
    "book": _record(
        "Knuth, Donald E.", title="The art of computer programming", subtitle="Fundamental algorithms", publisher="Addison-Wesley", year=1997, edition="Third edition", volume="1", type="book",
    ),
    "book with a place": _record("陈某", title="书名", edition="第2版", publisher="北京：中华书局", year=2000, type="book", language="zh"),
    "edited book": _record(
        editors=("Rossi, Paolo", "Bianchi, Maria"), title="Handbook of limnology", publisher="Elsevier", year=2010, edition="1st ed.", type="book",
    ),
    "chapter": _record(
        "Green, Ann", editors=("Rossi, Paolo", "Bianchi, Maria"), title="Lakes in winter", venue="Handbook of limnology", publisher="Elsevier", year=2010, pages="45-67", edition="2", type="chapter", doi="10.1000/c",
    ),
    "chapter of one editor": _record(
        "Green, Ann", editors=("Rossi, Paolo",), title="Lakes in winter", venue="Handbook of limnology", publisher="Elsevier", year=2010, pages="45", type="chapter",
    ),
    "encyclopedia entry": _record(
        "Green, Ann", title="Lake", venue="Encyclopedia of water", publisher="Elsevier", year=2010, type="reference-entry",
    ),
    "paper in a series": _record(
        "Vaswani, Ashish", "Shazeer, Noam", title="Attention is all you need", venue="Advances in Neural Information Processing Systems", volume="30", pages="5998-6008", year=2017, publisher="Curran Associates", type="conference-paper",
    ),
    "paper in proceedings": _record(
        "Vaswani, Ashish", editors=("Guyon, Isabelle",), title="Attention is all you need", venue="Proceedings of the 31st Conference on Learning", pages="1-9", year=2017, publisher="ACM", type="conference-paper",
    ),
    "proceedings": _record(
        editors=("Guyon, Isabelle",), title="Proceedings of the 31st Conference on Learning", year=2017, publisher="ACM", type="proceedings",
    ),
    "thesis online": _record(
        "Harris, Lisa", title="Instructional leadership", institution="University of Virginia", year=2014, type="thesis", url="https://libra.example.org/t/1",
    ),
    "thesis": _record("Harris, Lisa", title="Instructional leadership", institution="University of Virginia", year=2014, type="thesis"),
    "preprint": _record(
        "Wu, Lin", "Doe, Jane", title="Large models of rivers", venue="arXiv", year=2023, date="2023-04-05", ids={"arxiv": "2304.01234"}, type="preprint", url="https://arxiv.org/abs/2304.01234",
    ),
    "preprint with a DOI": _record("Wu, Lin", title="Large models of rivers", venue="bioRxiv", year=2023, type="preprint", doi="10.1101/2023.01.02.5"),
    "dataset": _record("Peng, Wei", title="River temperatures", publisher="Zenodo", year=2022, version="1.2", type="dataset", doi="10.5281/zenodo.123"),
    "software": _record("Peng, Wei", title="Riverflow", publisher="Zenodo", year=2022, version="v2.0.1", type="software", doi="10.5281/zenodo.124"),
    "report of its publisher": _record(
        "World Health Organization", title="Global report on water", publisher="World Health Organization", year=2019, type="report", url="https://who.example.org/1",
    ),
    "report": _record("Stuster, Jack", title="Behavioral issues in space", institution="NASA", year=2010, type="report"),
    "patent": _record(
        "Hiremath, Sanjay", title="Emergency call management", ids={"patent": "US8000000B2"}, year=2016, date="2016-07-19", type="patent", url="https://patents.example.org/8",
    ),
    "standard": _record(
        "International Organization for Standardization", title="Occupational health and safety", ids={"standard": "ISO 45001:2018"}, publisher="International Organization for Standardization", year=2018, type="standard",
    ),
    "web page": _record(
        "National Water Agency", title="Lakes of the country", venue="Water Portal", year=2021, date="2021-05-06", type="webpage", url="https://water.example.org/lakes",
    ),
    "nothing known": _record("Peng, Wei", title="Notes on rivers", year=2018),
}  # fmt: skip

#: Name of a work -> its entry in APA, Vancouver, IEEE and Harvard. Online works were seen on
#: 2026-01-02.
EXPECTED: dict[str, tuple[str, str, str, str]] = {
    "article": (
        "Smith, J. A. (2021). Effects of dam removal on fish. Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "Smith JA. Effects of dam removal on fish. Journal of Applied Ecology. 2021;58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "J. A. Smith, “Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, 2021, doi: 10.1111/1365-2664.13801.",
        "Smith, J.A. (2021) ‘Effects of dam removal on fish’, Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "two authors": (
        "Smith, J. A., & Müller, K.-H. (2021). Effects of dam removal on fish. Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "Smith JA, Müller KH. Effects of dam removal on fish. Journal of Applied Ecology. 2021;58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "J. A. Smith and K.-H. Müller, “Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, 2021, doi: 10.1111/1365-2664.13801.",
        "Smith, J.A. and Müller, K.-H. (2021) ‘Effects of dam removal on fish’, Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "three authors": (
        "van der Berg, J. P., Lee, J. S., & García-López, M. (2021). Effects of dam removal on fish. Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "van der Berg JP, Lee JS, García-López M. Effects of dam removal on fish. Journal of Applied Ecology. 2021;58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "J. P. van der Berg, J. S. Lee, and M. García-López, “Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, 2021, doi: 10.1111/1365-2664.13801.",
        "van der Berg, J.P., Lee, J.S. and García-López, M. (2021) ‘Effects of dam removal on fish’, Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "a body": (
        "World Health Organization. (2021). Effects of dam removal on fish. Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "World Health Organization. Effects of dam removal on fish. Journal of Applied Ecology. 2021;58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "World Health Organization, “Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, 2021, doi: 10.1111/1365-2664.13801.",
        "World Health Organization (2021) ‘Effects of dam removal on fish’, Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "a person and a body": (
        "Smith, J. A., & ATLAS Collaboration. (2021). Effects of dam removal on fish. Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "Smith JA, ATLAS Collaboration. Effects of dam removal on fish. Journal of Applied Ecology. 2021;58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "J. A. Smith and ATLAS Collaboration, “Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, 2021, doi: 10.1111/1365-2664.13801.",
        "Smith, J.A. and ATLAS Collaboration (2021) ‘Effects of dam removal on fish’, Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "nobody": (
        "Effects of dam removal on fish. (2021). Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "Effects of dam removal on fish. Journal of Applied Ecology. 2021;58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "“Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, 2021, doi: 10.1111/1365-2664.13801.",
        "‘Effects of dam removal on fish’ (2021) Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "no year": (
        "Smith, J. A. (n.d.). Effects of dam removal on fish. Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "Smith JA. Effects of dam removal on fish. Journal of Applied Ecology. [date unknown];58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "J. A. Smith, “Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, doi: 10.1111/1365-2664.13801.",
        "Smith, J.A. (no date) ‘Effects of dam removal on fish’, Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "neither name nor year": (
        "Effects of dam removal on fish. (n.d.). Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "Effects of dam removal on fish. Journal of Applied Ecology. [date unknown];58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "“Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, doi: 10.1111/1365-2664.13801.",
        "‘Effects of dam removal on fish’ (no date) Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "a question": (
        "Smith, J. A. (2021). Do dams matter? Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "Smith JA. Do dams matter? Journal of Applied Ecology. 2021;58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "J. A. Smith, “Do dams matter?” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, 2021, doi: 10.1111/1365-2664.13801.",
        "Smith, J.A. (2021) ‘Do dams matter?’, Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "a subtitle": (
        "Smith, J. A. (2021). Dams: A review. Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "Smith JA. Dams: A review. Journal of Applied Ecology. 2021;58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "J. A. Smith, “Dams: A review,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, 2021, doi: 10.1111/1365-2664.13801.",
        "Smith, J.A. (2021) ‘Dams: A review’, Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "an article number": (
        "Smith, J. A. (2021). Effects of dam removal on fish. Journal of Applied Ecology, 58(3), Article e1001. https://doi.org/10.1111/1365-2664.13801",
        "Smith JA. Effects of dam removal on fish. Journal of Applied Ecology. 2021;58(3):e1001. doi: 10.1111/1365-2664.13801.",
        "J. A. Smith, “Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, Art. no. e1001, 2021, doi: 10.1111/1365-2664.13801.",
        "Smith, J.A. (2021) ‘Effects of dam removal on fish’, Journal of Applied Ecology, 58(3), e1001. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "a date and an address": (
        "Smith, J. A. (2021). Effects of dam removal on fish. Journal of Applied Ecology, 58(3), 512–524. https://example.org/a?b=1&c=2",
        "Smith JA. Effects of dam removal on fish. Journal of Applied Ecology [Internet]. 2021 Mar 15 [cited 2026 Jan 2];58(3):512-24. Available from: https://example.org/a?b=1&c=2",
        "J. A. Smith, “Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, Mar. 2021. Accessed: Jan. 02, 2026. [Online]. Available: https://example.org/a?b=1&c=2",
        "Smith, J.A. (2021) ‘Effects of dam removal on fish’, Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://example.org/a?b=1&c=2 (Accessed: 2 January 2026).",
    ),
    "only a journal and a year": (
        "Smith, J. A. (2021). Dams. Lakes.",
        "Smith JA. Dams. Lakes. 2021.",
        "J. A. Smith, “Dams,” Lakes, 2021.",
        "Smith, J.A. (2021) ‘Dams’, Lakes.",
    ),
    "Chinese": (
        "王小明 & 李雷. (2012). 湖泊沉积物研究进展. 科学通报, 55(34), 32–39.",
        "王小明, 李雷. 湖泊沉积物研究进展. 科学通报. 2012;55(34):32-9.",
        "王小明 and 李雷, “湖泊沉积物研究进展,” 科学通报, vol. 55, no. 34, pp. 32–39, 2012.",
        "王小明 and 李雷 (2012) ‘湖泊沉积物研究进展’, 科学通报, 55(34), pp. 32–39.",
    ),
    "editorial": (
        "Smith, J. A. (2021). Effects of dam removal on fish [Editorial]. Journal of Applied Ecology, 58(3), 512–524. https://doi.org/10.1111/1365-2664.13801",
        "Smith JA. Effects of dam removal on fish. Journal of Applied Ecology. 2021;58(3):512-24. doi: 10.1111/1365-2664.13801.",
        "J. A. Smith, “Effects of dam removal on fish,” Journal of Applied Ecology, vol. 58, no. 3, pp. 512–524, 2021, doi: 10.1111/1365-2664.13801.",
        "Smith, J.A. (2021) ‘Effects of dam removal on fish’, Journal of Applied Ecology, 58(3), pp. 512–524. Available at: https://doi.org/10.1111/1365-2664.13801.",
    ),
    "book": (
        "Knuth, D. E. (1997). The art of computer programming: Fundamental algorithms (3rd ed., Vol. 1). Addison-Wesley.",
        "Knuth DE. The art of computer programming: Fundamental algorithms. 3rd ed. Vol. 1. Addison-Wesley; 1997.",
        "D. E. Knuth, The art of computer programming: Fundamental algorithms, 3rd ed., vol. 1. Addison-Wesley, 1997.",
        "Knuth, D.E. (1997) The art of computer programming: Fundamental algorithms. 3rd edn. Volume 1. Addison-Wesley.",
    ),
    "book with a place": (
        "陈某. (2000). 书名 (2nd ed.). 中华书局.",
        "陈某. 书名. 2nd ed. 北京: 中华书局; 2000.",
        "陈某, 书名, 2nd ed. 北京: 中华书局, 2000.",
        "陈某 (2000) 书名. 2nd edn. 北京: 中华书局.",
    ),
    "edited book": (
        "Rossi, P., & Bianchi, M. (Eds.). (2010). Handbook of limnology. Elsevier.",
        "Rossi P, Bianchi M, editors. Handbook of limnology. Elsevier; 2010.",
        "P. Rossi and M. Bianchi, Eds., Handbook of limnology. Elsevier, 2010.",
        "Rossi, P. and Bianchi, M. (eds) (2010) Handbook of limnology. Elsevier.",
    ),
    "chapter": (
        "Green, A. (2010). Lakes in winter. In P. Rossi & M. Bianchi (Eds.), Handbook of limnology (2nd ed., pp. 45–67). Elsevier. https://doi.org/10.1000/c",
        "Green A. Lakes in winter. In: Rossi P, Bianchi M, editors. Handbook of limnology. 2nd ed. Elsevier; 2010. p. 45-67. doi: 10.1000/c.",
        "A. Green, “Lakes in winter,” in Handbook of limnology, 2nd ed., P. Rossi and M. Bianchi, Eds., Elsevier, 2010, pp. 45–67, doi: 10.1000/c.",
        "Green, A. (2010) ‘Lakes in winter’, in P. Rossi and M. Bianchi (eds) Handbook of limnology. 2nd edn. Elsevier, pp. 45–67. Available at: https://doi.org/10.1000/c.",
    ),
    "chapter of one editor": (
        "Green, A. (2010). Lakes in winter. In P. Rossi (Ed.), Handbook of limnology (p. 45). Elsevier.",
        "Green A. Lakes in winter. In: Rossi P, editor. Handbook of limnology. Elsevier; 2010. p. 45.",
        "A. Green, “Lakes in winter,” in Handbook of limnology, P. Rossi, Ed., Elsevier, 2010, p. 45.",
        "Green, A. (2010) ‘Lakes in winter’, in P. Rossi (ed.) Handbook of limnology. Elsevier, p. 45.",
    ),
    "encyclopedia entry": (
        "Green, A. (2010). Lake. In Encyclopedia of water. Elsevier.",
        "Green A. Lake. In: Encyclopedia of water. Elsevier; 2010.",
        "A. Green, “Lake,” in Encyclopedia of water, Elsevier, 2010.",
        "Green, A. (2010) ‘Lake’, in Encyclopedia of water. Elsevier.",
    ),
    "paper in a series": (
        "Vaswani, A., & Shazeer, N. (2017). Attention is all you need. Advances in Neural Information Processing Systems, 30, 5998–6008.",
        "Vaswani A, Shazeer N. Attention is all you need. In: Advances in Neural Information Processing Systems. Vol. 30. Curran Associates; 2017. p. 5998-6008.",
        "A. Vaswani and N. Shazeer, “Attention is all you need,” in Advances in Neural Information Processing Systems, vol. 30, Curran Associates, 2017, pp. 5998–6008.",
        "Vaswani, A. and Shazeer, N. (2017) ‘Attention is all you need’, in Advances in Neural Information Processing Systems. Volume 30. Curran Associates, pp. 5998–6008.",
    ),
    "paper in proceedings": (
        "Vaswani, A. (2017). Attention is all you need. In I. Guyon (Ed.), Proceedings of the 31st Conference on Learning (pp. 1–9). ACM.",
        "Vaswani A. Attention is all you need. In: Guyon I, editor. Proceedings of the 31st Conference on Learning. ACM; 2017. p. 1-9.",
        "A. Vaswani, “Attention is all you need,” in Proceedings of the 31st Conference on Learning, I. Guyon, Ed., ACM, 2017, pp. 1–9.",
        "Vaswani, A. (2017) ‘Attention is all you need’, in I. Guyon (ed.) Proceedings of the 31st Conference on Learning. ACM, pp. 1–9.",
    ),
    "proceedings": (
        "Guyon, I. (Ed.). (2017). Proceedings of the 31st Conference on Learning. ACM.",
        "Guyon I, editor. Proceedings of the 31st Conference on Learning. ACM; 2017.",
        "I. Guyon, Ed., Proceedings of the 31st Conference on Learning. ACM, 2017.",
        "Guyon, I. (ed.) (2017) Proceedings of the 31st Conference on Learning. ACM.",
    ),
    "thesis online": (
        "Harris, L. (2014). Instructional leadership [Thesis, University of Virginia]. https://libra.example.org/t/1",
        "Harris L. Instructional leadership [thesis]. University of Virginia; 2014 [cited 2026 Jan 2]. Available from: https://libra.example.org/t/1",
        "L. Harris, “Instructional leadership,” thesis, University of Virginia, 2014. Accessed: Jan. 02, 2026. [Online]. Available: https://libra.example.org/t/1",
        "Harris, L. (2014) Instructional leadership. Thesis. University of Virginia. Available at: https://libra.example.org/t/1 (Accessed: 2 January 2026).",
    ),
    "thesis": (
        "Harris, L. (2014). Instructional leadership [Thesis]. University of Virginia.",
        "Harris L. Instructional leadership [thesis]. University of Virginia; 2014.",
        "L. Harris, “Instructional leadership,” thesis, University of Virginia, 2014.",
        "Harris, L. (2014) Instructional leadership. Thesis. University of Virginia.",
    ),
    "preprint": (
        "Wu, L., & Doe, J. (2023). Large models of rivers (arXiv:2304.01234). arXiv. https://arxiv.org/abs/2304.01234",
        "Wu L, Doe J. Large models of rivers [Preprint]. arXiv. 2023 Apr 5 [cited 2026 Jan 2]. Available from: https://arxiv.org/abs/2304.01234",
        "L. Wu and J. Doe, “Large models of rivers,” arXiv, arXiv:2304.01234, Apr. 05, 2023. Accessed: Jan. 02, 2026. [Online]. Available: https://arxiv.org/abs/2304.01234",
        "Wu, L. and Doe, J. (2023) ‘Large models of rivers’, arXiv [Preprint]. Available at: https://arxiv.org/abs/2304.01234 (Accessed: 2 January 2026).",
    ),
    "preprint with a DOI": (
        "Wu, L. (2023). Large models of rivers. bioRxiv. https://doi.org/10.1101/2023.01.02.5",
        "Wu L. Large models of rivers [Preprint]. bioRxiv. 2023. doi: 10.1101/2023.01.02.5.",
        "L. Wu, “Large models of rivers,” bioRxiv, 2023, doi: 10.1101/2023.01.02.5.",
        "Wu, L. (2023) ‘Large models of rivers’, bioRxiv [Preprint]. Available at: https://doi.org/10.1101/2023.01.02.5.",
    ),
    "dataset": (
        "Peng, W. (2022). River temperatures (Version 1.2) [Data set]. Zenodo. https://doi.org/10.5281/zenodo.123",
        "Peng W. River temperatures [dataset]. Version 1.2. Zenodo; 2022. doi: 10.5281/zenodo.123.",
        "W. Peng, “River temperatures,” version 1.2, Zenodo, 2022, doi: 10.5281/zenodo.123.",
        "Peng, W. (2022) River temperatures [Dataset]. Version 1.2. Zenodo. Available at: https://doi.org/10.5281/zenodo.123.",
    ),
    "software": (
        "Peng, W. (2022). Riverflow (Version 2.0.1) [Computer software]. Zenodo. https://doi.org/10.5281/zenodo.124",
        "Peng W. Riverflow [software]. Version 2.0.1. Zenodo; 2022. doi: 10.5281/zenodo.124.",
        "W. Peng, “Riverflow,” version 2.0.1, Zenodo, 2022, doi: 10.5281/zenodo.124.",
        "Peng, W. (2022) Riverflow [Computer program]. Version 2.0.1. Zenodo. Available at: https://doi.org/10.5281/zenodo.124.",
    ),
    "report of its publisher": (
        "World Health Organization. (2019). Global report on water. https://who.example.org/1",
        "World Health Organization. Global report on water [Internet]. World Health Organization; 2019 [cited 2026 Jan 2]. Available from: https://who.example.org/1",
        "World Health Organization, “Global report on water,” World Health Organization, 2019. Accessed: Jan. 02, 2026. [Online]. Available: https://who.example.org/1",
        "World Health Organization (2019) Global report on water. World Health Organization. Available at: https://who.example.org/1 (Accessed: 2 January 2026).",
    ),
    "report": (
        "Stuster, J. (2010). Behavioral issues in space. NASA.",
        "Stuster J. Behavioral issues in space. NASA; 2010.",
        "J. Stuster, “Behavioral issues in space,” NASA, 2010.",
        "Stuster, J. (2010) Behavioral issues in space. NASA.",
    ),
    "patent": (
        "Hiremath, S. (2016). Emergency call management (Patent No. US8000000B2). https://patents.example.org/8",
        "Hiremath S, inventor. Emergency call management [Internet]. Patent US8000000B2. 2016 Jul 19 [cited 2026 Jan 2]. Available from: https://patents.example.org/8",
        "S. Hiremath, “Emergency call management,” Patent US8000000B2, July 19, 2016. Accessed: Jan. 02, 2026. [Online]. Available: https://patents.example.org/8",
        "Hiremath, S. (2016) Emergency call management. Patent no. US8000000B2. Available at: https://patents.example.org/8 (Accessed: 2 January 2026).",
    ),
    "standard": (
        "International Organization for Standardization. (2018). Occupational health and safety (ISO 45001:2018).",
        "International Organization for Standardization. Occupational health and safety. ISO 45001:2018. International Organization for Standardization; 2018.",
        "International Organization for Standardization, Occupational health and safety, ISO 45001:2018, 2018.",
        "International Organization for Standardization (2018) Occupational health and safety. ISO 45001:2018. International Organization for Standardization.",
    ),
    "web page": (
        "National Water Agency. (2021, May 6). Lakes of the country. Water Portal. https://water.example.org/lakes",
        "National Water Agency. Lakes of the country [Internet]. Water Portal; 2021 May 6 [cited 2026 Jan 2]. Available from: https://water.example.org/lakes",
        "National Water Agency, “Lakes of the country,” Water Portal, May 06, 2021. Accessed: Jan. 02, 2026. [Online]. Available: https://water.example.org/lakes",
        "National Water Agency (2021) Lakes of the country. Water Portal. Available at: https://water.example.org/lakes (Accessed: 2 January 2026).",
    ),
    "nothing known": (
        "Peng, W. (2018). Notes on rivers.",
        "Peng W. Notes on rivers. 2018.",
        "W. Peng, “Notes on rivers,” 2018.",
        "Peng, W. (2018) Notes on rivers.",
    ),
}  # fmt: skip
