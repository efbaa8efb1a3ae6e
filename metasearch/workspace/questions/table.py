"""All questions, in the order in which forms ask them; a namespace has a module of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from metasearch.workspace.questions import novelty, prisma_s
from metasearch.workspace.questions.question import Question, Value

QUESTIONS: tuple[Question, ...] = (*prisma_s.QUESTIONS, *novelty.QUESTIONS)
BY_KEY = {question.key: question for question in QUESTIONS}
#: Namespace -> what raises a `UsageError` where its answers contradict one another.
CHECKS: Mapping[str, Callable[[Mapping[str, Value]], None]] = {"novelty": novelty.check}
