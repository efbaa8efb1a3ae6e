"""What this wing adds: projects with their strategies, runs, works and reports, users, alerts."""

from __future__ import annotations

from metasearch.wing import Wing

WING = Wing(
    commands={
        "project": "metasearch.review.projects.commands:project",
        "strategy": "metasearch.review.strategies.commands:strategy",
        "works": "metasearch.review.works.commands:works",
        "report": "metasearch.review.reports.commands:report",
        "user": "metasearch.review.users.commands:user",
        "saved": "metasearch.review.alerts.commands:saved_group",
        "alerts": "metasearch.review.alerts.commands:alerts",
        "workspace": "metasearch.review.commands:workspace",
    },
    server="metasearch.review.server:WorkspaceWing",
    pages="metasearch.review",
)
