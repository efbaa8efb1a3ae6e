"""SearXNG's interface under `/searxng/`, for Open WebUI, LangChain and scripts.

`parameters.py` reads what such clients send, `results.py` writes what they read, `routes.py`
answers, with SearXNG's own errors. `docs/searxng.md` describes it from outside.
"""
