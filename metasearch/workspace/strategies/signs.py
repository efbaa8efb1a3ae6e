"""Signs of full width and quotes of any kind, as ASCII."""

from __future__ import annotations

#: For `str.translate`; each sign becomes one, so that places stay what they are.
FLAT = str.maketrans(
    "（）＃＊＋－–—，／＝：％【】“”„＂‘’０１２３４５６７８９",
    '()#*+---,/=:%()""""\'\'0123456789',
)
