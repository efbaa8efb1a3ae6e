"""One small file of each tagged format, written by us in the shape of the real thing, and how its
records begin."""

from __future__ import annotations

import re
from typing import NamedTuple

from metasearch.formats.reading import FileReading, read_bytes
from metasearch.record import Record


class Sample(NamedTuple):
    """A file of one format.

    Attributes:
        text: Its content.
        begin: Finds where its records begin, by other means than ours.
        records: How many there are.
    """

    text: str
    begin: re.Pattern[str]
    records: int


def read(text: str | bytes, form: str | None = None, name: str = "a.txt") -> FileReading:
    """The reading of a text."""
    return read_bytes(text if isinstance(text, bytes) else text.encode(), name, format=form)


def one(text: str, form: str | None = None) -> Record:
    """The only record of a text, in which nothing is wrong."""
    reading = read(text, form)
    assert not reading.problems
    (entry,) = reading.entries
    return entry.record


def told(reading: FileReading) -> list[tuple[int, str]]:
    """Line and message of each problem."""
    return [(problem.line, problem.message) for problem in reading.problems]


RIS = """\
TY  - JOUR
AU  - Musterfrau, Erika
AU  - Byron, Ada A.
TI  - Iron in lakes
T2  - Journal of Mud
PY  - 2019
VL  - 12
IS  - 3
SP  - 101
EP  - 109
DO  - 10.1000/mud.1
ER  -

TY  - BOOK
AU  - Byron, Ada
TI  - A book of mud
PB  - Shore Press
PY  - 2001
SN  - 0-19-852663-6
ER  -
"""

NBIB = """\
PMID- 10000001
OWN - NLM
IS  - 1234-5679 (Electronic)
DP  - 2019 Mar 12
TI  - Iron in lakes: a long title
      that goes on.
PG  - 101-9
LID - 10.1000/mud.1 [doi]
AB  - BACKGROUND: Lakes rust.
      They do.
FAU - Musterfrau, Erika
AU  - Musterfrau E
AUID- ORCID: 0000-0002-1825-0097
FAU - Byron, Ada A
AU  - Byron AA
LA  - eng
PT  - Journal Article
TA  - J Mud
JT  - Journal of mud
MH  - *Lakes
OT  - rust

PMID- 10000002
OWN - NLM
DP  - 2018
TI  - [Another lake].
TT  - Ein anderer See.
AU  - Byron AA
PT  - Letter
JT  - Journal of mud
"""

OVID = """\
<1. >
VN  - Ovid Technologies
DB  - Embase <1974 to 2020 Week 11>
UI  - 2002345678
TI  - Iron in lakes: a long title
      that goes on. [References]
SO  - Journal of Mud. 12 (3) (pp 101-109), 2019. Date of Publication: 12 Mar 2019.
AU  - Musterfrau E.
AU  - Byron A.A.
IN  - (Musterfrau) University of Shore, Shoretown, Netherlands
      (Byron) Institute of Mud
AB  - Lakes rust.
      They do.
IS  - 1234-5679
DO  - http://dx.doi.org/10.1000/mud.1
LG  - English
MH  - *lake
MH  - rust
PT  - Journal: Article
YR  - 2019
XL  - https://ovidsp.ovid.com/ovidweb.cgi?T=JS&D=emexb&AN=2002345678

<2. >
VN  - Ovid Technologies
DB  - APA PsycInfo
AN  - Book: 2018-12345-001.
TI  - [Another lake].
AU  - Byron, Ada
SO  - Musterfrau, Erika [Ed]. (2018). The book of lakes. (pp. 11-29). xi, 240 pp. Oxford: Shore
      Press.
DT  - Chapter
YR  - 2018
"""

REFER = """\
%0 Journal Article
%A Musterfrau, Erika
%A Byron, Ada A.
%T Iron in lakes
%J Journal of Mud
%D 2019
%V 12
%N 3
%P 101-109
%R 10.1000/mud.1

%0 Thesis
%A 张三
%Y 李四
%T 湖泊中的铁
%I 某某大学
%D 2018
%9 硕士
%W CNKI
"""

REFWORKS = """\
RT Journal Article
SR 1
A1 张三;李四;
AD 某某大学;
T1 湖泊中的铁
JF 泥土学报
YR 2019
IS 03
vo 12
OP 101-109
K1 湖泊;铁
AB 本文研究湖泊。
SN 1234-5679
LA 中文;
DS CNKI

RT Dissertation/Thesis
SR 1
A1 王五
A3 赵六
T1 河流中的铁
PB 某某大学
YR 2018
DS CNKI
"""

NOTEEXPRESS = """\
{Reference Type}: Journal Article
{Title}: 湖泊中的铁
{Translated Title}: Iron in lakes
{Author}: 张三
{Author}: 李四
{Translated Author}: San ZHANG
{Journal}: 泥土学报（电子版）
{Year}: 2019
{Volume}: 12
{Issue}: 3
{Pages}: 101-109
{Keywords}: 湖泊
{Keywords}:  铁
{ISBN/ISSN}: 1234-5679
{DOI}: 10.1000／mud.1
{Database Provider}: 北京万方数据股份有限公司
{Language}: chi

{Reference Type}: Thesis
{Title}: 河流中的铁
{Author}: 王五
{Tertiary Author}: 赵六
{Publisher}: 某某大学
{Year}: 2018
{Type of Work}: 硕士
{Database Provider}: CNKI
"""

CNKI = """\
DataType: 1
Title-题名: 湖泊中的铁——以某湖为例
Author-作者: 张三;李四;
Source-刊名: 泥土学报
Year-年: 2019
PubTime-出版时间: 2019-03-12 10:52
Keyword-关键词: 湖泊;铁
Summary-摘要: <正>本文研究湖泊。
Period-期: 03
Roll-卷: 12
PageCount-页数: 9
Page-页码: 101-109
SrcDatabase-来源库: 期刊
Organ-机构: 某某大学;
Link-链接: https://kns.cnki.net/kcms/detail/detail.aspx?FileName=NTXB201903001&DbName=CJFD2019
DataType: 1
Title-题名: 河流中的铁
Author-作者: 王五;
Source-刊名: 某某大学
PubTime-出版时间: 2018-06-01
SrcDatabase-来源库: 硕士
"""

WOS = """\
\ufeffFN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Musterfrau, E
   Byron, AA
AF Musterfrau, Erika
   Byron, Ada A.
TI Iron in lakes: a long title
   that goes on
SO JOURNAL OF MUD
LA English
DT Article; Proceedings Paper
DE Lakes; rust; long
   keyword
AB Lakes rust.
SN 1234-5679
EI 2345-6786
PD MAR 12
PY 2019
VL 12
IS 3
AR 101
DI 10.1000/mud.1
UT WOS:000100000000001
PM 10000001
TC 4
ER

PT B
AU Byron, A
TI A book of mud
PU SHORE PRESS
BN 978-0-19-852663-6
PY 2001
UT WOS:000100000000002
ER

EF
"""

SAMPLES = {
    "ris": Sample(RIS, re.compile(r"^TY  - ", re.MULTILINE), 2),
    "nbib": Sample(NBIB, re.compile(r"^PMID- ", re.MULTILINE), 2),
    "ovid": Sample(OVID, re.compile(r"^<\d+\. >", re.MULTILINE), 2),
    "endnote-tagged": Sample(REFER, re.compile(r"^%0 ", re.MULTILINE), 2),
    "refworks": Sample(REFWORKS, re.compile(r"^RT ", re.MULTILINE), 2),
    "noteexpress": Sample(NOTEEXPRESS, re.compile(r"^\{Reference Type\}: ", re.MULTILINE), 2),
    "cnki": Sample(CNKI, re.compile(r"^DataType: ", re.MULTILINE), 2),
    "wos": Sample(WOS, re.compile(r"^PT ", re.MULTILINE), 2),
}
