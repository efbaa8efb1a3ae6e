"""The style sheet of a report that is a file of its own: A4 on paper, light and dark on screen."""

from __future__ import annotations

SHEET = """
:root { color-scheme: light dark; --paper: #fff; --quiet: #f3f6f6; --ink: #182326; --pale: #52616a;
  --rule: #d6dedf; --edge: #76868d; --accent: #0a5868; --band: #e3eff1; --caution: #7a5200;
  --caution-quiet: #fff6de; }
@media (prefers-color-scheme: dark) { :root { --paper: #11181a; --quiet: #192225; --ink: #e2e9ea;
  --pale: #a2b0b5; --rule: #2e3a3e; --edge: #768891; --accent: #7ecbda; --band: #17353c;
  --caution: #efc466; --caution-quiet: #2b2413; } }
* { box-sizing: border-box; }
html { font: 100%/1.55 "Segoe UI", "Noto Sans", Roboto, Helvetica, Arial, "Noto Sans CJK SC",
  "Microsoft YaHei", sans-serif; color: var(--ink); background: var(--paper); }
body { margin: 0 auto; max-width: 58rem; padding: 2rem 1.25rem 4rem; overflow-wrap: break-word; }
h1, h2, h3, h4, h5 { line-height: 1.3; margin: 1.6em 0 .5em; break-after: avoid; }
h1 { font-size: 1.75rem; margin-top: 0; } h2 { font-size: 1.3rem; } h3 { font-size: 1.08rem; }
h4, h5 { font-size: 1rem; }
p, ul, ol, dl, table, blockquote, figure { margin: .6em 0; }
a { color: var(--accent); overflow-wrap: anywhere; }
.subtitle { color: var(--pale); font-size: 1.08rem; }
.fields > div, .signatures > div { display: grid; grid-template-columns: 13rem minmax(0, 1fr);
  gap: 0 1rem; padding: .25em 0; border-bottom: 1px solid var(--rule); break-inside: avoid; }
dt { color: var(--pale); } dd { margin: 0; overflow-wrap: anywhere; }
.signatures > div { grid-template-columns: max-content 14rem; border: 0; padding-top: 1em; }
.signatures dd { border-bottom: 1px solid var(--edge); }
table { border-collapse: collapse; width: 100%; font-size: .9em; }
caption { text-align: start; font-weight: 600; padding-bottom: .4em; }
th, td { text-align: start; vertical-align: top; padding: .35em .7em .35em 0;
  border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; }
thead { display: table-header-group; } thead th { border-bottom: 1.5px solid var(--edge);
  vertical-align: bottom; overflow-wrap: normal; }
tbody th { font-weight: 500; } tr { break-inside: avoid; }
.num { text-align: end; font-variant-numeric: tabular-nums; } td.num { white-space: nowrap; }
.scroll { overflow-x: auto; }
figure { margin-inline: 0; } figcaption { color: var(--pale); font-size: .9em; }
pre { margin: .3em 0; padding: .6em .8em; background: var(--quiet); border-radius: 3px;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: .86em; line-height: 1.5;
  font-family: ui-monospace, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace; }
pre code { font: inherit; }
blockquote { padding-inline-start: 1em; border-inline-start: 3px solid var(--rule); }
blockquote p { margin: .3em 0; }
.remark { padding: .5em .8em; background: var(--quiet); border-radius: 3px; }
.draft, .warning { padding: .5em .9em; background: var(--caution-quiet);
  border-inline-start: 3px solid var(--caution); border-radius: 3px; }
.draft p, .draft ul { margin: .25em 0; }
.flow { max-width: 100%; height: auto; } .flow text { fill: var(--ink); }
.flow .box { fill: var(--paper); stroke: var(--edge); } .flow .stage { fill: var(--band); }
.flow .way { stroke: var(--edge); } .flow .tip { fill: var(--edge); }
.page-break { break-after: page; }
.cover-page { text-align: center; padding-block: 3rem; }
.cover-page .fields { text-align: start; max-width: 36rem; margin: 3rem auto; }
.report-zh { font-family: "Times New Roman", SimSun, "Songti SC", "Noto Serif CJK SC", serif;
  line-height: 1.7; }
@page { size: A4; margin: 20mm 18mm; } @page formal { size: A4; margin: 30mm 28mm; }
.formal { page: formal; }
@media print {
  :root { color-scheme: light; --paper: #fff; --quiet: #f5f5f5; --ink: #000; --pale: #333;
    --rule: #bbb; --edge: #666; --accent: #000; --band: #eee; --caution: #000;
    --caution-quiet: #f5f5f5; }
  html { font-size: 11pt; } body { max-width: none; padding: 0; } .report-zh { font-size: 12pt; }
  a { text-decoration: none; } .scroll { overflow: visible; }
  .cover-page { break-after: page; padding-top: 30mm; font-size: 16pt; }
  .flow { break-inside: avoid; }
}
"""
