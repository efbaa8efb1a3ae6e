"""Names of journals and conferences: spelt out, abbreviated, or told by letters."""

from __future__ import annotations

from metasearch.references.venues import is_server, relation
from tests.cases import each


@each(
    ("one", "other"),
    [
        ("J. Gambl. Stud.", "Journal of Gambling Studies"),
        ("PNAS", "Proceedings of the National Academy of Sciences of the United States of America"),
        ("Proc Natl Acad Sci U S A", "Proceedings of the National Academy of Sciences"),
        ("NeurIPS", "Advances in Neural Information Processing Systems 34"),
        ("NIPS", "Adv Neural Inf Process Syst"),
        ("CVPR", "2022 IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)"),
        ("CVPR", "Proc IEEE Comput Soc Conf Comput Vis Pattern Recognit"),
        ("AAAI", "Proceedings of the AAAI Conference on Artificial Intelligence"),
        ("EMNLP", "2021 Conference on Empirical Methods in Natural Language Processing"),
        ("KDD", "Proceedings of the 27th ACM SIGKDD Conference on Knowledge Discovery"),
        ("WWW", "Proceedings of the Web Conference 2021"),
        ("ACL", "59th Annual Meeting of the Association for Computational Linguistics"),
        ("N Engl J Med", "NEJM"),
        ("BMJ", "BMJ (Clinical research ed.)"),
        ("清华大学学报（自科版）", "清华大学学报(自然科学版)"),
    ],
)
def test_names_of_one_venue(one: str, other: str) -> None:
    assert relation(one, other) is relation(other, one) is True


@each(
    ("one", "other"),
    [
        ("ICLR", "NeurIPS"),
        ("ACL", "TACL"),
        ("ICML", "Mach. Learn."),
        ("ICML", "International Conference on Quantum Machine Learning"),
        ("AAAI", "Annual Workshop on AI Safety and Alignment"),
        ("Nature", "Nature Communications"),
        ("Int J Obes", "J Obes"),
        ("J. Mach. Learn. Res.", "Transactions on Machine Learning Research"),
        ("中国检察官", "时代教育"),
    ],
)
def test_names_of_two_venues(one: str, other: str) -> None:
    assert relation(one, other) is relation(other, one) is False


@each(
    ("one", "other"),
    [
        ("ECCV", "Lecture Notes in Computer Science"),
        ("ICML", "Proceedings of Machine Learning Research"),
        ("ICML", "Springer"),
        ("Nordisk Alkohol Nark", "Nordic Studies on Alcohol and Drugs"),
        ("Zhonghua yi xue za zhi", "National Medical Journal of China"),
        ("计算机学报", "Chinese Journal of Computers"),
        ("Physica A", "Physica A: Statistical Mechanics and its Applications"),
        ("Proceedings of the ...", "ICLR"),
    ],
)
def test_nobody_can_tell(one: str, other: str) -> None:
    assert relation(one, other) is relation(other, one) is None


def test_servers_are_no_venues() -> None:
    for name in (
        "arXiv preprint arXiv:1606.06565",
        "SSRN Electronic Journal",
        "CoRR abs/1606.0656",
    ):
        assert is_server(name)
    assert not is_server("Nature")
