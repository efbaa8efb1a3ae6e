"""Rabin's fingerprint is a remainder of polynomials over GF(2), and its bits are even on short
Chinese words."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from metasearch.bulk.published.paragraphs import DEGREE, POLYNOMIAL, RABIN, rabin64
from tests.cases import each

X = 0b10


def remainder(dividend: int, divisor: int) -> int:
    """Long division over GF(2), a bit at a time."""
    while dividend.bit_length() >= divisor.bit_length():
        dividend ^= divisor << (dividend.bit_length() - divisor.bit_length())
    return dividend


def square(a: int, modulus: int) -> int:
    """Of a polynomial, modulo another: over GF(2), the coefficients with zeros between them."""
    return remainder(int(format(a, "b"), 4), modulus)


def divisor(a: int, b: int) -> int:
    """The greatest common one (Euclid)."""
    while b:
        a, b = b, remainder(a, b)
    return a


def is_irreducible(polynomial: int) -> bool:
    """Rabin's test for degree 64: it divides x^(2^64) - x and shares no factor with x^(2^32) -
    x."""
    assert polynomial.bit_length() == DEGREE + 1
    half = X
    for _ in range(32):
        half = square(half, polynomial)
    whole = half
    for _ in range(32):
        whole = square(whole, polynomial)
    return whole == X and divisor(polynomial, half ^ X) == 1


def reference(data: bytes) -> int:
    """As Rabin defines it: a leading 1, the message, and a multiplication by x^64."""
    return remainder(int.from_bytes(b"\x01" + data + bytes(8), "big"), POLYNOMIAL)


def test_the_polynomial_is_irreducible() -> None:
    assert is_irreducible(POLYNOMIAL)


@each(
    ("polynomial", "answer"),
    [
        (1 << 64 | 0b11011, True),  # x^64 + x^4 + x^3 + x + 1, a well-known one
        (POLYNOMIAL ^ 1, False),  # x divides it
        (1 << 64 | 1, False),  # (x + 1)^64
        (int(format(1 << 32 | 0b10001101, "b"), 4), False),  # the square of one of degree 32
    ],
)
def test_the_test_of_irreducibility_tells_them_apart(polynomial: int, answer: bool) -> None:
    assert is_irreducible(polynomial) is answer


@given(st.binary(max_size=200))
def test_the_table_gives_what_long_division_gives(data: bytes) -> None:
    assert rabin64(data) == reference(data)


@each(
    ("text", "fingerprint"),
    [("", 0xE110715B33BFA08F), ("a", 0x5097EFD3DC9B6D04), ("信息检索", 0xA7BB504DF64BD700)],
)
def test_known_fingerprints(text: str, fingerprint: int) -> None:
    """Taken from the long division; that of nothing is x^64, which is what the polynomial has below
    its top bit."""
    assert rabin64(text.encode()) == fingerprint


def test_leading_zeros_count() -> None:
    """Without the 1 in front, zero bytes before a message would not be seen."""
    assert len({rabin64(bytes(length)) for length in range(20)}) == 20
    assert rabin64(b"\0a") != rabin64(b"a")


@given(st.binary(min_size=1, max_size=40), st.binary(min_size=1, max_size=40))
def test_it_is_linear(a: bytes, b: bytes) -> None:
    """Fingerprints of messages of one length add up as the messages do; that is what makes it a
    remainder."""
    length = min(len(a), len(b))
    both = bytes(x ^ y for x, y in zip(a[:length], b[:length], strict=True))

    assert rabin64(a[:length]) ^ rabin64(b[:length]) == rabin64(both) ^ rabin64(bytes(length))


def chinese_words() -> list[str]:
    """1,600 words of two characters, which are six bytes of UTF-8 with the same high bits in
    each."""
    first = "水土气热光声电磁力学计算机网络信息数据检索查新文献图书馆员情报分析模型方法系"
    second = "量化性度面体层流场波动程序理论实验研究设计应用管理技术工艺材料结构功能评价影"
    return ["".join(pair) for pair in itertools.product(first[:40], second[:40])]


def shares_of_ones(fingerprints: list[int]) -> list[float]:
    """Of each bit, in how many of the fingerprints it is 1."""
    return [sum(it >> bit & 1 for it in fingerprints) / len(fingerprints) for bit in range(64)]


def test_no_bit_is_biased_on_short_chinese_words() -> None:
    """Every bit is 1 in about half of the words."""
    words = chinese_words()

    # With 1,600 words a fair coin is outside 0.4-0.6 once in 10^15 throws.
    assert all(
        0.4 < share < 0.6 for share in shares_of_ones([rabin64(word.encode()) for word in words])
    )


def test_without_the_shift_the_bits_of_short_words_would_be_biased() -> None:
    """The trap: the remainder of a short word that is not multiplied by x^64 is the word itself."""
    words = chinese_words()

    raw = [remainder(int.from_bytes(b"\x01" + word.encode(), "big"), POLYNOMIAL) for word in words]

    assert raw == [int.from_bytes(b"\x01" + word.encode(), "big") for word in words]
    assert sum(not 0.4 < share < 0.6 for share in shares_of_ones(raw)) > 30


def test_it_has_a_name() -> None:
    """The name holds the polynomial, so that another polynomial is another version of
    signatures."""
    assert RABIN == f"rabin-{POLYNOMIAL:x}"
