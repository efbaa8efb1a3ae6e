"""Numbers in Chinese titles: parts, editions, years."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib.chinese_titles import edition, numbers, part_number
from tests.cases import each


@each(
    "title",
    [
        "桃金娘果实多糖的研究（二）",
        "桃金娘果实多糖的研究(Ⅱ)",
        "桃金娘果实多糖的研究Ⅱ",
        "桃金娘果实多糖的研究 II",
        "桃金娘果实多糖的研究II:分离",
        "桃金娘果实多糖的研究Ⅱ.分离",
        "桃金娘果实多糖的研究 2",
        "桃金娘果实多糖的研究之二",
        "桃金娘果实多糖的研究（之二）——分离",
        "桃金娘果实多糖的研究（二）——分离",
        "桃金娘果实多糖的研究——第二部分：分离",
        "桃金娘果实多糖 第2部分:分离",
        "桃金娘果实多糖研究 第二卷",
        "桃金娘果實多糖研究 第二冊",
        "桃金娘果实多糖研究·卷二",
        "（二）桃金娘果实多糖",
        "桃金娘果实多糖的研究（其二）",
        "再论桃金娘果实多糖",
        "桃金娘果实多糖——二论多糖的分离",
        "桃金娘果实多糖的研究（中）",
        "《桃金娘》中篇",
    ],
)
def test_the_second_part(title: str) -> None:
    """All these name a second part."""
    assert part_number(title) == {"2"}


@each(
    ("title", "expected"),
    [
        ("论调控模式(上)", {"1"}),
        ("论调控模式(下)", {"3"}),
        ("下篇：调控模式", {"3"}),
        ("研究综述(续)", {"续"}),
        ("研究综述（续完）", {"完"}),
        ("研究综述（续一）", {"续1"}),
        ("现代分析技术的应用(十八)——鉴别", {"18"}),
        ("热话题与冷思考(二十二)---对话", {"22"}),
        ("中国淡水藻志  第二十一卷  金藻门（Ⅱ）", {"21", "2"}),
        ("毛萼乙素纳米混悬剂.Ⅰ.制备", {"1"}),
    ],
)
def test_other_parts(title: str, expected: set[str]) -> None:
    """Halves, continuations, and a part within a part."""
    assert part_number(title) == expected


@each(
    "title",
    [
        "铜(Ⅱ)的微波直接合成",
        "改性柚皮粉对水中Cu(Ⅱ)和Zn(Ⅱ)的吸附",
        "聚丙烯酸作为V(Ⅲ)/V(Ⅳ)电解液添加剂的研究",
        "Ⅱ型糖尿病的治疗",
        "安氏Ⅱ类错合的治疗",
        "再评价与再论证的方法",
        "第三部门与第一集团",
        "直接酯化法合成聚2,5-呋喃二甲酸乙二酯",
        "姚安6.5级地震",
        "新型冠状病毒SARS-CoV-2",
        "浙江省2019年度报告(2019)",
        "水滸傳（上/下）",
        "续断与续航",
        "Part II of an English title",
        "",
    ],
)
def test_what_is_no_part(title: str) -> None:
    """Oxidation states, types, words that begin like numbers, years: no parts."""
    assert part_number(title) == frozenset()


@each(
    ("title", "expected"),
    [
        ("2023年新疆“三农”舆情分析", {"2023"}),
        ("二〇二三年工作报告", {"2023"}),
        ("二○二三年工作报告", {"2023"}),
        ("第十三届中国药师周", {"13"}),
        ("第３２次会议（２０１９）", {"32", "2019"}),
        ("一百零三个问题", set()),
    ],
)
def test_numbers(title: str, expected: set[str]) -> None:
    """Digits within words, and Chinese numerals of years and meetings; not every 一 is a number."""
    assert numbers(title) == expected


@each(
    ("title", "expected"),
    [
        ("基因工程（第二版）", {"2"}),
        ("水滸傳（二版）", {"2"}),
        ("计算机组成与设计（原书第5版·ARM版）", {"5"}),
        ("基因工程 第3版", {"3"}),
        ("基因工程（修订版）", {"修订"}),
        ("新时代中国之治(英文)", {"英文"}),
        ("功率GaAs MESFET模型参数的提取（英）", {"英文"}),
        ("人类基因组编辑（中文翻译版）", {"中文"}),
        ("食品安全标准（征求意见稿）", {"草案"}),
        ("中国版权制度研究", set()),
        ("出版研究", set()),
        ("English edition", set()),
    ],
)
def test_editions(title: str, expected: set[str]) -> None:
    """Editions by number, revised, in another language, drafts."""
    assert edition(title) == expected


@given(
    st.text(
        alphabet="第一二十百〇零之其上下续完ⅠⅤIVX(（)）[]【】版卷篇论再 2:—-年届研", max_size=25
    )
)
def test_any_text_is_taken(title: str) -> None:
    """No text raises, and every number is a word of its own."""
    for found in (part_number(title), numbers(title), edition(title)):
        assert all(found)
