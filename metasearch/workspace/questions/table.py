"""All questions, in the order in which forms ask them; a namespace has a module of its own."""

from __future__ import annotations

from metasearch.workspace.questions import novelty
from metasearch.workspace.questions.question import Question

QUESTIONS: tuple[Question, ...] = (*novelty.QUESTIONS,)
BY_KEY = {question.key: question for question in QUESTIONS}
