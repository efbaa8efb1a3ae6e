"""What is asked of one field of CNKI stands together, joined by * + -; fields are joined by AND,
OR, NOT."""

from __future__ import annotations

import json

from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.translate.plan import plan
from metasearch.query.simple import parse
from metasearch.query.tree import Term
from metasearch.settings import Settings
from tests.cases import each

REGISTRY = Registry(Settings())
KEY = {"METASEARCH_CNKI_KEY": "k"}


# The forms are those of CNKI's manual, "专业检索": SU=('经济发展'+'可持续发展')*'转变'-'泡沫',
# TI='大数据' NOT TI='大数据集'.
@each(
    ("text", "sent"),
    [
        ("湖泊", "SU%='湖泊'"),
        ("湖泊 水质", "SU%='湖泊'*'水质'"),
        ("湖泊 OR 河流", "SU%='湖泊'+'河流'"),
        ("(湖泊 OR 河流) AND 水质 NOT 综述", "SU%=('湖泊'+'河流')*'水质'-'综述'"),
        ("湖泊 NOT (综述 OR 通知)", "SU%='湖泊'-('综述'+'通知')"),
        ("湖泊 OR (河流 水质)", "SU%='湖泊'+('河流'*'水质')"),
        ('title:"生态 系统" 水质', "TI='生态 系统' AND SU%='水质'"),
        ("湖泊 title:水质 NOT 综述", "SU%='湖泊'-'综述' AND TI='水质'"),
        ("湖泊 NOT title:综述", "SU%='湖泊' NOT TI='综述'"),
        ("title:湖泊 OR subject:湖泊", "TI='湖泊' OR KY='湖泊'"),
        ("(title:湖泊 OR subject:湖泊) author:张三", "AU='张三' AND (TI='湖泊' OR KY='湖泊')"),
        ("湖泊 year:2010-2020", "SU%='湖泊' AND YE BETWEEN ('2010','2020')"),
        ("湖泊 year:2010-", "SU%='湖泊' AND YE>='2010'"),
        ("doi:10.1000/XYZ", "DOI='10.1000/xyz'"),
    ],
)
def test_words_of_a_field_stand_together(text: str, sent: str) -> None:
    """Brackets are written where they are needed, and nowhere else."""
    assert sent == plan(parse(text), REGISTRY.spec("cnki"), env=KEY).sent


def test_a_query_cannot_leave_its_place() -> None:
    """Quotes and backslashes of the user end neither the value nor the JSON around it."""
    planned = plan(Term("湖泊'\"}\\ 水质"), REGISTRY.spec("cnki"), env=KEY)

    asked = json.loads(dict(planned.request.body)["QueryJson"])
    assert planned.sent == asked["QNode"]["QGroup"][0]["Items"][0]["Value"]
    assert planned.sent.count("'") % 2 == 0
