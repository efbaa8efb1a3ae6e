"""What this wing adds: projects with their strategies, runs, works and reports, users, alerts."""

from __future__ import annotations

from metasearch.wing import Wing

WING = Wing(
    commands={
        "project": "metasearch.cli.workspace.project:project",
        "strategy": "metasearch.cli.workspace.strategy:strategy",
        "works": "metasearch.cli.workspace.works:works",
        "report": "metasearch.cli.workspace.report:report",
        "user": "metasearch.cli.workspace.user:user",
        "saved": "metasearch.cli.workspace.saved:saved",
        "alerts": "metasearch.cli.workspace.alerts:alerts",
        "workspace": "metasearch.cli.workspace.file:workspace",
    },
    server="metasearch.server.workspace_wing:WorkspaceWing",
    pages="metasearch.workspace",
)
