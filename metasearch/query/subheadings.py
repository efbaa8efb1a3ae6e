"""The subheadings of MeSH and Emtree, which Ovid and the Cochrane Library name by two letters, too.

Sources: https://www.nlm.nih.gov/mesh/subhierarchy.html, https://ospguides.ovid.com/
"""

from __future__ import annotations

from collections.abc import Mapping

_TABLE = """\
aa analogs & derivatives|ab abnormalities|ad administration & dosage|ae adverse effects
ag agonists|ah anatomy & histology|ai antagonists & inhibitors|an analysis|bi biosynthesis
bl blood|bs blood supply|cf cerebrospinal fluid|ch chemistry|ci chemically induced
cl classification|cn congenital|co complications|cs chemical synthesis|ct contraindications
cy cytology|de drug effects|df deficiency|dg diagnostic imaging|dh diet therapy|di diagnosis
dt drug therapy|ec economics|ed education|eh ethnology|em embryology|en enzymology
ep epidemiology|es ethics|et etiology|gd growth & development|ge genetics|hi history
im immunology|in injuries|ip isolation & purification|ir innervation|is instrumentation
lj legislation & jurisprudence|me metabolism|mi microbiology|mo mortality|mt methods|nu nursing
og organization & administration|pa pathology|pc prevention & control|pd pharmacology
ph physiology|pk pharmacokinetics|po poisoning|pp physiopathology|ps parasitology|px psychology
py pathogenicity|ra radiography|re radiation effects|rh rehabilitation|ri radionuclide imaging
rt radiotherapy|sc secondary|sd supply & distribution|sn statistics & numerical data|st standards
su surgery|td trends|th therapy|tm transmission|to toxicity|tr transplantation|tu therapeutic use
ul ultrastructure|ur urine|us ultrasonography|ut utilization|ve veterinary|vi virology
cb drug combination|cm drug comparison|cr drug concentration|dm disease management|do drug dose
dr drug resistance|dv drug development|it drug interaction|iv intravenous drug administration
pe pharmacoeconomics|pr pharmaceutics|si side effect|tp topical drug administration"""

#: Two letters -> name; where MeSH and Emtree differ, that of MeSH.
SUBHEADINGS: Mapping[str, str] = {
    row[:2]: row[3:] for line in _TABLE.splitlines() for row in line.split("|")
}


def subheading_named(text: str) -> str:
    """The name of a subheading, by its letters or as it is: "DT" -> "drug therapy"."""
    return SUBHEADINGS.get(text.strip().casefold(), text.strip())
